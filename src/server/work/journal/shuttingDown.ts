import { setMaxListeners } from 'node:events';
import { ViewerError } from '../../../shared/contract/errors.ts';

export function shuttingDown(): ViewerError {
  return new ViewerError('shutting_down', 'the server is shutting down');
}

/** Waits for the work, but at most until the signal says that the server shuts down. */
export async function orClosed(work: Promise<unknown> | undefined, signal: AbortSignal): Promise<void> {
  if (work === undefined) return;
  if (signal.aborted) throw shuttingDown();
  // Any number of requests may wait. Node takes more than ten listeners for a leak and prints a warning.
  setMaxListeners(0, signal);
  let onAbort: (() => void) | undefined;
  const closed = new Promise<never>((_, fail) => {
    onAbort = () => fail(shuttingDown());
    signal.addEventListener('abort', onAbort);
  });
  try {
    await Promise.race([work, closed]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
