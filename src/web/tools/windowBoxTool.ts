import { createStore } from 'zustand/vanilla';
import { setWindow } from '../state/cells.ts';
import { say } from '../state/messages.ts';
import type { Point, Rectangle } from '../state/viewState.ts';
import { reportOf } from '../state/viewports.ts';
import { findShownSamples } from '../viewport/shownSamples.ts';
import { applyMatrix, invertMatrix } from '../viewport/viewTransform.ts';
import type { DragTool } from './dragTool.ts';
import { windowOfBox } from './windowOfBox.ts';

/** The box that is being drawn, in CSS pixels of its cell. */
export const windowBoxStore = createStore<{ readonly box: (Rectangle & { readonly cell: number }) | undefined }>(
  () => ({ box: undefined }),
);

/** A box over what matters: the window becomes that of the values in it. */
export const windowBoxTool: DragTool = {
  begin(cell, at) {
    if (reportOf(cell).window === undefined) return undefined;
    let last = at;
    return {
      move(to) {
        last = to;
        windowBoxStore.setState({ box: { cell, ...between(at, to) } });
      },
      end() {
        windowBoxStore.setState({ box: undefined });
        applyBox(cell, between(at, last));
      },
      cancel: () => windowBoxStore.setState({ box: undefined }),
    };
  },
};

function applyBox(cell: number, box: Rectangle): void {
  const { screen } = reportOf(cell);
  const frame = findShownSamples(cell);
  if (screen === undefined || frame === undefined) {
    say('The values of this image are not in the page, so no window can be made of them.', 'failed');
    return;
  }
  const toImage = invertMatrix(screen.imageToScreen);
  const corner = applyMatrix(toImage, box);
  const opposite = applyMatrix(toImage, { x: box.x + box.width, y: box.y + box.height });
  const window = windowOfBox(frame, between(corner, opposite));
  if (window === undefined) say('The box lies beside the image.', 'failed');
  else setWindow(cell, { kind: 'custom', ...window });
}

function between(a: Point, b: Point): Rectangle {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}
