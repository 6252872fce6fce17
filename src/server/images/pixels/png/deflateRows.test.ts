import * as fc from 'fast-check';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createRowDeflater, deflateWithZlib, type PixelRows, samplesIn } from './deflateRows.ts';
import { filterUp } from './filterRows.ts';

// Shared by all tests: it keeps its memory between pictures, and nothing of one may appear in the next.
const deflateRows = createRowDeflater();

/** Whether zlib restores the filtered rows; it also verifies the checksum. */
function comesBack(picture: Extract<PixelRows, { table?: undefined }>): boolean {
  const { pixels, rows, bytesPerRow } = picture;
  const inflated = inflateSync(Buffer.concat([...deflateRows(picture)]));
  return Buffer.compare(inflated, filterUp(pixels, rows, bytesPerRow)) === 0;
}

function noise(i: number): number {
  return Math.imul(i + 1, 2_654_435_761) >>> 24;
}

/** Pictures with runs of equal bytes of any length, and noise. */
const pictures = fc
  .record({
    bytesPerRow: fc.integer({ min: 1, max: 700 }),
    rows: fc.integer({ min: 1, max: 12 }),
    stretches: fc.array(
      fc.tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 1, max: 600 }), fc.integer({ min: 0, max: 40 })),
      { minLength: 1, maxLength: 30 },
    ),
  })
  .map(({ bytesPerRow, rows, stretches }) => {
    const pattern = stretches.flatMap(([value, length, step]) =>
      Array.from({ length }, (_, i) => (value + i * step) & 0xff),
    );
    const pixels = Uint8Array.from({ length: rows * bytesPerRow }, (_, i) => pattern[i % pattern.length]!);
    return { pixels, rows, bytesPerRow };
  });

test('zlib reads back the filtered rows', () => {
  fc.assert(
    fc.property(pictures, (picture) => {
      expect(comesBack(picture)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

describe('a picture', () => {
  test.each([
    ['of one pixel', 1, 1, () => 7],
    ['that is all black', 300, 500, () => 0],
    ['that is all white', 300, 500, () => 255],
    ['of noise', 400, 900, noise],
    // Every difference is 255, which gives the largest sums in the checksum.
    ['that is one level darker in each row', 300, 500, (i: number) => 255 - (Math.floor(i / 500) & 255)],
    // Counts that grow like Fibonacci numbers produce the deepest tree.
    [
      'whose values are as uneven as can be',
      600,
      800,
      (i: number) => Math.floor(Math.log(i + 2) / Math.log(1.06)) & 255,
    ],
    ['of several stripes', 3000, 1201, (i: number) => (i % 1201 < 600 ? 0 : Math.imul(i, 40_503) >>> 24)],
    // With many rows, every fifth is counted; here those rows equal the row above, and all others differ from it.
    [
      'in which most values were not counted',
      400,
      900,
      (i: number) => noise(i - (Math.floor(i / 900) % 5 === 0 ? 900 : 0)),
    ],
    ['whose rows are longer than a stripe', 3, 1_200_000, (i: number) => (i >>> 9) & 255],
  ])('%s is restored', (_, rows, bytesPerRow, valueAt) => {
    const pixels = Uint8Array.from({ length: rows * bytesPerRow }, (__, i) => valueAt(i));
    expect(comesBack({ pixels, rows, bytesPerRow })).toBe(true);
  });

  test.each([
    ['bytes', 300, 33, new Uint8Array(300 * 33).map((_, i) => noise(i))],
    ['words, in several stripes', 1500, 801, new Uint16Array(1500 * 801).map((_, i) => noise(i) * 257)],
    ['words that are not aligned', 5, 7, new Uint16Array(new ArrayBuffer(72), 2).map((_, i) => i * 1000)],
  ])('of %s that are mapped by the kernel equals one of values mapped before', (_, rows, bytesPerRow, pixels) => {
    const table = new Uint8Array(65_536).map((__, value) => noise(value));
    const lookedUp = Uint8Array.from(pixels, (value) => table[value]!);
    const [late, early] = [{ samples: samplesIn(pixels), table }, { pixels: lookedUp }].map((levels) =>
      Buffer.concat([...deflateRows({ rows, bytesPerRow, ...levels })]),
    );
    expect(Buffer.compare(late!, early!)).toBe(0);
    expect(comesBack({ pixels: lookedUp, rows, bytesPerRow })).toBe(true);
  });

  test('that is all black takes almost no bytes', () => {
    const pieces = deflateRows({ pixels: new Uint8Array(1_000_000), rows: 1000, bytesPerRow: 1000 });
    // Six symbols per row: the filter, a zero, three runs of 258 and one of 225, about 26 bits in total.
    expect(Buffer.concat([...pieces]).length).toBeLessThan(4000);
  });

  test('is as long as with zlib, within a tenth of its length', () => {
    // Rows like a scan line of tissue: a slow wave with noise on it.
    const pixels = Uint8Array.from(
      { length: 512 * 512 },
      (_, i) => 100 + 60 * Math.sin((i % 512) / 40) + (noise(i) % 13),
    );
    const picture = { pixels, rows: 512, bytesPerRow: 512 };
    const [ours, zlib] = [Buffer.concat([...deflateRows(picture)]).length, deflateWithZlib(picture).length];
    expect(ours).toBeLessThan(zlib * 1.1);
  });
});

describe('without vector instructions, zlib gives the same rows', () => {
  test.each([
    ['levels', { pixels: Uint8Array.of(1, 2, 3, 4, 5, 6) }],
    [
      'what a table turns into them',
      { samples: samplesIn(Uint16Array.of(0, 1, 2, 3, 4, 5)), table: Uint8Array.of(1, 2, 3, 4, 5, 6) },
    ],
  ])('with %s', (_, levels) => {
    expect([...inflateSync(deflateWithZlib({ rows: 2, bytesPerRow: 3, ...levels }))]).toEqual([2, 1, 2, 3, 2, 3, 3, 3]);
  });
});
