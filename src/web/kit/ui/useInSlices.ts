import { type DependencyList, useEffect, useMemo, useState } from 'react';
import { continueInSlices, runSlice, type Sliced } from './runInSlices.ts';

/**
 * The result of work that takes long when there are many files. The first slice runs at once, so that the result of
 * short work is never late. Longer work goes on between animation frames; until it ends, this returns the result before
 * it, which is undefined only at first. New `inputs` start the work again.
 */
export function useInSlices<T>(start: () => Sliced<T>, inputs: DependencyList): T | undefined {
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the caller lists the inputs
  const begun = useMemo(() => begin(start()), inputs);
  const [kept, keep] = useState<T>();
  if (begun.isDone && kept !== begun.result) keep(() => begun.result);

  useEffect(() => {
    if (begun.isDone) return undefined;
    let isWanted = true;
    const finish = async () => {
      const result = await continueInSlices(begun.work, () => isWanted);
      if (result !== undefined && isWanted) keep(() => result);
    };
    void finish();
    return () => {
      isWanted = false;
    };
  }, [begun]);

  return begun.isDone ? begun.result : kept;
}

type Begun<T> = { readonly isDone: true; readonly result: T } | { readonly isDone: false; readonly work: Sliced<T> };

function begin<T>(work: Sliced<T>): Begun<T> {
  const step = runSlice(work);
  return step.done === true ? { isDone: true, result: step.value } : { isDone: false, work };
}
