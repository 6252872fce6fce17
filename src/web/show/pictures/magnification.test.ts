import { expect, test } from 'vitest';
import { findMagnification, formatMagnification } from './magnification.ts';

test.each([
  // 40x is 0.25 micrometres per pixel, 20x twice that.
  ['the spacing alone', { mmPerPixel: 0.00025, objectivePower: undefined }, 40],
  ['the spacing alone', { mmPerPixel: 0.0005, objectivePower: undefined }, 20],
  ['the objective alone', { mmPerPixel: undefined, objectivePower: 20 }, 20],
  ['an objective that the spacing nearly agrees with', { mmPerPixel: 0.000233, objectivePower: 40 }, 40],
  ['a level that was made a quarter as large', { mmPerPixel: 0.001, objectivePower: 40 }, 10],
  ['neither', { mmPerPixel: undefined, objectivePower: undefined }, undefined],
  ['a spacing of nothing', { mmPerPixel: 0, objectivePower: undefined }, undefined],
])('%s', (_, optics, expected) => {
  expect(findMagnification(optics)).toBe(expected);
});

test.each([
  [40, '40×'],
  [2.5, '2.5×'],
  [0.3125, '0.31×'],
  [21.4, '21×'],
])('%d is told as %s', (magnification, text) => {
  expect(formatMagnification(magnification)).toBe(text);
});
