import { expect, test } from 'vitest';
import { recordColumns, recordColumnTypes } from './indexColumns.ts';

test('names and types of columns are the same with and without the dictionary', () => {
  expect(recordColumnTypes()).toEqual(recordColumns().map(({ name, type }) => ({ name, type })));
});
