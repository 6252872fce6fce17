/**
 * Takes runs of results in any order, and passes them on in the order of their positions, without gaps. Positions count
 * from 0, and each occurs once.
 */
export function createInOrder<Run>(handOn: (run: Run) => void): (first: number, length: number, run: Run) => void {
  const waiting = new Map<number, { readonly length: number; readonly run: Run }>();
  let next = 0;
  return (first, length, run) => {
    // An empty run has no position of its own, and would replace the run that starts there.
    if (length === 0) return;
    waiting.set(first, { length, run });
    for (let ready = waiting.get(next); ready !== undefined; ready = waiting.get(next)) {
      waiting.delete(next);
      next += ready.length;
      handOn(ready.run);
    }
  };
}
