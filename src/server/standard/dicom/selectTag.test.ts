import { appendFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sourceOf } from '../../../../test/support/sources.ts';
import type { TagNode } from '../../../shared/contract/tags.ts';
import { countingSource } from '../../../../test/support/countingSource.ts';
import { explicit, join, part10 } from '../../../../test/support/rawElements.ts';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { bufferSource, type ByteSource } from '../../bytes/origins/byteSource.ts';
import { readSelectedTag, readTags } from './readTags.ts';
import { type ItemRange, writeSelectedTag } from './selectTag.ts';
import * as Tag from './tag.ts';
import { ImplicitVrLittleEndian } from './transferSyntax.ts';
import { type DataSetInput, writeDicom, type WriteOptions } from './writeDicom.ts';

const PAGE = { offset: 0, limit: 64 };

const ELEMENTS: DataSetInput = {
  SpecificCharacterSet: 'ISO_IR 100',
  SOPClassUID: '1.2',
  ReferencedImageSequence: Array.from({ length: 10 }, (_, index) => ({
    ReferencedSOPInstanceUID: `1.2.${index}`,
    PurposeOfReferenceCodeSequence: [{ CodeMeaning: `Größe ${index}` }],
  })),
  '00110010': 'ACME',
  '00111001': { vr: 'LO', value: 'private' },
  Rows: 5,
};

function selectTag(source: ByteSource, path: string, selection: ItemRange): TagNode {
  return JSON.parse(new TextDecoder().decode(writeSelectedTag(source, path, selection)));
}

function select(path: string, page = PAGE, options: WriteOptions = {}) {
  return selectTag(bufferSource(writeDicom(ELEMENTS, options)), path, page);
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
  return 'no error';
}

function selectLeaf(elements: DataSetInput, path: string) {
  return selectTag(bufferSource(writeDicom(elements)), path, PAGE);
}

function writeKnown() {
  const path = writeBelow(createTempFolder(), 'a.dcm', writeDicom(ELEMENTS));
  return { path, source: sourceOf(path) };
}

describe('a tag path', () => {
  test.each(['(0028,0010)', '0028,0010'])('%s leads to an element of the data set', (path) => {
    expect(select(path)).toMatchObject({ tag: '(0028,0010)', keyword: 'Rows', value: { type: 'number', value: 5 } });
  });

  test('leads into items, counted from 0, in either case', () => {
    const node = select('(0008,1140)/3/(0040,a170)/0/(0008,0104)');
    expect(node).toMatchObject({ keyword: 'CodeMeaning', value: { type: 'string', value: 'Größe 3' } });
  });

  test('leads into sequences of undefined length', () => {
    const node = select('(0008,1140)/9/(0008,1155)', PAGE, { sequenceLength: 'undefined' });
    expect(node.value).toEqual({ type: 'string', value: '1.2.9' });
  });

  test('leads into the meta information', () => {
    expect(select('(0002,0010)').value).toEqual({ type: 'string', value: '1.2.840.10008.1.2.1' });
  });

  test('leads to a private element and names its creator', () => {
    expect(select('(0011,1001)')).toMatchObject({ creator: 'ACME', value: { type: 'string', value: 'private' } });
  });

  test('leads to an element out of order', () => {
    const file = part10(join(explicit(Tag.Rows, 'US', '\x02\0'), explicit(Tag.PatientID, 'LO', 'late')));
    expect(selectTag(bufferSource(file), '(0010,0020)', PAGE).value).toEqual({ type: 'string', value: 'late' });
  });

  test.each([
    ['(0010,0020)', 'tag_not_found'],
    ['(0002,0099)', 'tag_not_found'],
    ['(0008,1140)/10/(0008,1155)', 'tag_not_found'],
    ['(0008,1140)/0/(0010,0020)', 'tag_not_found'],
    ['(0028,0010)/0/(0008,0100)', 'tag_not_found'],
    ['(0008,1140)/0', 'invalid_query'],
    ['(0008,1140)/x/(0008,1155)', 'invalid_query'],
    ['(0008,1140)/-1/(0008,1155)', 'invalid_query'],
    ['(0008,1140)//(0008,1155)', 'invalid_query'],
    ['(0008,1140', 'invalid_query'],
    ['0008,1140)', 'invalid_query'],
    ['00081140', 'invalid_query'],
    ['Rows', 'invalid_query'],
    ['', 'invalid_query'],
    ['/', 'invalid_query'],
  ])('%s is %s', (path, code) => {
    expect(codeOf(() => select(path))).toBe(code);
  });
});

