import { evenSpacingOf, roundingOf } from '../../../shared/evenSpacing.ts';
import { lengthOf, subtract, type Vector3 } from '../../../shared/geometry.ts';
import { type FrameTable, pointOf } from './frameTable.ts';
import type { SliceEvidence } from './sliceEvidence.ts';

/** Frames that are no farther apart, or by no more than 1 % of the spacing if that is less, are in the same place. */
const SAME_MM = 0.01;
const SAME = 0.01;
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
  /**
   * The usual gap: of evenly spaced places the mean, otherwise the median, or the lower median of an even number; if the
   * numbers of images say that each gap stands for some of them, that of one image. Undefined with a single place.
   */
  readonly spacingMm: number | undefined;
  /** The images that each gap stands for by their numbers; undefined if these say nothing, or if all gaps are alike. */
  readonly steps: Float64Array | undefined;
  /** Entries of the table at the same position and time as another entry. */
  readonly duplicates: readonly number[];
  readonly positionsMm: Float64Array;
};

export function measurePlaces(table: FrameTable, entries: Uint32Array): Places {
  const positions = pick(table.positionsMm, entries);
  const steps = differences(positions);
  const usualMm = lowerMedian(steps, SAME_MM) ?? lowerMedian(steps, NOTHING_MM);
  const sameMm = usualMm === undefined ? SAME_MM : Math.min(SAME_MM, SAME * usualMm);
  const starts = entries.length === 0 ? [] : [0];
  for (let at = 0; at < steps.length; at += 1) if (steps[at]! > sameMm) starts.push(at + 1);
  const positionsMm = pick(positions, starts);
  const gapsMm = differences(positionsMm);
  const duplicates: number[] = [];
  for (const [place, start] of starts.entries()) {
    const end = starts[place + 1] ?? entries.length;
    if (end - start > 1) collectDuplicates(table, entries.subarray(start, end), { sameMm, duplicates });
  }
  const evenMm = evenSpacingOf(positionsMm);
  const counted =
    evenMm === undefined && gapsMm.length > 0 ? countSteps(table, { entries, starts, gapsMm }) : undefined;
  return {
    starts,
    gapsMm,
    spacingMm: evenMm ?? counted?.spacingMm ?? lowerMedian(gapsMm, 0),
    steps: counted?.steps,
    duplicates,
    positionsMm,
  };
}

export type Gap = {
  readonly place: number;
  /** The entries before and after the gap. */
  readonly before: number;
  readonly after: number;
  readonly gapMm: number;
  /** By what the slices beside the gap declare, else the usual distance. */
  readonly expectedMm: number;
  readonly fromMm: number;
  readonly toMm: number;
  /**
   * Number of images that are missing in the gap, by what the files say of their slices: the gap is then a hole. 0 if they
   * do not say it: the gap is then interpolated across.
   */
  readonly missing: number;
};

/**
 * Gaps that differ from the usual one by more than rounding. A longer one is a hole if the files say that slices are
 * missing in it: because slices of their thickness or at their declared distance would fit in between, or because
 * their numbers leave some out. A list of all positions has no holes.
 */
export function listIrregularGaps({ evidence }: FrameTable, places: Places, entries: Uint32Array): Gap[] {
  const { starts, gapsMm, spacingMm, positionsMm, steps } = places;
  if (spacingMm === undefined) return [];
  const toleranceMm = roundingOf(spacingMm);
  const isRegular = (gapMm: number) => Math.abs(gapMm - spacingMm) <= toleranceMm;
  if (gapsMm.every(isRegular)) return [];
  const expect = expectGaps(evidence, places, entries, isRegular);
  const gaps: Gap[] = [];
  for (let place = 0; place < gapsMm.length; place += 1) {
    const gapMm = gapsMm[place]!;
    if (isRegular(gapMm)) continue;
    const [before, after] = [entries[starts[place + 1]! - 1]!, entries[starts[place + 1]!]!];
    // A gap below the usual one is never a hole, however long the usual one is.
    const isWide = gapMm > spacingMm && !evidence.isList;
    const expectedMm = isWide ? expect(before, after) : undefined;
    const room = (mm: number) => Math.floor((gapMm + toleranceMm) / mm) - 1;
    const bySize = expectedMm === undefined ? 0 : room(expectedMm);
    const byNumber = Math.min((steps?.[place] ?? 1) - 1, room(spacingMm));
    const missing = isWide ? Math.max(0, bySize, byNumber) : 0;
    gaps.push({
      place,
      before,
      after,
      gapMm,
      expectedMm: expectedMm ?? spacingMm,
      fromMm: positionsMm[place]!,
      toMm: positionsMm[place + 1]!,
      missing,
    });
  }
  return gaps;
}

