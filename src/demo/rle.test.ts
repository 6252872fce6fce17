import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createImagePixel } from '../../test/support/createImagePixel.ts';
import { decodeRle } from '../server/images/pixels/codecs/rle.ts';
import { encodeRleFrames, type RleInput } from './rle.ts';

test('16-bit gray frames come back as they were', () => {
  fc.assert(
    fc.property(image(1, 0xffff), ({ rows, columns, values }) => {
      const samples = Uint16Array.from(values);
      const pixel = createImagePixel({ rows, columns, bitsAllocated: 16 });
      expect(decodeRle(encodeOne({ samples, samplesPerPixel: 1, columns }), pixel).words).toEqual(samples);
    }),
  );
});

test('color frames come back interleaved', () => {
  fc.assert(
    fc.property(image(3, 0xff), ({ rows, columns, values }) => {
      const samples = Uint8Array.from(values);
      const pixel = createImagePixel({ rows, columns, samplesPerPixel: 3 });
      expect(decodeRle(encodeOne({ samples, samplesPerPixel: 3, columns }), pixel).words).toEqual(samples);
    }),
  );
});

test('a run ends with its row, as PS3.5 G.3.1 asks', () => {
  const encoded = encodeOne({ samples: new Uint8Array(8).fill(9), samplesPerPixel: 1, columns: 4 });

  // After the 64-byte header: two runs of four (257 - 4 = 253), one per row.
  expect([...encoded.subarray(64)]).toEqual([253, 9, 253, 9]);
});

test('a row of 129 equal bytes is a run of 128 and a literal of one', () => {
  const encoded = encodeOne({ samples: new Uint8Array(129).fill(7), samplesPerPixel: 1, columns: 129 });

  expect([...encoded.subarray(64)]).toEqual([129, 7, 0, 7]);
});

test('frames of one call do not disturb each other', () => {
  const frames = [5, 6, 5].map((value) => Uint8Array.of(value, value, value, value));
  const encoded = encodeRleFrames(frames.map((samples) => ({ samples, samplesPerPixel: 1, columns: 4 })));

  expect(encoded.map((bytes) => [...bytes.subarray(64)])).toEqual([
    [253, 5],
    [253, 6],
    [253, 5],
  ]);
});

function encodeOne(frame: RleInput): Uint8Array {
  return encodeRleFrames([frame])[0]!;
}

/** Few values or any value, so that long runs and long literals are both likely. */
function image(samplesPerPixel: number, most: number) {
  const value = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(0, 1, most) }, { weight: 1, arbitrary: fc.nat(most) });
  return fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 300 })).chain(([rows, columns]) =>
    fc.record({
      rows: fc.constant(rows),
      columns: fc.constant(columns),
      values: fc
        .array(fc.tuple(value, fc.integer({ min: 1, max: 200 })), { minLength: 1, maxLength: 40 })
        .map((runs) => stretch(runs, rows * columns * samplesPerPixel)),
    }),
  );
}

function stretch(runs: readonly (readonly [number, number])[], length: number): number[] {
  const values = runs.flatMap(([value, count]) => Array<number>(count).fill(value));
  return Array.from({ length }, (_, i) => values[i % values.length]!);
}
