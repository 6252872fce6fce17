import { createStore } from 'zustand/vanilla';
import { setWindow } from '../../kit/state/cells.ts';
import { say } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { definePart } from '../../kit/state/page.ts';
import type { Point, Rectangle } from '../../kit/state/viewState.ts';
import { reportOf } from '../pictures/viewports.ts';
import { findShownSamples } from '../pictures/viewport/shownSamples.ts';
import { applyMatrix, invertMatrix } from '../pictures/viewTransform.ts';
import type { DragTool } from './dragTool.ts';
import { readBoxOnSlide } from './readBoxOnSlide.ts';
import { windowOfBox } from './windowOfBox.ts';

/** The box that is being drawn, in CSS pixels of its cell. */
export const windowBoxOf = definePart(() =>
  createStore<{ readonly box: (Rectangle & { readonly cell: number }) | undefined }>(() => ({ box: undefined })),
);

/** The user draws a box over a region of interest, and the window is set to fit the values in it. */
export const windowBoxTool: DragTool = {
  begin(page, cell, at) {
    if (reportOf(page, cell).window === undefined) return undefined;
    let last = at;
    return {
      move(to) {
        last = to;
        windowBoxOf(page).setState({ box: { cell, ...between(at, to) } });
      },
      end() {
        windowBoxOf(page).setState({ box: undefined });
        void applyBox(page, cell, between(at, last));
      },
      cancel: () => windowBoxOf(page).setState({ box: undefined }),
    };
  },
};

async function applyBox(page: Page, cell: number, drawn: Rectangle): Promise<void> {
  const { screen, tiles, shown } = reportOf(page, cell);
  if (screen === undefined) return;
  const toImage = invertMatrix(screen.imageToScreen);
  const corner = applyMatrix(toImage, drawn);
  const opposite = applyMatrix(toImage, { x: drawn.x + drawn.width, y: drawn.y + drawn.height });
  const box = between(corner, opposite);
  const frame = findShownSamples(page, cell);
  const parts =
    tiles === undefined ? frame && [{ frame, box }] : await readBoxOnSlide(tiles, box).catch(() => undefined);
  // Tiles take time to load, so the cell may show something else by now.
  if (reportOf(page, cell).shown?.file !== shown?.file) return;
  if (parts === undefined) {
    say(page, 'The window cannot be computed because the values of this image are not loaded.', 'failed');
    return;
  }
  const window = windowOfBox(parts);
  if (window === undefined) say(page, 'The box is outside the image.', 'failed');
  else setWindow(page, cell, { kind: 'custom', ...window });
}

function between(a: Point, b: Point): Rectangle {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}
