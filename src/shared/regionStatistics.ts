import { isPadding, type PixelPadding } from './padding.ts';
import type { NumberSamples } from './sampleArray.ts';
import type { Reading } from './valueMapping.ts';
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
  const tally = new ValueTally();
  const rows = rowsOf(region, size);
  for (let row = rows.first; row < rows.end; row++) {
    for (const { first, end } of spansOf(region, row, size)) {
      for (let i = row * image.columns + first; i < row * image.columns + end; i++) {
        const stored = samples[i * step + offset]!;
        if (isPadding(stored, padding)) tally.paddingCount += 1;
        else tally.add(toValue(stored));
      }
    }
    yield;
  }
  return tally.statistics();
}

/** Gathers values one by one. */
export class ValueTally {
  #count = 0;
  #mean = 0;
  #squares = 0;
  #min = Infinity;
  #max = -Infinity;
  paddingCount = 0;
  unmappedCount = 0;

  add(value: number | undefined): void {
    if (value === undefined || Number.isNaN(value)) {
      this.unmappedCount += 1;
      return;
    }
    // Welford's algorithm: a sum of squares would lose the digits of values far from zero.
    this.#count += 1;
    const distance = value - this.#mean;
    this.#mean += distance / this.#count;
    this.#squares += distance * (value - this.#mean);
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  statistics(): RegionStatistics {
    const { paddingCount, unmappedCount } = this;
    const [count, mean, min, max] = [this.#count, this.#mean, this.#min, this.#max];
    const none = { mean: NaN, sd: NaN, min: NaN, max: NaN };
    const numbers = count === 0 ? none : { mean, sd: Math.sqrt(this.#squares / count), min, max };
    return { count, ...numbers, paddingCount, unmappedCount };
  }
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
