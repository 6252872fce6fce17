import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countingSource } from '../../../../test/support/countingSource.ts';
import { bufferSource, type ByteSource } from '../../bytes/origins/byteSource.ts';
import { readFragments } from './encodedFrame.ts';
import { createFrameIndex, type EncapsulatedPixelData } from './frameIndex.ts';

const JPEG = '1.2.840.10008.1.2.4.50';
const RLE = '1.2.840.10008.1.2.5';

// Frames of one and of several fragments; each stream begins like a JPEG.
const FRAMES = [[jpeg(1, 20)], [jpeg(2, 30), tail(2, 10), tail(2, 4)], [jpeg(3, 8), tail(3, 8)], [jpeg(4, 12)]];

describe('a frame is found', () => {
  test.each(['basic', 'extended', 'empty'] as const)('with an %s offset table', (table) => {
    // An extended table has one length per frame, and so allows only one fragment each.
    const frames = table === 'extended' ? FRAMES.map((fragments) => [Buffer.concat(fragments)]) : FRAMES;
    const { bytes, extended } = encapsulate(frames, table);

    expect(findAll(bytes, { numberOfFrames: 4, extended })).toEqual(
      frames.map((fragments) => Buffer.concat(fragments)),
    );
  });

  test('in any order of requests', () => {
    const { bytes } = encapsulate(FRAMES, 'empty');
    const index = createFrameIndex(describeBytes(bytes, { numberOfFrames: 4 }));
    const source = bufferSource(bytes);

    for (const frame of [3, 0, 2, 1, 3]) {
      expect(readFragments(source, index.find(source, frame)!)).toEqual(new Uint8Array(Buffer.concat(FRAMES[frame]!)));
    }
  });

  test('if the only frame of a file is in many fragments', () => {
    const fragments = [jpeg(1, 20), tail(1, 6), tail(1, 8)];
    const { bytes } = encapsulate([fragments], 'empty');

    expect(findAll(bytes, { numberOfFrames: 1 })).toEqual([Buffer.concat(fragments)]);
  });

  test('if fragments do not begin as their syntax demands, but there is one for each frame', () => {
    const frames = [[tail(1, 6)], [tail(2, 6)], [tail(3, 6)]];
    const { bytes } = encapsulate(frames, 'empty');

    expect(findAll(bytes, { numberOfFrames: 3 })).toEqual(frames.map((fragments) => Buffer.concat(fragments)));
  });

  test('in RLE, where every fragment is a frame', () => {
    const frames = [[tail(1, 64)], [tail(2, 66)]];
    const { bytes } = encapsulate(frames, 'empty');

    expect(findAll(bytes, { numberOfFrames: 2, transferSyntaxUid: RLE })).toEqual(
      frames.map(([only]) => Buffer.from(only!)),
    );
  });
});

describe('a wrong offset table is detected, and the fragments are searched instead', () => {
  test.each([
    ['all zeros', () => [0, 0, 0, 0]],
    ['beside the items', (offsets: number[]) => offsets.map((offset, i) => (i === 0 ? 0 : offset + 2))],
    ['of every fragment instead of every frame', () => [0, 28, 66, 84, 96, 112, 128]],
    ['into the middle of a frame', (offsets: number[]) => [0, offsets[1]! + 38, offsets[2]!, offsets[3]!]],
    ['falling, as beyond 4 GiB', (offsets: number[]) => [0, offsets[2]!, offsets[1]!, offsets[3]!]],
  ])('%s', (_, falsify) => {
    const { bytes } = encapsulate(FRAMES, 'basic', falsify);

    expect(findAll(bytes, { numberOfFrames: 4 })).toEqual(FRAMES.map((fragments) => Buffer.concat(fragments)));
  });
});

describe('a truncated file', () => {
  test.each(['basic', 'empty'] as const)(
    'gives its whole frames and what there is of the cut one, with an %s table',
    (table) => {
      const { bytes } = encapsulate(FRAMES, table);
      // Cuts off the end of the third frame's second fragment, the fourth frame and the delimiter.
      const cut = bytes.subarray(0, bytes.length - 8 - (8 + 12) - 3);

      const found = findAll(cut, { numberOfFrames: 4 });

      expect(found.slice(0, 2)).toEqual(FRAMES.slice(0, 2).map((fragments) => Buffer.concat(fragments)));
      expect(found[2]).toEqual(Buffer.concat(FRAMES[2]!).subarray(0, -3));
      expect(found[3]).toBeUndefined();
    },
  );

  test('gives the existing part of its only frame', () => {
    const { bytes } = encapsulate([[jpeg(1, 20)]], 'empty');

    expect(findAll(bytes.subarray(0, bytes.length - 8 - 5), { numberOfFrames: 1 })).toEqual([
      Buffer.from(jpeg(1, 20)).subarray(0, 15),
    ]);
  });
});

