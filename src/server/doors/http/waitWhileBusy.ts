import { askWhileBusy } from '../../machine/workers/askWhileBusy.ts';
import type { Exchange } from './exchange.ts';
import { preferencesOf } from './preferencesOf.ts';

/** A client may prefer to wait longer, but then something is wrong that it should learn of. */
const MOST_WAIT_MS = 60_000;

/**
 * Handles a request. With `wait` in `Prefer` (RFC 7240), or if its route waits by itself, a request that finds the server
 * busy is handled again until it is answered, within that time. It keeps its place: memory is given in the order in which
 * requests have arrived.
 */
export function waitWhileBusy(c: Exchange, handle: (c: Exchange) => void | Promise<void>): Promise<void> {
  const handleAgain = () => {
    c.forgetHeaders();
    return handle(c);
  };
  return askWhileBusy(handleAgain, () => {
    const waitMs = c.outgoing.headersSent ? 0 : findWaitMs(c);
    return waitMs === 0 ? undefined : { waitMs, signal: c.signal };
  });
}

/** 0 for a request that must not be handled twice. */
function findWaitMs(c: Exchange): number {
  if (c.method !== 'GET' && c.method !== 'HEAD') return 0;
  const seconds = preferencesOf(c).flatMap((preference) => /^wait=(\d+)$/.exec(preference)?.[1] ?? []);
  return Math.max(c.ownWaitMs, Math.min(1_000 * Number(seconds[0] ?? 0), MOST_WAIT_MS));
}
