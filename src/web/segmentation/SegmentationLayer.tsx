import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { followMasks } from './followMasks.ts';
import { pageMasks } from './pageMasks.ts';
import { SegmentationBadge } from './SegmentationBadge.tsx';
import styles from './SegmentationLayer.module.css';
import offer from './SegmentationOffer.module.css';
import { SegmentationOffer } from './SegmentationOffer.tsx';
import { useFirstMask } from './useFirstMask.ts';

/** By cell: why masks of its image are not there. */
const failuresStore = createStore<ReadonlyMap<number, Error>>(() => new Map());

/** The segmentations over the image of one cell. */
export function SegmentationLayer({ cell }: { readonly cell: number }) {
  const ref = useRef<HTMLCanvasElement>(null);
  useFirstMask(cell);
  useEffect(() => {
    const canvas = ref.current;
    if (canvas === null) return undefined;
    const stop = followMasks({ cell, canvas, onFailure: (failure) => setFailure(cell, failure) });
    return () => {
      stop();
      setFailure(cell, undefined);
    };
  }, [cell]);
  // The list of segments in the inspector says the same in words.
  return <canvas ref={ref} className={styles.layer} data-layer="segmentations" aria-hidden="true" />;
}

/** What there is to put on, and what cannot be shown. */
export function SegmentationNotes({ cell }: { readonly cell: number }) {
  const failure = useStore(failuresStore, (failures) => failures.get(cell));
  return (
    <>
      <SegmentationOffer cell={cell} />
      {failure !== undefined && (
        <p className={offer.offer} role="alert">
          The masks of this image cannot be shown: {failure.message}
          <button type="button" onClick={() => pageMasks.retry()}>
            Retry
          </button>
        </p>
      )}
      <SegmentationBadge cell={cell} />
    </>
  );
}

function setFailure(cell: number, failure: Error | undefined): void {
  const failures = failuresStore.getState();
  if (failures.get(cell) === failure) return;
  const next = new Map(failures);
  if (failure === undefined) next.delete(cell);
  else next.set(cell, failure);
  failuresStore.setState(next, true);
}
