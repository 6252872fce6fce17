import type { PlaneOrientation, Vector3 } from '../../src/shared/geometry.ts';
import type { PlaneGrid, PlaneSampling } from '../../src/shared/planeGrid.ts';
import type { PositionTable } from '../../src/shared/positionTable.ts';

// The generators of makePlanes.py: the same numbers by the same arithmetic, so that planes need not be recorded.

export type RecordedAnswers = {
  readonly seed: number;
  /** Numbers of samples that arithmetic may round either way. */
  readonly ties: readonly number[];
  /** The samples of all planes in base64: 16 bits, little endian. */
  readonly answers: string;
};

export type RecordedShape = { readonly planes: number; readonly rows: number; readonly columns: number };

/** Marks samples outside of a volume, and padding. */
export const OUTSIDE = -32768;

export function readAnswers({ answers }: RecordedAnswers): Int16Array {
  return new Int16Array(Uint8Array.from(Buffer.from(answers, 'base64')).buffer);
}

/** Numbers from 0 up to but not including 1. */
export function createNoise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

type Table = Pick<
  PositionTable,
  'points' | 'rowDirection' | 'columnDirection' | 'rows' | 'columns' | 'rowSpacingMm' | 'columnSpacingMm'
>;

export type RandomPlane = { readonly grid: PlaneGrid } & Pick<PlaneSampling, 'interpolation'>;

/** Planes through random points of a volume. */
export function* randomPlanes(
  table: Table,
  seed: number,
  { planes, rows, columns }: RecordedShape,
): Generator<RandomPlane> {
  const noise = createNoise(seed);
  for (let number = 0; number < planes; number += 1) {
    const orientation = turn(noise);
    const place = Math.floor(noise() * (table.points.length / 3));
    const down = noise() * (table.rows - 1) * table.rowSpacingMm;
    const along = noise() * (table.columns - 1) * table.columnSpacingMm;
    const rowSpacingMm = (0.3 + 1.7 * noise()) * table.rowSpacingMm;
    const columnSpacingMm = (0.3 + 1.7 * noise()) * table.columnSpacingMm;
    const at = (axis: 0 | 1 | 2) =>
      table.points[3 * place + axis]! +
      table.rowDirection[axis] * along +
      table.columnDirection[axis] * down -
      (orientation.rowDirection[axis] * columnSpacingMm * (columns - 1)) / 2 -
      (orientation.columnDirection[axis] * rowSpacingMm * (rows - 1)) / 2;
    const position: Vector3 = [at(0), at(1), at(2)];
    const grid = { ...orientation, position, rowSpacingMm, columnSpacingMm, rows, columns };
    yield { grid, interpolation: number % 2 === 0 ? 'linear' : 'nearest' };
  }
}

/** Perpendicular unit vectors, by a random quaternion. */
function turn(noise: () => number): PlaneOrientation {
  const w = 2 * noise() - 1;
  const x = 2 * noise() - 1;
  const y = 2 * noise() - 1;
  const z = 2 * noise() - 1;
  const n = w * w + x * x + y * y + z * z;
  return {
    rowDirection: [(w * w + x * x - y * y - z * z) / n, (2 * (x * y + w * z)) / n, (2 * (x * z - w * y)) / n],
    columnDirection: [(2 * (x * y - w * z)) / n, (w * w - x * x + y * y - z * z) / n, (2 * (y * z + w * x)) / n],
  };
}
