import { ViewerError } from '../../shared/contract/errors.ts';

export function shuttingDown(): ViewerError {
  return new ViewerError('shutting_down', 'the server is shutting down');
}

/** Waits for the work, but at most until the signal says that the server shuts down. */
export async function orClosed(work: Promise<unknown> | undefined, signal: AbortSignal): Promise<void> {
  if (work === undefined) return;
  const closed = new Promise<'closed'>((settle) => {
    if (signal.aborted) settle('closed');
    else signal.addEventListener('abort', () => settle('closed'), { once: true });
  });
  if ((await Promise.race([work, closed])) === 'closed') throw shuttingDown();
}
