import { describe, expect, test } from 'vitest';
import { collectGarbage } from '../../../../test/support/collectGarbage.ts';
import { explicit, item, itemEnd, join, part10, sequenceEnd, UNDEFINED } from '../../../../test/support/rawElements.ts';
import { countingSource } from '../../../../test/support/countingSource.ts';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { readDicom, type ReadOptions } from './readDataSet.ts';
import * as Tag from './tag.ts';
import { writeDicom } from './writeDicom.ts';

const ROWS = explicit(Tag.Rows, 'US', '\x02\x00');

function read(file: Uint8Array, options?: ReadOptions) {
  return readDicom(bufferSource(file), options);
}

function codesOf({ flags }: { flags: readonly { code: string }[] }): string[] {
  return flags.map(({ code }) => code);
}

/** The depth to which items are kept, whether the limit was flagged, and the value of an element after them. */
function depthOf(file: Uint8Array): readonly [number, boolean, number | undefined] {
  const object = read(file);
  let depth = 0;
  let [at] = object.dataSet.items(Tag.ReferencedImageSequence);
  while (at !== undefined) {
    depth += 1;
    [at] = at.items(Tag.ReferencedImageSequence);
  }
  return [depth, codesOf(object).includes('depth_limited'), object.dataSet.number(Tag.Rows)];
}

function nest(depth: number): Uint8Array {
  let content = explicit(Tag.PatientID, 'LO', 'ABCD');
  for (let level = 0; level < depth; level += 1) {
    const body = join(item(content, UNDEFINED), itemEnd(), sequenceEnd());
    content = explicit(Tag.ReferencedImageSequence, 'SQ', body, UNDEFINED);
  }
  return content;
}

/** Opens `depth` sequences and closes none. */
function openOnly(depth: number): Uint8Array {
  const one = join(explicit(Tag.ReferencedImageSequence, 'SQ', '', UNDEFINED), item(new Uint8Array(0), UNDEFINED));
  return join(...Array.from({ length: depth }, () => one));
}

/** Private elements in tag order. */
function manyElements(count: number): Uint8Array {
  const one = explicit(0x00111000, 'LO', 'abcd');
  const content = new Uint8Array(count * one.length);
  const view = new DataView(content.buffer);
  for (let index = 0; index < count; index += 1) {
    content.set(one, index * one.length);
    view.setUint16(index * one.length, 0x11 + 2 * Math.floor(index / 50_000), true);
    view.setUint16(index * one.length + 2, 0x1000 + (index % 50_000), true);
  }
  return content;
}

const PIXELS = { Rows: 1, Columns: 2, BitsAllocated: 8, PixelData: new Uint8Array(2) };

