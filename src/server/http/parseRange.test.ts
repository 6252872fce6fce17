import { expect, test } from 'vitest';
import { parseRange } from './parseRange.ts';

test.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=10-19', { start: 10, end: 20 }],
  ['bytes=90-', { start: 90, end: 100 }],
  ['bytes=-5', { start: 95, end: 100 }],
  ['bytes=-500', { start: 0, end: 100 }],
  ['bytes=50-1000', { start: 50, end: 100 }],
])('%s of 100 bytes is a range', (header, range) => {
  expect(parseRange(header, 100)).toEqual(range);
});

test.each([
  undefined,
  '',
  'bytes=-',
  'bytes=100-',
  'bytes=20-10',
  'bytes=-0',
  'bytes=0-1,5-6',
  'items=0-1',
  'bytes=a-b',
])('%s is none, and the whole is sent', (header) => {
  expect(parseRange(header, 100)).toBeUndefined();
});
