import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createImagePixel } from '../../../../test/support/createImagePixel.ts';
import { encodeRle } from '../../../../test/support/encodeRle.ts';
import { decodeRle } from './rle.ts';

test('runs, literals and no-operations are unpacked as the standard says', () => {
  // PS3.5 G.3.2: 254 repeats the next byte 3 times, 2 copies 3 bytes, 128 does nothing.
  const encoded = segment([254, 7, 128, 2, 1, 2, 3]);
  const decoded = decodeRle(encoded, createImagePixel({ rows: 2, columns: 3 }));

  expect(Array.from<number | bigint>(decoded.words)).toEqual([7, 7, 7, 1, 2, 3]);
});

test('what was run-length coded comes back, for every sample width and color', () => {
  const images = fc.record({
    rows: fc.integer({ min: 1, max: 9 }),
    columns: fc.integer({ min: 1, max: 40 }),
    bytesPerSample: fc.constantFrom(1, 2, 4),
    samplesPerPixel: fc.constantFrom(1, 3),
    // Few different bytes, so that there are runs.
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
  ['a header of 10 bytes', new Uint8Array(10), '10 bytes are no RLE header of 64'],
  ['a segment too many', encodeRle(new Uint8Array(12), 1, 2), 'the RLE header has 2 segments, the data set needs 1'],
  ['a segment outside', segmentAt(4000, [0, 1]), 'RLE segment 0 lies at 4000 to 66 of 66 bytes'],
  ['a segment that ends early', segment([254, 7]), 'RLE segment 0 unpacks to 3 bytes, 6 are needed'],
])('%s is refused', (_, encoded, message) => {
  expect(() => decodeRle(encoded, createImagePixel({ rows: 2, columns: 3 }))).toThrow(message);
});

test('random bytes fail or decode, and never do anything else', () => {
  const pixel = createImagePixel({ rows: 3, columns: 5, bitsAllocated: 16 });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, hasHeader) => {
      const encoded = hasHeader ? encodeRle(new Uint8Array(30), 2, 1) : bytes;
      if (hasHeader) encoded.set(bytes.subarray(0, encoded.length - 64), 64);
      expect([15, 'DecodeError']).toContain(outcome(() => decodeRle(encoded, pixel).words.length));
    }),
  );
});

/** What a function answers, or the name of what it throws. */
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
