import { dot, type ImagePlane, normalOf, planeToPlane, subtract } from '../../../../shared/geometry.ts';
import type { MappingReason } from './frameMappings.ts';
import type { SpatialGrid } from './resample.ts';

/** Per component of the normals; an opposite normal is the same plane seen from behind. */
const ORIENTATION_TOLERANCE = 1e-4;

export type PlacedGrid = SpatialGrid & { readonly plane: ImagePlane };

/** Undefined if a frame lies in the plane of a source image and overlaps it, otherwise the reason why not. */
export function findMisfit(frame: PlacedGrid, source: PlacedGrid, toleranceMm: number): MappingReason | undefined {
  const normal = normalOf(frame.plane);
  const other = normalOf(source.plane);
  const sign = dot(normal, other) < 0 ? -1 : 1;
  if (normal.some((part, axis) => Math.abs(part - sign * other[axis]!) > ORIENTATION_TOLERANCE)) {
    return 'other_orientation';
  }
  const distanceMm = dot(normal, subtract(source.plane.position, frame.plane.position));
  if (Math.abs(distanceMm) > toleranceMm) return 'other_plane';
  return overlaps(frame, source) ? undefined : 'no_overlap';
}

/** Whether the frame covers the centre of any pixel of the source. */
function overlaps(frame: PlacedGrid, source: PlacedGrid): boolean {
  const [rr, rc, r0, cr, cc, c0] = planeToPlane(frame.plane, source.plane);
  return (
    coversCentre(extent(frame, [rr, rc, r0]), source.rows) && coversCentre(extent(frame, [cr, cc, c0]), source.columns)
  );
}

/** The extent of the frame along one axis of the source. */
function extent(
  { rows, columns }: PlacedGrid,
  [perRow, perColumn, start]: readonly [number, number, number],
): readonly [number, number] {
  const corners = [-0.5, rows - 0.5].flatMap((row) =>
    [-0.5, columns - 0.5].map((column) => perRow * row + perColumn * column + start),
  );
  return [Math.min(...corners), Math.max(...corners)];
}

/** Fraction of a pixel: neighbouring tiles only touch, despite rounding in their positions. */
const SLACK = 1e-3;

function coversCentre([low, high]: readonly [number, number], count: number): boolean {
  return Math.max(0, Math.ceil(low + SLACK)) <= Math.min(count - 1, Math.floor(high - SLACK));
}
