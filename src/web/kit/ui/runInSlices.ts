/**
 * A third of an animation frame. With what surrounds a slice, such as rendering its result or a collection of garbage,
 * it stays within one.
 */
const SLICE_MS = 5;
/** Number of cheap steps, such as one file each, between two looks at the clock. */
export const YIELD_EVERY = 128;

/** Work that can pause wherever it yields. */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Runs the work to its end without blocking the page; undefined as soon as the result is no longer wanted. */
export async function runInSlices<T>(work: Sliced<T>, isWanted: () => boolean): Promise<T | undefined> {
  const step = runSlice(work);
  return step.done === true ? step.value : continueInSlices(work, isWanted);
}

/** As `runInSlices`, for work whose first slice has run in this turn: the next one waits for its own. */
export async function continueInSlices<T>(work: Sliced<T>, isWanted: () => boolean): Promise<T | undefined> {
  for (;;) {
    await nextTurn();
    if (!isWanted()) return undefined;
    const step = runSlice(work);
    if (step.done === true) return step.value;
  }
}

/** Runs one slice of the work, or all of it if it is short. */
export function runSlice<T>(work: Sliced<T>, now = () => performance.now()): IteratorResult<undefined, T> {
  const endMs = now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true || now() >= endMs) return step;
  }
}

/** Input and drawing come first. A timer would wait for 4 ms each time; not every browser has something better. */
export async function nextTurn(): Promise<void> {
  if ('scheduler' in globalThis) await scheduler.postTask(() => undefined);
  else await new Promise((resume) => setTimeout(resume));
}

/** Runs the work to its end at once, for callers that cannot wait. */
export function runToEnd<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Calls `visit` for each item, and pauses now and then. */
export function* visitInSlices<T>(items: readonly T[], visit: (item: T) => void): Sliced<void> {
  for (let at = 0; at < items.length; at += YIELD_EVERY) {
    for (const item of items.slice(at, at + YIELD_EVERY)) visit(item);
    yield;
  }
}

/** Sorts as `toSorted` does: items that compare as equal keep their order. */
export function* sortInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number): Sliced<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += YIELD_EVERY) {
    runs.push(items.slice(at, at + YIELD_EVERY).toSorted(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* mergeRuns(runs[at] ?? [], runs[at + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeRuns<T>(first: readonly T[], second: readonly T[], compare: (a: T, b: T) => number): Sliced<T[]> {
  const merged: T[] = [];
  let taken = 0;
  for (const item of first) {
    for (let next = second[taken]; taken < second.length && next !== undefined; next = second[taken]) {
      if (compare(item, next) <= 0) break;
      merged.push(next);
      taken += 1;
      if (merged.length % YIELD_EVERY === 0) yield;
    }
    merged.push(item);
    if (merged.length % YIELD_EVERY === 0) yield;
  }
  return merged.concat(second.slice(taken));
}
