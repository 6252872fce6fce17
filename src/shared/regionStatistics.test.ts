import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NumberSamples } from './sampleArray.ts';
import type { Region } from './region.ts';
import { gatherStatistics, joinStatistics, type RegionStatistics, type SampledImage } from './regionStatistics.ts';

describe('statistics of a region', () => {
  test('of a constant disk have its value as mean and no deviation', () => {
    // 7 inside the circle around (16, 16) of radius 10, else 0; the ellipse is smaller by a pixel all around.
    const image = createImage(32, 32, (x, y) => (Math.hypot(x + 0.5 - 16, y + 0.5 - 16) <= 10 ? 7 : 0));
    const found = measure(image, { shape: 'ellipse', from: { x: 7, y: 7 }, to: { x: 25, y: 25 } });

    expect(found).toMatchObject({ mean: 7, sd: 0, min: 7, max: 7 });
    // Close to the area of a circle of radius 9, 254.47.
    expect(found.count).toBe(256);
  });

  test('of a ramp are those of an arithmetic series', () => {
    // Columns 10 to 19 hold 10 to 19: mean 14.5, population variance (10² - 1) / 12 = 8.25.
    const image = createImage(30, 8, (x) => x);
    const found = measure(image, { shape: 'rectangle', from: { x: 10, y: 2 }, to: { x: 20, y: 6 } });

    expect(found).toMatchObject({ count: 40, mean: 14.5, min: 10, max: 19 });
    expect(found.sd).toBeCloseTo(Math.sqrt(8.25), 12);
  });

  test('of two parts are joined to those of the whole', () => {
    const image = createImage(30, 8, (x, y) => 1000 + x * x + 3 * y);
    const measureColumns = (from: number, to: number) =>
      measure(image, { shape: 'rectangle', from: { x: from, y: 1 }, to: { x: to, y: 7 } });
    const { mean, sd, ...others } = measureColumns(3, 27);
    const joined = joinStatistics(measureColumns(3, 9), measureColumns(9, 27));
    expect(joined).toMatchObject(others);
    expect(joined.mean).toBeCloseTo(mean, 9);
    expect(joined.sd).toBeCloseTo(sd, 9);
    expect(joinStatistics(measureColumns(9, 9), measureColumns(9, 27))).toEqual(measureColumns(9, 27));
  });

  test('are of values, not of stored samples', () => {
    const image = createImage(4, 1, (x) => x);
    const region: Region = { shape: 'rectangle', from: { x: 0, y: 0 }, to: { x: 4, y: 1 } };

    // 0 to 3 times -2 plus 10: 10, 8, 6 and 4, with variance 2² * (4² - 1) / 12 = 5.
    const found = measure(image, region, (stored) => -2 * stored + 10);
    expect(found).toMatchObject({ mean: 7, min: 4, max: 10 });
    expect(found.sd).toBeCloseTo(Math.sqrt(5), 12);
  });

  test('exclude padding and unmapped values, and count both', () => {
    const image = { ...createImage(6, 1, (x) => x), padding: { low: 0, high: 1 } };
    const region: Region = { shape: 'rectangle', from: { x: 0, y: 0 }, to: { x: 6, y: 1 } };

    expect(measure(image, region, (stored) => (stored === 5 ? undefined : stored))).toMatchObject({
      count: 3,
      mean: 3,
      min: 2,
      max: 4,
      paddingCount: 2,
      unmappedCount: 1,
    });
  });

  test('of floats exclude what is not a number', () => {
    const image = createImage(3, 1, (x) => x, Float32Array.of(0.5, NaN, 1.5));

    expect(measure(image, { shape: 'rectangle', from: { x: 0, y: 0 }, to: { x: 3, y: 1 } })).toMatchObject({
      count: 2,
      mean: 1,
      sd: 0.5,
      unmappedCount: 1,
    });
  });

  test('keep the digits of small differences between large values', () => {
    const image = createImage(2, 1, (x) => x, Float64Array.of(1e9, 1e9 + 1));

    expect(measure(image, { shape: 'rectangle', from: { x: 0, y: 0 }, to: { x: 2, y: 1 } }).sd).toBe(0.5);
  });

  test('of no pixel are not numbers', () => {
    const image = createImage(3, 3, (x) => x);

    expect(measure(image, { shape: 'rectangle', from: { x: 0, y: 0 }, to: { x: 0.4, y: 3 } })).toMatchObject({
      count: 0,
      mean: NaN,
      sd: NaN,
    });
  });

  test('of any rectangle equal those of its pixels taken one by one', () => {
    const [columns, rows] = [13, 9];
    const point = fc.record({
      x: fc.double({ min: 0, max: columns, noNaN: true }),
      y: fc.double({ min: 0, max: rows, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -2000, max: 3000 }), { minLength: 117, maxLength: 117 }),
        point,
        point,
        (stored, from, to) => {
          const image = createImage(columns, rows, () => 0, Int16Array.from(stored));
          const inside = stored.filter((_, i) => {
            const [x, y] = [(i % columns) + 0.5, Math.floor(i / columns) + 0.5];
            return (
              x >= Math.min(from.x, to.x) &&
              x <= Math.max(from.x, to.x) &&
              y >= Math.min(from.y, to.y) &&
              y <= Math.max(from.y, to.y)
            );
          });
          const found = measure(image, { shape: 'rectangle', from, to });
          expect(found.count).toBe(inside.length);
          if (inside.length === 0) return;
          const mean = inside.reduce((sum, value) => sum + value, 0) / inside.length;
          const variance = inside.reduce((sum, value) => sum + (value - mean) ** 2, 0) / inside.length;
          expect(found).toMatchObject({ min: Math.min(...inside), max: Math.max(...inside) });
          expect(found.mean).toBeCloseTo(mean, 8);
          expect(found.sd).toBeCloseTo(Math.sqrt(variance), 8);
        },
      ),
    );
  });
});

function createImage(
  columns: number,
  rows: number,
  valueAt: (x: number, y: number) => number,
  samples: NumberSamples = Int16Array.from({ length: columns * rows }, (_, i) =>
    valueAt(i % columns, Math.floor(i / columns)),
  ),
): SampledImage {
  return { rows, columns, samples, padding: undefined };
}

function measure(
  image: SampledImage,
  region: Region,
  toValue: (stored: number) => number | undefined = (stored) => stored,
): RegionStatistics {
  const work = gatherStatistics(image, region, toValue);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
