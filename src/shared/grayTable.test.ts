import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyTable, buildGrayTable, createGrayTables, type GrayPipeline, toGray } from './grayTable.ts';
import { NO_RESCALE, toRescale } from './modality.ts';
import { toPixelPadding } from './padding.ts';

const brain: GrayPipeline = {
  modality: toRescale(1, -1024),
  voi: { kind: 'window', window: { center: 40, width: 400, shape: 'LINEAR' } },
  padding: undefined,
  inverted: false,
};

describe('one sample', () => {
  // -161, 40 and 240 HU; at 40 the level is (0.5 / 399 + 0.5) * 255 = 127.8.
  test.each([
    [863, 0],
    [1064, 128],
    [1264, 255],
  ])('of a CT stored as %i is gray %i', (stored, gray) => expect(toGray(stored, brain)).toBe(gray));

  test('of MONOCHROME1 is inverted after the window', () => {
    expect([863, 1064, 1264].map((stored) => toGray(stored, { ...brain, inverted: true }))).toEqual([255, 127, 0]);
  });

  test.each([false, true])('that is padding is black, inverted: %s', (inverted) => {
    const pipeline = { ...brain, padding: { low: 1200, high: 1300 }, inverted };
    expect([1200, 1264, 1300].map((stored) => toGray(stored, pipeline))).toEqual([0, 0, 0]);
  });

  test.each([false, true])('that is not a number is black, inverted: %s', (inverted) => {
    expect(toGray(NaN, { ...brain, inverted })).toBe(0);
  });

  test('is mapped by a VOI LUT, whose largest entry is white', () => {
    const table = { firstValue: -10, entries: Uint16Array.of(0, 2048, 4095), bits: 12 };
    const pipeline: GrayPipeline = { ...brain, modality: NO_RESCALE, voi: { kind: 'lut', table } };
    // 2048 / 4095 * 255 = 127.53.
    expect([-11, -10, -9, -8, 5].map((stored) => toGray(stored, pipeline))).toEqual([0, 0, 128, 255, 255]);
  });
});

describe('a table', () => {
  test('holds the gray of every sample of its type', () => {
    const sample = fc.integer({ min: -32_768, max: 32_767 });
    const signed = buildGrayTable(brain, { bytes: 2, signed: true });
    const unsigned = buildGrayTable(brain, { bytes: 2, signed: false });
    fc.assert(
      fc.property(sample, (stored) => {
        expect(signed[stored & 0xffff]).toBe(toGray(stored, brain));
        expect(unsigned[stored & 0xffff]).toBe(toGray(stored & 0xffff, brain));
      }),
    );
  });

  test('equals the mapping of single samples, for any window, slope, padding and polarity', () => {
    const number = fc.double({ min: -5000, max: 5000, noNaN: true });
    const pipelines: fc.Arbitrary<GrayPipeline> = fc.record({
      modality: fc.tuple(number, number).map(([slope, intercept]) => toRescale(slope / 100, intercept)),
      voi: fc.record({
        kind: fc.constant('window' as const),
        window: fc.record({
          center: number,
          width: fc.double({ min: 1e-3, max: 9000, noNaN: true }),
          shape: fc.constantFrom('LINEAR' as const, 'LINEAR_EXACT' as const, 'SIGMOID' as const),
        }),
      }),
      padding: fc.option(
        fc.tuple(number, number).map(([value, limit]) => toPixelPadding(value, limit)),
        { nil: undefined },
      ),
      inverted: fc.boolean(),
    });
    fc.assert(
      fc.property(pipelines, fc.boolean(), fc.integer({ min: 1, max: 16 }), (pipeline, signed, bits) => {
        const table = buildGrayTable(pipeline, { bytes: 2, signed, bits });
        // Only the lowest bits of a word count; for signed samples, the highest of these is the sign.
        const toSample = (word: number) => (signed ? (word << (32 - bits)) >> (32 - bits) : word & (2 ** bits - 1));
        const expected = Uint8Array.from(table, (_, word) => toGray(toSample(word), pipeline));
        expect(table.every((level, word) => level === expected[word])).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('of signed bytes has 256 entries', () => {
    const plain: GrayPipeline = {
      ...brain,
      modality: NO_RESCALE,
      voi: { kind: 'window', window: { center: 0.5, width: 256, shape: 'LINEAR' } },
    };
    const table = buildGrayTable(plain, { bytes: 1, signed: true });
    expect(table.length).toBe(256);
    // -128 is black, -1 is 127, 0 is 128, 127 is white.
    expect([0x80, 0xff, 0x00, 0x7f].map((index) => table[index])).toEqual([0, 127, 128, 255]);
  });

  test('is built once for equal parameters and dropped after many others were used', () => {
    const tables = createGrayTables(2);
    const width = { bytes: 2, signed: true } as const;
    const first = tables.get(brain, width);
    expect(tables.get({ ...brain }, width)).toBe(first);
    expect(tables.get({ ...brain, inverted: true }, width)).not.toBe(first);
    expect(tables.get(brain, width)).toBe(first);
    tables.get({ ...brain, padding: { low: 0, high: 0 } }, width);
    tables.get({ ...brain, padding: { low: 1, high: 1 } }, width);
    expect(tables.get(brain, width)).not.toBe(first);
  });
});

test('a table is applied to every sample, wherever the frame begins in its buffer', () => {
  const table = Uint8Array.from({ length: 65_536 }, (_, index) => (index * 7 + (index >> 8)) & 0xff);
  const frames = fc.record({
    samples: fc.uint16Array({ maxLength: 20 }),
    before: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(frames, ({ samples, before }) => {
      const frame = Uint16Array.from([...new Uint16Array(before), ...samples]).subarray(before);
      expect([...applyTable(frame, table)]).toEqual([...samples].map((sample) => table[sample]));
    }),
  );
});

test('a table is applied to runs of bytes, wherever the frame begins in its buffer', () => {
  const table = Uint8Array.from({ length: 256 }, (_, index) => (index * 7 + 3) & 0xff);
  const runs = fc.array(fc.record({ value: fc.constantFrom(0, 1, 255), length: fc.nat(13) }), { maxLength: 12 });
  fc.assert(
    fc.property(runs, fc.nat(3), (all, before) => {
      const samples = all.flatMap(({ value, length }) => Array<number>(length).fill(value));
      const frame = Uint8Array.from([...new Uint8Array(before), ...samples]).subarray(before);
      expect([...applyTable(frame, table)]).toEqual(samples.map((sample) => table[sample]));
    }),
  );
});
