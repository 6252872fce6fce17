import { describe, expect, test } from 'vitest';
import { applyModality, isSignedModality, NO_RESCALE, toRescale } from './modality.ts';

describe('rescale', () => {
  test('is slope times stored value plus intercept', () => {
    expect(applyModality(toRescale(2, -1024), 1064)).toBe(1104);
  });

  test.each([
    [undefined, undefined],
    [0, 5],
    [NaN, 0],
  ])('of slope %s and intercept %s is ignored', (slope, intercept) => {
    expect(toRescale(slope, intercept)).toEqual(NO_RESCALE);
  });
});

test('a modality LUT maps stored values to unsigned entries', () => {
  const table = { firstValue: -2, entries: Uint16Array.of(10, 20, 30), bits: 16 };
  expect([-5, -2, -1, 0, 5].map((stored) => applyModality({ kind: 'lut', table }, stored))).toEqual([
    10, 10, 20, 30, 30,
  ]);
});

describe('modality values can be negative', () => {
  test.each([
    ['unsigned samples as they are', NO_RESCALE, 0, 16, false],
    ['signed samples as they are', NO_RESCALE, 1, 16, true],
    ['unsigned samples with an intercept of -1024', toRescale(1, -1024), 0, 12, true],
    ['unsigned samples with a negative slope', toRescale(-1, 0), 0, 12, true],
    // From -2048 to 2047 plus 2048.
    ['signed samples lifted above 0', toRescale(1, 2048), 1, 12, false],
  ])('%s', (_, transform, pixelRepresentation, bitsStored, signed) => {
    expect(isSignedModality(transform, pixelRepresentation, bitsStored)).toBe(signed);
  });
});
