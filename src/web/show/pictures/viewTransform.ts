import type { Matrix, Point, Size, ViewedImage, ViewState } from '../../kit/state/viewState.ts';

export const MIN_ZOOM = 0.01;
export const MAX_ZOOM = 64;

/** Maps image pixels to canvas pixels. Image, layers and hit test all use this matrix. */
export function imageToCanvas(view: ViewState, image: ViewedImage, canvas: Size): Matrix {
  const zoom = zoomOf(view, image, canvas);
  const [ux, uy, vx, vy] = axesOf(view);
  const [a, b] = [ux * zoom, uy * zoom];
  const [c, d] = [vx * zoom * image.aspect, vy * zoom * image.aspect];
  const center = centerOf(view, image);
  return [a, b, c, d, canvas.width / 2 - a * center.x - c * center.y, canvas.height / 2 - b * center.x - d * center.y];
}

/** Device pixels per image column, with `fit` resolved. */
export function zoomOf({ zoom, quarterTurns }: ViewState, image: ViewedImage, canvas: Size): number {
  if (zoom !== 'fit') return zoom;
  const [width, height] = [image.width, image.height * image.aspect];
  const [across, down] = quarterTurns % 2 === 0 ? [width, height] : [height, width];
  return Math.min(canvas.width / across, canvas.height / down);
}

export function centerOf({ center }: ViewState, image: Size): Point {
  return center ?? { x: image.width / 2, y: image.height / 2 };
}

/** The screen directions of one step along a row and one step down a column: rotated first, then mirrored. */
function axesOf({ quarterTurns, flipHorizontal, flipVertical }: ViewState): [number, number, number, number] {
  const cosine = [1, 0, -1, 0][quarterTurns] ?? 1;
  const sine = [0, 1, 0, -1][quarterTurns] ?? 0;
  const mirrorX = flipHorizontal ? -1 : 1;
  const mirrorY = flipVertical ? -1 : 1;
  return [cosine * mirrorX, sine * mirrorY, -sine * mirrorX, cosine * mirrorY];
}

export function applyMatrix([a, b, c, d, e, f]: Matrix, { x, y }: Point): Point {
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

/** Every view's matrix has an inverse: zoom and aspect are positive. */
export function invertMatrix([a, b, c, d, e, f]: Matrix): Matrix {
  const determinant = a * d - b * c;
  return [
    d / determinant,
    -b / determinant,
    -c / determinant,
    a / determinant,
    (c * f - d * e) / determinant,
    (b * e - a * f) / determinant,
  ];
}

/** The view after moving the image by the given canvas pixels. */
export function panBy(view: ViewState, image: ViewedImage, canvas: Size, by: Point): ViewState {
  const middle = { x: canvas.width / 2 - by.x, y: canvas.height / 2 - by.y };
  const center = applyMatrix(invertMatrix(imageToCanvas(view, image, canvas)), middle);
  return { ...view, zoom: zoomOf(view, image, canvas), center };
}

/** Zooms so that the image point under `anchor`, a canvas point, stays there. */
export function zoomBy(view: ViewState, image: ViewedImage, canvas: Size, factor: number, anchor: Point): ViewState {
  const before = zoomOf(view, image, canvas);
  // A whole slide needs a smaller zoom than the minimum of other images.
  const least = Math.min(MIN_ZOOM, zoomOf({ ...view, zoom: 'fit' }, image, canvas));
  const zoom = Math.min(Math.max(before * factor, least), MAX_ZOOM);
  const fixed = applyMatrix(invertMatrix(imageToCanvas(view, image, canvas)), anchor);
  const center = centerOf(view, image);
  // Distances from the fixed point shrink by the factor by which the picture grows.
  const shrink = before / zoom;
  return {
    ...view,
    zoom,
    center: { x: fixed.x + (center.x - fixed.x) * shrink, y: fixed.y + (center.y - fixed.y) * shrink },
  };
}

/**
 * Shifts the image by less than a pixel, so that its pixels coincide with those of the canvas: at 1:1 every sample is
 * one pixel.
 */
export function alignToPixels([a, b, c, d, e, f]: Matrix): Matrix {
  return [a, b, c, d, Math.round(e), Math.round(f)];
}

export function scaleMatrix([a, b, c, d, e, f]: Matrix, by: number): Matrix {
  return [a * by, b * by, c * by, d * by, e * by, f * by];
}

/** First `second`, then `first`, as in `first * second`. */
export function composeMatrices([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}
