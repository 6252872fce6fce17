import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isYcbcr } from './jpeg.ts';
import { type JpegHeader, readJpegHeader } from './jpegHeader.ts';

test('size, depth and process come from the frame header', () => {
  expect(readJpegHeader(fixture('jpeg-extended-q90_12u_gray.jpg'))).toMatchObject({
    rows: 24,
    columns: 33,
    components: 1,
    precision: 12,
    process: 1,
    hasEnd: true,
  });
});

test('subsampling and scans are read', () => {
  expect(readJpegHeader(fixture('jpeg-baseline-q90_8u_ybr422.jpg'))).toMatchObject({
    components: 3,
    subsampled: true,
    scans: 1,
  });
  expect(readJpegHeader(fixture('jpeg-progressive-q90_12u_gray.jpg'))).toMatchObject({ process: 2, precision: 12 });
  expect(readJpegHeader(fixture('jpeg-progressive-q90_12u_gray.jpg')).scans).toBeGreaterThan(1);
});

test('error bound and interleaving of JPEG-LS are read', () => {
  expect(readJpegHeader(fixture('jpegls-near2_8u_gray.jls'))).toMatchObject({ process: 55, near: 2 });
  expect(readJpegHeader(fixture('jpegls-lossless_8u_rgb_ilv-none.jls'))).toMatchObject({ near: 0, interleave: 0 });
  expect(readJpegHeader(fixture('jpegls-lossless_8u_rgb_ilv-line.jls'))).toMatchObject({ interleave: 1 });
  expect(readJpegHeader(fixture('jpegls-lossless_8u_rgb_ilv-sample.jls'))).toMatchObject({ interleave: 2 });
});

test('a stream without an end marker is reported', () => {
  const stream = fixture('jpeg-baseline-q90_8u_gray.jpg');
  expect(readJpegHeader(stream.subarray(0, 300)).hasEnd).toBe(false);
});

test('a marker without a segment, such as TEM, is skipped', () => {
  const stream = fixture('jpeg-baseline-q90_8u_gray.jpg');
  const scan = Buffer.from(stream).indexOf(Buffer.of(0xff, 0xda));
  const withTem = Buffer.concat([stream.subarray(0, scan), Buffer.of(0xff, 0x01), stream.subarray(scan)]);
  expect(readJpegHeader(withTem)).toEqual(readJpegHeader(stream));
});

describe('the color model of the stream takes precedence over that of the data set', () => {
  const plain = { adobeTransform: undefined, hasJfif: false, componentIds: [0, 1, 2], subsampled: false };

  test.each<[string, Partial<JpegHeader>, string, boolean]>([
    [
      'an Adobe marker without transform',
      { adobeTransform: 0, hasJfif: true, subsampled: true },
      'YBR_FULL_422',
      false,
    ],
    ['an Adobe marker with transform', { adobeTransform: 1 }, 'RGB', true],
    ['a JFIF marker', { hasJfif: true }, 'RGB', true],
    ['components called R, G and B', { componentIds: [82, 71, 66] }, 'YBR_FULL', false],
    ['subsampled chroma', { subsampled: true }, 'RGB', true],
    ['nothing, and RGB declared', {}, 'RGB', false],
    ['nothing, and YBR_FULL declared', {}, 'YBR_FULL', true],
  ])('%s', (_, changes, photometricInterpretation, expected) => {
    const header = { ...readJpegHeader(fixture('jpeg-baseline-q90_8u_rgb.jpg')), ...plain, ...changes };

    expect(isYcbcr(header, photometricInterpretation)).toBe(expected);
  });
});

function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../../../../../test/fixtures/streams/${name}`, import.meta.url)));
}
