import { describe, expect, test } from 'vitest';
import {
  explicit,
  implicit,
  item,
  itemEnd,
  join,
  part10,
  sequenceEnd,
  UNDEFINED,
} from '../../../test/support/rawElements.ts';
import { countingSource } from '../../../test/support/countingSource.ts';
import { bufferSource } from './byteSource.ts';
import { readDicom, type ReadOptions } from './readDataSet.ts';
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

function read(file: Uint8Array, options?: ReadOptions) {
  return readDicom(bufferSource(file), options);
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
    expect(dataSet.numbers(Tag.PixelSpacing)).toEqual([0.5, 0.25]);
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

describe('the data set answers', () => {
  const { dataSet } = read(writeDicom(IMAGE));

  test('undefined or nothing for what is absent', () => {
    expect(dataSet.has(Tag.PatientID)).toBe(false);
    expect(dataSet.string(Tag.PatientID)).toBeUndefined();
    expect(dataSet.number(Tag.PatientID)).toBeUndefined();
    expect(dataSet.bytes(Tag.PatientID)).toBeUndefined();
    expect(dataSet.strings(Tag.PatientID)).toEqual([]);
    expect(dataSet.numbers(Tag.PatientID)).toEqual([]);
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

  test('undefined for the number of text that is none, NaN among several', () => {
    const { dataSet: odd } = read(part10(explicit(Tag.PixelSpacing, 'DS', '0.5\\abc ')));
    expect(odd.numbers(Tag.PixelSpacing)).toEqual([0.5, Number.NaN]);
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
      const values = [1, 2, 3, 4, 5, 6, 7, 8].map((index) => numbers.numbers(0x00111000 + index));
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

  test('ends where group 0002 does, whatever its length says', () => {
    const file = writeDicom({ ...IMAGE, FileMetaInformationGroupLength: 6 });
    const object = read(file);
    expect(object.dataSet.string(Tag.SOPInstanceUID)).toBe('1.2.3');
    expect(codesOf(object)).toEqual(['wrong_meta_length']);
  });

  test('without a length is read all the same', () => {
    const meta = explicit(Tag.TransferSyntaxUID, 'UI', '1.2.840.10008.1.2.1\0');
    const object = read(join(new Uint8Array(128), Buffer.from('DICM'), meta, PATIENT_ID));
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toEqual(['missing_meta_length']);
  });

  test('that names the wrong syntax is overruled by the elements', () => {
    const object = read(part10(join(PATIENT_ID, ROWS), ImplicitVrLittleEndian));
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toContain('wrong_transfer_syntax');
    expect(object).toMatchObject({ explicit: true, transferSyntaxUid: ImplicitVrLittleEndian });
  });

  test('that says deflated over a plain data set is overruled too', () => {
    const object = read(part10(join(PATIENT_ID, ROWS), DeflatedExplicitVrLittleEndian));
    expect(object.dataSet.number(Tag.Rows)).toBe(2);
  });

  test('that is absent leaves the syntax to be found out', () => {
    const object = read(writeDicom(IMAGE, { meta: false, transferSyntaxUid: ImplicitVrLittleEndian }));
    expect(codesOf(object)).toEqual(['missing_preamble', 'missing_meta', 'guessed_transfer_syntax']);
    expect(object.transferSyntaxUid).toBe(ImplicitVrLittleEndian);
  });
});

describe('what is not as the standard asks', () => {
  test('an odd length is taken as it is', () => {
    const object = read(part10(join(explicit(Tag.PatientID, 'LO', 'ABC'), ROWS)));
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABC');
    expect(object.dataSet.number(Tag.Rows)).toBe(2);
    expect(codesOf(object)).toEqual(['odd_length']);
  });

  test('a VR that is not the dictionary’s is believed', () => {
    const object = read(part10(explicit(Tag.Rows, 'UL', '\x02\x00\x00\x00')));
    expect(object.dataSet.number(Tag.Rows)).toBe(2);
    expect(codesOf(object)).toEqual(['vr_mismatch']);
  });

  test('a value longer than the file is cut, and what came before stays', () => {
    const object = read(part10(join(PATIENT_ID, explicit(Tag.ImageComments, 'LT', 'cut', 40_000))));
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(object.dataSet.element(Tag.ImageComments)).toMatchObject({ length: 3, declaredLength: 40_000 });
    expect(codesOf(object)).toContain('truncated');
  });

  test('a length that leads out of its item ends with the item', () => {
    const broken = item(explicit(Tag.ReferencedSOPInstanceUID, 'UI', '1.2.', 400));
    const object = read(
      part10(join(explicit(Tag.ReferencedImageSequence, 'SQ', broken), PATIENT_ID, new Uint8Array(512))),
    );
    expect(object.dataSet.items(Tag.ReferencedImageSequence)[0]?.string(Tag.ReferencedSOPInstanceUID)).toBe('1.2.');
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toEqual(['length_exceeds_parent', 'trailing_padding']);
  });

  test('group lengths are elements like others', () => {
    const { dataSet } = read(part10(join(explicit(0x00100000, 'UL', '\x0c\0\0\0'), PATIENT_ID)));
    expect(dataSet.number(0x00100000)).toBe(12);
    expect(dataSet.string(Tag.PatientID)).toBe('ABCD');
  });

  test('elements out of order and repeated are sorted; the last of a tag stays', () => {
    const object = read(part10(join(ROWS, PATIENT_ID, explicit(Tag.PatientID, 'LO', 'EF'))));
    expect([...object.dataSet].map(({ tag }) => tag)).toEqual([Tag.PatientID, Tag.Rows]);
    expect(object.dataSet.string(Tag.PatientID)).toBe('EF');
    expect(codesOf(object)).toEqual(['unordered_elements', 'duplicate_element']);
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

  test('a VR of no edition is kept as bytes, or read by the dictionary', () => {
    const object = read(part10(join(explicit(Tag.PatientID, 'ZZ', 'AB'), explicit(0x00111001, 'ZZ', 'CD'), ROWS)));
    expect(object.dataSet.string(Tag.PatientID)).toBe('AB');
    expect(object.dataSet.bytes(0x00111001)).toEqual(Uint8Array.of(0x43, 0x44));
    expect(object.dataSet.number(Tag.Rows)).toBe(2);
  });

  test('an unknown character set is flagged, not a lost file', () => {
    const object = read(part10(join(explicit(Tag.SpecificCharacterSet, 'CS', 'ISO_IR 999'), PATIENT_ID)));
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toEqual(['unknown_charset']);
  });
});

describe('sequences', () => {
  const uid = explicit(Tag.ReferencedSOPInstanceUID, 'UI', '1.2.');
  const sequence = (content: Uint8Array) =>
    join(explicit(Tag.ReferencedImageSequence, 'SQ', content, UNDEFINED), PATIENT_ID);

  test.each([
    ['a delimiter with a length', join(item(uid, UNDEFINED), itemEnd(8), sequenceEnd(4)), ['delimiter_length']],
    [
      'an item whose end is forgotten before the next',
      join(item(uid, UNDEFINED), item(uid), sequenceEnd()),
      ['missing_delimiter'],
    ],
    ['an item whose end is forgotten before the end', join(item(uid, UNDEFINED), sequenceEnd()), ['missing_delimiter']],
    ['an item end after a defined length', join(item(uid), itemEnd(), sequenceEnd()), ['stray_delimiter']],
  ])('%s', (_, content, flags) => {
    const object = read(part10(sequence(content)));
    expect(object.dataSet.items(Tag.ReferencedImageSequence)[0]?.string(Tag.ReferencedSOPInstanceUID)).toBe('1.2.');
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toEqual(flags);
  });

  test('something else than an item ends an open sequence', () => {
    const object = read(part10(sequence(item(uid))));
    expect(object.dataSet.items(Tag.ReferencedImageSequence)).toHaveLength(1);
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toEqual(['bad_item']);
  });

  test('UN of undefined length holds implicit items (CP-246)', () => {
    const items: DataSetInput[] = [{ PatientID: 'inner', ReferencedImageSequence: [{ Rows: 5 }] }];
    const written = { '00110010': 'NEGATO TEST', '00111001': { vr: 'UN', value: items }, Rows: 2 };
    for (const transferSyntaxUid of ['1.2.840.10008.1.2.1', ExplicitVrBigEndian]) {
      const { dataSet, flags } = read(writeDicom(written, { transferSyntaxUid }));
      const [inner] = dataSet.items(0x00111001);
      expect(inner?.string(Tag.PatientID)).toBe('inner');
      expect(inner?.items(Tag.ReferencedImageSequence)[0]?.number(Tag.Rows)).toBe(5);
      expect(dataSet.number(Tag.Rows)).toBe(2);
      expect(flags).toEqual([]);
    }
  });

  test('UN of a known tag is read as what the dictionary says', () => {
    const items = item(implicit(Tag.ReferencedSOPInstanceUID, '1.2.'));
    const elements = [explicit(Tag.ReferencedImageSequence, 'UN', items), explicit(Tag.PatientID, 'UN', 'ABCD')];
    const { dataSet } = read(part10(join(...elements, explicit(Tag.Rows, 'UN', '\x02\x00'))));
    expect(dataSet.items(Tag.ReferencedImageSequence)[0]?.string(Tag.ReferencedSOPInstanceUID)).toBe('1.2.');
    expect(dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(dataSet.number(Tag.Rows)).toBe(2);
    expect(dataSet.element(Tag.Rows)).toMatchObject({ vr: 'UN', readAs: 'US' });
  });

  test('explicit elements in an item that should be implicit are recognised', () => {
    const content = join(
      item(join(uid, explicit(Tag.ReferencedFrameNumber, 'IS', '7 ')), UNDEFINED),
      itemEnd(),
      sequenceEnd(),
    );
    const object = read(part10(join(explicit(Tag.ReferencedImageSequence, 'UN', content, UNDEFINED), PATIENT_ID)));
    expect(object.dataSet.items(Tag.ReferencedImageSequence)[0]?.number(Tag.ReferencedFrameNumber)).toBe(7);
    expect(codesOf(object)).toEqual(['explicit_vr_item']);
  });

  test('an item keeps the character set around it, or has its own', () => {
    const items = [
      { PatientName: { vr: 'PN', value: Uint8Array.of(0xe9, 0x20) } },
      { SpecificCharacterSet: 'ISO_IR 144', PatientName: { vr: 'PN', value: Uint8Array.of(0xe9, 0x20) } },
    ];
    const { dataSet } = read(writeDicom({ SpecificCharacterSet: 'ISO_IR 100', ReferencedStudySequence: items }));
    const names = dataSet.items(Tag.ReferencedStudySequence).map((one) => one.string(Tag.PatientName));
    expect(names).toEqual(['é', 'щ']); // 0xE9 in ISO 8859-1 and in ISO 8859-5
  });
});

describe('pixel data', () => {
  const syntax = { transferSyntaxUid: '1.2.840.10008.1.2.5' };
  const fragments = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)];

  test('encapsulated: located at its basic offset table, fragments counted', () => {
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

  test('that is cut off says how much there is', () => {
    const file = writeDicom({ Rows: 1, PixelData: new Uint8Array(1000) });
    const object = read(file.subarray(0, file.length - 400));
    expect(object.pixelData).toMatchObject({ length: 600, declaredLength: 1000 });
    expect(codesOf(object)).toContain('truncated');
  });

  test('until stops before it, and still says where it lies', () => {
    const object = read(writeDicom(IMAGE), { until: Tag.FloatPixelData });
    expect(object.dataSet.has(Tag.PixelData)).toBe(false);
    expect(object.pixelData).toMatchObject({ tag: Tag.PixelData, length: 12 });
    expect(read(writeDicom(IMAGE), { until: Tag.Rows }).dataSet.has(Tag.Rows)).toBe(false);
  });

  test('is not read, nor is any other bulk data or long value, until it is asked for', () => {
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
    expect(Buffer.from(dataSet.bytes(Tag.ICCProfile) ?? []).equals(long)).toBe(true);
    expect(dataSet.string(Tag.TextValue)).toHaveLength(200_000);
  });
});

describe('limits', () => {
  function nest(depth: number): Uint8Array {
    let content = PATIENT_ID;
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

  test('64 levels of items are read, the 65th is passed over', () => {
    const depthOf = (file: Uint8Array) => {
      const object = read(file);
      let [at] = [object.dataSet];
      let depth = 0;
      for (let next = at.items(Tag.ReferencedImageSequence)[0]; next !== undefined; depth += 1) {
        at = next;
        next = at.items(Tag.ReferencedImageSequence)[0];
      }
      return [depth, codesOf(object).includes('depth_limited'), object.dataSet.string(Tag.Rows)];
    };
    expect(depthOf(part10(join(nest(64), ROWS)))).toEqual([64, false, '2']);
    expect(depthOf(part10(join(nest(65), ROWS)))).toEqual([64, true, '2']);
    expect(depthOf(part10(join(nest(1000), ROWS)))).toEqual([64, true, '2']);
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

test('what is not DICOM is refused', () => {
  expect(() => read(Uint8Array.from(Buffer.from('hello world, this is text and nothing else')))).toThrow(
    expect.objectContaining({ code: 'file_read_failed' }),
  );
});
