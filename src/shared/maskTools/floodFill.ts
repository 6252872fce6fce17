import type { VoxelGrid } from './voxelGrid.ts';

/** How many runs are filled between two looks at whether somebody still waits. */
const PAUSE_EVERY = 4_096;
const BLOCK = 65_536;

type Flood = {
  /** What is filled, and what it becomes. No sample may have the second value before, unless such a flood wrote it. */
  readonly from: number;
  readonly to: number;
  /** Throws if the work is to end. */
  readonly pause?: (() => void) | undefined;
};

/**
 * Changes all samples of value `from` that are joined to the one at `seed` by their faces, and returns how many. Each run
 * of a row is noted once, so that the notes take at most 4 bytes for each sample, whatever the samples are.
 */
export function floodFill(state: Uint8Array, grid: VoxelGrid, seed: number, { from, to, pause }: Flood): number {
  if (state[seed] !== from) return 0;
  const { columns, rows, slices } = grid;
  const inSlice = columns * rows;
  const runs = createRunStack();
  let count = 0;
  /** Fills the run that a sample is in, and returns its end. */
  const take = (at: number): number => {
    const line = at - (at % columns);
    let first = at;
    while (first > line && state[first - 1] === from) first -= 1;
    let end = at + 1;
    while (end < line + columns && state[end] === from) end += 1;
    state.fill(to, first, end);
    count += end - first;
    runs.push(first, end);
    return end;
  };
  const takeBeside = (first: number, end: number) => {
    for (let at = first; at < end; at += 1) if (state[at] === from) at = take(at);
  };
  take(seed);
  for (let taken = 1; runs.pop(); taken += 1) {
    if (taken % PAUSE_EVERY === 0) pause?.();
    const { first, end } = runs;
    const slice = Math.floor(first / inSlice);
    const row = Math.floor((first - slice * inSlice) / columns);
    if (row > 0) takeBeside(first - columns, end - columns);
    if (row < rows - 1) takeBeside(first + columns, end + columns);
    if (slice > 0) takeBeside(first - inSlice, end - inSlice);
    if (slice < slices - 1) takeBeside(first + inSlice, end + inSlice);
  }
  return count;
}

/** Runs that are to be looked at, in blocks: a list that doubles would hold three times as much for a moment. */
function createRunStack() {
  const blocks = [new Int32Array(BLOCK)];
  let length = 0;
  const stack = {
    first: 0,
    end: 0,
    push(first: number, end: number) {
      const number = Math.floor(length / BLOCK);
      blocks[number] ??= new Int32Array(BLOCK);
      const block = blocks[number];
      block[length % BLOCK] = first;
      block[(length % BLOCK) + 1] = end;
      length += 2;
    },
    pop(): boolean {
      if (length === 0) return false;
      length -= 2;
      const block = blocks[Math.floor(length / BLOCK)]!;
      stack.first = block[length % BLOCK]!;
      stack.end = block[(length % BLOCK) + 1]!;
      return true;
    },
  };
  return stack;
}
