import { expect, test } from 'vitest';
import { formatDate } from '../../show/series/describeFile.ts';
import { formatTime, formatValue } from './formatNumbers.ts';

test.each([
  [-1024, '-1024'],
  [40.5, '40.5'],
  [123.456, '123.5'],
  [0.12345, '0.1235'],
  [0.00001234, '1.234e-5'],
  [12345678.9, '1.235e+7'],
  [NaN, 'no number'],
  [-Infinity, '-∞'],
])('%d is written %s', (value, expected) => {
  expect(formatValue(value)).toBe(expected);
});

test('dates and times get their separators, and what is none stays as it is', () => {
  expect([formatDate('20240131'), formatDate('2024.01.31')]).toEqual(['2024-01-31', '2024.01.31']);
  expect([formatTime('134501.25'), formatTime('1345'), formatTime(undefined)]).toEqual(['13:45:01', '13:45', '']);
});
