import { dot, inPlaneAxes, normalOf, type Vector3 } from '../../shared/geometry.ts';
import { findSegment, INDEX_TOLERANCE, listSegments } from '../../shared/positionTable.ts';
import { findInner, findInside } from './lineRange.ts';
import type { ProjectedPlane } from './projectUpright.ts';
import { createValueReader, type VolumeSamples, weigh } from './weighSamples.ts';

/**
 * Writes the maximum or minimum of a slab whose rows lie in the slices, such as the view of a patient from above on any
 * side. A row of a sheet is then between the same two slices, so nothing about them must be found for each sample. False
 * if the slab is not of this kind. The result is that of sampling each sheet, but for the rounding of numbers.
 */
export function projectLevel(
  volume: VolumeSamples,
  { grid, slab, projection }: ProjectedPlane,
  values: Float64Array,
  onProgress: () => void,
): boolean {
  const { table, samples, paddings, rescales } = volume;
  const { rows, columns, rowSpacingMm, columnSpacingMm } = table;
  const normal = normalOf(table);
  const reachMm = grid.columns * grid.columnSpacingMm;
  const isFlat = Math.abs(dot(grid.rowDirection, normal)) * reachMm <= INDEX_TOLERANCE * table.spacingMm;
  if (projection === 'mean' || slab.count === 1 || !isFlat) return false;

  const isMax = projection === 'max';
  const size = rows * columns;
  const across = normalOf(grid);
  const segments = listSegments(table);
  const { alongRow, downColumn } = inPlaneAxes(table);
  const yPerColumn = (dot(downColumn, grid.rowDirection) * grid.columnSpacingMm) / rowSpacingMm;
  const xPerColumn = (dot(alongRow, grid.rowDirection) * grid.columnSpacingMm) / columnSpacingMm;
  const valueOf = createValueReader(volume, false) ?? ((at: number) => samples[at]!);
  const slotOf = (place: number) => (volume.slots?.[place] ?? place) * size;
  const none = isMax ? -Infinity : Infinity;
  let near = 0;

  for (let row = 0; row < grid.rows; row += 1) {
    const line = values.subarray(row * grid.columns, (row + 1) * grid.columns).fill(none);
    const down = row * grid.rowSpacingMm;
    for (let sheet = -slab.first; sheet <= slab.last; sheet += 1) {
      const aside = sheet * slab.stepMm;
      const along = (axis: 0 | 1 | 2) => grid.position[axis] + grid.columnDirection[axis] * down + across[axis] * aside;
      const start: Vector3 = [along(0), along(1), along(2)];
      const z = dot(normal, start);
      near = findSegment(segments, z, near);
      const segment = segments[near]!;
      const { lower, upper } = segment;
      if (lower < 0) continue;
      const part = lower === upper ? 0 : (z - segment.lowerMm) * segment.placesPerMm;
      const isAtUpper = part > 1 - INDEX_TOLERANCE;
      const place = isAtUpper ? upper : lower;
      const partZ = isAtUpper || part < INDEX_TOLERANCE ? 0 : part;
      const [at, above] = [slotOf(place), partZ === 0 ? -1 : slotOf(upper)];
      const yStart = dot(downColumn, start) / rowSpacingMm - segment.rowStart - segment.rowStep * z;
      const xStart = dot(alongRow, start) / columnSpacingMm - segment.columnStart - segment.columnStep * z;
      const [inY, inX] = [
        { start: yStart, step: yPerColumn },
        { start: xStart, step: xPerColumn },
      ];
      const { first, end } = findInside(inY, inX, table, grid.columns);
      const inner = findInner(inY, inX, table, end);

      /** With everything that edges and padding need. */
      const sampleAt = (i: number) => {
        const y = Math.min(Math.max(yStart + i * yPerColumn, 0), rows - 1);
        const x = Math.min(Math.max(xStart + i * xPerColumn, 0), columns - 1);
        const [wholeY, wholeX] = [Math.floor(y + INDEX_TOLERANCE), Math.floor(x + INDEX_TOLERANCE)];
        const partY = y - wholeY < INDEX_TOLERANCE ? 0 : y - wholeY;
        const partX = x - wholeX < INDEX_TOLERANCE ? 0 : x - wholeX;
        const corner = wholeY * columns + wholeX;
        return weigh(valueOf, {
          at: at + corner,
          above: above < 0 ? -1 : above + corner,
          place,
          upper,
          right: partX === 0 ? 0 : 1,
          below: partY === 0 ? 0 : columns,
          partX,
          partY,
          partZ,
        });
      };
      const take = (i: number, value: number) => {
        if (isMax ? value > line[i]! : value < line[i]!) line[i] = value;
      };
      for (let i = first; i < Math.min(inner.first, end); i++) take(i, sampleAt(i));
      for (let i = Math.max(first, inner.end); i < end; i++) take(i, sampleAt(i));
      projectLine(samples, line, {
        inner,
        isMax,
        columns,
        at,
        above: above < 0 ? at : above,
        partZ,
        yStart,
        yPerColumn,
        xStart,
        xPerColumn,
        low: paddings?.lows[place] ?? NaN,
        high: paddings?.highs[place] ?? NaN,
        lowAbove: paddings?.lows[partZ === 0 ? place : upper] ?? NaN,
        highAbove: paddings?.highs[partZ === 0 ? place : upper] ?? NaN,
        slope: rescales?.slopes[place] ?? 1,
        intercept: rescales?.intercepts[place] ?? 0,
        slopeAbove: rescales?.slopes[partZ === 0 ? place : upper] ?? 1,
        interceptAbove: rescales?.intercepts[partZ === 0 ? place : upper] ?? 0,
        hasPadding: paddings !== undefined,
        sampleAt,
      });
    }
    for (let i = 0; i < line.length; i++) if (!Number.isFinite(line[i])) line[i] = NaN;
    onProgress();
  }
  return true;
}

