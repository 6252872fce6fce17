import { evenSpacingOf, roundingOf } from '../../../shared/evenSpacing.ts';
import { dot, normalOf } from '../../../shared/geometry.ts';
import { type FrameGeometry, planeAt } from './frameGeometry.ts';

/** The distance between the slices of an object, or the reason why it is unknown. */
export type SliceSpacing =
  | { readonly spacingMm: number; readonly source: 'declared' | 'plane_positions' }
  | { readonly reason: string };

/** Positions that differ by less belong to the same slice. */
const SAME_SLICE_MM = 0.01;
const ORIENTATION_TOLERANCE = 1e-3;

/**
 * Spacing Between Slices (0018,0088) if it is declared, otherwise derived from the smallest distance between two
 * planes. Every distance must be a whole multiple of it up to rounding, because writers leave out empty slices.
 */
export function measureSliceSpacing(geometry: FrameGeometry): SliceSpacing {
  if (geometry.space === 'slide') return { reason: 'the frames are tiles of a slide, which has no depth' };
  const positions = listPositions(geometry);
  if (!(positions instanceof Float64Array)) return positions;
  const planes = listPlanes(positions);
  const declaredMm = findDeclaredSpacing(geometry);
  const stepMm = declaredMm ?? shortestGap(planes);
  if (stepMm === undefined) {
    return { reason: 'all frames lie in one plane, and Spacing Between Slices (0018,0088) is not declared' };
  }
  const steps = planes.slice(1).map((position, at) => Math.max(1, Math.round((position - planes[at]!) / stepMm)));
  const measuredMm = evenSpacingOf(planes, steps);
  if (declaredMm !== undefined) {
    const isTrue = measuredMm !== undefined && Math.abs(measuredMm - declaredMm) <= roundingOf(declaredMm);
    if (isTrue || planes.length === 1) return { spacingMm: declaredMm, source: 'declared' };
    return { reason: 'Spacing Between Slices (0018,0088) contradicts the positions of the frames' };
  }
  if (measuredMm === undefined) return { reason: 'the planes of the frames are not evenly spaced' };
  return { spacingMm: measuredMm, source: 'plane_positions' };
}

/** Undefined unless all frames declare the same value, above 0. */
function findDeclaredSpacing({ measures }: FrameGeometry): number | undefined {
  const declared = new Set(measures.map(({ sliceSpacingMm = 0 }) => (sliceSpacingMm > 0 ? sliceSpacingMm : undefined)));
  const [only, ...others] = declared;
  return others.length === 0 ? only : undefined;
}

/** Positions along the normal that all frames share, ascending. */
function listPositions(geometry: FrameGeometry): Float64Array | { readonly reason: string } {
  const first = planeAt(geometry, 0);
  const normal = first && normalOf(first);
  const positions = new Float64Array(geometry.length);
  for (let frame = 0; frame < geometry.length; frame += 1) {
    const plane = planeAt(geometry, frame);
    if (plane === undefined || normal === undefined) {
      return { reason: `the position or the pixel size of frame ${frame} is not given` };
    }
    const other = normalOf(plane);
    if (normal.some((part, axis) => Math.abs(part - other[axis]!) > ORIENTATION_TOLERANCE)) {
      return { reason: 'the frames have different orientations' };
    }
    positions[frame] = dot(normal, plane.position);
  }
  return positions.toSorted();
}

/** Positions without those of the same slice. */
function listPlanes(positions: Float64Array): number[] {
  const planes: number[] = [];
  for (const position of positions) {
    const last = planes.at(-1);
    if (last === undefined || position - last > SAME_SLICE_MM) planes.push(position);
  }
  return planes;
}

/** Of several that are shortest up to rounding the mean, because many of them may fit into a longer one. */
function shortestGap(planes: readonly number[]): number | undefined {
  if (planes.length < 2) return undefined;
  const gaps = planes.slice(1).map((position, at) => position - planes[at]!);
  const leastMm = gaps.reduce((least, gap) => Math.min(least, gap));
  const short = gaps.filter((gap) => gap <= leastMm + roundingOf(leastMm));
  return short.reduce((sum, gap) => sum + gap, 0) / short.length;
}
