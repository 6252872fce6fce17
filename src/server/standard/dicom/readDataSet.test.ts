import { describe, expect, test } from 'vitest';
import { explicit, implicit, item, join, part10 } from '../../../../test/support/rawElements.ts';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { readDicom } from './readDataSet.ts';
import * as Tag from './tag.ts';
import { DeflatedExplicitVrLittleEndian, ExplicitVrBigEndian, ImplicitVrLittleEndian } from './transferSyntax.ts';
import { type DataSetInput, writeDicom, type WriteOptions } from './writeDicom.ts';

const IMAGE: DataSetInput = {
  SpecificCharacterSet: 'ISO_IR 100',
  SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
  SOPInstanceUID: '1.2.3',
  ReferencedImageSequence: [{ ReferencedSOPInstanceUID: '1.2.4' }, { ReferencedSOPInstanceUID: '1.2.5' }],
  PatientName: 'Müller^Jörg',
  Rows: 2,
  Columns: 3,
  BitsAllocated: 16,
  PixelRepresentation: 1,
  SmallestImagePixelValue: -7,
  PixelSpacing: [0.5, 0.25],
  PixelData: Int16Array.of(1, -2, 3, -4, 5, -6),
};

const PATIENT_ID = explicit(Tag.PatientID, 'LO', 'ABCD');
const ROWS = explicit(Tag.Rows, 'US', '\x02\x00');

function read(file: Uint8Array) {
  return readDicom(bufferSource(file));
}

function codesOf({ flags }: { flags: readonly { code: string }[] }): string[] {
  return flags.map(({ code }) => code);
}

describe('every encoding gives the same values', () => {
  test.each<[string, WriteOptions]>([
    ['explicit little endian', {}],
    ['undefined sequence lengths', { sequenceLength: 'undefined' }],
    ['implicit', { transferSyntaxUid: ImplicitVrLittleEndian }],
    ['implicit with undefined lengths', { transferSyntaxUid: ImplicitVrLittleEndian, sequenceLength: 'undefined' }],
    ['explicit big endian', { transferSyntaxUid: ExplicitVrBigEndian }],
    ['deflated', { transferSyntaxUid: DeflatedExplicitVrLittleEndian }],
    ['without preamble', { preamble: false }],
    ['without meta information', { meta: false }],
    ['implicit without meta information', { meta: false, transferSyntaxUid: ImplicitVrLittleEndian }],
    ['big endian without meta information', { meta: false, transferSyntaxUid: ExplicitVrBigEndian }],
  ])('%s', (_, options) => {
    const { dataSet, pixelData } = read(writeDicom(IMAGE, options));

    expect(dataSet.string(Tag.PatientName)).toBe('Müller^Jörg');
    expect(dataSet.number(Tag.Rows)).toBe(2);
    expect(dataSet.number(Tag.SmallestImagePixelValue)).toBe(-7);
    expect(dataSet.numbers(Tag.PixelSpacing, 1000)).toEqual([0.5, 0.25]);
    const references = dataSet
      .items(Tag.ReferencedImageSequence)
      .map((one) => one.string(Tag.ReferencedSOPInstanceUID));
    expect(references).toEqual(['1.2.4', '1.2.5']);
    expect(pixelData).toMatchObject({ tag: Tag.PixelData, vr: 'OW', length: 12, encapsulated: false });
    const stored = pixelData?.source.read(pixelData.offset, pixelData.length);
    const littleEndian = options.transferSyntaxUid !== ExplicitVrBigEndian;
    expect(new DataView(Uint8Array.from(stored ?? []).buffer).getInt16(2, littleEndian)).toBe(-2);
  });
});

