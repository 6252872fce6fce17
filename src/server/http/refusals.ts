import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Resets connections that there is nothing here for: at once, or later where somebody opens them without end. */
export type Refusals = { refuse(socket: Socket): void; close(): void };

export type RefusalsOptions = {
  /** So many are reset at once. Others must come slower than `REFILL_PER_S` for that. */
  readonly atOnce?: number;
  /** When as many are held, the one that was held first goes. */
  readonly mostHeld?: number;
};

const REFILL_PER_S = 256;
/** At each pace one in `PORTION` of those that are held goes, so that a flood of thousands comes back as a trickle. */
const PACE_MS = 50;
const PORTION = 100;

/**
 * A stranger who opens a new connection for each that is reset would have all of them wait in the kernel's one queue,
 * and the user's next connection behind them. Those that we hold, unread, are not in that queue; they take a descriptor
 * each. They are let go evenly, over some 5 s.
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

/** What this process may open, of which more than these are not needed. */
function mostDescriptors(): number {
  const ENOUGH = 32_768;
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return Math.min(ENOUGH, Number(soft ?? ENOUGH));
  } catch {
    return 1_024;
  }
}
