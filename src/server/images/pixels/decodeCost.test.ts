import { describe, expect, test } from 'vitest';
import { type CostFactors, readBytesOf } from '../../standard/dicom/readCost.ts';
import { decodeBytesOf, estimateDecodeBytes } from './decodeCost.ts';

const MIB = 2 ** 20;

test.each([
  // 2 x 100 + 16 MiB + 3 x 2,000
  ['1', 16_783_416],
  ['5', 16_783_416],
  ['8.1', 16_783_416],
  // 5 x 2,000
  ['4.50', 16_787_416],
  ['4.80', 16_787_416],
  // 16 bytes per sample, and the frame twice
  ['4.90', 16_797_416],
  ['4.110', 16_797_416],
  ['4.201', 16_797_416],
])('a decode of 1.2.840.10008.1.2.%s takes %i bytes', (last, bytes) => {
  const transferSyntaxUid = `1.2.840.10008.1.2.${last}`;
  expect(estimateDecodeBytes({ encodedBytes: 100, samples: 1_000, bytesPerSample: 2, transferSyntaxUid })).toBe(bytes);
});

const CT: CostFactors = {
  rows: 512,
  columns: 512,
  samplesPerPixel: 1,
  bitsAllocated: 16,
  frameCount: 1,
  fileBytes: 512 * 512 * 2 + 1_000,
  transferSyntaxUid: '1.2.840.10008.1.2.1',
};
const DEFLATED = '1.2.840.10008.1.2.1.99';

describe('memory to read a header', () => {
  test('covers everything except the pixels', () => {
    // The values twice, and twelve times their size for the objects that hold them.
    expect(readBytesOf(CT)).toBe(4 * MIB + 14 * 1_000);
  });

  test('grows with the objects only up to the number that the reader keeps', () => {
    const header = 8_000_000;
    const bytes = readBytesOf({ ...CT, fileBytes: 512 * 512 * 2 + header });
    expect(bytes).toBe(4 * MIB + 2 * header + 40 * MIB);
  });

  test('is part of the memory to decode a frame', () => {
    const long = decodeBytesOf({ ...CT, fileBytes: CT.fileBytes + 8_000_000 }, 100 * MIB);
    expect(long - decodeBytesOf(CT, 100 * MIB)).toBeGreaterThan(39 * MIB);
  });

  test('covers everything that a deflated file may inflate to', () => {
    // 2.5 times 200 times the file size, with at least 64 MiB for the inflated size.
    const bytes = readBytesOf({ ...CT, transferSyntaxUid: DEFLATED });
    expect(bytes).toBeGreaterThan(2.5 * 200 * CT.fileBytes);
    expect(readBytesOf({ ...CT, fileBytes: 1_000, transferSyntaxUid: DEFLATED })).toBeGreaterThan(160 * MIB);
  });
});

describe('memory to decode a frame of a deflated file', () => {
  test('includes the data set, up to the limit of a thread: a fifth of the share of the tasks', () => {
    const bytes = decodeBytesOf({ ...CT, fileBytes: 100_000, transferSyntaxUid: DEFLATED }, 100 * MIB);
    expect(bytes).toBe(2.5 * 20 * MIB);
  });

  test('exceeds the budget if its pixels do', () => {
    const bytes = decodeBytesOf({ ...CT, frameCount: 100, transferSyntaxUid: DEFLATED }, 100 * MIB);
    // 100 frames of half a MiB, times 2.5.
    expect(bytes).toBeGreaterThan(125 * MIB);
  });
});
