import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyVoiWindow, parseVoiShape, toGrayLevel, type VoiWindow, windowBetween } from './voiWindow.ts';

// The worked examples in the notes to PS3.3 C.11.2.1.2.1, for output 0 to 255.
describe('LINEAR matches the examples in the standard', () => {
  test.each([
    { center: 2048, width: 4096, black: 0, white: 4095.5 },
    { center: 2048, width: 1, black: 2047.5, white: 2047.6 },
    { center: 0, width: 100, black: -50, white: 49.5 },
    { center: 0, width: 1, black: -0.5, white: -0.4 },
  ])('center $center, width $width', ({ center, width, black, white }) => {
    const voi: VoiWindow = { center, width, shape: 'LINEAR' };
    expect(applyVoiWindow(black, voi)).toBe(0);
    expect(applyVoiWindow(white, voi)).toBe(255);
  });

  test('between the ends it is ((x - (c - 0.5)) / (w - 1) + 0.5) * 255', () => {
    // (10 + 0.5) / 99 + 0.5 = 0.60606…
    expect(applyVoiWindow(10, { center: 0, width: 100, shape: 'LINEAR' })).toBeCloseTo((10.5 / 99 + 0.5) * 255, 12);
  });
});

// The notes to PS3.3 C.11.2.1.3.2.
describe('LINEAR_EXACT matches the examples in the standard', () => {
  test.each([
    { center: 2048, width: 4096, black: 0, half: 2048, white: 4096.001 },
    { center: 2048, width: 1, black: 2047.5, half: 2048, white: 2048.501 },
    { center: 0, width: 100, black: -50, half: 0, white: 50.001 },
    { center: 0, width: 1, black: -0.5, half: 0, white: 0.501 },
  ])('center $center, width $width', ({ center, width, black, half, white }) => {
    const voi: VoiWindow = { center, width, shape: 'LINEAR_EXACT' };
    expect(applyVoiWindow(black, voi)).toBe(0);
    expect(applyVoiWindow(half, voi)).toBe(127.5);
    expect(applyVoiWindow(white, voi)).toBe(255);
  });
});

describe('SIGMOID', () => {
  const voi: VoiWindow = { center: 40, width: 400, shape: 'SIGMOID' };

  test('is half-way at the center', () => expect(applyVoiWindow(40, voi)).toBe(127.5));

  test('is 1 / (1 + exp(-4 (x - c) / w)) times the output range', () => {
    // At c + w/2 the exponent is -2: 255 / (1 + e^-2) = 224.603…
    expect(applyVoiWindow(240, voi)).toBeCloseTo(224.6033, 4);
    expect(applyVoiWindow(-160, voi)).toBeCloseTo(255 - 224.6033, 4);
  });

  test('approaches black and white far from the center', () => {
    expect(toGrayLevel(applyVoiWindow(-100_000, voi))).toBe(0);
    expect(toGrayLevel(applyVoiWindow(100_000, voi))).toBe(255);
  });
});

test('every window rises from black to white and never falls', () => {
  const shapes = fc.constantFrom<VoiWindow['shape']>('LINEAR', 'LINEAR_EXACT', 'SIGMOID');
  const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  const width = fc.double({ min: 1, max: 1e5, noNaN: true });
  fc.assert(
    fc.property(value, value, value, width, shapes, (a, b, center, w, shape) => {
      const voi = { center, width: w, shape };
      const low = applyVoiWindow(Math.min(a, b), voi);
      const high = applyVoiWindow(Math.max(a, b), voi);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(255);
      expect(low).toBeLessThanOrEqual(high);
    }),
  );
});

test.each([
  [0, 0],
  [0.49, 0],
  [0.5, 1],
  [127.5, 128],
  [254.5, 255],
  [255, 255],
])('a level of %d is gray %i: halves are rounded up', (level, gray) => expect(toGrayLevel(level)).toBe(gray));

describe('a window between two values', () => {
  test.each(['LINEAR', 'LINEAR_EXACT'] as const)('of shape %s makes the first black and the last white', (shape) => {
    const value = fc.integer({ min: -32_768, max: 65_535 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        fc.pre(a !== b);
        const voi = windowBetween(Math.min(a, b), Math.max(a, b), shape);
        expect(toGrayLevel(applyVoiWindow(Math.min(a, b), voi))).toBe(0);
        expect(toGrayLevel(applyVoiWindow(Math.max(a, b), voi))).toBe(255);
      }),
    );
  });

  test.each([
    [0, 'LINEAR', 0],
    [-1000, 'LINEAR', 0],
    [1, 'LINEAR', 255],
    [0, 'LINEAR_EXACT', 0],
    [0.25, 'LINEAR_EXACT', 255],
  ] as const)('that are both %d is a %s window that shows it as %i', (value, shape, gray) => {
    const voi = windowBetween(value, value, shape);
    expect(voi.width).toBe(1);
    expect(toGrayLevel(applyVoiWindow(value, voi))).toBe(gray);
  });
});

test.each([
  ['SIGMOID', 'SIGMOID'],
  ['linear_exact ', 'LINEAR_EXACT'],
  ['LINEAR', 'LINEAR'],
  ['CUBIC', 'LINEAR'],
  [undefined, 'LINEAR'],
])('VOI LUT Function %s is read as %s', (term, shape) => expect(parseVoiShape(term)).toBe(shape));
