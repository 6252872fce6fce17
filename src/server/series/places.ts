import { lengthOf, subtract, type Vector3 } from '../../shared/geometry.ts';
import { type FrameTable, pointOf } from './frameTable.ts';
import type { SlicedWork } from './slices.ts';

/** Differences up to this, or up to 1 % of the spacing, are how writers round. */
const JITTER_MM = 0.01;
const JITTER = 0.01;
/** Nearer than this is no distance at all, in any kind of image. */
const NOTHING_MM = 1e-4;
/** Different frames at one position that are told apart: more is no longer a question of duplicates. */
const MOST_AT_ONE_PLACE = 64;

/** Frames of one orientation, in order, as places along the normal. Several frames may share one. */
export type Places = {
  /** Where in the list each place begins. */
  readonly starts: readonly number[];
  /** From one place to the next, so one fewer. */
  readonly gapsMm: Float64Array;
  /** The usual gap: the median, of an even number the lower one. Undefined with a single place. */
  readonly spacingMm: number | undefined;
  /** Entries of the table that lie, at the same time, where an earlier one lies. */
  readonly duplicates: readonly number[];
  readonly positionsMm: readonly number[];
};

export function* measurePlaces(table: FrameTable, entries: Uint32Array): SlicedWork<Places> {
  const positions = Float64Array.from(entries, (entry) => table.positionsMm[entry]!);
  const steps = differences(positions);
  const usualMm = lowerMedian(steps.filter((gap) => gap > JITTER_MM)) ?? lowerMedian(steps.filter((gap) => gap > NOTHING_MM));
  const sameMm = usualMm === undefined ? JITTER_MM : Math.min(JITTER_MM, JITTER * usualMm);
  yield;
  const starts = entries.length === 0 ? [] : [0];
  for (const [at, gap] of steps.entries()) if (gap > sameMm) starts.push(at + 1);
  const positionsMm = starts.map((start) => positions[start]!);
  const gapsMm = differences(positionsMm);
  yield;
  const duplicates: number[] = [];
  for (const [place, start] of starts.entries()) {
    const end = starts[place + 1] ?? entries.length;
    if (end - start > 1) yield* collectDuplicates(table, entries.subarray(start, end), { sameMm, duplicates });
  }
  return { starts, gapsMm, spacingMm: lowerMedian(gapsMm), duplicates, positionsMm };
}

export type Gap = {
  /** Where in the list of entries the gap ends. */
  readonly at: number;
  readonly gapMm: number;
  readonly spacingMm: number;
  readonly fromMm: number;
  readonly toMm: number;
  /** How many images would fill it; 0 where it is no whole multiple of the spacing. */
  readonly missing: number;
};

/** Gaps that are not the usual one by more than writers round. */
export function listIrregularGaps({ starts, gapsMm, spacingMm, positionsMm }: Places): Gap[] {
  if (spacingMm === undefined) return [];
  const toleranceMm = Math.max(JITTER_MM, JITTER * spacingMm);
  const isRegular = (gapMm: number) => Math.abs(gapMm - spacingMm) <= toleranceMm;
  // Where most gaps differ there is no grid that something could be missing from.
  const hasGrid = gapsMm.filter(isRegular).length * 2 >= gapsMm.length;
  const gaps: Gap[] = [];
  for (const [before, gapMm] of gapsMm.entries()) {
    if (isRegular(gapMm)) continue;
    const steps = Math.round(gapMm / spacingMm);
    const isMultiple = steps >= 2 && Math.abs(gapMm - steps * spacingMm) <= toleranceMm;
    gaps.push({
      at: starts[before + 1]!,
      gapMm,
      spacingMm,
      fromMm: positionsMm[before]!,
      toMm: positionsMm[before + 1]!,
      missing: hasGrid && isMultiple ? steps - 1 : 0,
    });
  }
  return gaps;
}

function* collectDuplicates(
  table: FrameTable,
  entries: Uint32Array,
  { sameMm, duplicates }: { readonly sameMm: number; readonly duplicates: number[] },
): SlicedWork<void> {
  const seen = new Map<number, Vector3[]>();
  for (const [at, entry] of entries.entries()) {
    if (at % 256 === 255) yield;
    const time = table.times[entry]!;
    const point = pointOf(table, entry);
    const points = seen.get(time) ?? [];
    seen.set(time, points);
    if (points.some((other) => lengthOf(subtract(point, other)) <= sameMm)) duplicates.push(entry);
    else if (points.length < MOST_AT_ONE_PLACE) points.push(point);
  }
}

function differences(positions: ArrayLike<number>): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: Math.max(0, positions.length - 1) }, (_, at) => positions[at + 1]! - positions[at]!);
}

function lowerMedian(numbers: Float64Array): number | undefined {
  return numbers.toSorted()[Math.floor((numbers.length - 1) / 2)];
}
