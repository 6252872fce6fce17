/** When the task of this thread has to have failed by itself, so that the thread need not be ended. */
let deadlineMs = Infinity;

/** Of the time until the thread is ended, the part that a task may spend with waiting. The rest is for its failure. */
const WAITING_PART = 0.9;

/** Called when a task begins. `patienceMs` is the time after which its thread is ended. */
export function setTaskDeadline(patienceMs: number): void {
  deadlineMs = performance.now() + patienceMs * WAITING_PART;
}

/** How long the current task may still wait for others; unlimited outside of tasks. */
export function remainingTaskMs(): number {
  return Math.max(0, deadlineMs - performance.now());
}
