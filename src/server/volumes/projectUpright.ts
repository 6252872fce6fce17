import { dot, inPlaneAxes, normalOf, type Vector3 } from '../../shared/geometry.ts';
import type { PlaneGrid, PlaneSampling, Slab } from '../../shared/planeGrid.ts';
import { findSegment, INDEX_TOLERANCE, listSegments, type TableSegment } from '../../shared/positionTable.ts';
import { findInner, findInside } from './lineRange.ts';
import { createValueReader, type VolumeSamples, weigh } from './weighSamples.ts';

export type ProjectedPlane = {
  readonly grid: PlaneGrid;
  readonly slab: Slab;
  readonly projection: PlaneSampling['projection'];
};

/** Larger slices would need more memory than a plane is expected to take. */
const MOST_IN_SLICE = 2 ** 20;

/**
 * Writes the maximum or minimum of a slab whose rows lie in the slices and whose normal does too, such as the view of a
 * patient from any side. All samples of a row are then between the same two slices, which are blended once for the whole
 * row instead of once for each sample. False if the slab is not of this kind. The result is that of sampling each sheet,
 * but for the rounding of numbers.
 */
export function projectUpright(
  volume: VolumeSamples,
  { grid, slab, projection }: ProjectedPlane,
  values: Float64Array,
  onProgress: () => void,
): boolean {
  const { table } = volume;
  const { rows, columns, rowSpacingMm, columnSpacingMm } = table;
  const size = rows * columns;
  const normal = normalOf(table);
  const across = normalOf(grid);
  const reach = Math.max(grid.columns * grid.columnSpacingMm, slab.count * slab.stepMm);
  const isFlat = (direction: Vector3) => Math.abs(dot(direction, normal)) * reach <= INDEX_TOLERANCE * table.spacingMm;
  if (projection === 'mean' || slab.count === 1 || size > MOST_IN_SLICE) return false;
  if (!isFlat(grid.rowDirection) || !isFlat(across)) return false;

  const isMax = projection === 'max';
  const segments = listSegments(table);
  const { alongRow, downColumn } = inPlaneAxes(table);
  const yPerColumn = (dot(downColumn, grid.rowDirection) * grid.columnSpacingMm) / rowSpacingMm;
  const xPerColumn = (dot(alongRow, grid.rowDirection) * grid.columnSpacingMm) / columnSpacingMm;
  const yPerSheet = (dot(downColumn, across) * slab.stepMm) / rowSpacingMm;
  const xPerSheet = (dot(alongRow, across) * slab.stepMm) / columnSpacingMm;
  const blend = createBlender(volume);
  const none = isMax ? -Infinity : Infinity;

  for (let row = 0; row < grid.rows; row += 1) {
    const line = values.subarray(row * grid.columns, (row + 1) * grid.columns).fill(none);
    const down = row * grid.rowSpacingMm;
    const at = (axis: 0 | 1 | 2) => grid.position[axis] + grid.columnDirection[axis] * down;
    const start: Vector3 = [at(0), at(1), at(2)];
    const z = dot(normal, start);
    const segment = segments[findSegment(segments, z)]!;
    if (segment.lower < 0) {
      line.fill(NaN);
      continue;
    }
    const { slice, weighAt } = blend(segment, z);
    const y0 = dot(downColumn, start) / rowSpacingMm - segment.rowStart - segment.rowStep * z;
    const x0 = dot(alongRow, start) / columnSpacingMm - segment.columnStart - segment.columnStep * z;
    for (let sheet = -slab.first; sheet <= slab.last; sheet += 1) {
      const [yStart, xStart] = [y0 + sheet * yPerSheet, x0 + sheet * xPerSheet];
      const [inY, inX] = [
        { start: yStart, step: yPerColumn },
        { start: xStart, step: xPerColumn },
      ];
      const { first, end } = findInside(inY, inX, table, grid.columns);
      const inner = findInner(inY, inX, table, end);
      for (let i = first; i < end; i++) {
        // The part without edges follows.
        if (i === inner.first) i = inner.end;
        if (i >= end) break;
        let y = yStart + i * yPerColumn;
        let x = xStart + i * xPerColumn;
        y = y < 0 ? 0 : y > rows - 1 ? rows - 1 : y;
        x = x < 0 ? 0 : x > columns - 1 ? columns - 1 : x;
        const wholeY = Math.floor(y + INDEX_TOLERANCE);
        const wholeX = Math.floor(x + INDEX_TOLERANCE);
        const partY = y - wholeY < INDEX_TOLERANCE ? 0 : y - wholeY;
        const partX = x - wholeX < INDEX_TOLERANCE ? 0 : x - wholeX;
        const corner = wholeY * columns + wholeX;
        const right = partX === 0 ? 0 : 1;
        const below = corner + (partY === 0 ? 0 : columns);
        const a = slice[corner]!;
        const c = slice[below]!;
        const top = a + partX * (slice[corner + right]! - a);
        let value = top + partY * (c + partX * (slice[below + right]! - c) - top);
        // One of the neighbours takes no part.
        if (value !== value) value = weighAt(corner, right, below - corner, partX, partY);
        if (isMax ? value > line[i]! : value < line[i]!) line[i] = value;
      }
      for (let i = inner.first; i < inner.end; i++) {
        const y = yStart + i * yPerColumn;
        const x = xStart + i * xPerColumn;
        const wholeY = (y + INDEX_TOLERANCE) | 0;
        const wholeX = (x + INDEX_TOLERANCE) | 0;
        const partY = y - wholeY < INDEX_TOLERANCE ? 0 : y - wholeY;
        const partX = x - wholeX < INDEX_TOLERANCE ? 0 : x - wholeX;
        const corner = wholeY * columns + wholeX;
        const a = slice[corner]!;
        const c = slice[corner + columns]!;
        const top = a + partX * (slice[corner + 1]! - a);
        let value = top + partY * (c + partX * (slice[corner + columns + 1]! - c) - top);
        if (value !== value) {
          value = weighAt(corner, partX === 0 ? 0 : 1, partY === 0 ? 0 : columns, partX, partY);
        }
        if (isMax ? value > line[i]! : value < line[i]!) line[i] = value;
      }
    }
    for (let i = 0; i < line.length; i++) if (!Number.isFinite(line[i])) line[i] = NaN;
    onProgress();
  }
  return true;
}

