import { type GridSpacing, type VoxelGrid, withinRadius } from './voxelGrid.ts';

type Ball = { readonly spacing: GridSpacing; readonly radius: number; readonly pause?: (() => void) | undefined };

/** A row of the ball: how far it is from its center, and how far it reaches to both sides. */
type BallRow = { readonly slices: number; readonly rows: number; readonly reach: number };

/**
 * The rows of a ball, in samples. Slices that are not evenly spaced count as if they were: the ball must have a center and
 * two equal halves, or masks would move.
 */
export function listBallRows({ slices }: VoxelGrid, { spacing, radius }: Ball): readonly BallRow[] {
  const most = withinRadius(radius);
  const { positions } = spacing;
  const step = slices > 1 ? Math.abs(positions[slices - 1]! - positions[0]!) / (slices - 1) : Infinity;
  const deep = slices > 1 ? Math.floor(Math.sqrt(most) / step) : 0;
  const high = Math.floor(Math.sqrt(most) / spacing.row);
  const found: BallRow[] = [];
  for (let z = -deep; z <= deep; z += 1) {
    for (let y = -high; y <= high; y += 1) {
      const left = most - (z === 0 ? 0 : (z * step) ** 2) - (y * spacing.row) ** 2;
      if (left >= 0) found.push({ slices: z, rows: y, reach: Math.floor(Math.sqrt(left) / spacing.column) });
    }
  }
  return found;
}

/**
 * A sample is inside if most of the samples of the ball around it are: the median of the ball. Beyond the border of the
 * grid the nearest sample counts.
 */
export function smoothMask(bits: Uint8Array, grid: VoxelGrid, ball: Ball): Uint8Array {
  const { columns, rows, slices } = grid;
  const ballRows = listBallRows(grid, ball);
  const size = ballRows.reduce((sum, { reach }) => sum + 2 * reach + 1, 0);
  const widest = ballRows.reduce((most, { reach }) => Math.max(most, reach), 0);
  const result = new Uint8Array(bits.length);
  const counts = new Int32Array(columns);
  /** How many samples inside there are before each column, with the border repeated on both sides. */
  const sums = new Int32Array(columns + 2 * widest + 1);
  for (let slice = 0; slice < slices; slice += 1) {
    for (let row = 0; row < rows; row += 1) {
      ball.pause?.();
      counts.fill(0);
      for (const { slices: z, rows: y, reach } of ballRows) {
        const from = Math.min(slices - 1, Math.max(0, slice + z)) * rows + Math.min(rows - 1, Math.max(0, row + y));
        if (!addUp(bits.subarray(from * columns, (from + 1) * columns), widest, sums)) continue;
        for (let column = 0; column < columns; column += 1) {
          counts[column]! += sums[column + widest + reach + 1]! - sums[column + widest - reach]!;
        }
      }
      const line = (slice * rows + row) * columns;
      for (let column = 0; column < columns; column += 1) if (2 * counts[column]! > size) result[line + column] = 1;
    }
  }
  return result;
}

/** Returns false for an empty row, of which nothing is added up. */
function addUp(row: Uint8Array, margin: number, sums: Int32Array): boolean {
  if (!row.includes(1)) return false;
  let sum = 0;
  for (let at = 0; at < sums.length - 1; at += 1) {
    sums[at] = sum;
    sum += row[Math.min(row.length - 1, Math.max(0, at - margin))]!;
  }
  sums[sums.length - 1] = sum;
  return true;
}
