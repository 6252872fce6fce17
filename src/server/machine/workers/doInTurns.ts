/** Work that can be interrupted wherever it yields. */
export type WorkInTurns<Result> = Generator<void, Result>;

/** Well below the 10 ms for which a request may be delayed, even if the turn has already done other work. */
const TURN_MS = 2;

/**
 * Runs the work on the event loop, a few milliseconds in each turn. Ends with the reason of the signal when the client has
 * gone; work that several clients share has none.
 */
export async function doInTurns<Result>(work: WorkInTurns<Result>, signal: AbortSignal | undefined): Promise<Result> {
  for (;;) {
    // Runs what the work has in `finally`, and throws the reason.
    if (signal?.aborted === true) work.throw(signal.reason);
    const until = performance.now() + TURN_MS;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < until);
    await new Promise((resume) => setImmediate(resume));
  }
}