/** Memory in use after garbage collection. */
function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('limits', () => {
  test('64 levels of items are read, the 65th is skipped', () => {
    expect(depthOf(part10(join(nest(64), ROWS)))).toEqual([64, false, 2]);
    expect(depthOf(part10(join(nest(65), ROWS)))).toEqual([64, true, 2]);
    expect(depthOf(part10(join(nest(1000), ROWS)))).toEqual([64, true, 2]);
  });

  test('a hundred thousand open sequences end the reading', () => {
    const file = countingSource(part10(openOnly(100_000)));
    file.peek = (position) => file.read(position, 4096);
    expect(codesOf(readDicom(file))).toContain('depth_limited');
    // Reading ends after a few thousand levels of 20 bytes, not after a hundred thousand.
    expect(file.bytesRead).toBeLessThan(200_000);
  });

  test('an element takes far less memory than an object with its value, which takes several hundred bytes', () => {
    const file = part10(manyElements(500_000));
    const before = bytesInUse();
    const object = read(file);
    // 48 bytes and a value of 4 bytes each, in storage that doubles and may be half empty; the rest is overhead of the
    // engine.
    expect(bytesInUse() - before).toBeLessThan(300_000 * (2 * (48 + 4) + 96));
    expect(object.dataSet.size).toBe(300_000);
    expect(object.dataSet.omitted).toMatchObject({ count: 200_000 });
    expect(object.dataSet.string(0x00111005)).toBe('abcd');
  });

  test('at the limit of elements, the elements read so far are kept', () => {
    const elements = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`001110${(index + 16).toString(16)}`, { vr: 'LO', value: 'x' }]),
    );
    const object = read(writeDicom({ ...elements, ...PIXELS }), { limits: { maxElements: 20 } });
    expect(object.dataSet.size).toBe(20);
    expect(codesOf(object)).toEqual(['element_limit']);
    // Eighty of the hundred, and the four that describe and hold the pixels; the pixel data is located anyway.
    expect(object.dataSet.omitted).toEqual({ tag: 0x00111024, count: 84, limit: 'element_limit' });
    expect(object.pixelData?.length).toBe(2);
  });

  test('a limit that is not exceeded sets no flag', () => {
    const object = read(writeDicom({ PatientID: 'A', Rows: 1 }), { limits: { maxElements: 2 } });
    expect([object.dataSet.size, object.dataSet.omitted, codesOf(object)]).toEqual([2, undefined, []]);
  });

  test('items count as elements, and omitted ones are counted', () => {
    const object = read(writeDicom({ ReferencedImageSequence: Array.from({ length: 20 }, () => ({ Rows: 1 })) }), {
      limits: { maxElements: 7 },
    });
    // Three items with one element each, and a fourth, empty item whose element is left out.
    const { items = [], itemCount } = object.dataSet.element(Tag.ReferencedImageSequence) ?? {};
    expect([items.map(({ size }) => size), itemCount]).toEqual([[1, 1, 1, 0], 20]);
    expect(items[3]?.omitted).toEqual({ tag: Tag.Rows, count: 1, limit: 'element_limit' });
  });

  test('if reading stops, every open data set says so', () => {
    const content = join(...Array.from({ length: 30 }, () => item(ROWS)));
    const file = part10(join(explicit(Tag.ReferencedImageSequence, 'SQ', content), ROWS));
    // 8 bytes for each header, 2 for each value: the element of the seventh item exceeds the limit.
    const { dataSet } = read(file, { limits: { maxBytes: 8 + 6 * 18 + 8 } });
    const [items, end] = [dataSet.items(Tag.ReferencedImageSequence), { count: undefined, limit: 'byte_limit' }];
    expect(dataSet.omitted).toEqual({ tag: Tag.ReferencedImageSequence, ...end });
    expect(items.map(({ size }) => size)).toEqual([1, 1, 1, 1, 1, 1, 0]);
    expect(items.map(({ omitted }) => omitted)).toEqual([...Array(6).fill(undefined), { tag: Tag.Rows, ...end }]);
  });

  test('the limit of bytes does the same', () => {
    const elements = {
      PatientID: 'A'.repeat(64),
      PatientName: 'B'.repeat(64),
      StudyDescription: 'C'.repeat(64),
      Rows: 1,
    };
    const object = read(writeDicom(elements), { limits: { maxBytes: 150 } });
    expect(object.dataSet.size).toBeLessThan(4);
    expect(codesOf(object)).toEqual(['byte_limit']);
  });

  test('a million empty items take memory only for the kept ones', () => {
    const empty = item();
    const content = new Uint8Array(1_000_000 * empty.length);
    for (let at = 0; at < content.length; at += empty.length) content.set(empty, at);
    const filter = { element: () => true, item: (_: number, index: number) => index < 3 };
    const { dataSet } = read(part10(explicit(Tag.ReferencedImageSequence, 'SQ', content)), { filter });
    expect(dataSet.items(Tag.ReferencedImageSequence)).toHaveLength(3);
    expect(dataSet.element(Tag.ReferencedImageSequence)?.itemCount).toBe(1_000_000);
  });

  test('a length of 4 GB in a file of 200 bytes allocates nothing', () => {
    const object = read(part10(explicit(Tag.PixelData, 'OB', 'abc', 0xfffffffe)));
    expect(object.pixelData).toMatchObject({ length: 3, declaredLength: 0xfffffffe });
  });
});
