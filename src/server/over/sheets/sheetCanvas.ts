import type { Rgb } from '../../../shared/cielab.ts';
import type { PngPicture } from '../../images/pixels/png/decodePng.ts';
import type { SheetBox } from './layOutSheet.ts';

/** A picture that others are painted into. */
export type SheetCanvas = {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  /** Whether something was painted that is not gray. */
  isColored: boolean;
};

/** Black. */
export function createSheetCanvas(width: number, height: number): SheetCanvas {
  return { width, height, pixels: new Uint8ClampedArray(width * height * 3), isColored: false };
}

/** Paints a color over a pixel of a box. Pixels outside of the box are left out. */
export function blendPixel(canvas: SheetCanvas, box: SheetBox, x: number, y: number, color: Rgb, alpha: number): void {
  if (x < 0 || y < 0 || x >= box.width || y >= box.height || alpha <= 0) return;
  const at = ((box.top + y) * canvas.width + box.left + x) * 3;
  const { pixels } = canvas;
  for (let channel = 0; channel < 3; channel += 1) {
    const below = pixels[at + channel]!;
    pixels[at + channel] = below + (color[channel]! - below) * alpha;
  }
  canvas.isColored ||= color[0] !== color[1] || color[1] !== color[2];
}

/** Where a picture is painted, and how much of it, from its upper left corner. */
export type PaintedPicture = {
  readonly picture: PngPicture;
  readonly usedColumns: number;
  readonly usedRows: number;
};

/** Paints a picture so that it fills a box: as it is if it is as large, and interpolated if not. */
export function paintPicture(
  canvas: SheetCanvas,
  box: SheetBox,
  { picture, usedColumns, usedRows }: PaintedPicture,
): void {
  const { columns, rows, channels, pixels } = picture;
  canvas.isColored ||= channels === 3;
  const across = listSteps(box.width, usedColumns, columns);
  const down = listSteps(box.height, usedRows, rows);
  for (let y = 0; y < box.height; y += 1) {
    const [above, below, yShare] = [down.low[y]! * columns, down.high[y]! * columns, down.shares[y]!];
    let to = ((box.top + y) * canvas.width + box.left) * 3;
    for (let x = 0; x < box.width; x += 1) {
      const [left, right, xShare] = [across.low[x]!, across.high[x]!, across.shares[x]!];
      for (let channel = 0; channel < 3; channel += 1, to += 1) {
        const of = channels === 3 ? channel : 0;
        const at = (index: number) => pixels[index * channels + of]!;
        const upper = at(above + left) + (at(above + right) - at(above + left)) * xShare;
        const lower = at(below + left) + (at(below + right) - at(below + left)) * xShare;
        canvas.pixels[to] = upper + (lower - upper) * yShare;
      }
    }
  }
}

/** Of each pixel of a box: the pixels of the picture on both sides of its center, and the share of the second. */
function listSteps(length: number, used: number, whole: number) {
  const low = new Int32Array(length);
  const high = new Int32Array(length);
  const shares = new Float32Array(length);
  const last = Math.min(whole, Math.max(1, Math.ceil(used))) - 1;
  for (let at = 0; at < length; at += 1) {
    const center = Math.min(last, Math.max(0, ((at + 0.5) * used) / length - 0.5));
    low[at] = Math.floor(center);
    high[at] = Math.min(last, low[at]! + 1);
    shares[at] = center - low[at]!;
  }
  return { low, high, shares };
}
