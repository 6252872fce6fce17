import { cross, dot, subtract, type Vector3 } from '../../../../shared/geometry.ts';
import { type ArrayHeader, unreadable } from '../../../images/attachments/arrayHeader.ts';
import type { NiftiGrid } from '../../../images/exports/nifti/niftiGrid.ts';

/** From the elements of an array to the samples of a grid. */
export type GridWay = {
  /** Volumes of the array, one after another along the axis that is not in space. */
  readonly channels: number;
  /** Whether neighbouring elements are of different volumes. */
  readonly firstIsChannel: boolean;
  /** Whether the row of these indices is of the channel, and what `along` needs of it. */
  readonly locate: (indices: readonly number[], channel: number) => readonly [isOfChannel: boolean, start: number];
  /** The sample of an element of a row; -1 outside of the grid. */
  readonly along: (start: number, at: number) => number;
};

/** In voxels. Affines are rounded to seven digits. */
const TOLERANCE = 0.05;
const MOST_CHANNELS = 16;

/**
 * The axes of the array may run in other orders and directions than those of the grid, and it may be a part of it or
 * reach beyond; but its voxels must be those of the grid. Throws `attachment_unreadable`.
 */
export function findGridWay({ affine, spatialAxes, sizes }: ArrayHeader, grid: NiftiGrid): GridWay {
  if (affine === undefined || spatialAxes === undefined) {
    throw unreadable('the file does not say where it lies in the patient');
  }
  const column = (n: number): Vector3 => [affine[3 * n]!, affine[3 * n + 1]!, affine[3 * n + 2]!];
  const toGrid = createInverse(grid);
  const steps = [0, 1, 2].map((n) => toGrid(column(n)));
  const origin = toGrid(subtract(column(3), toLps(grid.origin)));
  const axes = steps.map((step) => {
    const lengths = step.map(Math.abs);
    const to = lengths.indexOf(Math.max(...lengths));
    return { to, sign: Math.sign(step[to]!) };
  });
  const starts = origin.map(Math.round);
  const off = new Set(axes.map(({ to }) => to)).size < 3 ? Infinity : largestDistance();
  if (!(off <= TOLERANCE)) {
    throw unreadable(
      'its voxels are not those of the images: resample it onto them, or open it as an overlay, which can be copied into a mask',
    );
  }

  function largestDistance(): number {
    let largest = 0;
    for (let corner = 0; corner < 8; corner += 1) {
      const at = [0, 1, 2].map((n) => ((corner >> n) & 1) * (sizes[spatialAxes![n]!]! - 1));
      for (const [n, { to, sign }] of axes.entries()) {
        const exact = origin[to]! + steps.reduce((sum, step, m) => sum + step[to]! * at[m]!, 0);
        largest = Math.max(largest, Math.abs(exact - starts[to]! - sign * at[n]!));
      }
    }
    return largest;
  }

  const channelAxis = sizes.findIndex((_, axis) => !spatialAxes.includes(axis));
  const channels = channelAxis < 0 ? 1 : sizes[channelAxis]!;
  if (channels > MOST_CHANNELS) throw unreadable(`the file has ${channels} volumes; at most ${MOST_CHANNELS} are read`);
  const strides = [1, grid.size[0], grid.size[0] * grid.size[1]];
  const firstSpace = spatialAxes.indexOf(0);
  const first = axes[firstSpace];
  const isIn = (to: number, index: number) => index >= 0 && index < grid.size[to]!;

  const locate = (indices: readonly number[], channel: number): readonly [boolean, number] => {
    if (channelAxis > 0 && indices[channelAxis] !== channel) return [false, -1];
    let sample = 0;
    let isInside = true;
    for (const [n, { to, sign }] of axes.entries()) {
      const index = starts[to]! + sign * indices[spatialAxes[n]!]!;
      // The first axis is counted by `along`.
      if (n === firstSpace && channelAxis !== 0) continue;
      isInside &&= isIn(to, index);
      sample += index * strides[to]!;
    }
    return [true, isInside ? sample : -1];
  };
  const along = (start: number, at: number): number => {
    if (start < 0 || first === undefined) return -1;
    const index = starts[first.to]! + first.sign * at;
    return isIn(first.to, index) ? start + index * strides[first.to]! : -1;
  };
  return { channels, firstIsChannel: channelAxis === 0, locate, along };
}

/** From millimetres (LPS) to steps of the grid. */
function createInverse({ vectors }: NiftiGrid): (way: Vector3) => Vector3 {
  const [a, b, c] = [toLps(vectors[0]), toLps(vectors[1]), toLps(vectors[2])];
  const volume = dot(a, cross(b, c));
  const rows = [cross(b, c), cross(c, a), cross(a, b)];
  const along = (way: Vector3, n: number) => dot(rows[n]!, way) / volume;
  return (way) => [along(way, 0), along(way, 1), along(way, 2)];
}

/** The grid of NIfTI has x to the right and y to the front. */
function toLps([x, y, z]: Vector3): Vector3 {
  return [-x, -y, z];
}
