import { colorTableOf } from '../../kit/state/colorMaps.ts';
import type { Point, Size } from '../../kit/state/viewState.ts';
import type { GrayLook } from './paintGray.ts';

/**
 * Maps what was drawn in gray to the colors of a map, inverted first, as for samples. Pixels that are not gray, such as
 * those of a palette in the file, stay unchanged.
 */
export function colorDrawn(
  context: Pick<CanvasRenderingContext2D, 'getImageData'>,
  { x = 0, y = 0, width, height }: Size & Partial<Point>,
  { invert, colorMap }: GrayLook,
): ImageData {
  const data = context.getImageData(x, y, width, height);
  const byLevel = colorTableOf(colorMap);
  const pixels = new Uint32Array(data.data.buffer);
  for (let i = 0; i < pixels.length; i++) {
    const pixel = pixels[i]!;
    const level = pixel & 0xff;
    if (((pixel >>> 8) & 0xff) !== level || ((pixel >>> 16) & 0xff) !== level) continue;
    pixels[i] = byLevel[invert ? 255 - level : level]!;
  }
  return data;
}
