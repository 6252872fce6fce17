import type { ViewStack } from '../state/stacks.ts';
import type { ViewportScreen } from '../state/viewports.ts';
import type { ViewState } from '../state/viewState.ts';
import { centerOf } from './viewTransform.ts';

/** The position in the stack nearest to a location in millimetres; the first one if several are equally near. */
export function findNearest({ frames }: ViewStack, positionMm: number | undefined): number | undefined {
  if (positionMm === undefined) return undefined;
  let nearest: number | undefined;
  let least = Infinity;
  for (const [position, frame] of frames.entries()) {
    const distance = Math.abs((frame.positionMm ?? NaN) - positionMm);
    if (!(distance < least)) continue;
    nearest = position;
    least = distance;
  }
  return nearest;
}

/** The view of the same part of another image: zoom relative to the fit zoom, center relative to the image size. */
export function carryView(view: ViewState, from: ViewportScreen, to: ViewportScreen): ViewState {
  const zoom = view.zoom === 'fit' ? 'fit' : (view.zoom / from.fitZoom) * to.fitZoom;
  if (view.center === undefined) return { ...view, zoom };
  const { x, y } = centerOf(view, from.image);
  const center = {
    x: (x / from.image.width) * to.image.width,
    y: (y / from.image.height) * to.image.height,
  };
  return { ...view, zoom, center };
}
