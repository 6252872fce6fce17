import { setTimeout as pause } from 'node:timers/promises';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { tryAgain } from './arrival.ts';

export type Patience = { readonly waitMs: number; readonly signal: AbortSignal | undefined };

/** For a volume that is being read, where no page would ask again. */
export const VOLUME_WAIT_MS = 120_000;
/** One try may take all of the time, because it has much to do before it needs what others use. */
const FEWEST_TRIES = 5;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Asks again while the answer is `decode_busy`, within the time that `findPatience` gives; undefined asks once. It is
 * called only if the answer is that. Ends with its client.
 */
export async function askWhileBusy<Result>(
  ask: () => Result | Promise<Result>,
  findPatience: () => Patience | undefined,
): Promise<Result> {
  const beganMs = performance.now();
  let pauseMs = FIRST_PAUSE_MS;
  for (let tries = 1; ; tries += 1) {
    let patience: Patience | undefined;
    try {
      return await ask();
    } catch (error) {
      patience = error instanceof ViewerError && error.code === 'decode_busy' ? findPatience() : undefined;
      if (patience === undefined) throw error;
      if (tries >= FEWEST_TRIES && performance.now() - beganMs > patience.waitMs) throw error;
    }
    await pause(pauseMs, undefined, { signal: patience.signal });
    tryAgain(patience.signal);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}
