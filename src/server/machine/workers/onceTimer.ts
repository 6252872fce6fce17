/** A timer that is started once, however often that is asked for, until it has fired. */
export interface OnceTimer {
  start(ms: number, action: () => void): void;
  close(): void;
}

export function createOnceTimer(): OnceTimer {
  let timer: NodeJS.Timeout | undefined;
  return {
    start(ms, action) {
      timer ??= setTimeout(() => {
        timer = undefined;
        action();
      }, ms);
    },
    close: () => clearTimeout(timer),
  };
}
