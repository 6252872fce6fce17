import type { WorkInTurns } from '../workers/doInTurns.ts';
import type { PlacedFrame } from './imagePlanes.ts';
import { createPlaneColumns, type PlaneColumns, putPlane } from './planeColumns.ts';

/** Placed frames as columns, for tasks. */
export type PlacedColumns = {
  readonly planes: PlaneColumns;
  /** The series of each plane, as numbers from 0. */
  readonly seriesOf: Uint32Array<ArrayBuffer>;
  readonly seriesCount: number;
};

export function* packPlaced(placed: readonly PlacedFrame[]): WorkInTurns<PlacedColumns> {
  const planes = createPlaneColumns(placed.length);
  const seriesOf = new Uint32Array(placed.length);
  const numbers = new Map<string, number>();
  for (const [at, { file, plane }] of placed.entries()) {
    yield;
    putPlane(planes, at, plane);
    const { seriesInstanceUid } = file;
    const number = numbers.get(seriesInstanceUid) ?? numbers.size;
    numbers.set(seriesInstanceUid, number);
    seriesOf[at] = number;
  }
  return { planes, seriesOf, seriesCount: numbers.size };
}
