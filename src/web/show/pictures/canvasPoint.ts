import type { Point, Size } from '../../kit/state/viewState.ts';
import type { ViewportScreen } from './viewports.ts';

/** Converts a point or distance from CSS pixels to the device pixels that views use. */
export function toCanvas({ pixelRatio }: ViewportScreen, { x, y }: Point): Point {
  return { x: x * pixelRatio, y: y * pixelRatio };
}

export function canvasOf({ width, height, pixelRatio }: ViewportScreen): Size {
  return { width: width * pixelRatio, height: height * pixelRatio };
}
