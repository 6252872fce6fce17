import { cellOf, setView } from '../../kit/state/cells.ts';
import type { Page } from '../../kit/state/page.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { reportOf } from '../pictures/viewports.ts';
import { panBy, zoomBy } from '../pictures/viewTransform.ts';
import { canvasOf, toCanvas } from '../pictures/canvasPoint.ts';

export type TwoPoints = readonly [Point, Point];

/** Two fingers: their distance zooms, their midpoint pans, and the image points under them stay under them. */
export function beginPinch(page: Page, cell: number, fingers: TwoPoints): ((moved: TwoPoints) => void) | undefined {
  const { screen } = reportOf(page, cell);
  if (screen === undefined) return undefined;
  const { view } = cellOf(page, cell);
  const from = middleOf(fingers);
  const span = distanceOf(fingers);
  return (moved) => {
    const to = middleOf(moved);
    const canvas = canvasOf(screen);
    const zoomed = zoomBy(view, screen.image, canvas, distanceOf(moved) / span, toCanvas(screen, from));
    setView(page, cell, panBy(zoomed, screen.image, canvas, toCanvas(screen, { x: to.x - from.x, y: to.y - from.y })));
  };
}

function middleOf([a, b]: TwoPoints): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

/** At least one pixel, because two fingers in one place would zoom without limit. */
function distanceOf([a, b]: TwoPoints): number {
  return Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
}
