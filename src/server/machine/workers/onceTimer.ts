/** A timer that is started once, however often that is asked for, until it has fired. */
export function createOnceTimer() {
  let timer: NodeJS.Timeout | undefined;
  return {
    start(ms: number, action: () => void) {
      timer ??= setTimeout(() => {
        timer = undefined;
        action();
      }, ms);
    },
    close: () => clearTimeout(timer),
  };
}
