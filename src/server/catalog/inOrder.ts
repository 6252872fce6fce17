/**
 * Takes runs of results in any order, and hands them on in the order of their positions, without a gap. The positions
 * count from 0, and each comes once.
 */
export function createInOrder<T>(handOn: (run: readonly T[]) => void): (first: number, run: readonly T[]) => void {
  const waiting = new Map<number, readonly T[]>();
  let next = 0;
  return (first, run) => {
    // An empty run has no position of its own, and would hide the run that has.
    if (run.length === 0) return;
    waiting.set(first, run);
    for (let ready = waiting.get(next); ready !== undefined; ready = waiting.get(next)) {
      waiting.delete(next);
      next += ready.length;
      handOn(ready);
    }
  };
}
