import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignCodes, buildCodeLengths } from './huffman.ts';

const counts = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 2 ** 24 - 1 })),
  {
    minLength: 2,
    maxLength: 286,
  },
);

test('a code is complete, covers every symbol that occurs, and respects the maximum length', () => {
  fc.assert(
    fc.property(counts, (each) => {
      const lengths = buildCodeLengths(Uint32Array.from(each), 12);
      // The sum of 2^-length over all codes is 1: every bit sequence is a valid code.
      expect([...lengths].filter(Boolean).reduce((sum, length) => sum + 2 ** (12 - length), 0)).toBe(2 ** 12);
      expect(each.every((count, symbol) => count === 0 || lengths[symbol]! > 0)).toBe(true);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(12);
    }),
  );
});

test('frequent symbols have shorter codes', () => {
  expect([...buildCodeLengths(Uint32Array.of(1, 2, 4, 8, 0), 12)]).toEqual([3, 3, 2, 1, 0]);
});

test('a tree that exceeds the limit is flattened', () => {
  // Without the limit, the first two of these Fibonacci numbers would have depth seven.
  const lengths = buildCodeLengths(Uint32Array.of(1, 1, 2, 3, 5, 8, 13, 21), 4);
  expect(Math.max(...lengths)).toBe(4);
});

test('a single symbol gets a second one', () => {
  expect([...buildCodeLengths(Uint32Array.of(0, 0, 5), 12)]).toEqual([1, 0, 1]);
});

// RFC 1951 3.2.2 lists the codes of ABCDEFGH with the lengths 3, 3, 3, 3, 3, 2, 4, 4; here their bits are reversed.
test('codes match the example in RFC 1951', () => {
  const codes = [0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111];
  expect([...assignCodes(Uint8Array.of(3, 3, 3, 3, 3, 2, 4, 4))]).toEqual(codes);
});
