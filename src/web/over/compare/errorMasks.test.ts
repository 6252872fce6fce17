import { describe, expect, test } from 'vitest';
import { toDicomCielab } from '../../../shared/cielab.ts';
import { createMaskBits } from '../../../shared/maskRuns.ts';
import { combineMasks, ERROR_COLORS } from '../../../shared/errorMasks.ts';
import { lookOfErrors } from './errorMasks.ts';

function mask(row: string) {
  const bits = createMaskBits(row.length, 1);
  bits.bits.set(Array.from(row, Number));
  return bits;
}

const samplesOf = (pairs: Parameters<typeof combineMasks>[0]) => [
  ...combineMasks(pairs, { columns: 6, rows: 1 }).layers[0]!.samples,
];

test('a pixel is in both, in the test alone, in the truth alone, or in none', () => {
  expect(samplesOf([{ truth: mask('110100'), test: mask('011100') }])).toEqual([3, 1, 2, 1, 0, 0]);
});

test('a pixel that has the label of another part is missing first of all', () => {
  const one = { truth: mask('110000'), test: mask('100000') };
  const other = { truth: mask('000000'), test: mask('010000') };
  expect(samplesOf([one, other])).toEqual([1, 3, 0, 0, 0, 0]);
  expect(samplesOf([other, one])).toEqual([1, 3, 0, 0, 0, 0]);
});

test('masks of another size, such as of a coarse picture that is just replaced, are left out', () => {
  expect(samplesOf([{ truth: mask('11'), test: mask('111111') }])).toEqual([0, 0, 0, 0, 0, 0]);
});

test('one kind is shown alone, as areas or as outlines', () => {
  const { styleOf } = lookOfErrors({ look: 'outline', only: 'fp' });
  expect([1, 2, 3].map((segment) => styleOf(segment).isVisible)).toEqual([false, true, false]);
  expect(styleOf(2).isOutline).toBe(true);
});

/**
 * What people without one kind of cones see: the matrices of severity 1 of Machado, Oliveira and Fernandes (2009), for linear
 * red, green and blue.
 */
const BLINDNESS: Readonly<Record<string, readonly (readonly [number, number, number])[]>> = {
  none: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const toLinear = (value: number) => (value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const fromLinear = (value: number) => {
  const part = Math.min(1, Math.max(0, value));
  return Math.round(255 * (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055));
};

/** L*, a* and b*, from the values of 16 bits that DICOM stores. */
function seenAs([red, green, blue]: readonly [number, number, number], matrix: (typeof BLINDNESS)[string]) {
  const linear = [red, green, blue].map(toLinear);
  const [r = 0, g = 0, b = 0] = matrix.map((row) =>
    fromLinear(row.reduce((sum, part, at) => sum + part * linear[at]!, 0)),
  );
  const [light, a, other] = toDicomCielab([r, g, b]);
  return [(light / 65_535) * 100, (a / 65_535) * 255, (other / 65_535) * 255];
}

describe('the three kinds have colors that are far apart', () => {
  test.each(Object.entries(BLINDNESS))('for people with this blindness: %s', (_, matrix) => {
    const seen = Object.values(ERROR_COLORS).map((color) => seenAs(color, matrix));
    const apart = [
      [0, 1],
      [0, 2],
      [1, 2],
    ].map(([one, other]) => Math.hypot(...seen[one!]!.map((value, at) => value - seen[other!]![at]!)));
    // Colors that differ by 2.3 are just told apart; ten times as much is seen at a glance.
    expect(Math.min(...apart)).toBeGreaterThan(23);
  });
});
