import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createImagePixel } from '../../../../../test/support/createImagePixel.ts';
import { encodeRle } from '../../../../../test/support/encodeRle.ts';
import { decodeRle } from './rle.ts';

test('runs, literals and no-operations are unpacked as the standard says', () => {
  // PS3.5 G.3.2: 254 repeats the next byte 3 times, 2 copies 3 bytes, 128 does nothing.
  const encoded = segment([254, 7, 128, 2, 1, 2, 3]);
  const decoded = decodeRle(encoded, createImagePixel({ rows: 2, columns: 3 }));

  expect(Array.from<number | bigint>(decoded.words)).toEqual([7, 7, 7, 1, 2, 3]);
});

test('run-length coded samples are restored, for every sample width and for color', () => {
  const images = fc.record({
    rows: fc.integer({ min: 1, max: 9 }),
    columns: fc.integer({ min: 1, max: 40 }),
    bytesPerSample: fc.constantFrom(1, 2, 4),
    samplesPerPixel: fc.constantFrom(1, 3),
    // Few distinct byte values, so that there are runs.
    bytes: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 2000 }),
  });
  fc.assert(
    fc.property(images, ({ rows, columns, bytesPerSample, samplesPerPixel, bytes }) => {
      const samples = Uint8Array.from(
        { length: rows * columns * bytesPerSample * samplesPerPixel },
        (_, i) => bytes[i % bytes.length]!,
      );
      const pixel = createImagePixel({ rows, columns, samplesPerPixel, bitsAllocated: bytesPerSample * 8 });

      const { words } = decodeRle(encodeRle(samples, bytesPerSample, samplesPerPixel), pixel);

      expect(new Uint8Array(words.buffer)).toEqual(samples);
    }),
  );
});

test('one-bit samples are unpacked, whether they were packed or not', () => {
  const pixel = createImagePixel({ rows: 1, columns: 16, bitsAllocated: 1 });
  const bits = [1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];

  expect(Array.from<number | bigint>(decodeRle(segment([1, 0b101, 255]), pixel).words)).toEqual(bits);
  expect(Array.from<number | bigint>(decodeRle(segment([15, ...bits]), pixel).words)).toEqual(bits);
});

test.each([
  ['a header of 10 bytes', new Uint8Array(10), '10 bytes are too short for an RLE header of 64'],
  [
    'a segment too many',
    encodeRle(new Uint8Array(12), 1, 2),
    'the RLE header has 2 segments, but the data set needs 1',
  ],
  ['a segment outside', segmentAt(4000, [0, 1]), 'RLE segment 0 is at 4000 to 66 of 66 bytes'],
  ['a segment that ends within its first row', segment([255, 7]), 'RLE segment 0 decodes to 2 bytes, but 6 are needed'],
])('%s is refused', (_, encoded, message) => {
  expect(() => decodeRle(encoded, createImagePixel({ rows: 2, columns: 3 }))).toThrow(message);
});

test('a segment that ends early is reported as damage, by the number of complete pixels', () => {
  // 4 of 6 pixels in rows of 3: one row is complete.
  const cut = decodeRle(segment([253, 7]), createImagePixel({ rows: 2, columns: 3 }));
  expect(Array.from<number | bigint>(cut.words)).toEqual([7, 7, 7, 7, 0, 0]);
  expect(cut.damage).toEqual({ kind: 'truncated', missing: 1 - 4 / 6, intactRows: 1 });

  // With two bytes per pixel, the low bytes are in the second segment, of which 3 are left.
  const words = encodeRle(Uint8Array.of(1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9), 2, 1);
  const { damage } = decodeRle(words.subarray(0, -4), createImagePixel({ rows: 2, columns: 3, bitsAllocated: 16 }));
  expect(damage).toEqual({ kind: 'truncated', missing: 0.5, intactRows: 1 });
});

test('runs after the last pixel are ignored if the earlier ones end at row ends, as the standard demands', () => {
  const pixel = createImagePixel({ rows: 2, columns: 3 });
  const more = [254, 8, 2, 1, 2, 3];

  // PS3.5 G.3.1: no run crosses the end of a row. G.3.2: decoding stops when the segment has reached its size.
  expect(decodeRle(segment([254, 7, 254, 7, ...more]), pixel).damage).toBeUndefined();
  expect(decodeRle(segment([254, 7, 128, 1, 7, 7, 0, 7, ...more]), pixel).damage).toBeUndefined();
  expect(decodeRle(segment([251, 7, 0, 0, 0, 0]), pixel).damage).toBeUndefined();
});

test('runs after the last pixel are damage if an earlier run crosses a row end, because bytes are lost or wrong', () => {
  const pixel = createImagePixel({ rows: 2, columns: 3 });
  const corrupt = { kind: 'corrupt', missing: undefined };

  expect(decodeRle(segment([255, 7, 254, 7, 254, 8, 254, 8]), pixel).damage).toMatchObject(corrupt);
  expect(decodeRle(segment([251, 7, 251, 8]), pixel).damage).toMatchObject(corrupt);
  // The run that holds the last pixel continues beyond it.
  expect(decodeRle(segment([254, 7, 129, 7, 129, 7]), pixel).damage).toMatchObject(corrupt);
});

test('truncated one-bit samples are damage in both of their forms', () => {
  const pixel = createImagePixel({ rows: 4, columns: 16, bitsAllocated: 1 });

  // 8 bytes packed, or 64 bytes.
  expect(decodeRle(segment([6, 1, 2, 3, 4, 5, 6, 7]), pixel).damage).toMatchObject({ kind: 'truncated' });
  expect(decodeRle(segment([209, 1]), pixel).damage).toEqual({ kind: 'truncated', missing: 0.25, intactRows: 3 });
});

test('random bytes either decode or fail with a viewer error', () => {
  const pixel = createImagePixel({ rows: 3, columns: 5, bitsAllocated: 16 });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, hasHeader) => {
      const encoded = hasHeader ? encodeRle(new Uint8Array(30), 2, 1) : bytes;
      if (hasHeader) encoded.set(bytes.subarray(0, encoded.length - 64), 64);
      expect([15, 'DecodeError']).toContain(outcome(() => decodeRle(encoded, pixel).words.length));
    }),
  );
});

/** The return value of a function, or the name of the error that it throws. */
function outcome<Answer>(run: () => Answer): Answer | string {
  try {
    return run();
  } catch (error) {
    return error instanceof Error ? error.name : 'no error';
  }
}

function segment(packed: readonly number[]): Uint8Array {
  return segmentAt(64, packed);
}

function segmentAt(offset: number, packed: readonly number[]): Uint8Array {
  const encoded = new Uint8Array(64 + packed.length);
  new DataView(encoded.buffer).setUint32(0, 1, true);
  new DataView(encoded.buffer).setUint32(4, offset, true);
  encoded.set(packed, 64);
  return encoded;
}
