import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeLosslessJpeg, type LosslessImage } from '../../../../../../test/support/encodeLosslessJpeg.ts';
import { decodeWithIjg } from '../ijg.ts';
import { readJpegHeader } from '../jpegHeader.ts';
import { decodeLosslessJpeg } from './decodeLosslessJpeg.ts';

/** Codes of 1 to 15 bits, and two of 16: longer than what the kernel looks up at once. */
const LONG = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2];
/** Almost all codes have 13 bits. */
const LATE = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 16, 0, 0, 0];

const images = fc
  .record({
    rows: fc.integer({ min: 1, max: 9 }),
    columns: fc.integer({ min: 1, max: 20 }),
    components: fc.constantFrom(1, 3),
    precision: fc.integer({ min: 2, max: 16 }),
    predictor: fc.integer({ min: 1, max: 7 }),
    pointTransform: fc.constantFrom(0, 0, 1),
    codeCounts: fc.constantFrom(undefined, LONG, LATE),
    values: fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 300 }),
    isSmooth: fc.boolean(),
  })
  .map(({ values, isSmooth, codeCounts, ...shape }): LosslessImage => {
    const { rows, columns, components, precision, pointTransform } = shape;
    const most = 2 ** precision - 1;
    const samples = Array.from({ length: rows * columns * components }, (_, i) => {
      const value = values[i % values.length]!;
      const sample = isSmooth ? (most >> 1) + (value % 3) : value & most;
      return Math.min(sample, most) & ~(2 ** pointTransform - 1);
    });
    return { ...shape, samples, ...(codeCounts && { codeCounts }) };
  });

test('every predictor, precision and code gives the samples that were encoded', () => {
  fc.assert(
    fc.property(images, (image) => {
      expect(Array.from(decode(encodeLosslessJpeg(image)) ?? [])).toEqual(Array.from(image.samples));
    }),
  );
});

test('the library returns the same samples', async () => {
  await fc.assert(
    fc.asyncProperty(images, async (image) => {
      const stream = encodeLosslessJpeg(image);
      const { words, warnings } = await decodeWithIjg(stream, readJpegHeader(stream));
      expect(warnings).toBe('');
      expect(decode(stream)).toEqual(words);
    }),
    { numRuns: 50 },
  );
});

test('a difference of 32768 is decoded', () => {
  const samples = [0, 32_768, 0, 65_535];
  const image = { rows: 2, columns: 2, components: 1, precision: 16, predictor: 1, samples };
  expect(Array.from(decode(encodeLosslessJpeg(image)) ?? [])).toEqual(samples);
});

test('a damaged stream is left to the library, unless the library finds nothing wrong with it', async () => {
  const damaged = fc.record({
    image: images,
    at: fc.nat(400),
    change: fc.oneof(
      fc.record({ kind: fc.constant('set' as const), value: fc.nat(255) }),
      fc.record({ kind: fc.constant('cut' as const), value: fc.nat(3) }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(damaged, async ({ image, at, change }) => {
      const whole = encodeLosslessJpeg(image);
      // In the code, the parameters of the scan, or the data.
      const place = Math.min(whole.indexOf(0xc4) + 3 + at, whole.length - 3);
      const stream =
        change.kind === 'set'
          ? whole.with(place, change.value)
          : Uint8Array.from([...whole.subarray(0, place), ...whole.subarray(place + 1 + change.value)]);
      const words = decodeOrNothing(stream);
      if (words === undefined) return;
      const expected = await decodeWithIjg(stream, readJpegHeader(stream));
      expect({ words, warnings: '' }).toEqual(expected);
    }),
  );
});

test.each([
  ['without its end', (stream: Uint8Array) => stream.subarray(0, -2)],
  ['with a byte more than its samples need', (stream: Uint8Array) => insert(stream, -2, [0x12])],
  ['with a byte less', (stream: Uint8Array) => Uint8Array.from([...stream.subarray(0, -3), 0xff, 0xd9])],
  ['with restart intervals', (stream: Uint8Array) => insert(stream, 2, [0xff, 0xdd, 0, 4, 0, 1])],
])('a stream %s is left to the library', (_, change) => {
  const samples = Array.from({ length: 64 }, (__, i) => (i * 37) % 256);
  const stream = encodeLosslessJpeg({ rows: 8, columns: 8, components: 1, precision: 8, predictor: 1, samples });
  expect(decode(stream)).toHaveLength(64);
  expect(decodeOrNothing(change(stream))).toBeUndefined();
});

function decode(stream: Uint8Array) {
  return decodeLosslessJpeg(stream, readJpegHeader(stream));
}

function decodeOrNothing(stream: Uint8Array) {
  try {
    return decode(stream);
  } catch {
    return undefined;
  }
}

function insert(stream: Uint8Array, at: number, bytes: readonly number[]): Uint8Array {
  return Uint8Array.from([...stream.subarray(0, at), ...bytes, ...stream.subarray(at)]);
}
