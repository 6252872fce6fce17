/** Work that lets others have their turn wherever it yields. */
export type SlicedWork<Result> = Generator<void, Result>;

/** Well below the 10 ms that a request may be held up, also where the turn had other work before. */
const SLICE_MS = 2;

/** Does the work on the event loop, a few milliseconds at a time. */
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
