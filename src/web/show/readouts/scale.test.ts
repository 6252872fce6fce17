import { expect, test } from 'vitest';
import { chooseBarLength } from './scale.ts';

test.each([
  // Pixels per millimetre, room, and the longest of 1, 2, 5 times a power of ten that fits.
  [1, 200, 200, '20 cm'],
  [2, 199, 100, '5 cm'],
  [10, 200, 200, '2 cm'],
  [40, 200, 200, '5 mm'],
  [1000, 200, 200, '200 µm'],
  [4000, 150, 80, '20 µm'],
])('%d pixels a millimetre in a room of %d: %d pixels are %s', (pixelsPerMm, room, pixels, label) => {
  const scale = chooseBarLength(pixelsPerMm, room);
  expect(scale?.label).toBe(label);
  expect(scale?.pixels).toBeCloseTo(pixels, 6);
});

test('without a size there is no bar', () => {
  expect(chooseBarLength(0, 200)).toBeUndefined();
  expect(chooseBarLength(NaN, 200)).toBeUndefined();
});
