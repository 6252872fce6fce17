import { expect, test } from 'vitest';
import { toDicomCielab } from './cielab.ts';
import { colorOfSegment, paletteColor } from './segmentColor.ts';

test('a recommended color is shown, whatever else is declared', () => {
  const recommendedCielab = toDicomCielab([221, 130, 101]);

  const { color, source } = colorOfSegment({ number: 3, recommendedCielab, recommendedGrayscale: 100 });

  expect(source).toBe('recommended_cielab');
  expect(color).toEqual([221, 130, 101]);
});

test('a recommended gray is a P-Value of 16 bits', () => {
  const black = { number: 1, recommendedCielab: undefined, recommendedGrayscale: 0 };

  expect(colorOfSegment(black)).toEqual({ color: [0, 0, 0], source: 'recommended_grayscale' });
  expect(colorOfSegment({ ...black, recommendedGrayscale: 65535 }).color).toEqual([255, 255, 255]);
});

test('no two of the first 32 palette colors are alike, and none is gray, black or white', () => {
  const labs = Array.from({ length: 32 }, (_, i) => toLab(paletteColor(i + 1)));

  const distances = labs.flatMap((a, i) => labs.slice(i + 1).map((b) => Math.hypot(...a.map((x, k) => x - b[k]!))));
  // A difference of 2.3 in L*a*b* is just noticeable; ten times that is clearly a different color.
  expect(Math.min(...distances)).toBeGreaterThan(23);
  for (const [, a, b] of labs) expect(Math.hypot(a!, b!)).toBeGreaterThan(25);
});

test('a segment without a recommendation always has the color of its number', () => {
  const segment = { number: 7, recommendedCielab: undefined, recommendedGrayscale: undefined };

  expect(colorOfSegment(segment)).toEqual({ color: paletteColor(7), source: 'palette' });
  expect(colorOfSegment(segment)).toEqual(colorOfSegment(segment));
});

function toLab(rgb: readonly [number, number, number]): number[] {
  const [l, a, b] = toDicomCielab(rgb);
  return [l / 655.35, a / 257 - 128, b / 257 - 128];
}
