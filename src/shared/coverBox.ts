import type { PaintRow } from './coverage.ts';
import { cross, dot, type ImagePlane, pixelToPatient, type Vector3 } from './geometry.ts';

/** As the place of a mark has it: a corner, the directions of row and column, and the lengths of the edges. */
export type PlacedBox = {
  readonly position: readonly number[];
  readonly orientation: readonly number[];
  readonly size: readonly number[];
};

type Size = { readonly rows: number; readonly columns: number };

/** Centers that are farther outside than rounding explains are not inside. */
const TOLERANCE_MM = 1e-6;

/** How far the centers of pixels are from one side of the box, which is `length` away from the opposite one. */
type Edge = { readonly start: number; readonly perRow: number; readonly perColumn: number; readonly length: number };

/** The pixels of an image whose centers are inside of a box of the patient or on its sides. */
export function coverBox(box: PlacedBox, plane: ImagePlane, { rows, columns }: Size, paint: PaintRow): void {
  const edges = edgesOf(box, plane);
  if (!mayReach(edges, { rows, columns })) return;
  for (let row = 0; row < rows; row += 1) {
    let [from, to] = [0, columns - 1];
    for (const { start, perRow, perColumn, length } of edges) {
      const at = start + perRow * row;
      if (Math.abs(perColumn) < 1e-12) {
        if (at < -TOLERANCE_MM || at > length + TOLERANCE_MM) to = -1;
        continue;
      }
      const [a, b] = [(-TOLERANCE_MM - at) / perColumn, (length + TOLERANCE_MM - at) / perColumn];
      from = Math.max(from, Math.ceil(Math.min(a, b)));
      to = Math.min(to, Math.floor(Math.max(a, b)));
    }
    if (from <= to) paint(row, from, to + 1);
  }
}

/** False if no pixel of the image is in the box. */
export function isBoxNear(box: PlacedBox, plane: ImagePlane, size: Size): boolean {
  return mayReach(edgesOf(box, plane), size);
}

function edgesOf({ position, orientation, size }: PlacedBox, plane: ImagePlane): readonly Edge[] {
  const [row, column] = [toVector(orientation), toVector(orientation.slice(3))];
  const corner = toVector(position);
  const at = (rowIndex: number, columnIndex: number) => pixelToPatient(plane, { row: rowIndex, column: columnIndex });
  return [row, column, cross(row, column)].map((axis, n) => {
    const start = dot(axis, at(0, 0)) - dot(axis, corner);
    const along = (point: Vector3) => dot(axis, point) - dot(axis, corner) - start;
    return { start, perRow: along(at(1, 0)), perColumn: along(at(0, 1)), length: size[n] ?? 0 };
  });
}

function mayReach(edges: readonly Edge[], { rows, columns }: Size): boolean {
  return edges.every(({ start, perRow, perColumn, length }) => {
    const [down, across] = [perRow * (rows - 1), perColumn * (columns - 1)];
    const low = start + Math.min(0, down) + Math.min(0, across);
    const high = start + Math.max(0, down) + Math.max(0, across);
    return high >= -TOLERANCE_MM && low <= length + TOLERANCE_MM;
  });
}

function toVector([x = NaN, y = NaN, z = NaN]: readonly number[]): Vector3 {
  return [x, y, z];
}

/** In millilitres, of a box with edges of these lengths in millimetres. */
export function boxVolumeMl(sizeMm: readonly number[]): number {
  return sizeMm.reduce((product, length) => product * length, 1) / 1_000;
}
