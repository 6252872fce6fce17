import { applyModality, type ModalityTransform } from './modality.ts';
import { isPadding, type PixelPadding } from './padding.ts';
import {
  isSignedSamples,
  isSmallSamples,
  type NumberSamples,
  type SmallSamples,
  toTableIndices,
} from './sampleArray.ts';

export type ValueRange = { readonly low: number; readonly high: number };

export type SampledFrame = {
  readonly samples: NumberSamples;
  readonly modality: ModalityTransform;
  readonly padding: PixelPadding | undefined;
};

/** Smallest and largest modality value of a frame, without padding and values that are not finite. */
export function findValueRange(frame: SampledFrame): ValueRange | undefined {
  return findPercentileRange(frame, 0, 100);
}

/**
 * Two percentiles of the modality values of a frame, in whole percents, by nearest rank: of n values in ascending
 * order, the p-th percentile is number ceil(n p / 100), counted from 1; the 0th is the smallest. The result is always a
 * value that occurs. Padding and values that are not finite are excluded. Undefined if no value is left.
 */
export function findPercentileRange(frame: SampledFrame, lower: number, upper: number): ValueRange | undefined {
  if (!isSmallSamples(frame.samples)) return rangeBySelection(frame, lower, upper);
  const counted = countValues(frame.samples, frame);
  const [low, high] = valuesAt(counted, [lower, upper]);
  return low === undefined || high === undefined ? undefined : { low, high };
}

/** The distribution of the values of a frame. */
export type Percentiles = {
  /** Number of values that are not excluded. */
  readonly count: number;
  /** The 0th to the 100th percentile, 101 values; empty if there are no values. */
  readonly values: readonly number[];
};

/**
 * Above this number of values, only every second, third and so on is sorted. Applies to samples of more than 16 bits.
 */
const MOST_SORTED = 2 ** 20;

/** All percentiles of a frame, by the rule of `findPercentileRange`. */
export function listPercentiles(frame: SampledFrame): Percentiles {
  const percents = Array.from({ length: 101 }, (_, percent) => percent);
  if (isSmallSamples(frame.samples)) {
    const counted = countValues(frame.samples, frame);
    return { count: counted.total, values: valuesAt(counted, percents) };
  }
  const all = collectValues(frame);
  const step = Math.ceil(all.length / MOST_SORTED);
  const sorted = (step > 1 ? all.filter((_, i) => i % step === 0) : all).toSorted();
  const values = sorted.length === 0 ? [] : percents.map((percent) => sorted[rankOf(percent, sorted.length) - 1]!);
  return { count: all.length, values };
}

function rankOf(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent * count) / 100));
}

type Counted = {
  readonly present: readonly { readonly value: number; readonly count: number }[];
  readonly total: number;
};

/** How often each value occurs, in ascending order. */
function countValues(samples: SmallSamples, { modality, padding }: SampledFrame): Counted {
  const bits = samples.BYTES_PER_ELEMENT * 8;
  const counts = countSamples(toTableIndices(samples), 2 ** bits);
  const shift = 32 - bits;
  const signed = isSignedSamples(samples);
  const present: { value: number; count: number }[] = [];
  let total = 0;
  for (let index = 0; index < counts.length; index++) {
    const count = counts[index]!;
    if (count === 0) continue;
    const stored = signed ? (index << shift) >> shift : index;
    if (isPadding(stored, padding)) continue;
    present.push({ value: applyModality(modality, stored), count });
    total += count;
  }
  // A negative slope or a modality LUT changes the order.
  present.sort((a, b) => a.value - b.value);
  return { present, total };
}

/** The values at ascending percents; empty if nothing was counted. */
function valuesAt({ present, total }: Counted, percents: readonly number[]): number[] {
  const values: number[] = [];
  let below = 0;
  for (const { value, count } of present) {
    below += count;
    while (values.length < percents.length && below >= rankOf(percents[values.length]!, total)) values.push(value);
  }
  return values;
}

function countSamples(indices: Uint8Array | Uint16Array, size: number): Uint32Array {
  const counts = new Uint32Array(size);
  const done = indices instanceof Uint8Array && indices.byteOffset % 4 === 0 ? countInFours(indices, counts) : 0;
  for (let i = done; i < indices.length; i++) counts[indices[i]!]! += 1;
  return counts;
}

/**
 * Masks and the grounds of pictures are long runs of one value: four samples are compared with the four before. Returns how
 * many are done.
 */
function countInFours(indices: Uint8Array, counts: Uint32Array): number {
  const fours = new Uint32Array(indices.buffer, indices.byteOffset, indices.length >>> 2);
  let [last, repeats] = [0, 0];
  for (let i = 0; i <= fours.length; i++) {
    const four = fours[i];
    if (four === last) {
      repeats += 1;
      continue;
    }
    for (let shift = 0; shift < 32; shift += 8) counts[(last >>> shift) & 0xff]! += repeats;
    [last, repeats] = [four ?? 0, 1];
  }
  return 4 * fours.length;
}

function rangeBySelection(frame: SampledFrame, lower: number, upper: number): ValueRange | undefined {
  const values = collectValues(frame);
  const whole = spanOf(values);
  if (whole === undefined) return undefined;
  const select = (percent: number) => selectRank(values, whole, rankOf(percent, values.length));
  return { low: select(lower), high: select(upper) };
}

function collectValues({ samples, modality, padding }: SampledFrame): Float64Array {
  const values = new Float64Array(samples.length);
  let filled = 0;
  for (let i = 0; i < samples.length; i++) {
    const stored = samples[i]!;
    if (isPadding(stored, padding)) continue;
    const value = applyModality(modality, stored);
    if (Number.isFinite(value)) values[filled++] = value;
  }
  return values.subarray(0, filled);
}

type Span = { readonly low: number; readonly high: number; readonly count: number };

function spanOf(values: Float64Array): Span | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return values.length === 0 ? undefined : { low, high, count: values.length };
}

const BINS = 4_096;
const FEW = 65_536;

/** Narrows the span around the wanted rank until it has few enough values to sort quickly. */
function selectRank(values: Float64Array, whole: Span, wanted: number): number {
  if (wanted === 1) return whole.low;
  if (wanted === whole.count) return whole.high;
  let span = whole;
  let rank = wanted;
  while (span.low < span.high && span.count > FEW) {
    const bins = countBins(values, span);
    let bin = 0;
    for (; rank > bins.counts[bin]!; bin++) rank -= bins.counts[bin]!;
    span = { low: bins.lows[bin]!, high: bins.highs[bin]!, count: bins.counts[bin]! };
  }
  if (span.low === span.high) return span.low;
  return values.filter((value) => value >= span.low && value <= span.high).toSorted()[rank - 1]!;
}

/** Divides a span into equal bins. Its ends always fall into different bins, so each step reduces the count. */
function countBins(values: Float64Array, { low, high }: Span) {
  // The difference of two doubles can overflow to Infinity.
  const unit = Number.isFinite(high - low) ? 1 : 0.5;
  const start = low * unit;
  const length = high * unit - start;
  const counts = new Uint32Array(BINS);
  const lows = new Float64Array(BINS).fill(Infinity);
  const highs = new Float64Array(BINS).fill(-Infinity);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < low || value > high) continue;
    const bin = Math.min(BINS - 1, (((value * unit - start) / length) * BINS) | 0);
    counts[bin]! += 1;
    if (value < lows[bin]!) lows[bin] = value;
    if (value > highs[bin]!) highs[bin] = value;
  }
  return { counts, lows, highs };
}
