import { Ban, Star } from 'lucide-react';
import { formatCount, formatDate, formatPersonName } from '../../show/series/describeFile.ts';
import { usePicture } from '../../show/pictures/pictureKinds.ts';
import { useReport } from '../../show/pictures/viewports.ts';
import { useCells } from '../../kit/state/cells.ts';
import { nameFile } from '../../kit/state/fileNames.ts';
import { findFile } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { type KnownPresentation, listKeyPositions } from '../../kit/state/presentations.ts';
import { ImageBadge } from '../../kit/ui/ImageBadge.tsx';
import { keepKeyImages, nameSelection, useKeyObjects } from './keyObjects.ts';
import styles from './PresentationBadge.module.css';

/** The key images of the stack in a cell, and whether the image on the screen was rejected. */
export function KeyImagesBadge({ cell }: { readonly cell: number }) {
  const page = usePage();
  const stack = usePicture(cell)?.stack;
  const all = useKeyObjects(cell);
  const keptName = useCells(({ cells }) => cells[cell]?.keyObjects);
  if (stack === undefined || all.length === 0) return null;
  const selections = all.filter(({ key_objects }) => key_objects?.is_rejection !== true);
  const kept = selections.find(({ file_index }) => {
    const file = findFile(page, file_index);
    return keptName !== undefined && file !== undefined && nameFile(page, file) === keptName;
  });
  const first = kept ?? selections[0];
  return (
    <>
      <RejectionNote cell={cell} all={all} />
      {first !== undefined && (
        <ImageBadge
          icon={<Star size={14} aria-hidden="true" fill={kept === undefined ? 'none' : 'currentColor'} />}
          label={
            <span data-note="key images">
              {listKeyPositions(stack, first).length} of {formatCount(stack.frames.length, 'key image')} ·{' '}
              {nameSelection(first)}
            </span>
          }
          tooltip={kept === undefined ? undefined : 'Only these images are scrolled through. Press Shift+N for all.'}
        >
          {selections.map((known) => (
            <li key={known.file_index} className={styles.state}>
              <span className={styles.texts}>
                <span>
                  {nameSelection(known)} · {formatCount(listKeyPositions(stack, known).length, 'image')}
                </span>
                <span className={styles.quiet}>{describe(known)}</span>
              </span>
              <span className={styles.actions}>
                <button
                  type="button"
                  aria-pressed={known === kept}
                  onClick={() => keepKeyImages(page, cell, known === kept ? undefined : known)}
                >
                  {known === kept ? 'Scroll through all images (Shift+N)' : 'Only these images (Shift+N)'}
                </button>
              </span>
            </li>
          ))}
        </ImageBadge>
      )}
    </>
  );
}

function describe({ key_objects: selection, missing_count: missing }: KnownPresentation): string {
  return [
    selection?.description ?? '',
    formatPersonName(selection?.creator ?? ''),
    formatDate(selection?.date ?? ''),
    missing === 0 ? '' : `${formatCount(missing, 'image')} not open`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** A rejected image must not be taken for a good one. */
function RejectionNote({ cell, all }: { readonly cell: number; readonly all: readonly KnownPresentation[] }) {
  const rejection = useReport(cell, ({ shown }) =>
    all.find(
      ({ key_objects: selection, names }) =>
        selection?.is_rejection === true && shown?.file !== undefined && names(shown.file.index, shown.frame.frame),
    ),
  );
  if (rejection === undefined) return null;
  const { modifiers = [] } = rejection.key_objects ?? {};
  return (
    <output className={`${styles.note} ${styles.warning}`} data-note="rejected">
      <Ban size={14} aria-hidden="true" /> Rejected image: {[nameSelection(rejection), ...modifiers].join(', ')}
    </output>
  );
}
