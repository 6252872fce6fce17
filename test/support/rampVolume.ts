import { normalOf, type PlaneOrientation, type Vector3 } from '../../src/shared/geometry.ts';
import type { PositionTable } from '../../src/shared/positionTable.ts';

export type TableShape = PlaneOrientation & {
  readonly rows: number;
  readonly columns: number;
  readonly rowSpacingMm: number;
  readonly columnSpacingMm: number;
  readonly origin: Vector3;
  /** Distance of each slice from the first one, along the normal. */
  readonly offsetsMm: readonly number[];
  /** In-plane shift for each slice, along a row and down a column, as a tilted gantry makes it. */
  readonly shiftsMm?: readonly (readonly [number, number])[];
  /** Gaps, by the place before them, that are not bridged. */
  readonly holes?: readonly number[];
};

export const AXIAL: PlaneOrientation = { rowDirection: [1, 0, 0], columnDirection: [0, 1, 0] };

export function createTable(shape: TableShape): PositionTable {
  const { offsetsMm, origin, shiftsMm, holes = [], rowDirection, columnDirection } = shape;
  const normal = normalOf(shape);
  const points = offsetsMm.flatMap((offset, place) => {
    const [along, down] = shiftsMm?.[place] ?? [0, 0];
    const at = (axis: 0 | 1 | 2) =>
      origin[axis] + normal[axis] * offset + rowDirection[axis] * along + columnDirection[axis] * down;
    return [at(0), at(1), at(2)];
  });
  const gaps = offsetsMm.slice(1).map((offset, place) => offset - offsetsMm[place]!);
  const startMm = origin[0] * normal[0] + origin[1] * normal[1] + origin[2] * normal[2];
  return {
    rowDirection,
    columnDirection,
    rows: shape.rows,
    columns: shape.columns,
    rowSpacingMm: shape.rowSpacingMm,
    columnSpacingMm: shape.columnSpacingMm,
    positionsMm: Float64Array.from(offsetsMm, (offset) => startMm + offset),
    points: Float64Array.from(points),
    isHole: Uint8Array.from(gaps, (_, gap) => Number(holes.includes(gap))),
    spacingMm: gaps.toSorted((a, b) => a - b)[Math.floor((gaps.length - 1) / 2)]!,
  };
}

/** The point of the patient at the centre of a sample. */
export function pointOfSample(table: PositionTable, place: number, row: number, column: number): Vector3 {
  const { points, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm } = table;
  const at = (axis: 0 | 1 | 2) =>
    points[3 * place + axis]! +
    rowDirection[axis] * column * columnSpacingMm +
    columnDirection[axis] * row * rowSpacingMm;
  return [at(0), at(1), at(2)];
}

/** A volume in which each sample has the value of a function of its point. */
export function fillVolume(table: PositionTable, valueAt: (point: Vector3) => number): Float64Array {
  const { rows, columns, positionsMm } = table;
  const samples = new Float64Array(positionsMm.length * rows * columns);
  let at = 0;
  for (let place = 0; place < positionsMm.length; place += 1) {
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        samples[at++] = valueAt(pointOfSample(table, place, row, column));
      }
    }
  }
  return samples;
}

/** Two perpendicular unit vectors, by three angles. */
export function turn(a: number, b: number, c: number): PlaneOrientation {
  const [ca, sa, cb, sb, cc, sc] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b), Math.cos(c), Math.sin(c)];
  return {
    rowDirection: [cb * cc, sa * sb * cc + ca * sc, sa * sc - ca * sb * cc],
    columnDirection: [-cb * sc, ca * cc - sa * sb * sc, sa * cc + ca * sb * sc],
  };
}

/** The same directions with a cosine between them, as the rounding of a writer leaves it. */
export function skewed({ rowDirection, columnDirection }: PlaneOrientation, cosine: number): PlaneOrientation {
  const sine = Math.sqrt(1 - cosine * cosine);
  const at = (axis: 0 | 1 | 2) => columnDirection[axis] * sine + rowDirection[axis] * cosine;
  return { rowDirection, columnDirection: [at(0), at(1), at(2)] };
}
