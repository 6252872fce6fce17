import { useEffect, useRef, useState } from 'react';
import { followMasks } from './followMasks.ts';
import { pageMasks } from './pageMasks.ts';
import { SegmentationBadge } from './SegmentationBadge.tsx';
import styles from './SegmentationLayer.module.css';
import offer from './SegmentationOffer.module.css';
import { SegmentationOffer } from './SegmentationOffer.tsx';
import { useFirstMask } from './useFirstMask.ts';

/** The segmentations over the image of one cell, and what there is to put on. */
export function SegmentationLayer({ cell }: { readonly cell: number }) {
  const ref = useRef<HTMLCanvasElement>(null);
  const [failure, setFailure] = useState<Error>();
  useFirstMask(cell);
  useEffect(() => {
    const canvas = ref.current;
    return canvas === null ? undefined : followMasks({ cell, canvas, onFailure: setFailure });
  }, [cell]);
  // The list of segments in the inspector says the same in words.
  return (
    <>
      <canvas ref={ref} className={styles.layer} data-layer="segmentations" aria-hidden="true" />
      <SegmentationBadge cell={cell} />
      <SegmentationOffer cell={cell} />
      {failure !== undefined && (
        <p className={offer.offer} role="alert">
          The masks of this image cannot be shown: {failure.message}
          <button type="button" onClick={() => pageMasks.retry()}>
            Retry
          </button>
        </p>
      )}
    </>
  );
}
