import type { PictureSource, PositionAxis } from './pictureSource.ts';
import type { ViewportScreen } from './viewports.ts';
import type { ViewState } from '../../kit/state/viewState.ts';
import { centerOf } from './viewTransform.ts';

/** The places of the positions of a source, in millimetres along its normal. */
export function placesOf({ axes }: Pick<PictureSource, 'axes'>): PositionAxis | undefined {
  return axes.find(({ name }) => name === 'place');
}

/** The position of the source nearest to a location in millimetres; the first one if several are equally near. */
export function findNearest(
  source: Pick<PictureSource, 'axes' | 'positions'>,
  placeMm: number | undefined,
): number | undefined {
  const places = placesOf(source);
  if (placeMm === undefined || places === undefined) return undefined;
  let nearest: number | undefined;
  let least = Infinity;
  for (let position = 0; position < source.positions; position += 1) {
    const distance = Math.abs((places.valueOf(position) ?? NaN) - placeMm);
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
