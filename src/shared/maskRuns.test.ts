import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countMaskPixels, createMaskBits, decodeMask, encodeMask } from './maskRuns.ts';

test('runs begin outside and lie within the smallest rectangle', () => {
  const mask = createMaskBits(4, 3);
  // Row 1: columns 1 and 2. Row 2: column 2.
  for (const at of [5, 6, 10]) mask.bits[at] = 1;

  expect(encodeMask(mask)).toEqual({ left: 1, top: 1, width: 2, height: 2, runs: [0, 2, 1, 1] });
  expect(countMaskPixels(encodeMask(mask)!.runs)).toBe(3);
  expect(encodeMask(createMaskBits(4, 3))).toBeUndefined();
});

test('a mask survives being written and read', () => {
  const side = fc.integer({ min: 1, max: 9 });
  const samples = fc.array(fc.constantFrom(0, 1), { minLength: 81, maxLength: 81 });
  fc.assert(
    fc.property(side, side, samples, (columns, rows, all) => {
      const mask = createMaskBits(columns, rows);
      mask.bits.set(all.slice(0, columns * rows));
      const read = createMaskBits(columns, rows);
      const written = encodeMask(mask);
      if (written !== undefined) decodeMask(written, read);

      expect([...read.bits]).toEqual([...mask.bits]);
    }),
  );
});
