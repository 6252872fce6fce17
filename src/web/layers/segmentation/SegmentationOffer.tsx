import type { SegmentationResponse } from '../../../shared/contract/segmentations.ts';
import { usePage } from '../../state/page.ts';
import { useFileAnswer } from './fileAnswers.ts';
import { openOverSource, usePlace } from './openOverSource.ts';
import styles from './SegmentationOffer.module.css';
import { useOwnSegmentation } from './stackSegmentations.ts';
import { summariesOf } from './summaries.ts';

/** Shown over a segmentation displayed by itself: a link to its source, or the reason why there is none. */
export function SegmentationOffer({ cell }: { readonly cell: number }) {
  const file = useOwnSegmentation(cell);
  return file === undefined ? null : <Offer cell={cell} fileIndex={file.index} />;
}

function Offer({ cell, fileIndex }: { readonly cell: number; readonly fileIndex: number }) {
  const page = usePage();
  const { value } = useFileAnswer(summariesOf(page), fileIndex);
  const place = usePlace(value);
  if (value === undefined) return null;
  return (
    <div className={styles.offer}>
      <p>{place === undefined ? explain(value) : 'The stored mask.'}</p>
      {place !== undefined && (
        <button type="button" onClick={() => void openOverSource(page, fileIndex, cell)}>
          Show over its source
        </button>
      )}
    </div>
  );
}

function explain({ overlay }: SegmentationResponse): string {
  if (overlay.eligible) return 'The stored mask. Over slides segmentations are not drawn.';
  return `The stored mask: ${overlay.reason}.`;
}
