import { dot, type ImagePlane, inPlaneAxes, normalOf, type Vector3 } from '../../../../shared/geometry.ts';
import { findSegment, INDEX_TOLERANCE, listSegments, type PositionTable } from '../../../../shared/positionTable.ts';

/** For each pixel of a picture, the sample of a volume that is nearest to its center. */
export type Voxels = {
  /** The slice; -1 where the volume does not reach. */
  readonly places: Int32Array;
  /** The sample within its slice, in row order. */
  readonly offsets: Int32Array;
};

type PictureSize = { readonly columns: number; readonly rows: number };

/** By the rule by which masks are resampled: halves are rounded up. */
export function locateVoxels(table: PositionTable, plane: ImagePlane, { columns, rows }: PictureSize): Voxels {
  const segments = listSegments(table);
  const { alongRow, downColumn } = inPlaneAxes(table);
  const depth = alongPicture(plane, normalOf(table), 1);
  const inRows = alongPicture(plane, downColumn, table.rowSpacingMm);
  const inColumns = alongPicture(plane, alongRow, table.columnSpacingMm);
  const places = new Int32Array(columns * rows).fill(-1);
  const offsets = new Int32Array(columns * rows);
  let near = 0;
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      const z = depth(x, y);
      near = findSegment(segments, z, near);
      const { lower, lowerMm, placesPerMm, rowStart, rowStep, columnStart, columnStep } = segments[near]!;
      if (lower < 0) continue;
      const row = round(inRows(x, y) - rowStart - rowStep * z);
      const column = round(inColumns(x, y) - columnStart - columnStep * z);
      if (row < 0 || column < 0 || row >= table.rows || column >= table.columns) continue;
      places[y * columns + x] = round(lower + (z - lowerMm) * placesPerMm);
      offsets[y * columns + x] = row * table.columns + column;
    }
  }
  return { places, offsets };
}

function round(index: number): number {
  return Math.floor(index + 0.5 + INDEX_TOLERANCE);
}

/** How far the center of a pixel of the picture is along a direction of the patient. */
function alongPicture(plane: ImagePlane, direction: Vector3, unitMm: number): (x: number, y: number) => number {
  const { position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm } = plane;
  const start = dot(position, direction) / unitMm;
  const [across, down] = [
    (dot(rowDirection, direction) * columnSpacingMm) / unitMm,
    (dot(columnDirection, direction) * rowSpacingMm) / unitMm,
  ];
  return (x, y) => start + x * across + y * down;
}
