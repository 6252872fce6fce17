const WINDOW_MS = 10_000;
const FREE_FAILURES = 20;
const MAX_PEERS = 1024;

type Failures = { sinceMs: number; count: number };

/** Slows down guessing of tokens: after 20 wrong ones in 10 seconds, each further response takes 100 to 200 ms. */
export function createFailureDelay(nowMs: () => number = Date.now, random: () => number = Math.random) {
  const peers = new Map<string, Failures>();
  return {
    /** Counts one failure of the peer and returns the delay of its response in milliseconds. */
    count(peer: string): number {
      const now = nowMs();
      const known = peers.get(peer);
      const failures = known !== undefined && now - known.sinceMs < WINDOW_MS ? known : { sinceMs: now, count: 0 };
      failures.count++;
      peers.delete(peer);
      peers.set(peer, failures);
      const [oldest] = peers.keys();
      if (peers.size > MAX_PEERS && oldest !== undefined) peers.delete(oldest);
      return failures.count > FREE_FAILURES ? 100 + Math.floor(100 * random()) : 0;
    },
  };
}
