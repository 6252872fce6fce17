import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Resets refused connections: immediately, or with a delay if a client keeps opening new ones. */
export type Refusals = { refuse(socket: Socket): void; close(): void };

export type RefusalsOptions = {
  /** Number of connections that can be reset immediately; it refills at `REFILL_PER_S`, up to this value. */
  readonly atOnce?: number;
  /** When this many are held, the one held longest is released. */
  readonly mostHeld?: number;
};

const REFILL_PER_S = 256;
/**
 * Every interval, one in `PORTION` of the held connections is released, so that a flood of thousands returns as a
 * trickle.
 */
const PACE_MS = 50;
const PORTION = 100;

/**
 * If a client opens a new connection for each one that is reset, all of these wait in the kernel's single accept queue,
 * ahead of the user's next connection. Connections held here, unread, are not in that queue, but each takes a file
 * descriptor. They are released evenly over about 5 s.
 */
export function createRefusals({ atOnce = 4_096, mostHeld }: RefusalsOptions = {}): Refusals {
  const held = new Set<Socket>();
  let limit = mostHeld;
  let budget = atOnce;
  let countedAt = performance.now();
  let pace: NodeJS.Timeout | undefined;

  const isFlood = (): boolean => {
    const now = performance.now();
    budget = Math.min(atOnce, budget + ((now - countedAt) * REFILL_PER_S) / 1_000);
    countedAt = now;
    if (budget < 1) return true;
    budget--;
    return false;
  };

  const release = (count: number) => {
    let left = count;
    for (const socket of held) {
      if (left-- === 0) return;
      held.delete(socket);
      socket.resetAndDestroy();
    }
    clearInterval(pace);
    pace = undefined;
  };

  return {
    refuse(socket) {
      if (!isFlood()) {
        socket.resetAndDestroy();
        return;
      }
      limit ??= mostDescriptors() / 4;
      if (held.size >= limit) release(1);
      held.add(socket);
      pace ??= setInterval(() => release(Math.ceil(held.size / PORTION)), PACE_MS).unref();
    },
    close: () => release(Infinity),
  };
}

/** Number of files that this process may open, capped at `ENOUGH`. */
function mostDescriptors(): number {
  const ENOUGH = 32_768;
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return Math.min(ENOUGH, Number(soft ?? ENOUGH));
  } catch {
    return 1_024;
  }
}
