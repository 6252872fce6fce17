import { keptPositionsOf } from '../../show/pictures/scroll.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import { reportOf } from '../../show/pictures/viewports.ts';
import { cellOf, cellsOf, NO_LINKS, setCine, updateCell } from '../../kit/state/cells.ts';
import { loadChunk } from '../../kit/state/loadChunk.ts';
import type { Page } from '../../kit/state/page.ts';
import { findCell, isCellDrawn, untilDrawn } from '../capturePicture.ts';
import { paintCell } from '../paintCell.ts';

export type FilmOptions = {
  readonly withOverlays: boolean;
  readonly fps: number;
  readonly signal: AbortSignal;
  /** Called after each picture. */
  readonly onProgress: (done: number, total: number) => void;
};

export type Film = { readonly blob: Blob; readonly extension: 'mp4' | 'webm' | 'zip' };

/** The positions of a cell that a film shows: all, or those of key images if the user scrolls through these only. */
export function listFilmPositions(page: Page, cell: number): readonly number[] {
  const count = pictureOf(page, cell)?.positions ?? 0;
  return keptPositionsOf(page, cell) ?? Array.from({ length: count }, (_, position) => position);
}

/**
 * A film of all pictures of a cell, as they look on the page. Each picture is waited for, so that none is missing or a
 * preview, however slow the link is. Undefined if it was cancelled.
 */
export async function recordFilm(page: Page, cell: number, options: FilmOptions): Promise<Film | undefined> {
  const { withOverlays, fps, signal, onProgress } = options;
  const element = findCell(page, cell);
  const { createFilmEncoder } = await loadChunk(page, () => import('./encodeFilm.ts'));
  const positions = listFilmPositions(page, cell);
  const { position: before } = cellOf(page, cell);
  const { links } = cellsOf(page).getState();
  const frame = document.createElement('canvas');
  const { width, height } = element.getBoundingClientRect();
  // Video codecs need even sizes.
  Object.assign(frame, { width: toEven(width * devicePixelRatio), height: toEven(height * devicePixelRatio) });
  const context = frame.getContext('2d', { alpha: false });
  if (context === null) throw new Error('The browser does not have enough memory for a film of this size.');
  const encoder = await createFilmEncoder(frame, fps);
  let isFinished = false;
  setCine(page, cell, { playing: false });
  // The film shows one cell; the others stay where they are.
  cellsOf(page).setState({ links: NO_LINKS });
  try {
    for (const [done, position] of positions.entries()) {
      updateCell(page, cell, { position, isAtStart: false });
      await untilDrawn(() => {
        const { status, error, shown } = reportOf(page, cell);
        if (status === 'failed') throw new Error(`Image ${position + 1} cannot be shown: ${error ?? ''}`);
        return signal.aborted || (shown?.position === position && isCellDrawn(page, cell, element));
      });
      if (signal.aborted) return undefined;
      context.drawImage(await paintCell(element, { withOverlays, ratio: devicePixelRatio }), 0, 0);
      await encoder.add();
      onProgress(done + 1, positions.length);
    }
    const blob = await encoder.finish();
    isFinished = true;
    return { blob, extension: encoder.extension };
  } finally {
    if (!isFinished) await encoder.cancel();
    cellsOf(page).setState({ links });
    updateCell(page, cell, { position: before });
  }
}

function toEven(length: number): number {
  return Math.max(2, Math.round(length) & ~1);
}
