import { dot, normalOf, pixelToPatient, type Vector3 } from '../../../../shared/geometry.ts';
import { type FrameGeometry, planeAt } from '../../../standard/geometry/frameGeometry.ts';
import type { SourceFile } from './frameMappings.ts';
import type { PlacedGrid } from './planeFit.ts';

/** A source file and the geometry of its frames; undefined if it could not be read. */
export type SourceGeometry = Omit<SourceFile, 'source' | 'place'> & { readonly geometry: FrameGeometry | undefined };

/** A frame of a source: the index of its file in the list of sources, and the frame from 0. */
export type SourceFrame = { readonly source: number; readonly frame: number };

/** Finds the source frames that can lie in a plane, without examining all of them each time. */
export interface SourcePlanes {
  near(grid: PlacedGrid, toleranceMm: number): readonly SourceFrame[];
}

type Candidate = SourceFrame & { readonly position: Vector3 };

export function createSourcePlanes(sources: readonly SourceGeometry[]): SourcePlanes {
  const { candidates, reachMm } = listCandidates(sources);
  // Nearly all frames of an object have the same orientation, so the last sort order usually serves the next query too.
  let stack: SortedAlong | undefined;
  // All tiles of a slide are in one plane, so they are also sorted by rows of tiles.
  let slab: { readonly key: string; readonly across: SortedAlong } | undefined;

  return {
    near({ plane, rows, columns }, toleranceMm) {
      const normal = normalOf(plane);
      if (!isAlong(stack, normal)) [stack, slab] = [sortAlong(candidates, normal), undefined];
      const at = dot(normal, plane.position);
      const [from, to] = findRange(stack, at - toleranceMm, at + toleranceMm);
      if (to - from < FEW) return stack.sorted.slice(from, to).map(({ candidate }) => candidate);

      const key = `${from} ${to}`;
      if (slab?.key !== key || !isAlong(slab.across, plane.columnDirection)) {
        const inPlane = stack.sorted.slice(from, to).map(({ candidate }) => candidate);
        slab = { key, across: sortAlong(inPlane, plane.columnDirection) };
      }
      const top = dot(plane.columnDirection, plane.position);
      const end = dot(plane.columnDirection, pixelToPatient(plane, { row: rows, column: columns }));
      const [first, last] = findRange(slab.across, top - reachMm, end + reachMm);
      return slab.across.sorted.slice(first, last).map(({ candidate }) => candidate);
    },
  };
}

const FEW = 64;

/** `reachMm` is the maximum distance from the first pixel of a frame to its other pixels. */
function listCandidates(sources: readonly SourceGeometry[]) {
  const candidates: Candidate[] = [];
  let reachMm = 0;
  for (const [source, { geometry, frameCount, rows, columns }] of sources.entries()) {
    if (geometry === undefined) continue;
    for (let frame = 0; frame < frameCount; frame += 1) {
      const plane = planeAt(geometry, frame);
      if (plane === undefined) continue;
      candidates.push({ source, frame, position: plane.position });
      reachMm = Math.max(reachMm, Math.hypot(rows * plane.rowSpacingMm, columns * plane.columnSpacingMm));
    }
  }
  return { candidates, reachMm };
}

type SortedAlong = {
  readonly direction: Vector3;
  readonly sorted: readonly { readonly candidate: Candidate; readonly at: number }[];
};

function sortAlong(candidates: readonly Candidate[], direction: Vector3): SortedAlong {
  const sorted = candidates
    .map((candidate) => ({ candidate, at: dot(direction, candidate.position) }))
    .toSorted((a, b) => a.at - b.at);
  return { direction, sorted };
}

function isAlong(order: SortedAlong | undefined, direction: Vector3): order is SortedAlong {
  return order !== undefined && direction.every((part, axis) => part === order.direction[axis]);
}

/** The range of indices whose positions are from `low` to `high`. */
function findRange({ sorted }: SortedAlong, low: number, high: number): readonly [number, number] {
  return [firstWhere(sorted, (at) => at >= low), firstWhere(sorted, (at) => at > high)];
}

function firstWhere(sorted: SortedAlong['sorted'], holds: (at: number) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(sorted[middle]!.at)) high = middle;
    else low = middle + 1;
  }
  return low;
}
