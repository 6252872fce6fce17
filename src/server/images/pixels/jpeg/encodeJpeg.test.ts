import { expect, test } from 'vitest';
import { createImagePixel } from '../../../../../test/support/createImagePixel.ts';
import { jpeg } from '../codecs/jpeg.ts';
import { encodeJpeg } from './encodeJpeg.ts';
import { AC_CHROMA, AC_LUMA, DC_CHROMA, DC_LUMA } from './jpegTables.ts';

function rowsOf(pixels: Uint8Array, bytesPerRow: number) {
  return (from: number, to: number) => pixels.subarray(from * bytesPerRow, to * bytesPerRow);
}

/** A picture without sharp edges, whose size is no multiple of a block. */
function smoothPicture(channels: 1 | 3) {
  const [rows, columns] = [37, 51];
  const pixels = Uint8Array.from({ length: rows * columns * channels }, (_, index) => {
    const at = Math.floor(index / channels);
    const phase = (index % channels) * 2;
    return 128 + 100 * Math.sin(Math.floor(at / columns) / 9 + phase) * Math.cos((at % columns) / 11);
  });
  return { rows, columns, channels, pixels, readRows: rowsOf(pixels, columns * channels) };
}

test.each([1, 3] as const)('a picture of %i channels is what a decoder of another origin reads', async (channels) => {
  const picture = smoothPicture(channels);
  const encoded = encodeJpeg({ ...picture, quality: 95 });
  const pixel = createImagePixel({
    rows: picture.rows,
    columns: picture.columns,
    samplesPerPixel: channels,
    bitsAllocated: 8,
    bitsStored: 8,
    photometricInterpretation: channels === 1 ? 'MONOCHROME2' : 'YBR_FULL_422',
    transferSyntaxUid: '1.2.840.10008.1.2.4.50',
  });
  const decoded = await jpeg.decode(encoded, pixel, {});
  const worst = Math.max(...picture.pixels.map((value, index) => Math.abs(value - Number(decoded.words[index]))));

  expect(decoded.words).toHaveLength(picture.pixels.length);
  expect(worst).toBeLessThanOrEqual(6);
  expect(encodeJpeg({ ...picture, quality: 20 }).length).toBeLessThan(encoded.length);
});

test('every coefficient has a code in the tables', () => {
  // T.81 annex K: 12 sizes of a difference; 16 runs of 10 sizes, the end of a block and 16 zeros.
  expect([DC_LUMA, DC_CHROMA].map(({ symbols }) => new Set(symbols).size)).toEqual([12, 12]);
  expect([AC_LUMA, AC_CHROMA].map(({ symbols }) => new Set(symbols).size)).toEqual([162, 162]);
  for (const { counts, symbols } of [DC_LUMA, DC_CHROMA, AC_LUMA, AC_CHROMA]) {
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(symbols.length);
  }
});

test('the harshest picture keeps within the codes, and a size that JPEG does not have is refused', () => {
  const pixels = Uint8Array.from({ length: 64 * 64 }, (_, index) => ((index ^ (index >> 6)) & 1) * 255);
  expect(
    encodeJpeg({ rows: 64, columns: 64, channels: 1, readRows: rowsOf(pixels, 64), quality: 100 }).length,
  ).toBeGreaterThan(1000);
  expect(() =>
    encodeJpeg({ rows: 1, columns: 70_000, channels: 1, readRows: () => new Uint8Array(70_000), quality: 90 }),
  ).toThrow('no JPEG picture');
});

test('a picture is read eight rows at a time, so that it is never in memory as a whole', () => {
  const read: (readonly number[])[] = [];
  const readRows = (from: number, to: number) => {
    read.push([from, to]);
    return new Uint8Array((to - from) * 9).fill(200);
  };
  encodeJpeg({ rows: 20, columns: 9, channels: 1, readRows, quality: 90 });
  expect(read).toEqual([
    [0, 8],
    [8, 16],
    [16, 20],
  ]);
});

test('blocks of one color beside others are what a decoder of another origin reads', async () => {
  // Blocks of 8 x 8 in four colors, of which the last has an edge through its middle.
  const pixels = Uint8Array.from({ length: 8 * 32 }, (_, at) => [0, 255, 90, at % 32 < 28 ? 90 : 180][(at % 32) >> 3]!);
  const encoded = encodeJpeg({ rows: 8, columns: 32, channels: 1, readRows: rowsOf(pixels, 32), quality: 100 });
  const pixel = createImagePixel({
    rows: 8,
    columns: 32,
    bitsAllocated: 8,
    bitsStored: 8,
    photometricInterpretation: 'MONOCHROME2',
    transferSyntaxUid: '1.2.840.10008.1.2.4.50',
  });
  const decoded = await jpeg.decode(encoded, pixel, {});
  expect(Math.max(...pixels.map((value, at) => Math.abs(value - Number(decoded.words[at]))))).toBeLessThanOrEqual(2);
});
