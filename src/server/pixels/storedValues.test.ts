import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createImagePixel } from '../../../test/support/createImagePixel.ts';
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
