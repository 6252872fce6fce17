import { expect, test } from 'vitest';
import { dicomCielabToRgb, toDicomCielab } from './cielab.ts';

// L*a*b* of sRGB colors under D50 (Bradford) from published tables, scaled according to PS3.3 C.10.7.1.1.
test.each([
  { name: 'white', lab: [100, 0, 0], rgb: [255, 255, 255] },
  { name: 'black', lab: [0, 0, 0], rgb: [0, 0, 0] },
  { name: 'red', lab: [54.29, 80.81, 69.89], rgb: [255, 0, 0] },
  { name: 'green', lab: [87.82, -79.27, 80.99], rgb: [0, 255, 0] },
  { name: 'blue', lab: [29.57, 68.3, -112.03], rgb: [0, 0, 255] },
  // L* of linear 0.18419 (sRGB 119): 116 * cbrt(0.18419) - 16 = 50.0.
  { name: 'middle gray', lab: [50, 0, 0], rgb: [119, 119, 119] },
] as const)('$name keeps its color', ({ lab: [l, a, b], rgb }) => {
  const scaled = [Math.round(l * 655.35), Math.round((a + 128) * 257), Math.round((b + 128) * 257)] as const;

  const found = dicomCielabToRgb(scaled);

  // The tables have two decimals, which is an error of up to one step of 255.
  for (const [i, channel] of found.entries()) expect(Math.abs(channel - rgb[i]!)).toBeLessThanOrEqual(1);
});

test('a color outside sRGB becomes the nearest one and does not wrap around', () => {
  // L* 60 with a* -128 is a green far more saturated than any sRGB color.
  const [red, green] = dicomCielabToRgb([39321, 0, 32896]);

  expect(red).toBe(0);
  expect(green).toBeGreaterThan(150);
});

// L*a*b* of the sRGB primaries under D50 (Bradford), from published tables, scaled according to PS3.3 C.10.7.1.1: L* by
// 65535/100, a* and b* by 65535/255 after adding 128.
test.each([
  { name: 'white', rgb: [255, 255, 255], lab: [100, 0, 0] },
  { name: 'black', rgb: [0, 0, 0], lab: [0, 0, 0] },
  { name: 'red', rgb: [255, 0, 0], lab: [54.29, 80.81, 69.89] },
  { name: 'green', rgb: [0, 255, 0], lab: [87.82, -79.27, 80.99] },
  { name: 'blue', rgb: [0, 0, 255], lab: [29.57, 68.3, -112.03] },
] as const)('$name is written as the standard says', ({ rgb, lab }) => {
  const [l, a, b] = toDicomCielab(rgb);

  expect(l / 655.35).toBeCloseTo(lab[0], 1);
  expect(a / 257 - 128).toBeCloseTo(lab[1], 1);
  expect(b / 257 - 128).toBeCloseTo(lab[2], 1);
});
