import { type GridSpacing, type VoxelGrid, withinRadius } from './voxelGrid.ts';

/** Columns that are worked on together, so that the distances of a volume need not all be in memory. */
const STRIP = 64;

type Pause = (() => void) | undefined;
type Ball = { readonly spacing: GridSpacing; readonly radius: number; readonly pause?: Pause };

/** Adds all samples whose distance to a sample of the mask is at most the radius. */
export function growMask(bits: Uint8Array, grid: VoxelGrid, ball: Ball): Uint8Array {
  return findNear(bits, 1, grid, ball);
}

/**
 * Removes all samples whose distance to a sample outside of the mask is at most the radius. Nothing is known beyond the
 * border of the grid, so it removes nothing.
 */
export function shrinkMask(bits: Uint8Array, grid: VoxelGrid, ball: Ball): Uint8Array {
  const near = findNear(bits, 0, grid, ball);
  for (let at = 0; at < near.length; at += 1) near[at] = Number(bits[at] === 1 && near[at] === 0);
  return near;
}

/**
 * 1 where a sample with this value is at most the radius away. The squared distance is exact: along rows, then along
 * columns, then through the slices (P. F. Felzenszwalb and D. P. Huttenlocher, Distance Transforms of Sampled Functions,
 * 2012). What is farther away than the radius in one direction is farther away in all, so it is left out at once.
 */
function findNear(bits: Uint8Array, value: 0 | 1, grid: VoxelGrid, { spacing, radius, pause }: Ball): Uint8Array {
  const { columns, rows, slices } = grid;
  const most = withinRadius(radius);
  const result = new Uint8Array(bits.length);
  const width = Math.min(STRIP, columns);
  const strip = new Float32Array(width * rows * slices);
  const inRows = createLine(
    Array.from({ length: rows }, (_, row) => row * spacing.row),
    most,
  );
  const inSlices = createLine(spacing.positions, most);
  for (let left = 0; left < columns; left += width) {
    const end = Math.min(columns, left + width);
    for (let line = 0; line < rows * slices; line += 1) {
      measureRow(bits.subarray(line * columns, (line + 1) * columns), value, {
        left,
        end,
        spacing: spacing.column,
        most,
        into: strip.subarray(line * width, (line + 1) * width),
      });
    }
    for (let column = 0; column < end - left; column += 1) {
      pause?.();
      for (let slice = 0; slice < slices; slice += 1) inRows(strip, slice * rows * width + column, width);
      if (slices > 1) for (let row = 0; row < rows; row += 1) inSlices(strip, row * width + column, rows * width);
    }
    for (let line = 0; line < rows * slices; line += 1) {
      for (let column = left; column < end; column += 1) {
        if (strip[line * width + column - left]! <= most) result[line * columns + column] = 1;
      }
    }
  }
  return result;
}

type RowPart = {
  readonly left: number;
  readonly end: number;
  readonly spacing: number;
  readonly most: number;
  readonly into: Float32Array;
};

/** The squared distance to the nearest sample with this value in the same row; infinite if it is too far away. */
function measureRow(row: Uint8Array, value: 0 | 1, { left, end, spacing, most, into }: RowPart): void {
  const reach = Math.ceil(Math.sqrt(most) / spacing);
  const squared = (samples: number) => {
    const distance = (samples * spacing) ** 2;
    return distance <= most ? distance : Infinity;
  };
  let last = row.lastIndexOf(value, left);
  if (last < left - reach) last = -Infinity;
  // `lastIndexOf` counts a negative result from the end.
  if (last === -1) last = -Infinity;
  for (let column = left; column < end; column += 1) {
    if (row[column] === value) last = column;
    into[column - left] = squared(column - last);
  }
  let next = row.indexOf(value, end - 1);
  if (next < 0) next = Infinity;
  for (let column = end - 1; column >= left; column -= 1) {
    if (row[column] === value) next = column;
    const distance = squared(next - column);
    if (distance < into[column - left]!) into[column - left] = distance;
  }
}

/** Replaces the squared distances of a line by those with what is beside them in it, at these places. */
function createLine(
  positions: ArrayLike<number>,
  most: number,
): (values: Float32Array, from: number, step: number) => void {
  const { length } = positions;
  const line = new Float64Array(length);
  const places = new Int32Array(length);
  const borders = new Float64Array(length + 1);
  /** Where the parabola over the later place becomes lower than that over the earlier one. */
  const meet = (earlier: number, later: number) => {
    const [a, b] = [positions[earlier]!, positions[later]!];
    return (line[later]! + b * b - (line[earlier]! + a * a)) / (2 * (b - a));
  };
  return (values, from, step) => {
    let count = 0;
    for (let at = 0; at < length; at += 1) {
      const value = values[from + at * step]!;
      line[at] = value;
      if (value > most) continue;
      let border = -Infinity;
      while (count > 0) {
        border = meet(places[count - 1]!, at);
        if (border > borders[count - 1]!) break;
        count -= 1;
        border = -Infinity;
      }
      places[count] = at;
      borders[count] = border;
      count += 1;
    }
    if (count === 0) return;
    borders[count] = Infinity;
    let parabola = 0;
    for (let at = 0; at < length; at += 1) {
      const position = positions[at]!;
      while (borders[parabola + 1]! < position) parabola += 1;
      const place = places[parabola]!;
      const distance = (position - positions[place]!) ** 2 + line[place]!;
      values[from + at * step] = distance <= most ? distance : Infinity;
    }
  };
}
