import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createImagePixel } from '../../../../test/support/createImagePixel.ts';
import { toStoredValues } from './storedValues.ts';

test('all padding bits are cleared, and no others', () => {
  const image = fc.record({
    bitsStored: fc.integer({ min: 9, max: 15 }),
    // Mostly without padding bits, as most writers leave them: then nothing needs to be cleared.
    values: fc.array(fc.oneof({ weight: 9, arbitrary: fc.nat(0x1ff) }, fc.nat(0xffff)), {
      minLength: 1,
      maxLength: 20,
    }),
    // Words are read in pairs, but need not be aligned to a pair.
    isAligned: fc.boolean(),
  });
  fc.assert(
    fc.property(image, ({ bitsStored, values, isAligned }) => {
      const words = new Uint16Array(new ArrayBuffer(2 + values.length * 2), isAligned ? 0 : 2, values.length);
      words.set(values);
      const pixel = createImagePixel({ bitsAllocated: 16, bitsStored, rows: 1, columns: values.length });
      const decoded = { rows: 1, columns: values.length, words, precision: 16, signed: false, lossy: false };
      const { samples } = toStoredValues({ ...decoded, photometricInterpretation: 'MONOCHROME2', changes: [] }, pixel);
      expect([...samples]).toEqual(values.map((value) => value % 2 ** bitsStored));
    }),
  );
});

test.each([
  ['copies of the sign', 1, [0xf800, 0x07ff, 0xffff], [], 0],
  ['zeros above a negative value', 1, [0x0800, 0x0fff], [], 0],
  ['anything else', 1, [0x1800, 0x7fff, 0xf7ff], [], 3],
  ['ones above an unsigned value', 0, [0xf000, 0x1fff, 0x0fff], [], 2],
  ['declared overlays', 0, [0x8000, 0x8fff, 0x9000], [15], 1],
] as const)('padding bits that are %s', (_, pixelRepresentation, values, overlayBits, outOfRange) => {
  const shape = { rows: 1, columns: values.length };
  const pixel = createImagePixel({ bitsAllocated: 16, bitsStored: 12, pixelRepresentation, ...shape });
  const decoded = { ...shape, words: Uint16Array.from(values), precision: 16, signed: false, lossy: false };
  const words = { ...decoded, photometricInterpretation: 'MONOCHROME2', changes: [] };
  expect(toStoredValues(words, pixel, overlayBits).outOfRange).toBe(outOfRange);
});
