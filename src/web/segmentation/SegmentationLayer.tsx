import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { followMasks, type MaskNotes } from './followMasks.ts';
import { pageMasks } from './pageMasks.ts';
import { SegmentationBadge } from './SegmentationBadge.tsx';
import styles from './SegmentationLayer.module.css';
import offer from './SegmentationOffer.module.css';
import { SegmentationOffer } from './SegmentationOffer.tsx';
import { useFirstMask } from './useFirstMask.ts';

/** By cell: what is to be said of the masks of its image. */
const notesStore = createStore<ReadonlyMap<number, MaskNotes>>(() => new Map());
const NO_NOTES: MaskNotes = { failure: undefined, damage: undefined };

/** The segmentations over the image of one cell. */
export function SegmentationLayer({ cell }: { readonly cell: number }) {
  const ref = useRef<HTMLCanvasElement>(null);
  useFirstMask(cell);
  useEffect(() => {
    const canvas = ref.current;
    if (canvas === null) return undefined;
    const stop = followMasks({ cell, canvas, onNotes: (notes) => setNotes(cell, notes) });
    return () => {
      stop();
      setNotes(cell, NO_NOTES);
    };
  }, [cell]);
  // The list of segments in the inspector says the same in words.
  return <canvas ref={ref} className={styles.layer} data-layer="segmentations" aria-hidden="true" />;
}

/** What there is to put on, and what cannot be shown. */
export function SegmentationNotes({ cell }: { readonly cell: number }) {
  const { failure, damage } = useStore(notesStore, (notes) => notes.get(cell)) ?? NO_NOTES;
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
      {damage !== undefined && (
        <output className={offer.offer}>
          <TriangleAlert size={14} aria-hidden="true" /> {damage}
        </output>
      )}
      <SegmentationBadge cell={cell} />
    </>
  );
}

function setNotes(cell: number, notes: MaskNotes): void {
  const all = notesStore.getState();
  const { failure, damage } = all.get(cell) ?? NO_NOTES;
  if (failure === notes.failure && damage === notes.damage) return;
  notesStore.setState(new Map(all).set(cell, notes), true);
}
