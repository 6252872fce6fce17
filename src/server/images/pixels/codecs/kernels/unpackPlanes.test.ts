import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { unpackSlowly } from '../rle.ts';
import { unpackPlanes } from './unpackPlanes.ts';

/** Any bytes are packed runs; lengths are made short, so that several fit. */
const packed = fc.array(
  fc.oneof(fc.nat(255), fc.integer({ min: 0, max: 20 }), fc.integer({ min: 236, max: 255 }), fc.constant(128)),
  { maxLength: 120 },
);

test.each([
  ['gray of one byte', [0]],
  ['gray of two bytes', [1, 0]],
  ['color', [0, 1, 2]],
  ['gray of four bytes', [3, 2, 1, 0]],
  ['color of two bytes', [1, 0, 3, 2, 5, 4]],
])('the kernel unpacks planes of %s as JavaScript does, complete, truncated or too long', (_, places) => {
  const frames = fc.record({
    pixels: fc.integer({ min: 1, max: 150 }),
    planes: fc.array(packed, { minLength: places.length, maxLength: places.length }),
  });
  fc.assert(
    fc.property(frames, ({ pixels, planes }) => {
      const bytes = planes.map((plane) => Uint8Array.from(plane));
      expect(unpackPlanes(bytes, { pixels, places })).toEqual(unpackSlowly(bytes, { pixels, places }));
    }),
  );
});
