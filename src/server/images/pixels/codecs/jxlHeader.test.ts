import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readJxlHeader } from './jxlHeader.ts';

test.each([
  ['jxl-lossless_8u_gray.jxl', { components: 1, precision: 8, xyb: false }],
  ['jxl-lossless_12u_gray.jxl', { components: 1, precision: 12, xyb: false }],
  ['jxl-lossless_16u_rgb.jxl', { components: 3, precision: 16, xyb: false }],
  ['jxl-lossy-d1_8u_rgb.jxl', { components: 3, precision: 8, xyb: true }],
  ['jxl-recompressed-jpeg_8u_rgb.jxl', { components: 3, precision: 8, xyb: false }],
])('%s', (name, expected) => {
  const stream = readFileSync(new URL(`../../../../../test/fixtures/streams/${name}`, import.meta.url));

  expect(readJxlHeader(new Uint8Array(stream))).toEqual({ rows: 24, columns: 33, ...expected });
});

// ISO/IEC 18181-1, SizeHeader: bits are read lowest first. After the signature: small = 1, height / 8 - 1 in five bits,
// then the ratio; ratio 1 means equal width and height. The last bit says that all metadata has default values.
test('a small square image needs ten bits', () => {
  const bits = 1 | ((256 / 8 - 1) << 1) | (1 << 6) | (1 << 9);

  expect(readJxlHeader(Uint8Array.of(0xff, 0x0a, bits & 0xff, bits >> 8))).toEqual({
    rows: 256,
    columns: 256,
    components: 3,
    precision: 8,
    xyb: true,
  });
});

test('other data is refused', () => {
  expect(() => readJxlHeader(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0))).toThrow('does not start as JPEG XL');
  expect(() => readJxlHeader(Uint8Array.of(0xff, 0x0a))).toThrow('truncated');
});
