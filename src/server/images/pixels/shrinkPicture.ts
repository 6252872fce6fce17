import { applyTable } from '../../../shared/grayTable.ts';
import type { Levels } from './png/deflateRows.ts';

type Size = { readonly rows: number; readonly columns: number };

type Pixels = { readonly channels: 1 | 3; readonly pixels: Uint8Array; readonly table?: undefined };

type ColorRows = {
  readonly channels: 3;
  readonly readRows: (from: number, to: number) => Uint8Array;
  readonly table?: undefined;
};

/** Gray or RGB. */
export type Picture = Size & (Pixels | ({ readonly channels: 1 } & Levels) | ColorRows);

/** A larger ratio is treated as a damaged attribute, not as the shape of a pixel. */
const LARGEST_RATIO = 64;

/**
 * Shrinks a picture so that the longer edge has at most `size` pixels, each the mean of the pixels that it covers. The
 * result has square pixels: if the pixels of the picture are not square (`pixelAspectRatio` is height over width), the
 * edge that would appear too long shrinks more. No edge grows.
 */
export function shrinkPicture<Whole extends Picture>(
  picture: Whole,
  size: number,
  pixelAspectRatio = 1,
): Whole | (Size & Pixels) {
  const { rows, columns } = fitSize(picture, size, pixelAspectRatio);
  const { channels } = picture;
  if (rows === picture.rows && columns === picture.columns) return picture;
  const readRows = rowReader(picture);
  const pixels = new Uint8Array(rows * columns * channels);
  for (let row = 0; row < rows; row++) {
    const vertical = coveredBy(row, rows, picture.rows);
    const band = { pixels: readRows(...vertical), rows: vertical[1] - vertical[0], columns: picture.columns, channels };
    for (let column = 0; column < columns; column++) {
      const horizontal = coveredBy(column, columns, picture.columns);
      for (let channel = 0; channel < channels; channel++) {
        pixels[(row * columns + column) * channels + channel] = mean(band, horizontal, channel);
      }
    }
  }
  return { rows, columns, channels, pixels };
}

/** Reads the rows from the first up to but not including the second. The result is valid until the next call. */
export function rowReader({ columns, channels, ...picture }: Picture): (from: number, to: number) => Uint8Array {
  if ('readRows' in picture) return picture.readRows;
  if (picture.table === undefined) {
    const { pixels } = picture;
    return (from, to) => pixels.subarray(from * columns * channels, to * columns * channels);
  }
  const { samples, table } = picture;
  let memory = new ArrayBuffer(0);
  return (from, to) => {
    const count = (to - from) * columns;
    const sampleBytes = count * samples.bytesPerSample;
    if (memory.byteLength < sampleBytes + count) memory = new ArrayBuffer(sampleBytes + count);
    samples.copyTo(new Uint8Array(memory, 0, sampleBytes), from * columns);
    const indices = samples.bytesPerSample === 1 ? new Uint8Array(memory, 0, count) : new Uint16Array(memory, 0, count);
    return applyTable(indices, table, new Uint8Array(memory, sampleBytes, count));
  };
}

/** Length of the longer edge of a picture that is certainly large enough to be shrunk to `size`. */
export function enoughForSize(size: number, pixelAspectRatio = 1): number {
  return isShape(pixelAspectRatio) ? Math.ceil(size * Math.max(pixelAspectRatio, 1 / pixelAspectRatio)) : size;
}

function isShape(ratio: number): boolean {
  return ratio > 1 / LARGEST_RATIO && ratio < LARGEST_RATIO;
}

/** The length of the longer edge with which a picture fits into a viewport. */
export function sizeWithin(
  { pixelAspectRatio = 1, ...picture }: Size & { readonly pixelAspectRatio: number | undefined },
  viewport: { readonly width: number; readonly height: number },
): number {
  const { width, height } = squareEdges(picture, pixelAspectRatio);
  const scale = Math.min(1, viewport.width / Math.max(1, width), viewport.height / Math.max(1, height));
  return Math.max(1, Math.floor(Math.max(width, height) * scale));
}

/** In a unit in which neither edge is longer than its number of pixels. */
function squareEdges({ rows, columns }: Size, ratio: number): { readonly width: number; readonly height: number } {
  return {
    height: isShape(ratio) && ratio < 1 ? rows * ratio : rows,
    width: isShape(ratio) && ratio > 1 ? columns / ratio : columns,
  };
}

function fitSize(picture: Size, size: number, ratio: number): Size {
  const { width, height } = squareEdges(picture, ratio);
  const scale = Math.min(1, size / Math.max(height, width));
  return { rows: Math.max(1, Math.round(height * scale)), columns: Math.max(1, Math.round(width * scale)) };
}

type Stretch = readonly [from: number, to: number];

/** The range of the `length` source pixels that target pixel `position` of `count` covers; ranges do not overlap. */
function coveredBy(position: number, count: number, length: number): Stretch {
  return [Math.floor((position * length) / count), Math.floor(((position + 1) * length) / count)];
}

function mean({ rows, columns, channels, pixels }: Size & Pixels, [left, right]: Stretch, channel: number): number {
  let sum = 0;
  for (let row = 0; row < rows; row++) {
    const end = (row * columns + right) * channels;
    for (let at = (row * columns + left) * channels + channel; at < end; at += channels) sum += pixels[at]!;
  }
  return (sum / (rows * (right - left)) + 0.5) | 0;
}
