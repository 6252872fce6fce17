import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from '../../state/page.ts';
import { followMasks, type MaskNotes } from './followMasks.ts';
import { masksOf } from './pageMasks.ts';
import { SegmentationBadge } from './SegmentationBadge.tsx';
import styles from './SegmentationLayer.module.css';
import offer from './SegmentationOffer.module.css';
import { SegmentationOffer } from './SegmentationOffer.tsx';
import { useFirstMask } from './useFirstMask.ts';

/** By cell: failures and damage of the masks of its image. */
const notesOf = definePart(() => createStore<ReadonlyMap<number, MaskNotes>>(() => new Map()));
const NO_NOTES: MaskNotes = { failure: undefined, damage: undefined };

/** Draws the segmentations over the image of one cell. */
export function SegmentationLayer({ cell }: { readonly cell: number }) {
  const page = usePage();
  const ref = useRef<HTMLCanvasElement>(null);
  useFirstMask(cell);
  useEffect(() => {
    const canvas = ref.current;
    if (canvas === null) return undefined;
    const stop = followMasks({ page, cell, canvas, onNotes: (notes) => setNotes(page, cell, notes) });
    return () => {
      stop();
      setNotes(page, cell, NO_NOTES);
    };
  }, [page, cell]);
  // The list of segments in the inspector gives the same information as text.
  return <canvas ref={ref} className={styles.layer} data-layer="segmentations" aria-hidden="true" />;
}

/** The offer to show a segmentation over its source, and problems with masks. */
export function SegmentationNotes({ cell }: { readonly cell: number }) {
  const page = usePage();
  const { failure, damage } = useStore(notesOf(page), (notes) => notes.get(cell)) ?? NO_NOTES;
  return (
    <>
      <SegmentationOffer cell={cell} />
      {failure !== undefined && (
        <p className={offer.offer} role="alert">
          The masks of this image cannot be shown: {failure.message}
          <button type="button" onClick={() => masksOf(page).retry()}>
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

function setNotes(page: Page, cell: number, notes: MaskNotes): void {
  const store = notesOf(page);
  const all = store.getState();
  const { failure, damage } = all.get(cell) ?? NO_NOTES;
  if (failure === notes.failure && damage === notes.damage) return;
  store.setState(new Map(all).set(cell, notes), true);
}
