import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyInTurns, PIECE_BYTES } from './copyInTurns.ts';

const KINDS = [Uint8Array, Int16Array, Uint16Array, Int32Array, Float32Array, Float64Array, BigUint64Array] as const;

test('a copy has the samples of its kind, and memory of its own', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...KINDS),
      fc.uint8Array({ minLength: 8, maxLength: 256 }),
      fc.nat(3),
      async (Kind, bytes, skipped) => {
        const { BYTES_PER_ELEMENT: size } = Kind;
        const whole = bytes.slice(0, bytes.length - (bytes.length % size));
        const view = new Kind(whole.buffer, Math.min(skipped * size, whole.length));

        const { copy, buffer } = await copyInTurns(view);

        expect(copy).toEqual(view);
        expect(copy.constructor).toBe(Kind);
        expect(copy.buffer).toBe(buffer);
        expect(buffer).not.toBe(view.buffer);
        expect(buffer.byteLength).toBe(view.byteLength);
      },
    ),
  );
});

test('the event loop has a turn after each piece of a large one', async () => {
  const samples = new Uint16Array((PIECE_BYTES * 2.5) / 2);
  samples.fill(7).set([1, 2, 3], samples.length - 3);
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);

  const { copy } = await copyInTurns(samples);
  clearImmediate(counting);

  // Three pieces, with a turn of the event loop after the first and the second.
  expect(turns).toBe(2);
  expect([...copy.subarray(-4)]).toEqual([7, 1, 2, 3]);
  expect(Buffer.compare(new Uint8Array(copy.buffer), new Uint8Array(samples.buffer))).toBe(0);
});
