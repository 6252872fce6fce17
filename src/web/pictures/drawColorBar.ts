import { type ColorMapName, colorTableOf } from '../state/colorMaps.ts';

/** Draws all colors of a map along a canvas of 256 pixels. On an upright canvas the highest value is at the top. */
export function drawColorBar(canvas: HTMLCanvasElement, name: ColorMapName, { isInverted = false } = {}): void {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) return;
  const isUpright = canvas.height > canvas.width;
  const data = new ImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(data.data.buffer);
  pixels.set(colorTableOf(name));
  if (isUpright !== isInverted) pixels.reverse();
  context.putImageData(data, 0, 0);
}
