import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CellValue, EncodedColumn } from './encodedColumn.ts';

function encode(values: readonly CellValue[]): EncodedColumn {
  const column = new EncodedColumn();
  for (const [row, value] of values.entries()) column.set(row, value);
  return column;
}

test('values come back as they were set, whatever they are', () => {
  const texts = fc.array(fc.option(fc.string({ unit: 'binary' })));
  const numbers = fc.array(fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })));
  fc.assert(
    fc.property(fc.oneof(texts, numbers), (values) => {
      const column = encode(values);
      // A number has no sign of its own at 0.
      expect(values.map((_, row) => column.valueAt(row))).toEqual(values.map((value) => (value === 0 ? 0 : value)));
      expect(column.filled).toBe(values.filter((value) => value !== null).length);
      expect(column.distinct).toBe(new Set(values.filter((value) => value !== null).map(String)).size);
    }),
  );
});

test('a column of more values than fit into two bytes keeps all of them', () => {
  const column = new EncodedColumn('text');
  for (let row = 0; row < 70_000; row += 1) column.set(row, `value ${row}`);
  expect([0, 255, 256, 65_535, 65_536, 69_999].map((row) => column.valueAt(row))).toEqual(
    [0, 255, 256, 65_535, 65_536, 69_999].map((row) => `value ${row}`),
  );
  expect(column.distinct).toBe(70_000);
});

function inOrder(column: EncodedColumn): readonly CellValue[] {
  return [...column.inOrder()].map((code) => column.valueOf(code));
}

test('numbers are in the order of numbers, texts in that of texts, and NULL behind all', () => {
  const numbers = encode([10, 9, -1, 2.5, null]);
  expect(inOrder(numbers)).toEqual([-1, 2.5, 9, 10]);
  expect(numbers.ranks()[0]).toBe(4);
  expect(inOrder(encode(['10', '9', 'b', 'a', '']))).toEqual(['', '10', '9', 'a', 'b']);
});

test('without a declared kind, a column is of numbers until a text comes', () => {
  const column = encode([1, 2, null]);
  expect([column.kind, column.valueAt(0)]).toEqual(['number', 1]);
  column.set(3, 'x');
  expect([column.kind, column.valueAt(0), column.valueAt(2)]).toEqual(['text', '1', null]);
});

test('rows that were never set are NULL, and a value that is taken away is no longer counted', () => {
  const column = encode(['a', 'b']);
  column.set(5, 'c');
  column.set(0, null);
  expect([column.valueAt(0), column.valueAt(3), column.valueAt(99), column.filled]).toEqual([null, null, null, 2]);
});
