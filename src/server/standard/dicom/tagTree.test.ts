import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { TagNodes, type TagNode } from '../../../shared/contract/tags.ts';
import { countingSource } from '../../../../test/support/countingSource.ts';
import { explicit, join, part10 } from '../../../../test/support/rawElements.ts';
import { bufferSource, type ByteSource } from '../../bytes/origins/byteSource.ts';
import { type TagTreeOptions, writeTagTree } from './tagTree.ts';
import * as Tag from './tag.ts';
import { ExplicitVrBigEndian, ImplicitVrLittleEndian } from './transferSyntax.ts';
import { type DataSetInput, writeDicom, type WriteOptions } from './writeDicom.ts';

const ALL: TagTreeOptions = { depth: 4, items: 64 };

function readTree(source: ByteSource, options = ALL): TagNode[] {
  return JSON.parse(new TextDecoder().decode(writeTagTree(source, options)));
}

function treeOf(elements: DataSetInput, options: TagTreeOptions = ALL, write: WriteOptions = {}): TagNode[] {
  return readTree(bufferSource(writeDicom(elements, write)), options);
}

function nodeOf(elements: DataSetInput, tag: string, write: WriteOptions = {}): TagNode | undefined {
  return treeOf(elements, ALL, write).find((node) => node.tag === tag);
}

function rawNode(element: Uint8Array): TagNode | undefined {
  return readTree(bufferSource(part10(element))).at(-1);
}

