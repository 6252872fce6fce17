import { hash } from '../noise.ts';

/**
 * One point in each square of a grid, displaced at random, so that the neighbourhoods of the points look like cells.
 */
type Lattice = {
  readonly step: number;
  readonly columns: number;
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Two numbers from 0 to 1 in which cells differ. */
  readonly tint: Float32Array;
  readonly kind: Float32Array;
};

export function createLattice(
  step: number,
  { width, height, seed }: { width: number; height: number; seed: number },
): Lattice {
  const columns = Math.ceil(width / step) + 3;
  const rows = Math.ceil(height / step) + 3;
  const x = new Float32Array(columns * rows);
  const y = new Float32Array(columns * rows);
  const tint = new Float32Array(columns * rows);
  const kind = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      x[row * columns + column] = (column - 1 + 0.14 + 0.72 * hash(column, row, seed)) * step;
      y[row * columns + column] = (row - 1 + 0.14 + 0.72 * hash(column, row, seed + 100)) * step;
      tint[row * columns + column] = hash(column, row, seed + 200);
      kind[row * columns + column] = hash(column, row, seed + 300);
    }
  }
  return { step, columns, x, y, tint, kind };
}

/** The cell at a position, with the distances to its point and to its border, in pixels. */
export type Nearest = { cell: number; distance: number; border: number };

/** Writes into `near`, so that millions of calls allocate nothing. */
export function findNearestCell({ step, columns, x: xs, y: ys }: Lattice, x: number, y: number, near: Nearest): void {
  const column = Math.floor(x / step) + 1;
  const row = Math.floor(y / step) + 1;
  let first = Infinity;
  let second = Infinity;
  let best = 0;
  for (let r = row - 1; r <= row + 1; r++) {
    for (let at = r * columns + column - 1; at <= r * columns + column + 1; at++) {
      const dx = xs[at]! - x;
      const dy = ys[at]! - y;
      const squared = dx * dx + dy * dy;
      if (squared < first) {
        second = first;
        first = squared;
        best = at;
      } else if (squared < second) second = squared;
    }
  }
  near.distance = Math.sqrt(first);
  near.border = (Math.sqrt(second) - near.distance) / 2;
  near.cell = best;
}
