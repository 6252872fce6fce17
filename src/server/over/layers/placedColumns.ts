import type { WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { PlacedFrame } from './imagePlanes.ts';
import { createPlaneColumns, type PlaneColumns, putPlane } from './planeColumns.ts';

/** Placed frames as columns, for tasks. */
export type PlacedColumns = {
  readonly planes: PlaneColumns;
  /** The series of each plane, as numbers from 0. */
  readonly seriesOf: Uint32Array<ArrayBuffer>;
  readonly seriesCount: number;
};

/** Tasks list the ends of each part in each series; with more, the last series count as one. */
const MOST_ENDS = 2 ** 20;

export function* packPlaced(placed: readonly PlacedFrame[], partCount = 1): WorkInTurns<PlacedColumns> {
  const mostSeries = Math.max(1, Math.floor(MOST_ENDS / Math.max(1, partCount)));
  const planes = createPlaneColumns(placed.length);
  const seriesOf = new Uint32Array(placed.length);
  const numbers = new Map<string, number>();
  for (const [at, { file, plane }] of placed.entries()) {
    yield;
    putPlane(planes, at, plane);
    const { seriesInstanceUid } = file;
    const number = numbers.get(seriesInstanceUid) ?? numbers.size;
    numbers.set(seriesInstanceUid, number);
    seriesOf[at] = Math.min(number, mostSeries - 1);
  }
  return { planes, seriesOf, seriesCount: Math.min(numbers.size, mostSeries) };
}
