import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { alignBits, unpackBits } from './packedBits.ts';

test('samples of any width that were packed without gaps are restored', () => {
  const packings = fc
    .tuple(fc.integer({ min: 1, max: 64 }), fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 30 }))
    .map(([bits, values]) => ({ bits, values: values.map((value) => BigInt.asUintN(bits, value)) }));
  fc.assert(
    fc.property(packings, ({ bits, values }) => {
      const all = values.reduce((sum, value, i) => sum | (value << BigInt(i * bits)), 0n);
      const packed = Uint8Array.from({ length: Math.ceil((values.length * bits) / 8) }, (_, i) =>
        Number((all >> BigInt(8 * i)) & 0xffn),
      );
      expect(Array.from<number | bigint>(unpackBits(packed, values.length, bits)).map(BigInt)).toEqual(values);
    }),
  );
});

test('bits that begin inside a byte are moved to its start', () => {
  // From bit 3 on: 1 0 1 1 0 | 1 1 0, then 0 0 0 0 1 and nothing.
  expect([...alignBits(Uint8Array.of(0b01101_101, 0b10000_011), 3)]).toEqual([0b011_01101, 0b000_10000]);
});