describe('a tag tree', () => {
  test('lists the meta information and the data set in tag order, by the schema of the contract', () => {
    const tree = treeOf({ SOPClassUID: '1.2', PatientName: 'A^B', ReferencedImageSequence: [{ Rows: 1 }], Rows: 5 });
    expect(tree.map(({ tag }) => tag)).toEqual([
      '(0002,0000)',
      '(0002,0001)',
      '(0002,0002)',
      '(0002,0010)',
      '(0002,0012)',
      '(0002,0013)',
      '(0008,0016)',
      '(0008,1140)',
      '(0010,0010)',
      '(0028,0010)',
    ]);
    expect(Value.Check(TagNodes, tree)).toBe(true);
  });

  test('names elements by the dictionary', () => {
    expect(nodeOf({ PatientName: 'A^B' }, '(0010,0010)')).toEqual({
      tag: '(0010,0010)',
      vr: 'PN',
      keyword: 'PatientName',
      name: "Patient's Name",
      value: { type: 'string', value: 'A^B' },
    });
  });

  test('names the creator of private elements', () => {
    const elements = {
      '00110010': 'ACME',
      '00110011': 'OTHER',
      '00111001': { vr: 'LO', value: 'x' },
      '00111101': { vr: 'LO', value: 'y' },
      '00111201': { vr: 'LO', value: 'z' },
    };
    const creators = treeOf(elements).map(({ tag, keyword, creator }) => [tag, keyword, creator]);
    expect(creators.slice(-5)).toEqual([
      ['(0011,0010)', '', undefined],
      ['(0011,0011)', '', undefined],
      ['(0011,1001)', '', 'ACME'],
      ['(0011,1101)', '', 'OTHER'],
      ['(0011,1201)', '', undefined],
    ]);
  });

  // Each VR has one kind of value.
  const values: readonly (readonly [string, DataSetInput, unknown])[] = [
    ['text', { '00111001': { vr: 'LO', value: 'a' } }, { type: 'string', value: 'a' }],
    ['several texts', { '00111001': { vr: 'CS', value: ['A', 'B'] } }, { type: 'strings', value: ['A', 'B'] }],
    ['no text', { '00111001': { vr: 'LO', value: '' } }, { type: 'empty' }],
    ['a decimal string', { '00111001': { vr: 'DS', value: '1.50' } }, { type: 'number', value: 1.5 }],
    ['several integers', { '00111001': { vr: 'IS', value: [1, 2] } }, { type: 'numbers', value: [1, 2] }],
    ['a number', { '00111001': { vr: 'SS', value: -3 } }, { type: 'number', value: -3 }],
    ['several numbers', { '00111001': { vr: 'FD', value: [0.1, 2] } }, { type: 'numbers', value: [0.1, 2] }],
    // The decimal with the fewest digits that reads back as the same 32 bits: 3.1 is stored as 3.09999990463256836.
    ['a single', { '00111001': { vr: 'FL', value: 3.1 } }, { type: 'number', value: 3.1 }],
    [
      'singles that need nine digits, that are whole, and that are denormal',
      { '00111001': { vr: 'FL', value: [16_777_217.5, 0.1 + 2 ** -27, -2, 1e-44] } },
      { type: 'numbers', value: [16_777_218, 0.10000001, -2, 1e-44] },
    ],
    ['a tag', { '00111001': { vr: 'AT', value: 0x00280010 } }, { type: 'string', value: '(0028,0010)' }],
    ['bytes', { '00111001': { vr: 'OB', value: Uint8Array.of(1, 2) } }, { type: 'binary', length: 2 }],
    ['bytes of unknown kind', { '00111001': { vr: 'UN', value: Uint8Array.of(1, 2) } }, { type: 'binary', length: 2 }],
    [
      'a large integer',
      { '00111001': { vr: 'UV', value: 2n ** 60n } },
      { type: 'strings', value: ['1152921504606846976'] },
    ],
    ['a small 64-bit integer', { '00111001': { vr: 'SV', value: -9n } }, { type: 'number', value: -9 }],
    ['an empty sequence', { '00111001': { vr: 'SQ', value: [] } }, { type: 'sequence', items: [] }],
  ];
  test.each(values)('shows %s', (_, elements, value) => {
    expect(treeOf({ '00110010': 'NEGATO TEST', ...elements }).at(-1)?.value).toEqual(value);
  });

  test('shows the total length and the number of fragments of encapsulated pixel data', () => {
    const fragments = [Uint8Array.of(1, 2), Uint8Array.of(3, 4, 5, 6)];
    const node = nodeOf({ PixelData: { fragments } }, '(7FE0,0010)', { transferSyntaxUid: '1.2.840.10008.1.2.5' });
    expect(node?.value).toEqual({ type: 'binary', length: 6, fragments: 2 });
  });

  test('resolves VRs that depend on other elements in implicit transfer syntaxes', () => {
    const elements = { PixelRepresentation: 1, SmallestImagePixelValue: -5 };
    const node = nodeOf(elements, '(0028,0106)', { transferSyntaxUid: ImplicitVrLittleEndian });
    expect(node).toMatchObject({ vr: 'SS', value: { type: 'number', value: -5 } });
  });
});

describe('a UN element', () => {
  test.each([
    ['text', explicit(Tag.PatientID, 'UN', 'P1  '), { type: 'string', value: 'P1' }, 'LO'],
    ['numeric text', explicit(Tag.SliceThickness, 'UN', '1.5\\2 '), { type: 'numbers', value: [1.5, 2] }, 'DS'],
    ['a number', explicit(Tag.Rows, 'UN', '\x00\x02'), { type: 'number', value: 512 }, 'US'],
  ])('of a public tag is read by the VR of the dictionary: %s', (_, element, value, readAs) => {
    expect(rawNode(element)).toMatchObject({ vr: 'UN', read_as: readAs, value });
  });

  test('is little endian in every transfer syntax. PS3.5 6.2.2', () => {
    const bigEndian = part10(
      Uint8Array.of(0, 0x28, 0, 0x10, 0x55, 0x4e, 0, 0, 0, 0, 0, 2, 0x00, 0x02),
      ExplicitVrBigEndian,
    );
    expect(readTree(bufferSource(bigEndian)).at(-1)?.value).toEqual({ type: 'number', value: 512 });
  });

  test('is shown by its length if its value does not fit the VR or its tag is unknown', () => {
    expect(rawNode(explicit(Tag.Rows, 'UN', '\x01\x02\x03'))?.value).toEqual({ type: 'binary', length: 3 });
    expect(rawNode(explicit(0x00280fff, 'UN', '\x01\x02'))?.value).toEqual({ type: 'binary', length: 2 });
    expect(rawNode(explicit(Tag.RedPaletteColorLookupTableData, 'UN', 'ab'))?.value).toMatchObject({ length: 2 });
  });
});

