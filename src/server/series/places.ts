import { lengthOf, subtract, type Vector3 } from '../../shared/geometry.ts';
import { type FrameTable, pointOf } from './frameTable.ts';

/** Differences up to this, or up to 1 % of the spacing, are rounding by the writer. */
const JITTER_MM = 0.01;
const JITTER = 0.01;
/** Smaller differences count as zero in any kind of image. */
const NOTHING_MM = 1e-4;
/** Maximum number of different frames compared at one position; with more, it is no longer a matter of duplicates. */
const MOST_AT_ONE_PLACE = 64;

/** Ordered frames of one orientation as places along the normal. Several frames may share a place. */
export type Places = {
  /** Start of each place in the list. */
  readonly starts: readonly number[];
  /** Distances between consecutive places, so one fewer than places. */
  readonly gapsMm: Float64Array;
  /** The usual gap: the median, or the lower median of an even number. Undefined with a single place. */
  readonly spacingMm: number | undefined;
  /** Entries of the table at the same position and time as another entry. */
  readonly duplicates: readonly number[];
  readonly positionsMm: Float64Array;
};

export function measurePlaces(table: FrameTable, entries: Uint32Array): Places {
  const positions = pick(table.positionsMm, entries);
  const steps = differences(positions);
  const usualMm = lowerMedian(steps, JITTER_MM) ?? lowerMedian(steps, NOTHING_MM);
  const sameMm = usualMm === undefined ? JITTER_MM : Math.min(JITTER_MM, JITTER * usualMm);
  const starts = entries.length === 0 ? [] : [0];
  for (let at = 0; at < steps.length; at += 1) if (steps[at]! > sameMm) starts.push(at + 1);
  const positionsMm = pick(positions, starts);
  const gapsMm = differences(positionsMm);
  const duplicates: number[] = [];
  for (const [place, start] of starts.entries()) {
    const end = starts[place + 1] ?? entries.length;
    if (end - start > 1) collectDuplicates(table, entries.subarray(start, end), { sameMm, duplicates });
  }
  return { starts, gapsMm, spacingMm: lowerMedian(gapsMm, 0), duplicates, positionsMm };
}

export type Gap = {
  /** The entries before and after the gap. */
  readonly before: number;
  readonly after: number;
  readonly gapMm: number;
  readonly spacingMm: number;
  readonly fromMm: number;
  readonly toMm: number;
  /** Number of images that would fill the gap; 0 if it is not a multiple of the spacing. */
  readonly missing: number;
};

/** Gaps that differ from the usual one by more than rounding. */
export function listIrregularGaps({ starts, gapsMm, spacingMm, positionsMm }: Places, entries: Uint32Array): Gap[] {
  if (spacingMm === undefined) return [];
  const toleranceMm = Math.max(JITTER_MM, JITTER * spacingMm);
  const isRegular = (gapMm: number) => Math.abs(gapMm - spacingMm) <= toleranceMm;
  // If most gaps differ, there is no grid from which images could be missing.
  let regular = 0;
  for (const gapMm of gapsMm) if (isRegular(gapMm)) regular += 1;
  const hasGrid = regular * 2 >= gapsMm.length;
  const gaps: Gap[] = [];
  for (let place = 0; place < gapsMm.length; place += 1) {
    const gapMm = gapsMm[place]!;
    if (isRegular(gapMm)) continue;
    const steps = Math.round(gapMm / spacingMm);
    const isMultiple = steps >= 2 && Math.abs(gapMm - steps * spacingMm) <= toleranceMm;
    gaps.push({
      before: entries[starts[place + 1]! - 1]!,
      after: entries[starts[place + 1]!]!,
      gapMm,
      spacingMm,
      fromMm: positionsMm[place]!,
      toMm: positionsMm[place + 1]!,
      missing: hasGrid && isMultiple ? steps - 1 : 0,
    });
  }
  return gaps;
}

function collectDuplicates(
  table: FrameTable,
  entries: Uint32Array,
  { sameMm, duplicates }: { readonly sameMm: number; readonly duplicates: number[] },
): void {
  const seen = new Map<number, { readonly point: Vector3; readonly entry: number; isAlone: boolean }[]>();
  for (const entry of entries) {
    const time = table.times[entry]!;
    const point = pointOf(table, entry);
    const others = seen.get(time) ?? [];
    seen.set(time, others);
    const first = others.find((other) => lengthOf(subtract(point, other.point)) <= sameMm);
    if (first === undefined) {
      if (others.length < MOST_AT_ONE_PLACE) others.push({ point, entry, isAlone: true });
      continue;
    }
    if (first.isAlone) duplicates.push(first.entry);
    first.isAlone = false;
    duplicates.push(entry);
  }
}

function pick(values: Float64Array, entries: ArrayLike<number>): Float64Array<ArrayBuffer> {
  const picked = new Float64Array(entries.length);
  for (let at = 0; at < picked.length; at += 1) {
    picked[at] = values[entries[at]!]!;
  }
  return picked;
}

function differences(positions: ArrayLike<number>): Float64Array<ArrayBuffer> {
  const gaps = new Float64Array(Math.max(0, positions.length - 1));
  for (let at = 0; at < gaps.length; at += 1) gaps[at] = positions[at + 1]! - positions[at]!;
  return gaps;
}

/** Lower median of the numbers above a bound; long lists are sampled. */
function lowerMedian(numbers: Float64Array, above: number): number | undefined {
  const stride = Math.ceil(numbers.length / MOST_SAMPLES);
  const samples: number[] = [];
  for (let at = 0; at < numbers.length; at += stride) if (numbers[at]! > above) samples.push(numbers[at]!);
  return Float64Array.from(samples).toSorted()[Math.floor((samples.length - 1) / 2)];
}

const MOST_SAMPLES = 16_384;
