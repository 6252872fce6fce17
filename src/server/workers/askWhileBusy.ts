import { setTimeout as pause } from 'node:timers/promises';
import { ViewerError } from '../../shared/contract/errors.ts';

const MOST_WAIT_MS = 120_000;
const PAUSE_MS = 250;

/**
 * Asks again while the answer is `decode_busy`, for work that goes on meanwhile: a download has no page that would ask
 * again. Ends with its client, or after two minutes with that answer.
 */
export async function askWhileBusy<Result>(
  work: () => Promise<Result>,
  { signal }: { readonly signal: AbortSignal | undefined },
): Promise<Result> {
  const untilMs = performance.now() + MOST_WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof ViewerError && error.code === 'decode_busy';
      if (!isBusy || performance.now() >= untilMs) throw error;
    }
    await pause(PAUSE_MS, undefined, { signal });
  }
}
