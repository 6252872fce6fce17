import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { enoughForSize, shrinkPicture } from './shrinkPicture.ts';

test('each pixel is the mean of the pixels that it covers, for each channel', () => {
  const pixels = Uint8Array.of(0, 100, 10, 110, 20, 120, 30, 130, 40, 140, 50, 150);
  // Two rows of two RGB pixels become one pixel: (0 + 110 + 30 + 140) / 4, (100 + 20 + 130 + 50) / 4, (10 + 120 + 40 +
  // 150) / 4.
  expect(shrinkPicture({ rows: 2, columns: 2, channels: 3, pixels }, 1)).toEqual({
    rows: 1,
    columns: 1,
    channels: 3,
    pixels: Uint8Array.of(70, 75, 80),
  });
});

test.each([
  [40, 30, 20, 20, 15],
  [1, 1000, 16, 1, 16],
])('%i x %i at size %i is %i x %i: the proportions are kept and no edge is 0', (rows, columns, size, ...expected) => {
  const small = shrinkPicture({ rows, columns, channels: 1, pixels: new Uint8Array(rows * columns) }, size);
  expect([small.rows, small.columns]).toEqual(expected);
});

// 100 x 100 pixels that are twice as high as wide appear 100 high and 50 wide.
test.each([
  [2, 100, 100, 50],
  [0.5, 100, 50, 100],
  [2, 50, 50, 25],
  [1e9, 50, 50, 50],
])('pixels of aspect ratio %d become square ones: at size %i it is %i x %i', (ratio, size, ...expected) => {
  const picture = { rows: 100, columns: 100, channels: 1, pixels: new Uint8Array(100 * 100).fill(9) } as const;
  const small = shrinkPicture(picture, size, ratio);
  expect([small.rows, small.columns]).toEqual(expected);
  expect(small.pixels).toEqual(new Uint8Array(small.rows * small.columns).fill(9));
});

test('the computed edge length is enough for any pixel aspect ratio', () => {
  const ratios = fc.double({ min: 0.1, max: 10, noNaN: true });
  fc.assert(
    fc.property(ratios, fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 4 }), (ratio, size, more) => {
      const edge = enoughForSize(size, ratio) * more;
      const picture = { rows: edge, columns: edge, channels: 1, pixels: new Uint8Array(edge * edge) } as const;
      const small = shrinkPicture(picture, size, ratio);
      expect(Math.max(small.rows, small.columns)).toBe(size);
    }),
    { numRuns: 30 },
  );
});

test('a picture of one gray keeps that gray, and no picture is enlarged', () => {
  const edge = fc.integer({ min: 1, max: 40 });
  fc.assert(
    fc.property(edge, edge, edge, fc.integer({ min: 0, max: 255 }), (rows, columns, size, gray) => {
      const small = shrinkPicture(
        { rows, columns, channels: 1, pixels: new Uint8Array(rows * columns).fill(gray) },
        size,
      );
      expect(Math.max(small.rows, small.columns)).toBe(Math.min(size, Math.max(rows, columns)));
      expect(small.pixels).toEqual(new Uint8Array(small.rows * small.columns).fill(gray));
    }),
  );
});