describe('a data set returns', () => {
  const { dataSet } = read(writeDicom(IMAGE));

  test('undefined or an empty list for absent elements', () => {
    expect(dataSet.has(Tag.PatientID)).toBe(false);
    expect(dataSet.string(Tag.PatientID)).toBeUndefined();
    expect(dataSet.number(Tag.PatientID)).toBeUndefined();
    expect(dataSet.bytes(Tag.PatientID, 1_000_000)).toBeUndefined();
    expect(dataSet.strings(Tag.PatientID, 100)).toEqual([]);
    expect(dataSet.numbers(Tag.PatientID, 1000)).toEqual([]);
    expect(dataSet.items(Tag.PatientID)).toEqual([]);
  });

  test('its elements in the order of their tags', () => {
    const tags = [...dataSet].map(({ tag }) => tag);
    expect(tags).toEqual(tags.toSorted((a, b) => a - b));
    expect(tags).toHaveLength(Object.keys(IMAGE).length);
  });

  test('text without padding, long text with its leading spaces', () => {
    const { dataSet: padded } = read(
      part10(join(explicit(Tag.PatientID, 'LO', '  A B  '), explicit(Tag.ImageComments, 'LT', '  x  '))),
    );
    expect(padded.string(Tag.PatientID)).toBe('A B');
    expect(padded.string(Tag.ImageComments)).toBe('  x');
  });

  test('undefined for text that is not a number, or NaN among several', () => {
    const { dataSet: odd } = read(part10(explicit(Tag.PixelSpacing, 'DS', '0.5\\abc ')));
    expect(odd.numbers(Tag.PixelSpacing, 1000)).toEqual([0.5, Number.NaN]);
    expect(read(part10(explicit(Tag.PixelSpacing, 'DS', 'abc '))).dataSet.number(Tag.PixelSpacing)).toBeUndefined();
  });

  test('numbers of every binary VR', () => {
    const written: DataSetInput = {
      '00110010': 'NEGATO TEST',
      '00111001': { vr: 'UL', value: 4_000_000_000 },
      '00111002': { vr: 'SL', value: [-1, 2] },
      '00111003': { vr: 'FL', value: 1.5 },
      '00111004': { vr: 'FD', value: 0.1 },
      '00111005': { vr: 'SV', value: -5n },
      '00111006': { vr: 'UV', value: 6 },
      '00111007': { vr: 'AT', value: 0x00280010 },
      '00111008': { vr: 'OF', value: Float32Array.of(2.5) },
    };
    for (const transferSyntaxUid of ['1.2.840.10008.1.2.1', ExplicitVrBigEndian]) {
      const { dataSet: numbers } = read(writeDicom(written, { transferSyntaxUid }));
      const values = [1, 2, 3, 4, 5, 6, 7, 8].map((index) => numbers.numbers(0x00111000 + index, 1000));
      expect(values).toEqual([[4_000_000_000], [-1, 2], [1.5], [0.1], [-5], [6], [0x00280010], [2.5]]);
    }
  });
});

describe('file meta information', () => {
  test('is its own data set', () => {
    const { meta, transferSyntaxUid } = read(writeDicom(IMAGE));
    expect(meta.string(Tag.MediaStorageSOPInstanceUID)).toBe('1.2.3');
    expect(transferSyntaxUid).toBe('1.2.840.10008.1.2.1');
  });

  test('ends with group 0002, whatever its declared length', () => {
    const file = writeDicom({ ...IMAGE, FileMetaInformationGroupLength: 6 });
    const object = read(file);
    expect(object.dataSet.string(Tag.SOPInstanceUID)).toBe('1.2.3');
    expect(codesOf(object)).toEqual(['wrong_meta_length']);
  });

  test('without a length is still read', () => {
    const meta = explicit(Tag.TransferSyntaxUID, 'UI', '1.2.840.10008.1.2.1\0');
    const object = read(join(new Uint8Array(128), Buffer.from('DICM'), meta, PATIENT_ID));
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toEqual(['missing_meta_length']);
  });

  test('added by a gateway in front of the original one takes precedence', () => {
    const length = explicit(Tag.FileMetaInformationGroupLength, 'UL', '\x1c\x00\x00\x00');
    const second = join(length, explicit(Tag.TransferSyntaxUID, 'UI', `${ExplicitVrBigEndian}\0`));
    const object = read(part10(join(second, PATIENT_ID)));
    expect(object.transferSyntaxUid).toBe('1.2.840.10008.1.2.1');
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
  });

  test('with the wrong transfer syntax is corrected from the elements', () => {
    const object = read(part10(join(PATIENT_ID, ROWS), ImplicitVrLittleEndian));
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toContain('wrong_transfer_syntax');
    expect(object).toMatchObject({ explicit: true, transferSyntaxUid: ImplicitVrLittleEndian });
  });

  test('that declares a plain data set as deflated is corrected too', () => {
    const object = read(part10(join(PATIENT_ID, ROWS), DeflatedExplicitVrLittleEndian));
    expect(object.dataSet.number(Tag.Rows)).toBe(2);
  });

  test('that is absent leaves the transfer syntax to detection', () => {
    const object = read(writeDicom(IMAGE, { meta: false, transferSyntaxUid: ImplicitVrLittleEndian }));
    expect(codesOf(object)).toEqual(['missing_preamble', 'missing_meta', 'guessed_transfer_syntax']);
    expect(object.transferSyntaxUid).toBe(ImplicitVrLittleEndian);
  });
});

