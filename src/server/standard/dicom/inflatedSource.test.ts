import { deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { INFLATE_LIMITS, InflatedSource } from './inflatedSource.ts';
import { readDicom } from './readDataSet.ts';
import * as Tag from './tag.ts';
import { DeflatedExplicitVrLittleEndian } from './transferSyntax.ts';
import { writeDicom } from './writeDicom.ts';

const MIB = 1024 * 1024;

/** Bytes that deflate only slightly, the same on every run. */
function createNoise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let i = 0; i < length; i += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

describe('an inflated source', () => {
  test('reads the original bytes at any position', () => {
    const bytes = createNoise(300_000);
    const source = new InflatedSource(bufferSource(deflateRawSync(bytes)), 0, INFLATE_LIMITS);

    expect(Buffer.from(source.read(250_000, 1000)).equals(bytes.subarray(250_000, 251_000))).toBe(true);
    expect(source.read(299_990, 100)).toHaveLength(10);
    expect(source.size).toBe(300_000);
    expect(source.problem).toBeUndefined();
  });

  test('inflates no more than it needs', () => {
    const deflated = deflateRawSync(createNoise(4 * MIB));
    let furthest = 0;
    const inner = bufferSource(deflated);
    const watched = {
      ...inner,
      read: (position: number, length: number) => {
        furthest = Math.max(furthest, position + length);
        return inner.read(position, length);
      },
    };
    const source = new InflatedSource(watched, 0, INFLATE_LIMITS);
    source.read(0, 1000);
    expect(furthest).toBeLessThanOrEqual(16 * 1024);
    expect(source.size).toBe(Number.POSITIVE_INFINITY);
  });

  test('inflates a short file with many values in one more step, because each step allocates memory', () => {
    const bomb = deflateRawSync(new Uint8Array(40 * MIB), { level: 9 });
    const inner = bufferSource(bomb);
    const lengths: number[] = [];
    const watched = {
      ...inner,
      read: (position: number, length: number) => {
        lengths.push(length);
        return inner.read(position, length);
      },
    };
    const source = new InflatedSource(watched, 0, INFLATE_LIMITS);
    expect(source.read(40 * MIB - 1, 2)).toEqual(Uint8Array.of(0));
    expect(lengths).toEqual([16 * 1024, bomb.length]);
    expect([source.size, source.problem]).toEqual([40 * MIB, undefined]);
  });

  test('inflates a file that is shorter than the first step but becomes long', () => {
    const bomb = deflateRawSync(new Uint8Array(8 * MIB), { level: 9 });
    expect(bomb.length).toBeLessThan(16 * 1024);
    const source = new InflatedSource(bufferSource(bomb), 0, INFLATE_LIMITS);
    expect(source.read(0, 9 * MIB)).toHaveLength(8 * MIB);
    expect(source.problem).toBeUndefined();
  });

  test.each([6, 10, 40])(
    'keeps the beginning of a short file that would become more than it may: %i MiB',
    (mebibytes) => {
      const bomb = deflateRawSync(new Uint8Array(mebibytes * MIB), { level: 9 });
      const source = new InflatedSource(bufferSource(bomb), 0, { maxBytes: 3 * MIB, maxRatio: 200 });
      const { length } = source.read(0, 64 * MIB);
      // At least half of the limit, because the length is found by halving; a deflate block has some kilobytes.
      expect(length).toBeGreaterThan(MIB);
      expect(length).toBeLessThanOrEqual(3 * MIB);
      expect(source.problem).toBe('inflate_limit');
    },
  );

  test('of a long data set no more is held in memory than its beginning, if it can be unpacked on the disk', () => {
    const bytes = createNoise(12 * MIB);
    const wishes: unknown[] = [];
    const deflated = deflateRawSync(bytes);
    const inner = {
      ...bufferSource(deflated),
      unpack: (wish: unknown) => {
        wishes.push(wish);
        return bufferSource(bytes);
      },
    };
    const source = new InflatedSource(inner, 0, { ...INFLATE_LIMITS, hasSpool: true });
    expect(Buffer.from(source.read(11 * MIB, 1000)).equals(bytes.subarray(11 * MIB, 11 * MIB + 1000))).toBe(true);
    expect([source.size, source.problem]).toEqual([12 * MIB, undefined]);
    expect(source.heldBytes).toBeLessThanOrEqual(MIB);
    expect(wishes).toEqual([{ start: 0, method: 'deflated', mostBytes: 512 * MIB }]);
  });

  test('a damaged data set cannot be unpacked on the disk, and keeps its beginning as before', () => {
    const damaged = Uint8Array.from(deflateRawSync(createNoise(12 * MIB)));
    damaged.fill(0xff, 11 * MIB);
    const inner = { ...bufferSource(damaged), unpack: () => undefined };
    const source = new InflatedSource(inner, 0, { ...INFLATE_LIMITS, hasSpool: true });
    expect(source.read(0, 12 * MIB).length).toBeGreaterThan(10 * MIB);
    expect(source.problem).toBe('inflate_failed');
  });

  test('stops at the cap on bytes', () => {
    const source = new InflatedSource(bufferSource(deflateRawSync(createNoise(2 * MIB))), 0, {
      maxBytes: MIB,
      maxRatio: 200,
    });
    expect(source.read(2 * MIB, 1)).toHaveLength(0);
    expect(source.size).toBeLessThanOrEqual(MIB);
    expect(source.problem).toBe('inflate_limit');
  });

  test('stops a bomb by its ratio', () => {
    // Zeros deflate about 1000 to 1: 100 MiB take about 100 KiB, which may inflate to 64 MiB at most.
    const bomb = deflateRawSync(new Uint8Array(100 * MIB), { level: 1 });
    expect(bomb.length).toBeLessThan(MIB);
    const source = new InflatedSource(bufferSource(bomb), 0, INFLATE_LIMITS);
    expect(source.read(100 * MIB - 1, 1)).toHaveLength(0);
    expect(source.size).toBeLessThanOrEqual(64 * MIB);
    expect(source.problem).toBe('inflate_limit');
  });

  test('keeps the data before the damage', () => {
    const bytes = createNoise(200_000);
    const damaged = Uint8Array.from(deflateRawSync(bytes));
    damaged.fill(0xff, 150_000);
    const source = new InflatedSource(bufferSource(damaged), 0, INFLATE_LIMITS);
    const inflated = source.read(0, 200_000);
    expect(inflated.length).toBeGreaterThan(100_000);
    expect(Buffer.from(inflated.subarray(0, 100_000)).equals(bytes.subarray(0, 100_000))).toBe(true);
    expect(source.problem).toBe('inflate_failed');
  });

  test('accepts the zlib header that some writers add', () => {
    const source = new InflatedSource(bufferSource(deflateSync(Buffer.from('ABCDEFGH'))), 0, INFLATE_LIMITS);
    expect(Buffer.from(source.read(0, 8)).toString()).toBe('ABCDEFGH');
  });
});

test('a truncated deflated file keeps its first elements', () => {
  const pixels = createNoise(100_000);
  const whole = writeDicom(
    { PatientID: 'ABCD', BitsAllocated: 8, PixelData: pixels },
    { transferSyntaxUid: DeflatedExplicitVrLittleEndian },
  );
  const { dataSet, pixelData, flags } = readDicom(bufferSource(whole.subarray(0, 50_000)));
  expect(dataSet.string(Tag.PatientID)).toBe('ABCD');
  expect(pixelData?.length).toBeLessThan(pixels.length);
  expect(flags.map(({ code }) => code)).toContain('truncated');
});

test('a bomb in a deflated file is flagged, and its pixel data is the inflated part', () => {
  const elements = { PatientID: 'ABCD', BitsAllocated: 8, PixelData: new Uint8Array(100 * MIB) };
  const file = writeDicom(elements, { transferSyntaxUid: DeflatedExplicitVrLittleEndian });
  const { dataSet, pixelData, flags } = readDicom(bufferSource(file));
  expect(dataSet.string(Tag.PatientID)).toBe('ABCD');
  expect(pixelData?.length).toBeLessThanOrEqual(64 * MIB);
  expect(flags.map(({ code }) => code)).toContain('inflate_limit');
});
