import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyModality, NO_RESCALE, toRescale } from './modality.ts';
import { isPadding, type PixelPadding, toPixelPadding } from './padding.ts';
import { findPercentileRange, findValueRange, type SampledFrame, type ValueRange } from './percentile.ts';

const plain = { modality: NO_RESCALE, padding: undefined };

describe('percentiles are nearest ranks', () => {
  test('of 1 to 200 the 1st is number 2 and the 99th number 198', () => {
    const samples = Uint16Array.from({ length: 200 }, (_, i) => i + 1);
    expect(findPercentileRange({ samples, ...plain }, 1, 99)).toEqual({ low: 2, high: 198 });
  });

  test('of ten values the 1st is the smallest and the 99th the largest', () => {
    // ceil(0.1) = 1 and ceil(9.9) = 10.
    const samples = Int16Array.of(5, -3, 8, 0, 1, 2, 9, 9, 9, 4);
    expect(findPercentileRange({ samples, ...plain }, 1, 99)).toEqual({ low: -3, high: 9 });
  });

  test('are computed from modality values, so a negative slope reverses them', () => {
    const samples = Uint8Array.of(0, 10, 20);
    expect(findValueRange({ samples, modality: toRescale(-2, 5), padding: undefined })).toEqual({ low: -35, high: 5 });
  });
});

describe('values that are not part of the image do not count', () => {
  test('padding', () => {
    const samples = Int16Array.of(-2000, -2000, 5, 7, -1999);
    const padding = toPixelPadding(-2000, -1990);
    expect(findValueRange({ samples, modality: NO_RESCALE, padding })).toEqual({ low: 5, high: 7 });
  });

  test('values that are not finite', () => {
    const samples = Float32Array.of(NaN, Infinity, -Infinity, 0.25, 0.5);
    expect(findValueRange({ samples, ...plain })).toEqual({ low: 0.25, high: 0.5 });
  });

  test.each([
    ['only padding', Int16Array.of(9, 9), { low: 9, high: 9 }],
    ['only NaN', Float64Array.of(NaN, NaN), undefined],
  ])('a frame of %s has no range', (_, samples, padding) => {
    expect(findValueRange({ samples, modality: NO_RESCALE, padding })).toBeUndefined();
  });
});

describe('they equal those of the sorted values', () => {
  test('for integers', () => {
    const frame = fc.record({
      samples: fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 1 }).map((a) => Int16Array.from(a)),
      modality: fc.constantFrom(NO_RESCALE, toRescale(-0.5, 3), toRescale(2, -1024)),
      padding: fc.constantFrom<PixelPadding | undefined>(undefined, { low: -100, high: 100 }),
    });
    fc.assert(
      fc.property(frame, (values) => {
        expect(unsigned(findPercentileRange(values, 1, 99))).toEqual(sortedRange(values));
      }),
    );
  });

  test('for runs of bytes, wherever they begin in their buffer', () => {
    const runs = fc.array(
      fc.record({ value: fc.constantFrom(0, 1, 7, 255), length: fc.integer({ min: 1, max: 13 }) }),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(runs, fc.nat(3), (all, before) => {
        const samples = all.flatMap(({ value, length }) => Array<number>(length).fill(value));
        const values = { samples: Uint8Array.from([...new Uint8Array(before), ...samples]).subarray(before), ...plain };
        expect(unsigned(findPercentileRange(values, 1, 99))).toEqual(sortedRange(values));
      }),
    );
  });

  test('for floats', () => {
    const frame = fc.record({
      samples: fc.array(fc.double(), { minLength: 1 }).map((a) => Float64Array.from(a)),
      modality: fc.constantFrom(NO_RESCALE, toRescale(-1, 0)),
      padding: fc.constantFrom<PixelPadding | undefined>(undefined, { low: 0, high: 1 }),
    });
    fc.assert(
      fc.property(frame, (values) => {
        expect(unsigned(findPercentileRange(values, 1, 99))).toEqual(sortedRange(values));
      }),
    );
  });

  test.each([
    ['spread over all doubles', (i: number) => (((i * 7919) % 200_003) - 100_001) * 1.7e303],
    ['nearly all equal', (i: number) => (i % 1000 === 0 ? i : 1e-320)],
    ['crowded near zero', (i: number) => Math.exp(-((i * 7919) % 200_003) / 300)],
    ['all equal', () => 42],
  ])('for many floats, %s', (_, valueOf) => {
    const values = { samples: Float64Array.from({ length: 200_003 }, (_value, i) => valueOf(i)), ...plain };
    expect(unsigned(findPercentileRange(values, 1, 99))).toEqual(sortedRange(values));
  });
});

/** The same result by sorting all values. */
function sortedRange(frame: SampledFrame) {
  const stored = Array.from<number>(frame.samples).filter((sample) => !isPadding(sample, frame.padding));
  const values = stored.map((sample) => applyModality(frame.modality, sample)).filter(Number.isFinite);
  const sorted = Float64Array.from(values).toSorted();
  const at = (percent: number) => sorted[Math.max(1, Math.ceil((percent * sorted.length) / 100)) - 1]!;
  return sorted.length === 0 ? undefined : unsigned({ low: at(1), high: at(99) });
}

/** Removes the sign of zero, because the order of 0 and -0 does not matter. */
function unsigned(range: ValueRange | undefined) {
  return range === undefined ? undefined : { low: range.low + 0, high: range.high + 0 };
}
