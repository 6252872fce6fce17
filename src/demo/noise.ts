/** Pseudorandom numbers in [0, 1) that are the same on every run (xorshift32). */
export function createRandom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}

/** A pseudorandom number in [0, 1) for a point of an integer lattice. */
export function hash(x: number, y: number, seed: number): number {
  let h = Math.imul(x, 0x27d4eb2f) ^ Math.imul(y, 0x165667b1) ^ Math.imul(seed, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 0x1_0000_0000;
}

/** Square noise that repeats without a seam, so that it can be read at any offset. The side is a power of two. */
export type NoiseTile = { readonly side: number; readonly values: Float32Array };

/**
 * Grain with mean 0 and standard deviation 1, each sample mixed with its neighbours as a reconstruction kernel does.
 */
export function createGrainTile(side: number, seed: number): NoiseTile {
  const random = createRandom(seed);
  const white = new Float32Array(side * side);
  for (let i = 0; i < white.length; i++) white[i] = random() + random() + random() - 1.5;
  const mask = side - 1;
  const values = new Float32Array(side * side);
  for (let y = 0; y < side; y++) {
    const row = y * side;
    const above = ((y - 1) & mask) * side;
    const below = ((y + 1) & mask) * side;
    for (let x = 0; x < side; x++) {
      const left = (x - 1) & mask;
      const right = (x + 1) & mask;
      values[row + x] =
        white[row + x]! + 0.5 * (white[row + left]! + white[row + right]! + white[above + x]! + white[below + x]!);
    }
  }
  // The sum of three uniform numbers has variance 3/12, and the squares of the kernel sum to 1 + 4/4.
  return { side, values: scaled(values, 1 / Math.sqrt(0.25 * 2)) };
}

/** Soft clouds between about -1 and 1: octaves of interpolated lattices, the coarsest with `cells` per side. */
export function createCloudTile(side: number, options: { seed: number; cells: number; octaves: number }): NoiseTile {
  const values = new Float32Array(side * side);
  let amplitude = 0.5;
  for (let octave = 0; octave < options.octaves; octave++) {
    addLattice(values, side, { cells: options.cells << octave, amplitude, seed: options.seed + octave });
    amplitude /= 2;
  }
  return { side, values: scaled(values, 2) };
}

function addLattice(
  values: Float32Array,
  side: number,
  { cells, amplitude, seed }: { cells: number; amplitude: number; seed: number },
): void {
  const step = side / cells;
  const upper = new Float32Array(side);
  const lower = new Float32Array(side);
  for (let cell = 0; cell < cells; cell++) {
    fillLatticeRow(upper, { cell, cells, seed });
    fillLatticeRow(lower, { cell: (cell + 1) % cells, cells, seed });
    for (let line = 0; line < step; line++) {
      const t = smoothstep(line / step);
      const row = (cell * step + line) * side;
      addBetween(values.subarray(row, row + side), { upper, lower, t, amplitude });
    }
  }
}

type Between = {
  readonly upper: Float32Array;
  readonly lower: Float32Array;
  readonly t: number;
  readonly amplitude: number;
};

function addBetween(row: Float32Array, { upper, lower, t, amplitude }: Between): void {
  for (let x = 0; x < row.length; x++) row[x]! += amplitude * (upper[x]! + t * (lower[x]! - upper[x]!));
}

function fillLatticeRow(row: Float32Array, { cell, cells, seed }: { cell: number; cells: number; seed: number }): void {
  const step = row.length / cells;
  for (let column = 0; column < cells; column++) {
    const left = 2 * hash(column, cell, seed) - 1;
    const right = 2 * hash((column + 1) % cells, cell, seed) - 1;
    for (let i = 0; i < step; i++) row[column * step + i] = left + smoothstep(i / step) * (right - left);
  }
}

function scaled(values: Float32Array, factor: number): Float32Array {
  for (let i = 0; i < values.length; i++) values[i]! *= factor;
  return values;
}

/** 0 below 0, 1 above 1, with a smooth transition between. */
export function smoothstep(t: number): number {
  if (t <= 0) return 0;
  if (t >= 1) return 1;
  return t * t * (3 - 2 * t);
}
