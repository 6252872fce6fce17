import type { Rgb } from './cielab.ts';
import type { ImageBytes, OverlayPlane } from './overlayPlane.ts';

/**
 * The area that a display shutter leaves visible. PS3.3 C.7.6.11 and C.7.6.15. Rows and columns count from 1, as in the
 * file, and pixels on an edge are visible.
 */
export type Shutter =
  | {
      readonly shape: 'rectangular';
      readonly left: number;
      readonly right: number;
      readonly upper: number;
      readonly lower: number;
    }
  | { readonly shape: 'circular'; readonly center: Point; readonly radius: number }
  | { readonly shape: 'polygonal'; readonly vertices: readonly Point[] }
  /** The image is hidden where the overlay is set. */
  | { readonly shape: 'bitmap'; readonly overlay: OverlayPlane };

type Point = readonly [row: number, column: number];

export type DisplayShutters = {
  /** A pixel is visible only if all shutters leave it visible. */
  readonly shutters: readonly Shutter[];
  /** Shutter Presentation Value (0018,1622): a P-Value of 16 bits, 0 is black. */
  readonly presentationValue: number;
  /** Shutter Presentation Color CIELab Value (0018,1624), which takes the place of the gray value. */
  readonly color?: Rgb | undefined;
};

/** Covers the hidden area of an 8-bit image. In a gray image, a color must be a gray. */
export function applyShutters(image: ImageBytes, { shutters, presentationValue, color }: DisplayShutters): void {
  const gray = Math.min(255, Math.max(0, presentationValue >> 8));
  for (const shutter of shutters) coverOutside(image, shutter, color ?? [gray, gray, gray]);
}

function coverOutside({ rows, columns, channels, pixels }: ImageBytes, shutter: Shutter, color: Rgb): void {
  const cover = (from: number, to: number) => {
    if (channels === 1 || (color[0] === color[1] && color[1] === color[2])) {
      pixels.fill(color[0], from * channels, to * channels);
    } else for (let pixel = from; pixel < to; pixel++) pixels.set(color, pixel * channels);
  };
  for (let row = 1; row <= rows; row++) {
    const start = (row - 1) * columns;
    let column = 1;
    for (const [from, to] of visibleSpans(shutter, row, columns)) {
      if (from > column) cover(start + column - 1, start + from - 1);
      column = Math.max(column, to + 1);
    }
    if (column <= columns) cover(start + column - 1, start + columns);
  }
}

/** First and last column of each visible span of a row, in ascending order, within 1 to `columns`. */
function visibleSpans(shutter: Shutter, row: number, columns: number): [number, number][] {
  return spansOf(shutter, row, columns)
    .map(([from, to]): [number, number] => [Math.max(1, Math.ceil(from)), Math.min(columns, Math.floor(to))])
    .filter(([from, to]) => from <= to);
}

function spansOf(shutter: Shutter, row: number, columns: number): [number, number][] {
  switch (shutter.shape) {
    case 'rectangular':
      return row >= shutter.upper && row <= shutter.lower ? [[shutter.left, shutter.right]] : [];
    case 'circular': {
      const { center, radius } = shutter;
      const half = Math.sqrt(radius ** 2 - (row - center[0]) ** 2);
      return Number.isNaN(half) ? [] : [[center[1] - half, center[1] + half]];
    }
    case 'polygonal':
      return polygonSpans(shutter.vertices, row);
    case 'bitmap':
      return bitmapSpans(shutter.overlay, row, columns);
    default:
      return [];
  }
}

/**
 * The spans of a row inside a polygon, between pairs of crossings. Vertices and horizontal edges on the row are
 * included.
 */
function polygonSpans(vertices: readonly Point[], row: number): [number, number][] {
  const crossings: number[] = [];
  const spans: [number, number][] = [];
  for (const [i, [row0, column0]] of vertices.entries()) {
    const [row1, column1] = vertices[(i + 1) % vertices.length]!;
    if (row0 === row && row1 === row) spans.push([Math.min(column0, column1), Math.max(column0, column1)]);
    if (row0 === row) spans.push([column0, column0]);
    // Half-open, so that a vertex shared by two edges counts only once.
    if (row0 > row === row1 > row) continue;
    crossings.push(column0 + ((row - row0) / (row1 - row0)) * (column1 - column0));
  }
  crossings.sort((a, b) => a - b);
  for (let i = 0; i + 1 < crossings.length; i += 2) spans.push([crossings[i]!, crossings[i + 1]!]);
  return spans.toSorted((a, b) => a[0] - b[0]);
}

function bitmapSpans(overlay: OverlayPlane, row: number, columns: number): [number, number][] {
  const [originRow, originColumn] = overlay.origin;
  const y = row - originRow;
  if (y < 0 || y >= overlay.rows) return [[1, columns]];
  const spans: [number, number][] = [];
  let from = 1;
  for (let x = 0; x < overlay.columns; x++) {
    if ((overlay.mask[y * overlay.columns + x] ?? 0) === 0) continue;
    const column = x + originColumn;
    if (column > from) spans.push([from, column - 1]);
    from = Math.max(from, column + 1);
  }
  spans.push([from, columns]);
  return spans;
}