describe('data that violates the standard', () => {
  test('an odd length is accepted', () => {
    const object = read(part10(join(explicit(Tag.PatientID, 'LO', 'ABC'), ROWS)));
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABC');
    expect(object.dataSet.number(Tag.Rows)).toBe(2);
    expect(codesOf(object)).toEqual(['odd_length']);
  });

  test('a VR that differs from the dictionary is accepted', () => {
    const object = read(part10(explicit(Tag.Rows, 'UL', '\x02\x00\x00\x00')));
    expect(object.dataSet.number(Tag.Rows)).toBe(2);
    expect(codesOf(object)).toEqual(['vr_mismatch']);
  });

  test('a value longer than the file is truncated, and earlier elements are kept', () => {
    const object = read(part10(join(PATIENT_ID, explicit(Tag.ImageComments, 'LT', 'cut', 40_000))));
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(object.dataSet.element(Tag.ImageComments)).toMatchObject({ length: 3, declaredLength: 40_000 });
    expect(codesOf(object)).toContain('truncated');
  });

  test('a length beyond its item ends with the item', () => {
    const broken = item(explicit(Tag.ReferencedSOPInstanceUID, 'UI', '1.2.', 400));
    const object = read(
      part10(join(explicit(Tag.ReferencedImageSequence, 'SQ', broken), PATIENT_ID, new Uint8Array(512))),
    );
    expect(object.dataSet.items(Tag.ReferencedImageSequence)[0]?.string(Tag.ReferencedSOPInstanceUID)).toBe('1.2.');
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toEqual(['length_exceeds_parent', 'trailing_padding']);
  });

  test('group lengths are read as ordinary elements', () => {
    const { dataSet } = read(part10(join(explicit(0x00100000, 'UL', '\x0c\0\0\0'), PATIENT_ID)));
    expect(dataSet.number(0x00100000)).toBe(12);
    expect(dataSet.string(Tag.PatientID)).toBe('ABCD');
  });

  test('elements out of order are sorted, and the last of repeated ones is kept', () => {
    const object = read(part10(join(ROWS, PATIENT_ID, explicit(Tag.PatientID, 'LO', 'EF'))));
    expect([...object.dataSet].map(({ tag }) => tag)).toEqual([Tag.PatientID, Tag.Rows]);
    expect(object.dataSet.string(Tag.PatientID)).toBe('EF');
    expect(codesOf(object).toSorted()).toEqual(['duplicate_element', 'unordered_elements']);
  });

  test('zeros after the last element are padding', () => {
    for (const zeros of [3, 8, 1000]) {
      const object = read(part10(join(PATIENT_ID, new Uint8Array(zeros))));
      expect(object.dataSet.size).toBe(1);
      expect(codesOf(object)).toEqual(['trailing_padding']);
    }
  });

  test('an element without VR in an explicit data set is read by the dictionary', () => {
    const object = read(part10(join(PATIENT_ID, implicit(Tag.PatientSex, 'F '), ROWS)));
    expect(object.dataSet.string(Tag.PatientSex)).toBe('F');
    expect(object.dataSet.number(Tag.Rows)).toBe(2);
    expect(codesOf(object)).toEqual(['implicit_vr_element']);
  });

  test('an unknown VR is kept as bytes, or read by the dictionary', () => {
    const object = read(part10(join(explicit(Tag.PatientID, 'ZZ', 'AB'), explicit(0x00111001, 'ZZ', 'CD'), ROWS)));
    expect(object.dataSet.string(Tag.PatientID)).toBe('AB');
    expect(object.dataSet.bytes(0x00111001, 1_000_000)).toEqual(Uint8Array.of(0x43, 0x44));
    expect(object.dataSet.number(Tag.Rows)).toBe(2);
  });

  test('an unknown character set is flagged, and the file is still read', () => {
    const object = read(part10(join(explicit(Tag.SpecificCharacterSet, 'CS', 'ISO_IR 999'), PATIENT_ID)));
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toEqual(['unknown_charset']);
  });
});

test('data that is not DICOM is refused', () => {
  expect(() => read(Uint8Array.from(Buffer.from('hello world, this is text and nothing else')))).toThrow(
    expect.objectContaining({ code: 'file_read_failed' }),
  );
});

test('an explicit file that claims to be implicit is detected, however large it is', () => {
  // As an implicit length, the letters LO and a length of 4 would be 282,444, which is less than the size of this file.
  const file = part10(
    join(PATIENT_ID, ROWS, explicit(Tag.PixelData, 'OW', new Uint8Array(400_000))),
    ImplicitVrLittleEndian,
  );
  const object = read(file);
  expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
  expect(object.pixelData?.length).toBe(400_000);
});
