import { inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type DataSetInput, writeDicom, type WriteOptions } from './writeDicom.ts';
import { DeflatedExplicitVrLittleEndian, ExplicitVrBigEndian, ImplicitVrLittleEndian } from './transferSyntax.ts';

/** Hex digits, spaced for reading. */
function hex(spaced: string): string {
  return spaced.replaceAll(/\s/g, '');
}

/** The bytes of the data set alone. */
function hexOf(elements: DataSetInput, options: WriteOptions = {}): string {
  return Buffer.from(writeDicom(elements, { ...options, meta: false })).toString('hex');
}

describe('bytes of elements, after PS3.5 7.1', () => {
  test('explicit: tag, VR, 16-bit length, value', () => {
    expect(hexOf({ Rows: 258 })).toBe(hex('28001000 5553 0200 0201'));
  });

  test('explicit with long length: two reserved bytes and 32 bits', () => {
    const elements = { PixelData: { vr: 'OB', value: Uint8Array.of(1, 2) } };
    expect(hexOf(elements)).toBe(hex('e07f1000 4f420000 02000000 0102'));
  });

  test('implicit: tag, 32-bit length, value', () => {
    expect(hexOf({ Rows: 258 }, { transferSyntaxUid: ImplicitVrLittleEndian })).toBe(hex('28001000 02000000 0201'));
  });

  test('big endian reverses tags, lengths and numbers', () => {
    expect(hexOf({ Rows: 258 }, { transferSyntaxUid: ExplicitVrBigEndian })).toBe(hex('00280010 5553 0002 0102'));
    const pixels = { BitsAllocated: 16, PixelData: Uint16Array.of(0x0102) };
    expect(hexOf(pixels, { transferSyntaxUid: ExplicitVrBigEndian })).toMatch(/7fe000104f570000000000020102$/);
  });

  test('values are padded to even length: text with a space, identifiers with a zero', () => {
    expect(hexOf({ PatientID: 'abc' })).toBe(hex('10002000 4c4f 0400 61626320'));
    expect(hexOf({ SOPInstanceUID: '1.2.3' })).toBe(hex('08001800 5549 0600 312e322e3300'));
  });

  test('elements are written in tag order, whatever the order of the input', () => {
    expect(hexOf({ Columns: 1, Rows: 2 })).toBe(hexOf({ Rows: 2, Columns: 1 }));
  });

  test('sequences of defined and of undefined length', () => {
    const elements = { ReferencedImageSequence: [{ Rows: 1 }, {}] };
    const item = hex('28001000 55530200 0100');
    expect(hexOf(elements)).toBe(hex(`08004011 53510000 1a000000 feff00e0 0a000000 ${item} feff00e0 00000000`));
    expect(hexOf(elements, { sequenceLength: 'undefined' })).toBe(
      hex(`
        08004011 53510000 ffffffff
        feff00e0 ffffffff ${item} feff0de0 00000000
        feff00e0 ffffffff feff0de0 00000000
        feffdde0 00000000`),
    );
  });

  test('encapsulated pixel data has one offset per frame in its basic table', () => {
    const fragments = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5), Uint8Array.of(6, 7)];
    const elements = { PixelData: { fragments, fragmentsPerFrame: [2, 1] } };
    // Frame 1 begins after items of 8 + 4 and 8 + 2 bytes.
    expect(hexOf(elements, { transferSyntaxUid: '1.2.840.10008.1.2.5' })).toBe(
      hex(`
        e07f1000 4f420000 ffffffff
        feff00e0 08000000 00000000 16000000
        feff00e0 04000000 01020300
        feff00e0 02000000 0405
        feff00e0 02000000 0607
        feffdde0 00000000`),
    );
  });

  test('an extended offset table counts in 64 bits and leaves the basic one empty', () => {
    const fragments = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)];
    const written = hexOf({ PixelData: { fragments, offsetTable: 'extended' } });
    expect(written).toContain(hex('e07f0100 4f560000 10000000 0000000000000000 0c00000000000000'));
    expect(written).toContain(hex('e07f0200 4f560000 10000000 0300000000000000 0200000000000000'));
    expect(written).toContain(hex('ffffffff feff00e000000000 feff00e004000000'));
  });

  test('a deflated data set inflates to the explicit one', () => {
    const elements = { PatientID: 'abc', Rows: 2 };
    const file = writeDicom(elements, { transferSyntaxUid: DeflatedExplicitVrLittleEndian, meta: false });
    expect(inflateRawSync(file).toString('hex')).toBe(hexOf(elements));
    expect(file.length % 2).toBe(0);
  });
});

