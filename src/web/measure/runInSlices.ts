/** Half an animation frame: the page stays smooth beside it. */
const SLICE_MS = 8;

/** Runs it to its end without holding up the page; undefined as soon as nobody wants the answer any more. */
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
