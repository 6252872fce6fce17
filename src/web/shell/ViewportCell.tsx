import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { OverlayGrid } from '../overlays/OverlayGrid.tsx';
import texts from '../overlays/overlayGrid.module.css';
import { FrameStatus } from '../overlays/FrameStatus.tsx';
import { useStackOfCell } from '../state/cells.ts';
import { findFile, useLibrary } from '../state/library.ts';
import { usePage } from '../state/page.ts';
import { useIsSlide } from '../pictures/slides.ts';
import type { Point } from '../state/viewState.ts';
import { frameOnScreen, reportOf, viewportsStore } from '../state/viewports.ts';
import type { CellPicture } from '../pictures/slide/SlidePicture.tsx';
import { watchGestures } from '../tools/gestures.ts';
import type { LaterChunk } from './laterChunk.ts';
import { ChunkBoundary } from './ChunkBoundary.tsx';
import { chunkComponentsOf } from './chunks.ts';
import styles from './ViewportCell.module.css';
import { useViewport } from '../pictures/viewport/useViewport.ts';

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
  const isSlide = useIsSlide(cell);
  const [menuAt, setMenuAt] = useState<Point>();
  const label = useCellLabel(cell);
  const { SlidePicture } = chunkComponentsOf(page);
  const [overlay, setOverlay] = useState<HTMLElement | null>(null);

  useLayoutEffect(() => {
    const surface = surfaceRef.current;
    if (surface === null) return undefined;
    const stopMarking = markStatus(surface, cell);
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

  return (
    <figure
      ref={surfaceRef}
      className={styles.cell}
      data-cell={cell}
      aria-label={label === '' ? `Image ${cell + 1}` : label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keys act on the focused image
      tabIndex={0}
    >
      {isSlide ? (
        <ChunkBoundary>
          {overlay && (
            <SlidePicture cell={cell} pictureRef={pictureRef} overlay={overlay} controlsClass={texts.controls} />
          )}
        </ChunkBoundary>
      ) : (
        <FramePicture cell={cell} pictureRef={pictureRef} />
      )}
      <ChunkBoundary>
        {later && overlay && <later.CellLayers cell={cell} isOneOfSeveral={isOneOfSeveral} overlay={overlay} />}
      </ChunkBoundary>
      <OverlayGrid ref={setOverlay} />
      <FrameStatus cell={cell} onRetry={retry} />
      {later && <later.Magnifier cell={cell} pictureRef={pictureRef} />}
      {later && menuAt !== undefined && <later.ContextMenu at={menuAt} onClose={closeMenu} />}
    </figure>
  );
}

type PictureProps = { readonly cell: number; readonly pictureRef: RefObject<CellPicture | null> };

/** One frame of a stack. */
function FramePicture({ cell, pictureRef }: PictureProps) {
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const viewportRef = useViewport(cell, canvasRef);
  useEffect(() => {
    pictureRef.current = viewportRef.current;
    return () => {
      pictureRef.current = null;
    };
  }, [pictureRef, viewportRef]);
  return <canvas ref={canvasRef} className={styles.canvas} />;
}

function useCellLabel(cell: number): string {
  const page = usePage();
  const stack = useStackOfCell(cell);
  const file = useLibrary(() => findFile(page, stack?.fileIndex));
  return file === undefined ? '' : [file.modality, file.series_description].filter((part) => part !== '').join(' ');
}

/** For the style sheet and for tests. */
function markStatus(surface: HTMLElement, cell: number): () => void {
  const mark = () => {
    const { status, quality } = reportOf(cell);
    surface.dataset['status'] = status;
    surface.dataset['shown'] = String(frameOnScreen(cell)?.position ?? '');
    surface.dataset['quality'] = quality;
  };
  mark();
  return viewportsStore.subscribe(mark);
}
