/** When the next thread may start after threads have crashed. */
export interface CrashBackOff {
  record(): void;
  /** A thread has worked. */
  reset(): void;
  /** Crashes one after another. */
  readonly inRow: number;
  waitMs(): number;
  /** So many that requests fail instead of waiting for a thread. */
  isHopeless(): boolean;
}

/** Delay before the next thread starts, indexed by the number of consecutive crashes. */
const BACK_OFF_MS = [0, 0, 500, 1_000, 2_000, 4_000];
const HOPELESS = 5;

export function createCrashBackOff(): CrashBackOff {
  let inRow = 0;
  let nextStartMs = 0;
  const waitMs = () => nextStartMs - performance.now();
  return {
    record() {
      inRow += 1;
      nextStartMs = performance.now() + (BACK_OFF_MS[inRow] ?? 4_000);
    },
    reset() {
      inRow = 0;
    },
    get inRow() {
      return inRow;
    },
    waitMs,
    isHopeless: () => inRow >= HOPELESS && waitMs() > 0,
  };
}
