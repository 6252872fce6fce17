import { expect, test } from 'vitest';
import { decodeBytesOf, decodeTimeoutMs, type FrameShape } from './decodeCost.ts';

const ct: FrameShape = {
  rows: 512,
  columns: 512,
  samplesPerPixel: 1,
  bitsAllocated: 16,
  frameCount: 10,
  fileBytes: 1_000_000,
  transferSyntaxUid: '1.2.840.10008.1.2.1',
};

test.each([
  ['a CT slice', 512, 512, 5_016],
  ['16 megapixels', 4_000, 4_000, 6_000],
  ['the largest frame', 16_384, 16_384, 21_777],
  ['more than any frame', 60_000, 60_000, 30_000],
])('%s may take %i x %i pixels %i ms', (_, rows, columns, ms) => {
  expect(Math.round(decodeTimeoutMs({ ...ct, rows, columns }))).toBe(ms);
});

test.each([
  // The frame's share of the file twice, 16 MiB, and three, five or, with 16 bytes a sample beside, two frames.
  ['uncompressed', '1.2.840.10008.1.2.1', 3 * 524_288],
  ['JPEG', '1.2.840.10008.1.2.4.70', 5 * 524_288],
  ['JPEG 2000', '1.2.840.10008.1.2.4.90', 2 * 524_288 + 16 * 262_144],
  ['high-throughput JPEG 2000', '1.2.840.10008.1.2.4.201', 2 * 524_288 + 16 * 262_144],
])('%s needs its own working memory', (_, transferSyntaxUid, working) => {
  expect(decodeBytesOf({ ...ct, transferSyntaxUid })).toBe(200_000 + 16 * 2 ** 20 + working);
});
