import { describe, expect, test } from 'vitest';
import { explicit, item, itemEnd, join, part10, sequenceEnd, UNDEFINED } from '../../../test/support/rawElements.ts';
import { bufferSource } from './byteSource.ts';
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

/** How deep items are kept, whether that was flagged, and an element after them. */
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

/** Opens a hundred thousand sequences and closes none. */
function openOnly(depth: number): Uint8Array {
  const one = join(explicit(Tag.ReferencedImageSequence, 'SQ', '', UNDEFINED), item(new Uint8Array(0), UNDEFINED));
  return join(...Array.from({ length: depth }, () => one));
}

describe('limits', () => {
  test('64 levels of items are read, the 65th is passed over', () => {
    expect(depthOf(part10(join(nest(64), ROWS)))).toEqual([64, false, 2]);
    expect(depthOf(part10(join(nest(65), ROWS)))).toEqual([64, true, 2]);
    expect(depthOf(part10(join(nest(1000), ROWS)))).toEqual([64, true, 2]);
  });

  test('a hundred thousand open sequences end the reading', () => {
    expect(codesOf(read(part10(openOnly(100_000))))).toContain('depth_limited');
  });

  test('a cap on elements keeps what was read', () => {
    const elements = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`001110${(index + 16).toString(16)}`, { vr: 'LO', value: 'x' }]),
    );
    const object = read(writeDicom(elements), { limits: { maxElements: 10 } });
    expect(object.dataSet.size).toBe(10);
    expect(codesOf(object)).toEqual(['element_limit']);
  });

  test('a cap on bytes does too', () => {
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

  test('a million empty items take no memory for what is not kept', () => {
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