describe('the file around the data set', () => {
  test('begins with a preamble, DICM and a group length that ends at the data set', () => {
    const file = Buffer.from(writeDicom({ SOPClassUID: '1.2.3', SOPInstanceUID: '1.2.4', Rows: 1 }));
    expect(file.toString('latin1', 128, 132)).toBe('DICM');
    const groupLength = file.readUInt32LE(140);
    expect(file.toString('hex', 144 + groupLength, 144 + groupLength + 4)).toBe('08001600');
    expect(file.includes('1.2.840.10008.1.2.1\0', 132, 'latin1')).toBe(true);
  });

  test('has the given preamble', () => {
    expect(writeDicom({ Rows: 1 }, { preamble: new Uint8Array(128).fill(7) })[127]).toBe(7);
    expect(() => writeDicom({ Rows: 1 }, { preamble: new Uint8Array(5) })).toThrow('5 bytes');
  });
});

describe('text', () => {
  test.each([
    ['ISO_IR 100', 'Jörg', '4af67267'],
    ['ISO_IR 192', 'Jörg', '4ac3b67267'],
    ['ISO_IR 144', 'Лю', 'bbee'],
  ])('in %s', (characterSet, name, stored) => {
    expect(hexOf({ SpecificCharacterSet: characterSet, PatientName: name })).toContain(stored);
  });

  test('items are written in the character set around them', () => {
    const elements = { SpecificCharacterSet: 'ISO_IR 100', ReferencedStudySequence: [{ PatientName: 'Jörg' }] };
    expect(hexOf(elements)).toContain('4af67267');
  });

  test('that the character set cannot represent is refused', () => {
    expect(() => writeDicom({ PatientName: 'Jörg' })).toThrow(/PatientName.*default character set/);
    expect(() => writeDicom({ SpecificCharacterSet: 'ISO_IR 100', PatientName: '山' })).toThrow(/no character/);
  });
});

// PS3.5 table 6.2-1.
describe('values that the standard forbids are refused', () => {
  const cases: readonly (readonly [string, DataSetInput, RegExp])[] = [
    ['an unknown keyword', { PatientNam: 'x' }, /neither a DICOM keyword/],
    ['a private element without VR', { '00091001': 'x' }, /give \{ vr, value \}/],
    ['the same element twice', { PatientID: 'a', '00100020': 'b' }, /given twice/],
    ['lower case in CS', { Modality: 'ct' }, /upper case/],
    ['17 characters in SH', { AccessionNumber: 'x'.repeat(17) }, /more than the 16/],
    ['a date that is none', { StudyDate: '20261301' }, /a date/],
    ['a time that is none', { StudyTime: '2560' }, /a time/],
    ['a word in DS', { SliceThickness: 'thin' }, /a decimal number/],
    ['a leading zero in a UID', { SOPInstanceUID: '1.02' }, /a unique identifier/],
    ['65 characters in a UID', { SOPInstanceUID: `1.${'2'.repeat(63)}` }, /more than the 64/],
    ['a negative US', { Rows: -1 }, /outside 0 to 65535/],
    ['a fraction in US', { Rows: 1.5 }, /not an integer/],
    ['text in US', { Rows: '1' }, /takes numbers/],
    ['a number in LO', { PatientID: 1 }, /takes text/],
    ['a name of four component groups', { PatientName: 'a=b=c=d' }, /at most 3 component groups/],
    ['a sequence that is none', { ReferencedImageSequence: 'x' }, /a list of items/],
    ['items where no sequence is', { PatientID: [{ Rows: 1 }] }, /needs the VR SQ/],
    ['a VR that is none', { '00091001': { vr: 'XX', value: 'x' } }, /not a value representation/],
    [
      'a value too long for its length field',
      { '00091001': { vr: 'LO', value: new Uint8Array(70_000) } },
      /16-bit length/,
    ],
  ];

  test.each(cases)('%s', (_, elements, message) => {
    expect(() => writeDicom(elements)).toThrow(message);
  });

  test('encapsulated data in an implicit syntax', () => {
    const elements = { PixelData: { fragments: [Uint8Array.of(1)] } };
    expect(() => writeDicom(elements, { transferSyntaxUid: ImplicitVrLittleEndian })).toThrow(/Explicit VR Little/);
  });
});
