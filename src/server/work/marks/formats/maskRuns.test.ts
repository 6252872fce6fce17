import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countMaskPixels } from '../../../../shared/maskRuns.ts';
import { fromColumnRuns, listRuns, toColumnRuns, unpackCounts, unpackMask } from './maskRuns.ts';

const size = fc.record({ rows: fc.integer({ min: 1, max: 9 }), columns: fc.integer({ min: 1, max: 9 }) });

/** A rectangle in an image, with pixels in it. */
const masked = size.chain(({ rows, columns }) =>
  fc
    .tuple(fc.nat(columns - 1), fc.nat(rows - 1))
    .chain(([left, top]) =>
      fc.tuple(
        fc.constant(left),
        fc.constant(top),
        fc.integer({ min: 1, max: columns - left }),
        fc.integer({ min: 1, max: rows - top }),
      ),
    )
    .chain(([left, top, width, height]) =>
      fc
        .uint8Array({ minLength: width * height, maxLength: width * height, max: 1 })
        .map((pixels) => ({ rows, columns, rectangle: { left, top, width, height }, pixels })),
    ),
);

test('a mask is the same after it was written column by column and read', () => {
  fc.assert(
    fc.property(masked, ({ rows, columns, rectangle, pixels }) => {
      const runs = listRuns(pixels);
      const { left, top, width, height } = rectangle;
      const slice = { rectangle: Uint32Array.of(left, top, width, height), runs: Uint32Array.from(runs) };

      const counts = toColumnRuns(slice, { rows, columns });

      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(rows * columns);
      expect(countMaskPixels(counts)).toBe(countMaskPixels(runs));
      expect(fromColumnRuns(counts, { rows, columns }, rectangle)).toEqual({ ...rectangle, runs });
    }),
  );
});

test('without its rectangle, a mask is in the smallest one', () => {
  // Of 3 rows and 4 columns: row 1 of columns 1 and 2.
  expect(fromColumnRuns([4, 1, 2, 1, 4], { rows: 3, columns: 4 })).toEqual({
    left: 1,
    top: 1,
    width: 2,
    height: 1,
    runs: [0, 2],
  });
  expect(fromColumnRuns([12], { rows: 3, columns: 4 })).toBeUndefined();
  expect(() => fromColumnRuns([4, 1], { rows: 3, columns: 4 })).toThrow('do not add up');
});

test.each(['~', '0', 'ooooooooooo', '10 '])('%j are no run lengths of COCO, or none of this image', (text) => {
  expect(() => fromColumnRuns(unpackCounts(text), { rows: 3, columns: 4 })).toThrow(/run lengths/);
});

test('a mask that covers more than one row in a run is unpacked as drawn', () => {
  const slice = { rectangle: Uint32Array.of(5, 5, 2, 2), runs: Uint32Array.of(1, 3) };
  expect([...unpackMask(slice)]).toEqual([0, 1, 1, 1]);
});
