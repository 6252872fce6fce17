import { normalOf, type Vector3 } from '../../../../shared/geometry.ts';
import { extentAlong, type PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { StackVolume } from '../../../kit/state/volumes.ts';
import { straightOrientation } from '../../../../shared/cutVolume.ts';
import { azimuthAt, type MipSpec } from './mipSpec.ts';

/** The samples of a view of a volume, and the slab that contains the whole volume. */
export type MipGrid = { readonly grid: PlaneGrid; readonly slabMm: number; readonly sheetMm: number };

/** Samples along the longer side: about as many as one of four cells has pixels. The work grows with the third power. */
const MOST_SIDE = 400;

/**
 * A view through the middle of a volume. Its picture has the same size from all sides of the patient, so that nothing
 * but the patient moves while it turns.
 */
export function gridOfMip(volume: Pick<StackVolume, 'table' | 'space'>, spec: MipSpec, position: number): MipGrid {
  const { table } = volume;
  const front = straightOrientation(volume, 'coronal');
  const [across, down] = [front.rowDirection, front.columnDirection];
  const into = normalOf(front);
  const [wide, high, deep] = [across, down, into].map((direction) => {
    const [from, to] = extentAlong(table, direction, 0.5);
    return { length: to - from, middle: (from + to) / 2 };
  });
  if (wide === undefined || high === undefined || deep === undefined) throw new Error('a volume has three axes');
  const middle = combine([across, wide.middle], [down, high.middle], [into, deep.middle]);

  const azimuth = (azimuthAt(spec, position) * Math.PI) / 180;
  const elevation = (spec.elevation * Math.PI) / 180;
  // The left of the patient is on the right of the front view, and `into` leads from the front to the back.
  const rowDirection = combine([across, cosine(azimuth)], [into, sine(azimuth)]);
  const level = combine([into, cosine(azimuth)], [across, -sine(azimuth)]);
  const columnDirection = combine([down, cosine(elevation)], [level, -sine(elevation)]);

  const diagonal = Math.hypot(wide.length, deep.length);
  const width = diagonal;
  const height = high.length * cosine(elevation) + diagonal * Math.abs(sine(elevation));
  const depth = diagonal * cosine(elevation) + high.length * Math.abs(sine(elevation));
  const leastMm = Math.min(table.rowSpacingMm, table.columnSpacingMm, table.spacingMm);
  const spacingMm = Math.max(leastMm, width / MOST_SIDE, height / MOST_SIDE);
  const [rows, columns] = [height, width].map((length) => Math.max(1, Math.round(length / spacingMm)));
  if (rows === undefined || columns === undefined) throw new Error('a picture has two sides');
  const corner = combine(
    [rowDirection, ((1 - columns) / 2) * spacingMm],
    [columnDirection, ((1 - rows) / 2) * spacingMm],
    [middle, 1],
  );
  return {
    grid: {
      position: corner,
      rowDirection,
      columnDirection,
      rowSpacingMm: spacingMm,
      columnSpacingMm: spacingMm,
      rows,
      columns,
    },
    slabMm: depth,
    sheetMm: Math.max(spacingMm, depth / MOST_SIDE),
  };
}

/** From the front, the sides and above, the picture is on the axes of the volume, which must not be missed by rounding. */
function sine(radians: number): number {
  const value = Math.sin(radians);
  return Math.abs(value) < 1e-12 ? 0 : value;
}

function cosine(radians: number): number {
  const value = Math.cos(radians);
  return Math.abs(value) < 1e-12 ? 0 : value;
}

function combine(...parts: readonly (readonly [direction: Vector3, by: number])[]): Vector3 {
  const at = (axis: 0 | 1 | 2) => parts.reduce((sum, [direction, by]) => sum + direction[axis] * by, 0);
  return [at(0), at(1), at(2)];
}