test('all frames in any fragments are found, with or without a table', () => {
  const sizes = fc.array(fc.array(fc.integer({ min: 4, max: 300 }), { minLength: 1, maxLength: 4 }), {
    minLength: 2,
    maxLength: 20,
  });
  fc.assert(
    fc.property(sizes, fc.constantFrom('basic' as const, 'empty' as const), (lengths, table) => {
      const frames = lengths.map((frame, n) => frame.map((length, i) => (i === 0 ? jpeg(n, length) : tail(n, length))));
      const { bytes } = encapsulate(frames, table);

      expect(findAll(bytes, { numberOfFrames: frames.length })).toEqual(
        frames.map((fragments) => Buffer.concat(fragments)),
      );
    }),
  );
});

test('random bytes either contain frames or fail with a viewer error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 5 }), (bytes, numberOfFrames) => {
      for (const frame of findAll(bytes, { numberOfFrames }))
        expect(frame === undefined || frame.length <= 200).toBe(true);
    }),
  );
});

describe('finding a frame reads little', () => {
  const slide = encapsulate(
    Array.from({ length: 20_000 }, (_, n) => [jpeg(n, 200)]),
    'empty',
  ).bytes;

  test('without a table, one pass over the item headers in batches, and nothing is read twice', () => {
    const source = countingSource(slide);
    const index = createFrameIndex(describeBytes(slide, { numberOfFrames: 20_000 }));

    index.find(source, 19_999);
    // 4.16 MB in batches of 1 MiB, after separate reads of the first headers.
    expect(source.reads).toBeLessThanOrEqual(8);
    const before = source.reads;
    index.find(source, 10_000);
    expect(source.reads).toBe(before);
  });

  test('without a table, nothing beyond the requested frame is read', () => {
    const source = countingSource(slide);

    createFrameIndex(describeBytes(slide, { numberOfFrames: 20_000 })).find(source, 0);
    expect(source.bytesRead).toBeLessThanOrEqual(1024 * 1024 + 100);
  });

  test('with a table, only the items of that frame', () => {
    const { bytes } = encapsulate(FRAMES, 'basic');
    const source = countingSource(bytes);

    createFrameIndex(describeBytes(bytes, { numberOfFrames: 4 })).find(source, 2);
    // The header of the table, the table, and the headers of two fragments with the first bytes of their streams.
    expect(source.bytesRead).toBe(8 + 16 + 2 * 20);
  });

  test('between long fragments, only the headers', () => {
    const { bytes } = encapsulate(
      Array.from({ length: 10 }, (_, n) => [jpeg(n, 200_000)]),
      'empty',
    );
    const source = countingSource(bytes);

    createFrameIndex(describeBytes(bytes, { numberOfFrames: 10 })).find(source, 9);
    expect(source.bytesRead).toBeLessThan(500);
  });
});

type Table = 'basic' | 'extended' | 'empty';

/** Encapsulated pixel data as defined in PS3.5 A.4, from the item of the offset table to the delimiter. */
function encapsulate(
  frames: readonly Uint8Array[][],
  table: Table,
  falsify = (offsets: number[]): number[] => offsets,
) {
  const offsets: number[] = [];
  const items: Uint8Array[] = [];
  let at = 0;
  for (const fragments of frames) {
    offsets.push(at);
    for (const fragment of fragments) {
      items.push(item(fragment));
      at += 8 + fragment.length;
    }
  }
  const basic = new Uint8Array(table === 'basic' ? Uint32Array.from(falsify(offsets)).buffer : new ArrayBuffer(0));
  const delimiter = Uint8Array.of(0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0);
  const lengths = frames.map((fragments) => fragments.reduce((sum, { length }) => sum + length, 0));
  const extended = table === 'extended' ? { offsets: toLongs(offsets), lengths: toLongs(lengths) } : undefined;
  return { bytes: new Uint8Array(Buffer.concat([item(basic), ...items, delimiter])), extended };
}

function item(value: Uint8Array): Uint8Array {
  const header = new DataView(new ArrayBuffer(8));
  header.setUint32(0, 0xe000fffe, true);
  header.setUint32(4, value.length, true);
  return Buffer.concat([new Uint8Array(header.buffer), value]);
}

function toLongs(values: readonly number[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(values, BigInt).buffer);
}

/** Bytes that begin like a JPEG stream. */
function jpeg(frame: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length).fill(frame % 200);
  bytes.set([0xff, 0xd8, 0xff, 0xe0].slice(0, length));
  return bytes;
}

function tail(frame: number, length: number): Uint8Array {
  return new Uint8Array(length).fill((frame % 200) + 1);
}

function describeBytes(bytes: Uint8Array, changes: Partial<EncapsulatedPixelData>): EncapsulatedPixelData {
  return {
    transferSyntaxUid: JPEG,
    numberOfFrames: 1,
    offset: 0,
    length: bytes.length,
    extended: undefined,
    ...changes,
  };
}

function findAll(bytes: Uint8Array, changes: Partial<EncapsulatedPixelData> & { numberOfFrames: number }) {
  const source: ByteSource = bufferSource(bytes);
  const index = createFrameIndex(describeBytes(bytes, changes));
  return Array.from({ length: changes.numberOfFrames }, (_, frame) => {
    const ranges = index.find(source, frame);
    return ranges === undefined ? undefined : Buffer.from(readFragments(source, ranges));
  });
}
