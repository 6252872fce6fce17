/** Ends after the time, or sooner when the signal does; never with an error. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    if (signal.aborted) {
      settle();
      return;
    }
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      settle();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish);
  });
}
