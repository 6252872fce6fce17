import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMaskBits, decodeMask, encodeMask } from '../../../../shared/maskRuns.ts';
import { mergeMasks } from './mergeMasks.ts';

const [COLUMNS, ROWS] = [7, 5];
const picture = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: COLUMNS * ROWS, maxLength: COLUMNS * ROWS });

function toMask(bits: readonly number[]) {
  return encodeMask({ bits: Uint8Array.from(bits), columns: COLUMNS, rows: ROWS }) ?? null;
}

test('a merged mask has the pixels that I changed as I have them, and all others as theirs', () => {
  fc.assert(
    fc.property(picture, picture, picture, (from, mine, theirs) => {
      const merged = mergeMasks(toMask(from), toMask(mine), toMask(theirs));
      const found = createMaskBits(COLUMNS, ROWS);
      if (merged !== null) decodeMask(merged, found);
      expect([...found.bits]).toEqual(mine.map((bit, at) => (bit === from[at] ? theirs[at] : bit)));
    }),
  );
});

test('strokes of two clients at different places of the slide are both there', () => {
  const [far, near] = [
    { left: 70_000, top: 50_000, width: 2, height: 1, runs: [0, 2] },
    { left: 70_004, top: 50_000, width: 1, height: 1, runs: [0, 1] },
  ];
  expect(mergeMasks(null, far, near)).toEqual({ left: 70_000, top: 50_000, width: 5, height: 1, runs: [0, 2, 2, 1] });
  // What the other has erased stays so, and an erased mask is none.
  expect(mergeMasks(far, near, null)).toEqual(near);
  expect(mergeMasks(far, null, far)).toBeNull();
});
