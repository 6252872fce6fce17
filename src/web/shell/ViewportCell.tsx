import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { ReadoutGrid } from '../show/readouts/ReadoutGrid.tsx';
import texts from '../show/readouts/readoutGrid.module.css';
import { FrameStatus } from '../show/readouts/FrameStatus.tsx';
import { useLibrary } from '../kit/state/library.ts';
import { type Page, usePage } from '../kit/state/page.ts';
import { pictureOf, usePicture } from '../show/pictures/pictureKinds.ts';
import type { CellPicture } from '../show/pictures/pictureSource.ts';
import { FramePicture } from '../show/pictures/viewport/FramePicture.tsx';
import type { Point } from '../kit/state/viewState.ts';
import { reportOf, watchReport } from '../show/pictures/viewports.ts';
import { watchGestures } from '../show/tools/gestures.ts';
import type { LaterChunk } from './laterChunk.ts';
import { ChunkBoundary } from './ChunkBoundary.tsx';
import styles from './ViewportCell.module.css';

export type ViewportCellProps = {
  readonly cell: number;
  readonly isOneOfSeveral: boolean;
  readonly later: LaterChunk | undefined;
};

/** One cell of the grid: the image, the input on it, and what is written over it. */
export function ViewportCell({ cell, isOneOfSeveral, later }: ViewportCellProps) {
  const page = usePage();
  const surfaceRef = useRef<HTMLElement>(null);
  const pictureRef = useRef<CellPicture>(null);
  const picture = usePicture(cell);
  const getSource = useCallback(() => pictureOf(page, cell), [page, cell]);
  const label = useLibrary(() => picture?.label() ?? '');
  const [menuAt, setMenuAt] = useState<Point>();
  const [readouts, setReadouts] = useState<HTMLElement | null>(null);

  useLayoutEffect(() => {
    const surface = surfaceRef.current;
    if (surface === null) return undefined;
    const stopMarking = markStatus(page, surface, cell);
    const letGo = watchGestures(page, {
      cell,
      surface,
      getViewport: () => pictureRef.current,
      onContextMenu: setMenuAt,
    });
    return () => {
      stopMarking();
      letGo();
    };
  }, [page, cell]);

  const retry = useCallback(() => pictureRef.current?.retry(), []);
  const closeMenu = useCallback(() => setMenuAt(undefined), []);

  // An empty cell has the canvas on which the first frame is drawn without waiting for React.
  const Picture = picture?.Component ?? FramePicture;
  return (
    <figure
      ref={surfaceRef}
      className={styles.cell}
      data-cell={cell}
      aria-label={label === '' ? `Image ${cell + 1}` : label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keys act on the focused image
      tabIndex={0}
    >
      <ChunkBoundary>
        <Picture
          cell={cell}
          pictureRef={pictureRef}
          getSource={getSource}
          readouts={readouts}
          controlsClass={texts.controls}
        />
      </ChunkBoundary>
      <ChunkBoundary>
        {later && readouts && <later.CellLayers cell={cell} isOneOfSeveral={isOneOfSeveral} readouts={readouts} />}
      </ChunkBoundary>
      <ReadoutGrid ref={setReadouts} />
      <FrameStatus cell={cell} onRetry={retry} />
      {later && <later.Magnifier cell={cell} pictureRef={pictureRef} />}
      {later && menuAt !== undefined && <later.ContextMenu at={menuAt} onClose={closeMenu} />}
    </figure>
  );
}

/** For the style sheet and for tests. */
function markStatus(page: Page, surface: HTMLElement, cell: number): () => void {
  const mark = () => {
    const { status, quality, shown, tiles } = reportOf(page, cell);
    surface.dataset['status'] = status;
    surface.dataset['shown'] = String((tiles === undefined ? shown?.position : undefined) ?? '');
    surface.dataset['quality'] = quality;
  };
  mark();
  return watchReport(page, cell).subscribe(mark);
}
