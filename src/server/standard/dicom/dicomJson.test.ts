import { describe, expect, test } from 'vitest';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { LONGEST_BINARY, writeDicomJson } from './dicomJson.ts';
import { readDicom } from './readDataSet.ts';
import { type DataSetInput, writeDicom } from './writeDicom.ts';

function toJson(elements: DataSetInput, transferSyntaxUid?: string): Record<string, unknown> {
  const file = writeDicom(elements, transferSyntaxUid === undefined ? {} : { transferSyntaxUid });
  const { dataSet } = readDicom(bufferSource(file));
  return JSON.parse([...writeDicomJson(dataSet, { bulkUri: (path) => `bulk/${path}` })].join(''));
}

const encode = (text: string) => new TextEncoder().encode(text);

const BIG_ENDIAN = '1.2.840.10008.1.2.2';
const IMPLICIT = '1.2.840.10008.1.2';

// PS3.18 table F.2.3-1 gives the JSON type of every VR.
test.each([
  ['AE', 'STATION', ['STATION']],
  ['AS', '042Y', ['042Y']],
  ['CS', ['A', 'B'], ['A', 'B']],
  ['DA', '20240131', ['20240131']],
  ['DS', ['1.50', '-2e1'], [1.5, -20]],
  ['DT', '20240131120000.5+0100', ['20240131120000.5+0100']],
  ['FL', [1.5, -0.25], [1.5, -0.25]],
  ['FD', [0.1, 1e300], [0.1, 1e300]],
  ['IS', ['7', '-3'], [7, -3]],
  ['LO', 'text', ['text']],
  ['LT', 'a\\b', ['a\\b']],
  ['SH', 'short', ['short']],
  ['SL', [-5], [-5]],
  ['SS', [-5], [-5]],
  ['ST', 'a text', ['a text']],
  ['SV', [-5n], [-5]],
  ['TM', '1030', ['1030']],
  ['UC', 'unlimited', ['unlimited']],
  ['UI', '1.2.3', ['1.2.3']],
  ['UL', [4_000_000_000], [4_000_000_000]],
  ['UR', 'http://host/a', ['http://host/a']],
  ['US', [65_535], [65_535]],
  ['UT', 'long', ['long']],
  ['UV', [5n], [5]],
])('a value of VR %s has the JSON type of the standard', (vr, value, expected) => {
  for (const syntax of [undefined, BIG_ENDIAN]) {
    expect(toJson({ '00091001': { vr, value } }, syntax)['00091001']).toEqual({ vr, Value: expected });
  }
});

test('tags are eight digits in upper case', () => {
  expect(toJson({ '00091001': { vr: 'AT', value: Uint8Array.of(0x08, 0x00, 0x1e, 0x0a) } })['00091001']).toEqual({
    vr: 'AT',
    Value: ['00080A1E'],
  });
});

test('the names of a person are in their component groups, and absent groups are left out', () => {
  const json = toJson({
    SpecificCharacterSet: 'ISO_IR 192',
    PatientName: 'Yamada^Tarou=山田^太郎=やまだ^たろう',
    OtherPatientNames: ['A^B', '', '=漢'],
  });
  expect(json['00100010']).toEqual({
    vr: 'PN',
    Value: [{ Alphabetic: 'Yamada^Tarou', Ideographic: '山田^太郎', Phonetic: 'やまだ^たろう' }],
  });
  expect(json['00101001']).toEqual({ vr: 'PN', Value: [{ Alphabetic: 'A^B' }, null, { Ideographic: '漢' }] });
});

test('texts are UTF-8, whatever the character set of the file, and the character set says so', () => {
  const json = toJson({ SpecificCharacterSet: 'ISO_IR 100', PatientID: 'Müller' });
  expect(json['00080005']).toEqual({ vr: 'CS', Value: ['ISO_IR 192'] });
  expect(json['00100020']).toEqual({ vr: 'LO', Value: ['Müller'] });
});

test('an element without a value has no Value, and an empty value among others is null', () => {
  const json = toJson({ PatientID: '', ImageType: ['A', '', 'B'], ReferencedImageSequence: [] });
  expect(json['00100020']).toEqual({ vr: 'LO' });
  expect(json['00080008']).toEqual({ vr: 'CS', Value: ['A', null, 'B'] });
  expect(json['00081140']).toEqual({ vr: 'SQ' });
});

test('numbers that JSON does not have, or would round, are texts', () => {
  const json = toJson({
    '00091001': { vr: 'FD', value: [Number.NaN, Infinity, -Infinity] },
    '00091002': { vr: 'UV', value: [2n ** 64n - 1n] },
    '00091003': { vr: 'DS', value: encode('0.12345678901234567\\abc') },
    '00091004': { vr: 'IS', value: encode('99999999999999999999') },
  });
  expect(json['00091001']).toEqual({ vr: 'FD', Value: ['NaN', 'Infinity', '-Infinity'] });
  expect(json['00091002']).toEqual({ vr: 'UV', Value: ['18446744073709551615'] });
  expect(json['00091003']).toEqual({ vr: 'DS', Value: ['0.12345678901234567', 'abc'] });
  expect(json['00091004']).toEqual({ vr: 'IS', Value: ['99999999999999999999'] });
});

describe('binary values', () => {
  test('are Base64, little endian in any file', () => {
    for (const syntax of [undefined, BIG_ENDIAN]) {
      const json = toJson({ '00091001': { vr: 'OW', value: Uint16Array.of(0x0102, 0x0304) } }, syntax);
      // 02 01 04 03
      expect(json['00091001']).toEqual({ vr: 'OW', InlineBinary: 'AgEEAw==' });
    }
  });

  test('have an address if they are long, by their path through sequences', () => {
    const long = new Uint8Array(LONGEST_BINARY + 2);
    const json = toJson({ ReferencedImageSequence: [{ '00091001': { vr: 'OB', value: long } }] });
    expect(json['00081140']).toEqual({
      vr: 'SQ',
      Value: [{ '00091001': { vr: 'OB', BulkDataURI: 'bulk/00081140.0.00091001' } }],
    });
  });

  test('of unknown VR stay unknown, unless the tag is in the dictionary', () => {
    const json = toJson({
      PatientID: { vr: 'UN', value: new TextEncoder().encode('P1') },
      '00091001': { vr: 'UN', value: Uint8Array.of(1, 2) },
    });
    expect(json['00100020']).toEqual({ vr: 'LO', Value: ['P1'] });
    expect(json['00091001']).toEqual({ vr: 'UN', InlineBinary: 'AQI=' });
  });

  test('whose numbers do not fill them keep all their bytes', () => {
    const json = toJson({ '00091001': { vr: 'UL', value: Uint8Array.of(1, 0, 0, 0, 2, 0) } });
    expect(json['00091001']).toEqual({ vr: 'UN', InlineBinary: 'AQAAAAIA' });
  });
});

test('group lengths, file meta information and pixels are left out, and tags are in order', () => {
  const json = toJson(
    {
      '00090000': { vr: 'UL', value: [4] },
      Rows: 1,
      PatientID: 'P',
      PixelData: Uint16Array.of(1),
      DataSetTrailingPadding: { vr: 'OB', value: Uint8Array.of(0, 0) },
    },
    IMPLICIT,
  );
  expect(Object.keys(json)).toEqual(['00100020', '00280010', 'FFFCFFFC']);
});
