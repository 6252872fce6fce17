import { dot, normalOf } from '../../../shared/geometry.ts';
import { type FrameGeometry, planeAt } from './frameGeometry.ts';

/** The distance between the slices of an object, or the reason why it is unknown. */
export type SliceSpacing =
  | { readonly spacingMm: number; readonly source: 'declared' | 'plane_positions' }
  | { readonly reason: string };

/** Positions that differ by less belong to the same slice. */
const SAME_SLICE_MM = 0.01;
const JITTER_OF_SPACING = 0.05;
const ORIENTATION_TOLERANCE = 1e-3;

/**
 * Spacing Between Slices (0018,0088) if it is declared, otherwise derived from the smallest distance between two
 * planes. Every distance must be a whole multiple of it, because writers leave out empty slices.
 */
export function measureSliceSpacing(geometry: FrameGeometry): SliceSpacing {
  if (geometry.space === 'slide') return { reason: 'the frames are tiles of a slide, which has no depth' };
  const positions = listPositions(geometry);
  if (!(positions instanceof Float64Array)) return positions;
  const gaps = listGaps(positions);
  const declaredSpacingMm = findDeclaredSpacing(geometry);
  const stepMm = declaredSpacingMm ?? smallest(gaps);
  if (stepMm === undefined) {
    return { reason: 'all frames lie in one plane, and Spacing Between Slices (0018,0088) is not declared' };
  }
  const isRegular = gaps.every((gap) => {
    const steps = Math.round(gap / stepMm);
    return steps >= 1 && Math.abs(gap - steps * stepMm) <= JITTER_OF_SPACING * stepMm;
  });
  if (declaredSpacingMm !== undefined) {
    if (isRegular) return { spacingMm: declaredSpacingMm, source: 'declared' };
    return { reason: 'Spacing Between Slices (0018,0088) contradicts the positions of the frames' };
  }
  if (!isRegular) return { reason: 'the planes of the frames are not evenly spaced' };
  const steps = gaps.reduce((sum, gap) => sum + Math.round(gap / stepMm), 0);
  return { spacingMm: (positions.at(-1)! - positions[0]!) / steps, source: 'plane_positions' };
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

function listGaps(positions: Float64Array): number[] {
  const gaps: number[] = [];
  let from = positions[0];
  for (const position of positions) {
    if (from === undefined || position - from <= SAME_SLICE_MM) continue;
    gaps.push(position - from);
    from = position;
  }
  return gaps;
}

/** Not Math.min(...gaps): it accepts no more than some ten thousand arguments. */
function smallest(gaps: readonly number[]): number | undefined {
  return gaps.length === 0 ? undefined : gaps.reduce((least, gap) => Math.min(least, gap));
}