type Blended = {
  /** NaN where one of the two samples takes no part. */
  readonly slice: Float64Array;
  readonly weighAt: (corner: number, right: number, below: number, partX: number, partY: number) => number;
};

/** The samples between two slices. The result is valid until the next call. */
function createBlender(volume: VolumeSamples): (segment: TableSegment, z: number) => Blended {
  const { table, samples } = volume;
  const size = table.rows * table.columns;
  const read = createValueReader(volume, false);
  const valueOf = read ?? ((at: number) => samples[at]!);
  const slice = new Float64Array(size);
  return (segment, z) => {
    const { lower, upper, lowerMm, placesPerMm } = segment;
    const part = lower === upper ? 0 : (z - lowerMm) * placesPerMm;
    const isAtUpper = part > 1 - INDEX_TOLERANCE;
    const place = isAtUpper ? upper : lower;
    const partZ = isAtUpper || part < INDEX_TOLERANCE ? 0 : part;
    const at = (volume.slots?.[place] ?? place) * size;
    const above = (volume.slots?.[upper] ?? upper) * size;
    if (read === undefined) {
      if (partZ === 0) for (let i = 0; i < size; i++) slice[i] = samples[at + i]!;
      else {
        for (let i = 0; i < size; i++) {
          const value = samples[at + i]!;
          slice[i] = value + partZ * (samples[above + i]! - value);
        }
      }
    } else {
      for (let i = 0; i < size; i++) {
        const value = read(at + i, place);
        slice[i] = partZ === 0 ? value : value + partZ * (read(above + i, upper) - value);
      }
    }
    const weighAt: Blended['weighAt'] = (corner, right, below, partX, partY) =>
      weigh(valueOf, {
        at: at + corner,
        above: partZ === 0 ? -1 : above + corner,
        place,
        upper,
        right,
        below,
        partX,
        partY,
        partZ,
      });
    return { slice, weighAt };
  };
}
