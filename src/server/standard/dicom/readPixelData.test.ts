import { describe, expect, test } from 'vitest';
import { countingSource } from '../../../../test/support/countingSource.ts';
import { item, UNDEFINED } from '../../../../test/support/rawElements.ts';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { readDicom, type ReadOptions } from './readDataSet.ts';
import * as Tag from './tag.ts';
import { type DataSetInput, writeDicom } from './writeDicom.ts';

const IMAGE: DataSetInput = {
  SOPInstanceUID: '1.2.3',
  Rows: 2,
  Columns: 3,
  BitsAllocated: 16,
  PixelData: new Int16Array(6),
};

function read(file: Uint8Array, options?: ReadOptions) {
  return readDicom(bufferSource(file), options);
}

function codesOf({ flags }: { flags: readonly { code: string }[] }): string[] {
  return flags.map(({ code }) => code);
}

describe('pixel data', () => {
  const syntax = { transferSyntaxUid: '1.2.840.10008.1.2.5' };
  const fragments = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)];

  test('is located at its basic offset table if encapsulated, with its number of fragments', () => {
    const file = writeDicom({ Rows: 1, PixelData: { fragments } }, syntax);
    const { pixelData, dataSet } = read(file);
    expect(pixelData).toMatchObject({ encapsulated: true, declaredLength: UNDEFINED, vr: 'OB' });
    const offset = pixelData?.offset ?? 0;
    expect(file.subarray(offset, offset + 8)).toEqual(item(new Uint8Array(0), 8).subarray(0, 8));
    // 3 bytes are padded to 4.
    expect(dataSet.element(Tag.PixelData)?.fragments).toEqual({ count: 2, bytes: 6 });
    // Table 8 + 8, items 8 + 4 and 8 + 2, delimiter 8.
    expect(pixelData?.length).toBe(46);
  });

  test('elements after encapsulated pixel data are read', () => {
    const { dataSet } = read(
      writeDicom({ PixelData: { fragments }, DataSetTrailingPadding: new Uint8Array(4) }, syntax),
    );
    expect(dataSet.has(Tag.DataSetTrailingPadding)).toBe(true);
  });

  test.each([
    ['FloatPixelData', Float32Array.of(1.5), 'OF'],
    ['DoubleFloatPixelData', Float64Array.of(1.5), 'OD'],
  ])('%s is pixel data too', (keyword, values, vr) => {
    const { pixelData } = read(writeDicom({ Rows: 1, [keyword]: values }));
    expect(pixelData).toMatchObject({ vr, length: values.byteLength, encapsulated: false });
  });

  test('that is truncated has the length of the existing part', () => {
    const file = writeDicom({ Rows: 1, PixelData: new Uint8Array(1000) });
    const object = read(file.subarray(0, file.length - 400));
    expect(object.pixelData).toMatchObject({ length: 600, declaredLength: 1000 });
    expect(codesOf(object)).toContain('truncated');
  });

  test('is located even if reading stops before it', () => {
    const object = read(writeDicom(IMAGE), { until: Tag.FloatPixelData });
    expect(object.dataSet.has(Tag.PixelData)).toBe(false);
    expect(object.pixelData).toMatchObject({ tag: Tag.PixelData, length: 12 });
    expect(read(writeDicom(IMAGE), { until: Tag.Rows }).dataSet.has(Tag.Rows)).toBe(false);
  });

  test('is not read until requested, like other bulk data and long values', () => {
    const long = new Uint8Array(1_000_000).fill(65);
    const file = writeDicom({
      ...IMAGE,
      ICCProfile: long,
      TextValue: 'x'.repeat(200_000),
      BitsAllocated: 8,
      PixelData: long,
    });
    const source = countingSource(file);
    source.peek = (position) => source.read(position, 512);
    const { dataSet } = readDicom(source);
    expect(source.bytesRead).toBeLessThan(20_000);
    expect(Buffer.from(dataSet.bytes(Tag.ICCProfile, 1_000_000) ?? []).equals(long)).toBe(true);
    // 1 + 64 KiB of unlimited text are read, followed by a mark that there is more.
    expect(dataSet.string(Tag.TextValue)).toBe(`${'x'.repeat(65 * 1024)}\u2026`);
  });
});
