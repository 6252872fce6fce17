/** Delay before the next thread starts, indexed by the number of consecutive crashes. */
const BACK_OFF_MS = [0, 0, 500, 1_000, 2_000, 4_000];
const HOPELESS = 5;

/** When the next thread may start after threads have crashed. */
export function createCrashBackOff() {
  let inRow = 0;
  let nextStartMs = 0;
  const waitMs = () => nextStartMs - performance.now();
  return {
    record() {
      inRow += 1;
      nextStartMs = performance.now() + (BACK_OFF_MS[inRow] ?? 4_000);
    },
    /** A thread has worked. */
    reset() {
      inRow = 0;
    },
    /** Crashes one after another. */
    get inRow() {
      return inRow;
    },
    waitMs,
    /** So many that requests fail instead of waiting for a thread. */
    isHopeless: () => inRow >= HOPELESS && waitMs() > 0,
  };
}
