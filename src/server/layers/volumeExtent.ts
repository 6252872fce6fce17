import { normalOf, patientToPixel, pixelToPatient, type Vector3 } from '../../shared/geometry.ts';
import type { PlaneGrid } from '../../shared/planeGrid.ts';
import { planeOfPlace, type PositionTable } from '../../shared/positionTable.ts';

/** Tells whether a volume and a picture meet; for many pictures. */
export function createMeeting(table: PositionTable): (target: PlaneGrid) => boolean {
  const corners = cornersOfVolume(table);
  return (target) => findExtent(corners, target, 0) !== undefined;
}

/** Along one axis of a picture. */
export type Range = { readonly fromMm: number; readonly toMm: number };

/** The part of a picture that the box around a volume, given by its corners, covers, in millimetres from the centre of its first pixel. */
export function findExtent(
  points: readonly Vector3[],
  target: PlaneGrid,
  slabMm: number,
): { readonly columns: Range; readonly rows: Range } | undefined {
  const corners = points.map((point) => patientToPixel(target, point));
  const distances = corners.map(({ distanceMm }) => distanceMm);
  if (Math.min(...distances) > slabMm / 2 || Math.max(...distances) < -slabMm / 2) return undefined;
  const columns = rangeOf(
    corners.map(({ column }) => column),
    target.columns,
    target.columnSpacingMm,
  );
  const rows = rangeOf(
    corners.map(({ row }) => row),
    target.rows,
    target.rowSpacingMm,
  );
  return columns.fromMm < columns.toMm && rows.fromMm < rows.toMm ? { columns, rows } : undefined;
}

function rangeOf(indices: readonly number[], count: number, spacingMm: number): Range {
  return {
    fromMm: Math.max(-0.5, Math.min(...indices)) * spacingMm,
    toMm: Math.min(count - 0.5, Math.max(...indices)) * spacingMm,
  };
}

/** The corners of a volume, half a sample beyond the centres of the outermost ones. */
export function cornersOfVolume(table: PositionTable): Vector3[] {
  const { positionsMm, rows, columns } = table;
  const last = positionsMm.length - 1;
  const normal = normalOf(table);
  const ends = [
    { place: 0, beyondMm: -(positionsMm[1]! - positionsMm[0]!) / 2 },
    { place: last, beyondMm: (positionsMm[last]! - positionsMm[last - 1]!) / 2 },
  ];
  return ends.flatMap(({ place, beyondMm }) =>
    [-0.5, rows - 0.5].flatMap((row) =>
      [-0.5, columns - 0.5].map((column): Vector3 => {
        const [x, y, z] = pixelToPatient(planeOfPlace(table, place), { row, column });
        return [x + normal[0] * beyondMm, y + normal[1] * beyondMm, z + normal[2] * beyondMm];
      }),
    ),
  );
}
