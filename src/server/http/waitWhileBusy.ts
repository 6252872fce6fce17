import { setTimeout as delay } from 'node:timers/promises';
import { ViewerError } from '../../shared/contract/errors.ts';
import type { Exchange } from './exchange.ts';
import { preferencesOf } from './preferencesOf.ts';

/** A client may prefer to wait longer, but then something is wrong that it should learn of. */
const MOST_WAIT_MS = 60_000;
/** One try may take all of the time, because it has much to do before it needs memory that others use. */
const FEWEST_TRIES = 5;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Handles a request. With `wait` in `Prefer` (RFC 7240), a request that finds the server busy is handled again until it
 * is answered, within that time. It keeps its place: memory is given in the order in which requests have arrived.
 */
export async function waitWhileBusy(c: Exchange, handle: (c: Exchange) => void | Promise<void>): Promise<void> {
  const beganMs = performance.now();
  let pauseMs = FIRST_PAUSE_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await handle(c);
    } catch (error) {
      if (!isBusy(error) || c.outgoing.headersSent) throw error;
      const waitMs = findWaitMs(c);
      if (waitMs === 0 || (tries >= FEWEST_TRIES && performance.now() - beganMs > waitMs)) throw error;
    }
    await delay(pauseMs, undefined, { signal: c.signal });
    c.forgetHeaders();
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof ViewerError && error.code === 'decode_busy';
}

/** 0 for a request that must not be handled twice. */
function findWaitMs(c: Exchange): number {
  if (c.method !== 'GET' && c.method !== 'HEAD') return 0;
  const seconds = preferencesOf(c).flatMap((preference) => /^wait=(\d+)$/.exec(preference)?.[1] ?? []);
  return Math.min(1_000 * Number(seconds[0] ?? 0), MOST_WAIT_MS);
}
