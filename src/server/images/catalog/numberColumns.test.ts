import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberOfRow, packNumbers } from './numberColumns.ts';

/** The bytes that the rows take. */
function rowBytes(rows: readonly (readonly number[])[]): number {
  const { bytes, shorts, words, doubles } = packNumbers(Float64Array.from(rows.flat()), rows[0]!.length);
  return bytes.byteLength + shorts.byteLength + words.byteLength + doubles.byteLength;
}

test('columns give back every number exactly, whatever it is', () => {
  const numbers = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.integer({ min: -3, max: 3 }),
    fc.maxSafeInteger(),
    fc.constantFrom(NaN, 0, -0, 255, 256, 65_535, 65_536, 2 ** 32, -(2 ** 53) + 1, 2 ** 53 - 1, 2 ** 53),
  );
  const tables = fc
    .integer({ min: 1, max: 5 })
    .chain((columns) => fc.array(fc.array(numbers, { minLength: columns, maxLength: columns }), { maxLength: 40 }));
  fc.assert(
    fc.property(tables, (rows) => {
      const columnCount = rows[0]?.length ?? 3;
      const packed = packNumbers(Float64Array.from(rows.flat()), columnCount);
      const found = rows.map((row, at) => row.map((_, column) => numberOfRow(packed, column, at)));
      expect(found).toStrictEqual(rows);
    }),
  );
});

test('a value that all rows share takes no room, and whole numbers as little as their range needs', () => {
  const rows = [0, 1, 2, 3, 4, 5, 6, 7].map((row) => [
    512,
    NaN,
    1_700_000_000_000 + row,
    row * 1_000,
    row * 100_000,
    row / 3,
  ]);

  // Eight rows of 0, 0, 1, 2, 4 and 8 bytes.
  expect(rowBytes(rows)).toBe(8 * (1 + 2 + 4 + 8));
});
