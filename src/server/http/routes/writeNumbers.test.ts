import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeNumbers } from './writeNumbers.ts';

test('numbers are written as JSON writes them', () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constantFrom(0, 9, 10, 99, 100, 2 ** 32 - 1));
  fc.assert(
    fc.property(fc.array(number), (numbers) => {
      expect(`[${[...writeNumbers(numbers)].join('')}]`).toBe(JSON.stringify(numbers));
    }),
  );
});

test('a long list comes in pieces of at most 64 KiB, with a comma between any two numbers', () => {
  const numbers = Array.from({ length: 20_000 }, (_, i) => i * 214_748);
  const pieces = [...writeNumbers(numbers)];
  // Nearly all have nine or ten digits: about 200,000 characters.
  expect(pieces.length).toBe(4);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(64 * 1024);
  expect(pieces.join('')).toBe(numbers.join(','));
});
