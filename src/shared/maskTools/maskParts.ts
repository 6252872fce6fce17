import { floodFill } from './floodFill.ts';
import type { VoxelGrid } from './voxelGrid.ts';

type Pause = (() => void) | undefined;

const BACKGROUND = 2;
const SEEN = 2;
const KEPT = 3;

/** Adds what is not joined to the border of the grid by the faces of samples outside of the mask. */
export function fillHoles(bits: Uint8Array, grid: VoxelGrid, pause?: Pause): Uint8Array {
  const { columns, rows, slices } = grid;
  const state = bits.slice();
  const reach = (at: number) => floodFill(state, grid, at, { from: 0, to: BACKGROUND, pause });
  for (let slice = 0; slice < slices; slice += 1) {
    const isEnd = slices > 1 && (slice === 0 || slice === slices - 1);
    for (let row = 0; row < rows; row += 1) {
      const line = (slice * rows + row) * columns;
      const step = isEnd || row === 0 || row === rows - 1 ? 1 : Math.max(1, columns - 1);
      for (let column = 0; column < columns; column += step) reach(line + column);
    }
  }
  for (let at = 0; at < state.length; at += 1) state[at] = Number(state[at] !== BACKGROUND);
  return state;
}

/** Removes parts, joined by the faces of samples, that have fewer samples. */
export function removeIslands(bits: Uint8Array, grid: VoxelGrid, leastSamples: number, pause?: Pause): Uint8Array {
  const state = bits.slice();
  for (let at = state.indexOf(1); at >= 0; at = state.indexOf(1, at + 1)) {
    const isKept = floodFill(state, grid, at, { from: 1, to: SEEN, pause }) >= leastSamples;
    if (isKept) floodFill(state, grid, at, { from: SEEN, to: KEPT, pause });
  }
  for (let at = 0; at < state.length; at += 1) state[at] = Number(state[at] === KEPT);
  return state;
}

/** Keeps the part with the most samples; of equal ones, the one that comes first. */
export function keepLargest(bits: Uint8Array, grid: VoxelGrid, pause?: Pause): Uint8Array {
  const state = bits.slice();
  let largest = { at: -1, count: 0 };
  for (let at = state.indexOf(1); at >= 0; at = state.indexOf(1, at + 1)) {
    const count = floodFill(state, grid, at, { from: 1, to: SEEN, pause });
    if (count > largest.count) largest = { at, count };
  }
  if (largest.at >= 0) floodFill(state, grid, largest.at, { from: SEEN, to: KEPT, pause });
  for (let at = 0; at < state.length; at += 1) state[at] = Number(state[at] === KEPT);
  return state;
}
