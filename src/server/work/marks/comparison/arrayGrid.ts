import { cross, dot, lengthOf, subtract, type Vector3 } from '../../../../shared/geometry.ts';
import { type Affine, type ArrayHeader, unreadable } from '../../../images/attachments/arrayHeader.ts';
import type { GridSize, GridSpacingMm } from '../../../over/agreement/maskPair.ts';
import type { ArrayAxes } from './labelArrayTasks.ts';

/** The samples of an array in space: columns, rows and slices along its own axes. */
export type ArrayGrid = {
  readonly axes: ArrayAxes;
  /** Undefined if the file does not say where it is. */
  readonly affine: Affine | undefined;
};

/** In samples. Affines are rounded to seven digits. */
const SAME = 0.05;
const MOST_CHANNELS = 16;

export function findArrayGrid({ sizes, spatialAxes, affine }: ArrayHeader): ArrayGrid {
  const spatial = affine === undefined ? undefined : spatialAxes;
  if (spatial === undefined && sizes.length > 3) {
    throw unreadable(`the array has ${sizes.length} axes, and does not say which of them are in space`);
  }
  const inSpace = spatial ?? [0, 1, 2];
  const channelAxis = sizes.findIndex((_, axis) => !inSpace.includes(axis));
  if (sizes.length - 3 > 1) throw unreadable(`the array has ${sizes.length} axes; at most four are read`);
  const sizeOf = (n: 0 | 1 | 2) => sizes[inSpace[n]] ?? 1;
  const size: GridSize = [sizeOf(0), sizeOf(1), sizeOf(2)];
  const strides = [1, size[0], size[0] * size[1]];
  const steps = sizes.map((_, axis) => strides[inSpace.indexOf(axis)] ?? 0);
  const channels = channelAxis < 0 ? 1 : sizes[channelAxis]!;
  if (channels > MOST_CHANNELS) {
    throw unreadable(`the file has ${channels} volumes; at most ${MOST_CHANNELS} are compared`);
  }
  return { axes: { size, steps, channelAxis, channels }, affine: spatial === undefined ? undefined : affine };
}

/** Of an array that does not say where it is, samples count as cubes of a millimetre. */
export function spacingOfArray({ affine }: ArrayGrid): {
  readonly spacingMm: GridSpacingMm;
  readonly isOblique: boolean;
} {
  if (affine === undefined) return { spacingMm: [1, 1, 1], isOblique: false };
  const [a, b, c] = columnsOf(affine);
  const spacingMm: GridSpacingMm = [lengthOf(a), lengthOf(b), lengthOf(c)];
  const largest = Math.max(cosineOf(a, b), cosineOf(a, c), cosineOf(b, c));
  return { spacingMm, isOblique: largest > 1e-3 };
}

function cosineOf(a: Vector3, b: Vector3): number {
  return Math.abs(dot(a, b)) / (lengthOf(a) * lengthOf(b));
}

/**
 * From samples of the truth to samples of the test: three rows of four numbers; undefined if they are the same samples in
 * the same order. Throws if that is not known.
 */
export function findWay(
  truth: ArrayGrid,
  test: ArrayGrid,
): { readonly matrix: readonly number[]; readonly isExact: boolean } | undefined {
  const isSameSize = truth.axes.size.every((size, axis) => size === test.axes.size[axis]);
  if (truth.affine === undefined || test.affine === undefined) {
    if (isSameSize) return undefined;
    const sizes = [truth, test].map(({ axes }) => axes.size.join(' x '));
    throw unreadable(`one of the two does not say where it is, and their sizes differ: ${sizes.join(' and ')}`);
  }
  const matrix = combine(test.affine, truth.affine);
  const farthest = (expected: (row: number, corner: readonly number[]) => number) =>
    Math.max(
      ...CORNERS.flatMap((corner) => {
        const at = corner.map((bit, axis) => bit * (truth.axes.size[axis]! - 1));
        return [0, 1, 2].map((row) => Math.abs(valueOf(matrix, row, at) - expected(row, at)));
      }),
    );
  if (isSameSize && farthest((row, at) => at[row]!) <= SAME) return undefined;
  // Axes in another order or direction lead to whole numbers.
  return { matrix, isExact: farthest((row, at) => Math.round(valueOf(matrix, row, at))) <= SAME && isWhole(matrix) };
}

const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((corner) => [corner & 1, (corner >> 1) & 1, corner >> 2]);

function valueOf(matrix: readonly number[], row: number, at: readonly number[]): number {
  return (
    matrix[4 * row]! * at[0]! + matrix[4 * row + 1]! * at[1]! + matrix[4 * row + 2]! * at[2]! + matrix[4 * row + 3]!
  );
}

/** Whether steps along the axes are steps along axes. */
function isWhole(matrix: readonly number[]): boolean {
  return matrix.every((part, at) => at % 4 === 3 || Math.abs(part - Math.round(part)) < 1e-3);
}

function columnsOf(affine: Affine): readonly [Vector3, Vector3, Vector3, Vector3] {
  const [a, b, c, d, e, f, g, h, i, j, k, l] = affine;
  return [
    [a, b, c],
    [d, e, f],
    [g, h, i],
    [j, k, l],
  ];
}

/** The way from samples of `from` to samples of `to`. */
function combine(to: Affine, from: Affine): readonly number[] {
  const [a, b, c, origin] = columnsOf(to);
  const volume = dot(a, cross(b, c));
  const rows = [cross(b, c), cross(c, a), cross(a, b)];
  const [x, y, z, start] = columnsOf(from);
  const offset = subtract(start, origin);
  return rows.flatMap((row) => [x, y, z, offset].map((way) => dot(row, way) / volume));
}
