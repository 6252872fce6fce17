import type { Rgb } from './cielab.ts';

/** One overlay plane of one frame. PS3.3 C.9.2. */
export type OverlayPlane = {
  /** The group of its elements, 0x6000 to 0x601E, by which a presentation state names it. */
  readonly group?: number | undefined;
  readonly rows: number;
  readonly columns: number;
  /** Row and column of the image, counted from 1, of the overlay's first pixel. Can be outside the image. */
  readonly origin: readonly [row: number, column: number];
  /** One byte per pixel, in row order. Where it is 0, or has already ended, the image is shown. */
  readonly mask: Uint8Array;
};

/**
 * Unpacks one frame of Overlay Data (60xx,3000), where frames follow each other without gaps, eight pixels per byte,
 * starting with the lowest bit. PS3.5 8.1.2. If the data is too short, so is the mask.
 */
export function unpackOverlay(data: Uint8Array, pixels: number, frame: number): Uint8Array {
  const start = frame * pixels;
  const count = Math.max(0, Math.min(pixels, data.length * 8 - start));
  const mask = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const bit = start + i;
    mask[i] = (data[Math.floor(bit / 8)]! >> (bit & 7)) & 1;
  }
  return mask;
}

/**
 * The overlay frame for an image frame, both counted from 0, or undefined if there is none. `imageFrameOrigin`
 * (60xx,0051) counts from 1. Without a number of frames, the overlay applies to every frame.
 */
export function findOverlayFrame(
  frame: number,
  numberOfFrames: number | undefined,
  imageFrameOrigin: number | undefined,
): number | undefined {
  if (numberOfFrames === undefined) return 0;
  const overlayFrame = frame - ((imageFrameOrigin ?? 1) - 1);
  return overlayFrame >= 0 && overlayFrame < numberOfFrames ? overlayFrame : undefined;
}

export type ImageBytes = {
  readonly rows: number;
  readonly columns: number;
  readonly channels: 1 | 3;
  readonly pixels: Uint8Array;
};

const WHITE: Rgb = [255, 255, 255];

/** Draws an overlay into an 8-bit image. Parts outside the image are skipped. */
export function drawOverlayPlane(
  { rows, columns, channels, pixels }: ImageBytes,
  overlay: OverlayPlane,
  color: Rgb = WHITE,
): void {
  const [originRow, originColumn] = overlay.origin;
  const firstRow = Math.max(0, 1 - originRow);
  const lastRow = Math.min(overlay.rows, rows - originRow + 1);
  const firstColumn = Math.max(0, 1 - originColumn);
  const lastColumn = Math.min(overlay.columns, columns - originColumn + 1);
  for (let y = firstRow; y < lastRow; y++) {
    for (let x = firstColumn; x < lastColumn; x++) {
      if ((overlay.mask[y * overlay.columns + x] ?? 0) === 0) continue;
      const at = ((y + originRow - 1) * columns + x + originColumn - 1) * channels;
      for (let channel = 0; channel < channels; channel++) pixels[at + channel] = color[channel] ?? 0;
    }
  }
}
