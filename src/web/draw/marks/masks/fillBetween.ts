import { createMaskBits, decodeMask, encodeMask } from '../../../../shared/maskRuns.ts';
import type { MarkMask } from '../../../../shared/contract/marks.ts';
import type { Sliced } from '../../../kit/ui/runInSlices.ts';

/** How far inside (positive) or outside (negative) each place of a grid is, in pixels. */
type Depths = { readonly values: Float32Array; readonly columns: number; readonly rows: number };

/** A mask around its center: `x` and `y` are the pixel that has its center of mass. */
type Centered = { readonly x: number; readonly y: number; readonly mask: MarkMask };

/** From the center of a mask, in pixels. */
type Reach = { readonly left: number; readonly right: number; readonly up: number; readonly down: number };

const FAR = 1e12;

/**
 * Masks for the frames between two masks. The depth of each pixel below the edge of the mask goes evenly from the one
 * to the other, and so does the center of the mask, so that a mask that moves keeps its size (shape-based
 * interpolation).
 */
export function* fillBetween(
  first: MarkMask,
  second: MarkMask,
  { between, columns, rows }: { readonly between: number; readonly columns: number; readonly rows: number },
): Sliced<readonly (MarkMask | undefined)[]> {
  const [a, b] = [centerOf(first), centerOf(second)];
  const reach = joinReaches(reachOf(a), reachOf(b));
  const [from, to] = [yield* measureDepths(a, reach), yield* measureDepths(b, reach)];
  const found: (MarkMask | undefined)[] = [];
  for (let step = 1; step <= between; step += 1) {
    const share = step / (between + 1);
    const left = Math.round(a.x + (b.x - a.x) * share) - reach.left;
    const top = Math.round(a.y + (b.y - a.y) * share) - reach.up;
    const mask = createMaskBits(columns, rows);
    for (let row = Math.max(0, -top); row < Math.min(from.rows, rows - top); row += 1) {
      for (let column = Math.max(0, -left); column < Math.min(from.columns, columns - left); column += 1) {
        const at = row * from.columns + column;
        const depth = from.values[at]! * (1 - share) + to.values[at]! * share;
        if (depth > 0) mask.bits[(top + row) * columns + left + column] = 1;
      }
      if (row % 64 === 0) yield;
    }
    found.push(encodeMask(mask));
    yield;
  }
  return found;
}

function centerOf(mask: MarkMask): Centered {
  const { left, top, width, runs } = mask;
  let [count, sumX, sumY, at] = [0, 0, 0, 0];
  for (const [n, run] of runs.entries()) {
    const end = at + run;
    if (n % 2 === 0) at = end;
    for (; at < end; at += 1) {
      count += 1;
      sumX += at % width;
      sumY += Math.floor(at / width);
    }
  }
  return { x: left + Math.round(sumX / count), y: top + Math.round(sumY / count), mask };
}

/** With a margin, so that every mask has pixels outside of it. */
function reachOf({ x, y, mask: { left, top, width, height } }: Centered): Reach {
  return { left: x - left + 1, right: left + width - x + 1, up: y - top + 1, down: top + height - y + 1 };
}

function joinReaches(a: Reach, b: Reach): Reach {
  return {
    left: Math.max(a.left, b.left),
    right: Math.max(a.right, b.right),
    up: Math.max(a.up, b.up),
    down: Math.max(a.down, b.down),
  };
}

/** The distance to the nearest pixel on the other side of the edge, less half a pixel, which is the edge itself. */
function* measureDepths({ x, y, mask }: Centered, reach: Reach): Sliced<Depths> {
  const [columns, rows] = [reach.left + reach.right, reach.up + reach.down];
  const grid = createMaskBits(columns, rows);
  decodeMask({ ...mask, left: mask.left - x + reach.left, top: mask.top - y + reach.up }, grid);
  yield;
  const outside = yield* measureDistances(grid.bits, { columns, rows, value: 0 });
  const inside = yield* measureDistances(grid.bits, { columns, rows, value: 1 });
  const values = outside.map((squared, at) =>
    grid.bits[at] === 1 ? Math.sqrt(squared) - 0.5 : 0.5 - Math.sqrt(inside[at]!),
  );
  return { values, columns, rows };
}

/**
 * The squared distance of each pixel to the nearest one with this value, exactly, first along columns and then along
 * rows: P. F. Felzenszwalb and D. P. Huttenlocher, Distance Transforms of Sampled Functions, 2012.
 */
function* measureDistances(
  bits: Uint8Array,
  { columns, rows, value }: { readonly columns: number; readonly rows: number; readonly value: 0 | 1 },
): Sliced<Float32Array> {
  const squared = Float32Array.from(bits, (bit) => (bit === value ? 0 : FAR));
  const most = Math.max(columns, rows);
  const scratch = {
    line: new Float64Array(most),
    places: new Int32Array(most),
    borders: new Float64Array(most + 1),
  };
  for (let column = 0; column < columns; column += 1) {
    transformLine(squared, { from: column, step: columns, length: rows }, scratch);
    if (column % 32 === 0) yield;
  }
  for (let row = 0; row < rows; row += 1) {
    transformLine(squared, { from: row * columns, step: 1, length: columns }, scratch);
    if (row % 32 === 0) yield;
  }
  return squared;
}

type Scratch = { readonly line: Float64Array; readonly places: Int32Array; readonly borders: Float64Array };

/** The lower envelope of the parabolas over one line. */
function transformLine(
  squared: Float32Array,
  { from, step, length }: { readonly from: number; readonly step: number; readonly length: number },
  { line, places, borders }: Scratch,
): void {
  for (let at = 0; at < length; at += 1) line[at] = squared[from + at * step]!;
  let last = 0;
  places[0] = 0;
  borders[0] = -Infinity;
  borders[1] = Infinity;
  for (let at = 1; at < length; at += 1) {
    let border = meet(line, places[last]!, at);
    while (border <= borders[last]!) {
      last -= 1;
      border = meet(line, places[last]!, at);
    }
    last += 1;
    places[last] = at;
    borders[last] = border;
    borders[last + 1] = Infinity;
  }
  let parabola = 0;
  for (let at = 0; at < length; at += 1) {
    while (borders[parabola + 1]! < at) parabola += 1;
    const place = places[parabola]!;
    squared[from + at * step] = (at - place) ** 2 + line[place]!;
  }
}

/** Where the parabola of the second place becomes lower than that of the first. */
function meet(line: Float64Array, first: number, second: number): number {
  return (line[second]! + second ** 2 - (line[first]! + first ** 2)) / (2 * (second - first));
}