describe('a value that cannot be decoded is shown as an error', () => {
  test.each([
    ['bytes that do not fill a number', explicit(Tag.Rows, 'US', '\x01\x02\x03'), 'not a multiple'],
    ['a number that JSON has not', explicit(Tag.RealWorldValueSlope, 'FD', '\0\0\0\0\0\0\xf8\x7f'), 'value 1 is NaN'],
    ['a value that is cut off', explicit(Tag.PatientID, 'LO', 'ab', 20), 'only 2 of 20 bytes'],
  ])('%s', (_, element, message) => {
    expect(rawNode(element)?.value).toEqual({ type: 'error', message: expect.stringContaining(message) });
  });

  test.each([
    ['a decimal string that is none', explicit(Tag.SliceThickness, 'DS', 'thin'), 'thin', '"thin", is not a number'],
    ['an integer string that is none', explicit(Tag.InstanceNumber, 'IS', '7 of 9 '), '7 of 9', 'value 1, "7 of 9"'],
    ['an empty value among numbers', explicit(Tag.PixelSpacing, 'DS', '1\\\\2 '), '1\\\\2', 'value 2'],
  ])('%s, with its text', (_, element, text, message) => {
    expect(rawNode(element)?.value).toEqual({ type: 'error', message: expect.stringContaining(message), text });
  });

  test('with its text truncated like other texts', () => {
    const node = rawNode(explicit(Tag.SliceThickness, 'DS', 'x'.repeat(3000)));
    expect(node).toMatchObject({ value: { type: 'error', text: 'x'.repeat(1024) }, truncated: true, total: 3000 });
  });

  test('and the other elements are still shown', () => {
    const file = part10(join(explicit(Tag.PatientID, 'LO', 'ok'), explicit(Tag.SliceThickness, 'DS', 'thin')));
    const tree = readTree(bufferSource(file));
    const typeOf = (tag: string) => tree.find((node) => node.tag === tag)?.value.type;
    expect([typeOf('(0010,0020)'), typeOf('(0018,0050)')]).toEqual(['string', 'error']);
  });
});

describe('previews are capped', () => {
  test('numbers at 128', () => {
    const contour = Array.from({ length: 300 }, (_, index) => index);
    for (const vr of ['DS', 'US', 'FD']) {
      const node = treeOf({ '00110010': 'NEGATO TEST', '00111001': { vr, value: contour } }).at(-1);
      expect(node).toMatchObject({
        value: { type: 'numbers', value: contour.slice(0, 128) },
        truncated: true,
        total: 300,
      });
    }
  });

  test('text at 1,024 characters, without splitting a character', () => {
    const text = 'x'.repeat(1023) + '😀'.repeat(10);
    const node = nodeOf({ SpecificCharacterSet: 'ISO_IR 192', TextValue: text }, '(0040,A160)');
    expect(node).toMatchObject({ value: { type: 'string', value: 'x'.repeat(1023) }, truncated: true, total: 1043 });
    const whole = nodeOf({ TextValue: 'x'.repeat(1024) }, '(0040,A160)');
    expect(whole).not.toHaveProperty('truncated');
  });

  test('items and depth at the requested numbers', () => {
    const elements = {
      ReferencedImageSequence: [
        { PurposeOfReferenceCodeSequence: [{ CodeValue: 'A' }] },
        { PurposeOfReferenceCodeSequence: [{ CodeValue: 'B' }] },
      ],
    };
    const at = (options: TagTreeOptions) => treeOf(elements, options).at(-1);
    const purpose = { tag: '(0040,A170)', vr: 'SQ', keyword: 'PurposeOfReferenceCodeSequence' };
    const cut = { value: { type: 'sequence', items: [] }, truncated: true, total: 1 };

    expect(at({ depth: 1, items: 64 })).toMatchObject({ value: { items: [] }, truncated: true, total: 2 });
    expect(at({ depth: 2, items: 1 })).toMatchObject({
      value: { items: [[{ ...purpose, ...cut }]] },
      truncated: true,
      total: 2,
    });
    const full = at({ depth: 3, items: 64 });
    expect(full).toMatchObject({ value: { items: [[{ value: { items: [[{ value: { value: 'A' } }]] } }], [{}]] } });
    expect(full).not.toHaveProperty('truncated');
  });
});

