/** Work that can be interrupted wherever it yields. */
export type SlicedWork<Result> = Generator<void, Result>;

/** Well below the 10 ms for which a request may be delayed, even if the turn has already done other work. */
const SLICE_MS = 2;

/** Runs the work on the event loop, a few milliseconds at a time. */
export async function doInSlices<Result>(work: SlicedWork<Result>): Promise<Result> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < until);
    await new Promise((resume) => setImmediate(resume));
  }
}
