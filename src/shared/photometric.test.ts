import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findColorModel, toRgb } from './photometric.ts';

const byte = fc.integer({ min: 0, max: 255 });

/** The conversion from RGB as printed in PS3.3 C.7.6.3.1.2, with 8-bit samples. */
const STANDARD = {
  ybrFull: (r: number, g: number, b: number) => [
    0.299 * r + 0.587 * g + 0.114 * b,
    -0.1687 * r - 0.3313 * g + 0.5 * b + 128,
    0.5 * r - 0.4187 * g - 0.0813 * b + 128,
  ],
  ybrPartial: (r: number, g: number, b: number) => [
    0.2568 * r + 0.5041 * g + 0.0979 * b + 16,
    -0.1482 * r - 0.291 * g + 0.4392 * b + 128,
    0.4392 * r - 0.3678 * g - 0.0714 * b + 128,
  ],
};

describe.each(['ybrFull', 'ybrPartial'] as const)('%s', (model) => {
  test('undoes the formula of the standard', () => {
    fc.assert(
      fc.property(byte, byte, byte, (r, g, b) => {
        const stored = Uint8ClampedArray.from(STANDARD[model](r, g, b));
        const back = toRgb(Uint8Array.from(stored), model, 8);
        // A rounding error of half a step per stored sample, times at most 1.164 + 2.018 in the conversion back.
        const far = Math.max(Math.abs(back[0]! - r), Math.abs(back[1]! - g), Math.abs(back[2]! - b));
        expect(far).toBeLessThanOrEqual(model === 'ybrFull' ? 2 : 3);
      }),
    );
  });

  test('without chroma is gray', () => {
    const black = model === 'ybrFull' ? 0 : 16;
    const white = model === 'ybrFull' ? 255 : 235;
    expect([...toRgb(Uint8Array.of(black, 128, 128, white, 128, 128), model, 8)]).toEqual([0, 0, 0, 255, 255, 255]);
  });

  test('clips colors that RGB does not have', () => {
    expect([...toRgb(Uint8Array.of(255, 255, 255), model, 8)].every((level) => level >= 0 && level <= 255)).toBe(true);
    expect(toRgb(Uint8Array.of(255, 128, 255), model, 8)[0]).toBe(255);
  });
});

test('YBR_FULL of 16 bits has the colors of its 8-bit form', () => {
  // Red: Y 76, Cb 85, Cr 255, and the same samples scaled to 16 bits.
  const eight = toRgb(Uint8Array.of(76, 85, 255), 'ybrFull', 8);
  const sixteen = toRgb(Uint16Array.of(76 * 256, 85 * 256, 255 * 256), 'ybrFull', 16);
  for (let i = 0; i < 3; i++) expect(Math.abs(eight[i]! - sixteen[i]!)).toBeLessThanOrEqual(1);
});

describe('RGB', () => {
  test('of 8 bits is unchanged, in its own memory', () => {
    const samples = Uint8Array.of(1, 2, 3);
    const rgb = toRgb(samples, 'rgb', 8);
    expect([...rgb]).toEqual([1, 2, 3]);
    expect(rgb.buffer).not.toBe(samples.buffer);
  });

  test.each([
    [16, [0, 32_768, 65_535], [0, 128, 255]],
    [12, [0, 2048, 4095], [0, 128, 255]],
    [10, [0, 512, 1023], [0, 128, 255]],
    [4, [0, 8, 15], [0, 136, 255]],
  ])('of %i bits uses the full range of a byte', (bits, samples, expected) => {
    expect([...toRgb(Uint16Array.from(samples), 'rgb', bits)]).toEqual(expected);
  });
});

test.each([
  ['RGB', 'rgb'],
  ['YBR_RCT', 'rgb'],
  ['YBR_FULL_422', 'ybrFull'],
  ['YBR_PARTIAL_420', 'ybrPartial'],
  ['CMYK', undefined],
  ['MONOCHROME2', undefined],
])('the color model of %s is %s', (name, model) => expect(findColorModel(name)).toBe(model));