test('values that are shown by their length are not read', () => {
  const long = new Uint8Array(500_000);
  const source = countingSource(writeDicom({ ICCProfile: long, BitsAllocated: 8, PixelData: long, Rows: 1 }));
  source.peek = (position) => source.read(position, 256);
  expect(readTree(source).at(-1)?.value).toEqual({ type: 'binary', length: 500_000 });
  expect(source.bytesRead).toBeLessThan(10_000);
});

test('a truncated tree has the number of elements that it does not show', () => {
  const one = explicit(0x00111001, 'LO', 'ab');
  const content = new Uint8Array(100_010 * one.length);
  const view = new DataView(content.buffer);
  for (let index = 0; index < 100_010; index += 1) {
    content.set(one, index * one.length);
    view.setUint16(index * one.length, 0x11 + 2 * Math.floor(index / 50_000), true);
    view.setUint16(index * one.length + 2, 0x1000 + (index % 50_000), true);
  }
  const tree = readTree(bufferSource(part10(content)));
  // Two elements of meta information, the hundred thousand that are shown, and the note about the omitted elements.
  expect(tree).toHaveLength(100_003);
  expect(tree.at(-1)).toEqual({
    tag: '(0015,1000)',
    vr: 'UN',
    keyword: '',
    name: 'Private Element',
    truncated: true,
    total: 10,
    value: { type: 'error', message: '10 elements are not shown: the object has too many elements' },
  });
});

test('values that are tags are listed one by one, and are an error if their length is not a multiple of 4', () => {
  const tags = Uint8Array.of(0x28, 0, 0x10, 0, 0x28, 0, 0x11, 0);
  expect(rawNode(explicit(0x00280009, 'AT', tags))?.value).toEqual({
    type: 'strings',
    value: ['(0028,0010)', '(0028,0011)'],
  });
  expect(rawNode(explicit(0x00280009, 'AT', tags.subarray(0, 4)))?.value).toEqual({
    type: 'string',
    value: '(0028,0010)',
  });
  for (const length of [2, 6]) {
    expect(rawNode(explicit(0x00280009, 'AT', tags.subarray(0, length)))?.value).toEqual({
      type: 'error',
      message: `${length} bytes are not a multiple of 4, the size of a value of AT`,
    });
  }
});

test('the first of many values are shown, with their number', () => {
  const texts = rawNode(explicit(0x00081030, 'LO', '\\'.repeat(9_998)));
  expect(texts).toMatchObject({ truncated: true, total: 9_999, value: { type: 'strings' } });
  expect(texts?.value).toHaveProperty('value.length', 128);
  const numbers = rawNode(explicit(0x00280030, 'DS', '1\\'.repeat(4_999) + '22'));
  expect(numbers).toMatchObject({ truncated: true, total: 5_000, value: { type: 'numbers' } });
  expect(numbers?.value).toHaveProperty('value.length', 128);
});