/** For each gap between places 1 if it is a hole. */
export function markHoles({ positionsMm }: Places, irregular: readonly Gap[]): Uint8Array<ArrayBuffer> {
  const marks = new Uint8Array(positionsMm.length - 1);
  for (const { place, missing } of irregular) if (missing > 0) marks[place] = 1;
  return marks;
}

/**
 * The distance at which two neighbours are expected, by what their files declare; undefined if that is nothing. Slices
 * that are thicker than usual are expected farther apart, in proportion. Without a declared distance, slices that touch
 * each other are neighbours, also if others overlap.
 */
function expectGaps(
  { thicknessOf, spacingOf }: SliceEvidence,
  { starts, gapsMm, spacingMm = NaN }: Places,
  entries: Uint32Array,
  isRegular: (gapMm: number) => boolean,
): (before: number, after: number) => number | undefined {
  const meanThickness = (before: number, after: number) => {
    const [a, b] = [declared(thicknessOf(before)), declared(thicknessOf(after))];
    return a === undefined || b === undefined ? (a ?? b) : (a + b) / 2;
  };
  const largestSpacing = (before: number, after: number) => {
    const [a, b] = [declared(spacingOf(before)), declared(spacingOf(after))];
    return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
  };
  /** Of the slices at the usual distance, or of all if there are none. */
  const usual = (valueOf: (before: number, after: number) => number | undefined) => {
    const hasRegular = gapsMm.some(isRegular);
    const values = new Float64Array(gapsMm.length);
    for (let place = 0; place < values.length; place += 1) {
      if (hasRegular && !isRegular(gapsMm[place]!)) continue;
      const next = starts[place + 1]!;
      values[place] = valueOf(entries[next - 1]!, entries[next]!) ?? 0;
    }
    return lowerMedian(values, 0);
  };
  const usualThicknessMm = usual(meanThickness);
  // Where slices at the usual distance declare another one, it cannot be relied on.
  const isSpacingTrue = isRegular(usual(largestSpacing) ?? NaN);
  return (before, after) => {
    const thicknessMm = meanThickness(before, after);
    const inProportionMm =
      thicknessMm === undefined || usualThicknessMm === undefined
        ? undefined
        : (spacingMm * thicknessMm) / usualThicknessMm;
    const spacing = isSpacingTrue ? largestSpacing(before, after) : undefined;
    const known = [spacing ?? thicknessMm, inProportionMm].filter((mm) => mm !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  };
}

function declared(mm = NaN): number | undefined {
  return Number.isFinite(mm) && mm !== 0 ? Math.abs(mm) : undefined;
}

/**
 * How many images each gap stands for by the numbers of the images beside it, and the usual distance for one of them.
 * Undefined if the numbers do not follow the positions. Several images in each place, such as times, share a step.
 */
function countSteps(
  { evidence }: FrameTable,
  {
    entries,
    starts,
    gapsMm,
  }: { readonly entries: Uint32Array; readonly starts: readonly number[]; readonly gapsMm: Float64Array },
): { readonly steps: Float64Array; readonly spacingMm: number } | undefined {
  const steps = new Float64Array(gapsMm.length);
  let common = 0;
  let last = evidence.numberOf(entries[0] ?? -1) ?? NaN;
  for (let place = 0; place < steps.length; place += 1) {
    const next = evidence.numberOf(entries[starts[place + 1]!]!) ?? NaN;
    const step = next - last;
    // Negated, so that an unknown number fails too.
    if (!(step * (place === 0 ? step : steps[0]!) > 0)) return undefined;
    steps[place] = step;
    common = greatestDivisor(common, Math.abs(step));
    last = next;
  }
  const distances = new Float64Array(steps.length);
  for (let place = 0; place < steps.length; place += 1) {
    steps[place] = Math.abs(steps[place]!) / common;
    distances[place] = gapsMm[place]! / steps[place]!;
  }
  const spacingMm = lowerMedian(distances, 0);
  if (spacingMm === undefined) return undefined;
  const toleranceMm = roundingOf(spacingMm);
  const alike = distances.filter((mm) => Math.abs(mm - spacingMm) <= toleranceMm).length;
  return alike * 2 >= distances.length ? { steps, spacingMm } : undefined;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
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
  for (let at = 0; at < picked.length; at += 1) picked[at] = values[entries[at]!]!;
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