type Line = {
  /** Its samples that have neighbours on all sides. */
  readonly inner: { readonly first: number; readonly end: number };
  readonly isMax: boolean;
  readonly columns: number;
  /** Where the two slices begin, and the weight of the upper one. */
  readonly at: number;
  readonly above: number;
  readonly partZ: number;
  readonly yStart: number;
  readonly yPerColumn: number;
  readonly xStart: number;
  readonly xPerColumn: number;
  readonly hasPadding: boolean;
  readonly low: number;
  readonly high: number;
  readonly lowAbove: number;
  readonly highAbove: number;
  readonly slope: number;
  readonly intercept: number;
  readonly slopeAbove: number;
  readonly interceptAbove: number;
  /** The sample if one of its neighbours takes no part. */
  readonly sampleAt: (i: number) => number;
};

/** The inner loop, apart from the others so that the engine compiles it well. */
function projectLine(samples: VolumeSamples['samples'], line: Float64Array, input: Line): void {
  const { inner, isMax, columns, at, above, partZ, yStart, yPerColumn, xStart, xPerColumn } = input;
  const { hasPadding, low, high, lowAbove, highAbove, slope, intercept, slopeAbove, interceptAbove } = input;
  const { end } = inner;
  for (let i = inner.first; i < end; i++) {
    const y = yStart + i * yPerColumn;
    const x = xStart + i * xPerColumn;
    const wholeY = (y + INDEX_TOLERANCE) | 0;
    const wholeX = (x + INDEX_TOLERANCE) | 0;
    const partY = y - wholeY < INDEX_TOLERANCE ? 0 : y - wholeY;
    const partX = x - wholeX < INDEX_TOLERANCE ? 0 : x - wholeX;
    const corner = wholeY * columns + wholeX;
    const p = at + corner;
    const q = above + corner;
    const a = samples[p]!;
    const b = samples[p + 1]!;
    const c = samples[p + columns]!;
    const d = samples[p + columns + 1]!;
    const e = samples[q]!;
    const f = samples[q + 1]!;
    const g = samples[q + columns]!;
    const h = samples[q + columns + 1]!;
    const top = a + partX * (b - a);
    const under = (top + partY * (c + partX * (d - c) - top)) * slope + intercept;
    const topAbove = e + partX * (f - e);
    const over = (topAbove + partY * (g + partX * (h - g) - topAbove)) * slopeAbove + interceptAbove;
    let value = under + partZ * (over - under);
    if (hasPadding) {
      const isPadded =
        (a >= low && a <= high) ||
        (b >= low && b <= high) ||
        (c >= low && c <= high) ||
        (d >= low && d <= high) ||
        (e >= lowAbove && e <= highAbove) ||
        (f >= lowAbove && f <= highAbove) ||
        (g >= lowAbove && g <= highAbove) ||
        (h >= lowAbove && h <= highAbove);
      if (isPadded) value = input.sampleAt(i);
    }
    // Samples that are no numbers take no part either.
    if (value !== value) value = input.sampleAt(i);
    if (isMax ? value > line[i]! : value < line[i]!) line[i] = value;
  }
}
