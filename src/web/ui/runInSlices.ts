/** Half an animation frame, so that the page stays responsive. */
const SLICE_MS = 8;

/** Runs the work to its end without blocking the page; undefined as soon as the result is no longer wanted. */
export async function runInSlices<T>(
  work: Generator<undefined, T, undefined>,
  isWanted: () => boolean,
): Promise<T | undefined> {
  let endMs = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() < endMs) continue;
    await new Promise((resume) => setTimeout(resume));
    if (!isWanted()) return undefined;
    endMs = performance.now() + SLICE_MS;
  }
}