describe('a selected sequence', () => {
  test('is returned in pages', () => {
    const page = select('(0008,1140)', { offset: 8, limit: 64 });
    expect(page).toMatchObject({ truncated: true, total: 10 });
    const uids = page.value.type === 'sequence' ? page.value.items.map(([uid]) => uid?.value) : [];
    expect(uids).toEqual([
      { type: 'string', value: '1.2.8' },
      { type: 'string', value: '1.2.9' },
    ]);
  });

  test('is complete if all its items are on the page', () => {
    expect(select('(0008,1140)')).not.toHaveProperty('truncated');
    expect(select('(0008,1140)', { offset: 20, limit: 5 })).toMatchObject({ value: { items: [] }, total: 10 });
  });

  test('is the only element with an offset', () => {
    expect(codeOf(() => select('(0028,0010)', { offset: 1, limit: 1 }))).toBe('invalid_query');
  });
});

describe('a selected leaf', () => {
  test('is complete up to 1 MiB of text', () => {
    const text = 'x'.repeat(1024 * 1024);
    expect(selectLeaf({ TextValue: text }, '(0040,a160)')).not.toHaveProperty('truncated');
    const cut = selectLeaf({ TextValue: `${text}yy` }, '(0040,a160)');
    expect(cut).toMatchObject({ truncated: true, total: 1024 * 1024 + 2 });
  });

  test('is complete up to 65,536 numbers', () => {
    const numbers = Array.from({ length: 65_537 }, (_, index) => index % 10);
    const elements = { '00110010': 'NEGATO TEST', '00111001': { vr: 'UV', value: numbers } };
    const node = selectLeaf(elements, '(0011,1001)');
    expect(node).toMatchObject({ truncated: true, total: 65_537 });
    expect(node.value.type === 'numbers' && node.value.value.length).toBe(65_536);
  });

  test('counts its values exactly, however long it is', () => {
    const count = 3_000_000;
    const value = Buffer.alloc(count * 2, '1\\');
    value[value.length - 1] = 0x20;
    const file = writeDicom({ ContourData: Uint8Array.from(value) }, { transferSyntaxUid: ImplicitVrLittleEndian });
    expect(selectTag(bufferSource(file), '(3006,0050)', PAGE)).toMatchObject({ truncated: true, total: count });
  });

  test('is found without reading the values before it', () => {
    const long = new Uint8Array(400_000);
    const items = Array.from({ length: 50 }, () => ({
      ICCProfile: long.subarray(0, 4000),
      TextValue: 'x'.repeat(4000),
    }));
    const file = writeDicom({ ReferencedImageSequence: items, ICCProfile: long, Rows: 1 }, {});
    const source = countingSource(file);
    source.peek = (position) => source.read(position, 64);
    expect(selectTag(source, '(0028,0010)', PAGE).value).toEqual({ type: 'number', value: 1 });
    expect(source.bytesRead).toBeLessThan(3000);
  });
});

describe('a selected sequence', () => {
  const DEEPEST = 12;

  test('is returned with everything below its items, however deep and however many items there are', () => {
    const nest = (level: number): DataSetInput =>
      level === 0 ? { CodeMeaning: 'deepest' } : { ContentSequence: [nest(level - 1)], TextValue: String(level) };
    const many = Array.from({ length: 300 }, (_, item) => ({ TextValue: String(item) }));
    const file = writeDicom({ ContentSequence: [{ ContentSequence: [nest(DEEPEST), ...many] }] });
    const text = JSON.stringify(selectTag(bufferSource(file), '(0040,A730)', PAGE));
    expect(text).toContain('deepest');
    expect(text.match(/"TextValue"/g)).toHaveLength(DEEPEST + many.length);
    expect(text).not.toContain('truncated');
  });
});

describe('the tags of a file in the catalog', () => {
  /** The context that the pool passes to an implementation; here nothing is cancelled or transferred. */
  const context: TaskContext = {
    isCancelled: () => false,
    throwIfCancelled: () => undefined,
    transfer: (view) => view,
  };
  const all = { depth: 4, items: 64 };
  const rows = { tagPath: '(0028,0010)', ...PAGE };

  test('are read from the file itself, as JSON', () => {
    const { source } = writeKnown();
    const tree: unknown = JSON.parse(Buffer.from(readTags({ source, ...all }, context)).toString());
    expect(tree).toEqual(expect.arrayContaining([expect.objectContaining({ keyword: 'Rows' })]));
    const node: unknown = JSON.parse(Buffer.from(readSelectedTag({ source, ...rows }, context)).toString());
    expect(node).toMatchObject({ keyword: 'Rows', value: { type: 'number', value: 5 } });
  });

  test('are gone if the file was deleted or has changed', () => {
    const changed = writeKnown();
    appendFileSync(changed.path, 'x');
    expect(codeOf(() => readTags({ source: changed.source, ...all }, context))).toBe('file_gone');
    const gone = writeKnown();
    rmSync(gone.path);
    expect(codeOf(() => readSelectedTag({ source: gone.source, ...rows }, context))).toBe('file_gone');
  });
});
