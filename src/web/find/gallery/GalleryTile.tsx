/* oxlint-disable jsx-a11y/prefer-tag-over-role -- as in the gallery */
import { Check, TriangleAlert } from 'lucide-react';
import { memo, type PointerEvent, useCallback, useEffect, useMemo, useState } from 'react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { WireTableRow } from '../../../shared/contract/tables.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { VisuallyHidden } from '../../kit/ui/VisuallyHidden.tsx';
import { listBadges } from './badges.ts';
import { DocumentTile } from './DocumentTile.tsx';
import { nameTile } from './nameTile.ts';
import styles from './Gallery.module.css';
import { galleryPicturesOf, type GalleryWish, widthToAsk } from './galleryPictures.ts';
import { hasPictures, listScrubbed, listWishes, type TileScene } from './tileWishes.ts';
import { useGalleryPictures } from './useGalleryPicture.ts';

type Props = {
  readonly row: WireTableRow | undefined;
  /** Names of its cells. */
  readonly names: readonly string[];
  readonly line: number;
  readonly scene: TileScene;
  readonly isSelected: boolean;
  readonly isFocused: boolean;
};

/** One row of the table as a picture. */
export const GalleryTile = memo(function GalleryTile({ row, names, line, scene, isSelected, isFocused }: Props) {
  const page = usePage();
  // The list of files and the stacks may come later than the row, and both decide what is wanted.
  const file = useLibrary(({ files }) => (row === undefined ? undefined : files[row.file]));
  useLibrary((library) => library.stacks);
  const wishes = row === undefined ? [] : listWishes(page, row, scene);
  const [title, ...details] = row === undefined ? ['', ''] : nameTile(scene.level, row, names, file);
  const badges = row === undefined ? [] : listBadges(row, names);
  return (
    <div
      className={styles.tile}
      role="gridcell"
      data-line={line}
      aria-selected={isSelected}
      tabIndex={isFocused ? 0 : -1}
    >
      <div className={styles.picture}>
        {wishes.length > 0 && row !== undefined && <TilePictures wishes={wishes} row={row} scene={scene} file={file} />}
        {wishes.length === 0 && file !== undefined && <DocumentTile file={file} />}
        {isSelected && (
          <span className={styles.check}>
            <Check size={14} aria-hidden="true" />
          </span>
        )}
        {badges.length > 0 && (
          <span className={styles.badges}>
            {badges.map(({ name, text, words }) => (
              <span key={name} className={styles.badge}>
                <span aria-hidden="true">{text}</span>
                <VisuallyHidden>{words}</VisuallyHidden>
              </span>
            ))}
          </span>
        )}
      </div>
      <div className={styles.caption} title={[title, ...details].join('\n')}>
        <b>{title}</b>
        {details.map((detail, at) => (
          <span key={at}>{detail}</span>
        ))}
      </div>
    </div>
  );
});

type PicturesProps = {
  readonly wishes: readonly GalleryWish[];
  readonly row: WireTableRow;
  readonly scene: TileScene;
  readonly file: FileRecord | undefined;
};

/** The pictures of a row; while the pointer moves over them, the frame of its images that is at the pointer. */
function TilePictures({ wishes, row, scene, file }: PicturesProps) {
  const outcomes = useGalleryPictures(wishes);
  const [first] = outcomes;
  const window = first?.status === 'ready' ? first.value.window : undefined;
  const { frame, share, onPointerMove, onPointerLeave } = useScrubbing(row, scene, window);
  const [scrubbed] = useGalleryPictures(useMemo(() => (frame === undefined ? [] : [frame]), [frame]));
  const problems = outcomes.flatMap((outcome) => (outcome?.status === 'ready' ? outcome.value.problems : []));
  const failure = outcomes.find((outcome) => outcome?.status === 'failed');
  const across = Math.ceil(Math.sqrt(wishes.length));
  // What lies over images that are not open is a document.
  if (failure !== undefined && wishes.length === 1 && file !== undefined && !hasPictures(file)) {
    return <DocumentTile file={file} />;
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the viewer has the images for the keyboard
    <div
      className={styles.pictures}
      style={{ gridTemplateColumns: `repeat(${across}, 1fr)` }}
      onPointerMove={onPointerMove}
      onPointerLeave={onPointerLeave}
    >
      {outcomes.map((outcome, at) => (
        <span key={at} className={styles.frame}>
          {outcome?.status === 'ready' && <img src={outcome.value.url} alt="" draggable={false} decoding="async" />}
        </span>
      ))}
      {failure?.status === 'failed' && wishes.length === 1 && <p className={styles.failure}>{failure.error.message}</p>}
      {scrubbed?.status === 'ready' && (
        <span className={styles.scrubbed}>
          <img src={scrubbed.value.url} alt="" draggable={false} />
        </span>
      )}
      {share !== undefined && <span className={styles.place} style={{ left: `${share * 100}%` }} aria-hidden="true" />}
      {problems.length > 0 && (
        <span className={styles.problem} data-tooltip={problems.join('\n')}>
          <TriangleAlert size={13} aria-label={problems.join('. ')} role="img" />
        </span>
      )}
    </div>
  );
}

/** Frames beside the one at the pointer that are loaded in advance. */
const AHEAD = 2;

function useScrubbing(
  row: WireTableRow,
  { level, picturePx }: TileScene,
  window: { readonly center: number; readonly width: number } | undefined,
) {
  const page = usePage();
  const loader = galleryPicturesOf(page);
  const [place, setPlace] = useState<{ readonly at: number; readonly count: number }>();
  const size = widthToAsk(picturePx);
  const toWish = useCallback(
    (at: number): GalleryWish | undefined => {
      const address = listScrubbed(page, row, level)[at];
      return address && { kind: 'frame', fileIndex: address.fileIndex, frame: address.frame, size, window };
    },
    [page, row, level, size, window],
  );
  const at = place?.at;
  useEffect(() => {
    if (at === undefined) return undefined;
    const owner = Symbol('scrubbed');
    const around = Array.from({ length: 2 * AHEAD }, (_, n) => at + (n % 2 === 0 ? 1 + n / 2 : -(n + 1) / 2));
    loader.want(owner, {
      now: [toWish(at)].filter((wish) => wish !== undefined),
      soon: around.flatMap((one) => toWish(one) ?? []),
      isMoving: true,
    });
    return () => loader.want(owner, { now: [], soon: [] });
  }, [loader, at, toWish]);
  const frame = useMemo(() => (at === undefined ? undefined : toWish(at)), [at, toWish]);
  return {
    frame,
    share: place === undefined || place.count < 2 ? undefined : place.at / (place.count - 1),
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (event.pointerType === 'touch') return;
      const count = listScrubbed(page, row, level).length;
      const { left, width } = event.currentTarget.getBoundingClientRect();
      const share = Math.min(0.999, Math.max(0, (event.clientX - left) / width));
      const next = Math.floor(share * count);
      if (count > 1) setPlace((known) => (known?.at === next && known.count === count ? known : { at: next, count }));
    },
    onPointerLeave: () => setPlace(undefined),
  };
}
