import { describe, expect, test } from 'vitest';
import { bufferSource, type ByteSource } from '../../bytes/origins/byteSource.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import { type DataSetInput, type EncapsulatedInput, writeDicom } from '../../standard/dicom/writeDicom.ts';
import { countEncapsulatedFrames } from './countFrames.ts';

const FRAGMENT_BYTES = 100;

function fragments(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => new Uint8Array(FRAGMENT_BYTES).fill(index + 1));
}

/** A file with encapsulated pixel data, and the position of its offset table. */
function writeEncapsulated(
  pixelData: EncapsulatedInput,
  after: DataSetInput = {},
): { bytes: Uint8Array; start: number } {
  const bytes = writeDicom(
    { SOPClassUID: '1.2.840.10008.5.1.4.1.1.7', SOPInstanceUID: '1.2.3', PixelData: pixelData, ...after },
    { transferSyntaxUid: '1.2.840.10008.1.2.4.50' },
  );
  return { bytes, start: readDicom(bufferSource(bytes)).pixelData?.offset ?? -1 };
}

function countingReads(source: ByteSource): { source: ByteSource; reads: () => number } {
  let reads = 0;
  const read = (position: number, length: number) => {
    reads += 1;
    return source.read(position, length);
  };
  return { source: { size: source.size, read, peek: read }, reads: () => reads };
}

const tables = [{ offsetTable: 'basic' as const }, { offsetTable: 'none' as const }];

describe.each(tables)('with offset table $offsetTable', (table) => {
  test('a whole file has the frames that it declares, whatever their number, after three reads', () => {
    const { bytes, start } = writeEncapsulated({ fragments: fragments(50), ...table });
    const { source, reads } = countingReads(bufferSource(bytes));

    expect(countEncapsulatedFrames(source, start, 50)).toBe(50);
    expect(reads()).toBeLessThanOrEqual(3);
  });

  // Bytes cut off the end: the delimiter takes 8 bytes, a fragment takes 8 plus its 100 of data.
  test.each([
    [8, 5],
    // The fifth fragment is almost complete, and nothing follows it.
    [9, 5],
    [8 + 99, 5],
    [8 + 100, 4],
    [8 + 108, 4],
    [8 + 108 + 1, 4],
    [8 + 3 * 108, 2],
    [8 + 5 * 108, 0],
  ])('a file of five frames that lacks its last %i bytes has %i', (missing, frames) => {
    const { bytes, start } = writeEncapsulated({ fragments: fragments(5), ...table });

    expect(countEncapsulatedFrames(bufferSource(bytes.subarray(0, bytes.length - missing)), start, 5)).toBe(frames);
  });
});

test('a frame of several fragments counts as soon as part of the first one exists', () => {
  const { bytes, start } = writeEncapsulated({
    fragments: fragments(6),
    offsetTable: 'basic',
    fragmentsPerFrame: [2, 1, 3],
  });
  const cut = (missing: number) => bufferSource(bytes.subarray(0, bytes.length - missing));

  expect(countEncapsulatedFrames(cut(8), start, 3)).toBe(3);
  expect(countEncapsulatedFrames(cut(8 + 50), start, 3)).toBe(3);
  expect(countEncapsulatedFrames(cut(8 + 2 * 108 + 99), start, 3)).toBe(3);
  expect(countEncapsulatedFrames(cut(8 + 3 * 108), start, 3)).toBe(2);
  expect(countEncapsulatedFrames(cut(8 + 4 * 108), start, 3)).toBe(1);
});

test('a file cannot hold more frames than smallest fragments', () => {
  const { bytes, start } = writeEncapsulated({ fragments: fragments(1), offsetTable: 'none' });

  // 108 bytes of fragment and 8 of delimiter, divided by the 8 + 2 of the smallest possible fragment.
  expect(countEncapsulatedFrames(bufferSource(bytes), start, 1_000_000)).toBe(11);
});

test('a single frame needs one fragment that is not empty', () => {
  const one = writeEncapsulated({ fragments: fragments(1) });
  const none = writeEncapsulated({ fragments: [] });
  const empty = writeEncapsulated({ fragments: [new Uint8Array(0)] });

  expect(countEncapsulatedFrames(bufferSource(one.bytes), one.start, 1)).toBe(1);
  expect(countEncapsulatedFrames(bufferSource(none.bytes), none.start, 1)).toBe(0);
  expect(countEncapsulatedFrames(bufferSource(empty.bytes), empty.start, 1)).toBe(0);
});

test('elements after the pixel data do not make a file look cut off', () => {
  const { bytes, start } = writeEncapsulated(
    { fragments: fragments(3) },
    { DataSetTrailingPadding: new Uint8Array(5000) },
  );

  expect(countEncapsulatedFrames(bufferSource(bytes), start, 3)).toBe(3);
});
