import { isPadding, type PixelPadding } from '../../shared/padding.ts';
import type { NumberSamples } from '../../shared/sampleArray.ts';
import type { Reading } from '../../shared/valueMapping.ts';
import { type Region, rowsOf, spansOf } from './region.ts';

export type RegionStatistics = {
  /** Pixels that have a value. The statistics below are of these; without any they are NaN. */
  readonly count: number;
  readonly mean: number;
  /** Standard deviation of the population: the root of the mean squared distance from the mean. */
  readonly sd: number;
  readonly min: number;
  readonly max: number;
  /** Pixels excluded because they are padding outside the image. */
  readonly paddingCount: number;
  /** Pixels excluded because their stored value has no meaning in this reading, or is not a number. */
  readonly unmappedCount: number;
};

export type SampledImage = {
  readonly rows: number;
  readonly columns: number;
  readonly samples: NumberSamples;
  readonly padding: PixelPadding | undefined;
  /** For color: the distance between samples of one channel, and the index of its first sample. */
  readonly step?: number;
  readonly offset?: number;
};

/** Yields after each row, so that the caller can let other tasks run. */
export function* gatherStatistics(
  image: SampledImage,
  region: Region,
  toValue: Reading['toValue'],
): Generator<undefined, RegionStatistics, undefined> {
  const size = { width: image.columns, height: image.rows };
  const { samples, padding, step = 1, offset = 0 } = image;
  let [count, paddingCount, unmappedCount] = [0, 0, 0];
  let [mean, squares, min, max] = [0, 0, Infinity, -Infinity];
  const rows = rowsOf(region, size);
  for (let row = rows.first; row < rows.end; row++) {
    for (const { first, end } of spansOf(region, row, size)) {
      for (let i = row * image.columns + first; i < row * image.columns + end; i++) {
        const stored = samples[i * step + offset]!;
        if (isPadding(stored, padding)) {
          paddingCount += 1;
          continue;
        }
        const value = toValue(stored);
        if (value === undefined || Number.isNaN(value)) {
          unmappedCount += 1;
          continue;
        }
        // Welford's algorithm: a sum of squares would lose the digits of values far from zero.
        count += 1;
        const distance = value - mean;
        mean += distance / count;
        squares += distance * (value - mean);
        if (value < min) min = value;
        if (value > max) max = value;
      }
    }
    yield;
  }
  const none = { mean: NaN, sd: NaN, min: NaN, max: NaN };
  const numbers = count === 0 ? none : { mean, sd: Math.sqrt(squares / count), min, max };
  return { count, ...numbers, paddingCount, unmappedCount };
}

/** Joins two parts that have no pixel in common. */
export function joinStatistics(a: RegionStatistics, b: RegionStatistics): RegionStatistics {
  const count = a.count + b.count;
  const left = { paddingCount: a.paddingCount + b.paddingCount, unmappedCount: a.unmappedCount + b.unmappedCount };
  if (a.count === 0 || b.count === 0) return { ...(a.count === 0 ? b : a), ...left };
  const distance = b.mean - a.mean;
  const mean = a.mean + (distance * b.count) / count;
  // Chan's algorithm, as exact as one pass over all pixels.
  const squares = a.sd ** 2 * a.count + b.sd ** 2 * b.count + (distance ** 2 * a.count * b.count) / count;
  return {
    count,
    mean,
    sd: Math.sqrt(squares / count),
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    ...left,
  };
}
