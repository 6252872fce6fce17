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
} from '../../../../test/support/rawElements.ts';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { readDicom } from './readDataSet.ts';
import * as Tag from './tag.ts';
import { ExplicitVrBigEndian } from './transferSyntax.ts';
import { type DataSetInput, writeDicom } from './writeDicom.ts';

const PATIENT_ID = explicit(Tag.PatientID, 'LO', 'ABCD');

function read(file: Uint8Array) {
  return readDicom(bufferSource(file));
}

function codesOf({ flags }: { flags: readonly { code: string }[] }): string[] {
  return flags.map(({ code }) => code);
}

/** A sequence of undefined length with this content, followed by an element. */
function sequence(content: Uint8Array): Uint8Array {
  return join(explicit(Tag.ReferencedImageSequence, 'SQ', content, UNDEFINED), PATIENT_ID);
}

describe('sequences', () => {
  const uid = explicit(Tag.ReferencedSOPInstanceUID, 'UI', '1.2.');

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

  test('an element that is not an item ends an open sequence', () => {
    const object = read(part10(sequence(item(uid))));
    expect(object.dataSet.items(Tag.ReferencedImageSequence)).toHaveLength(1);
    expect(object.dataSet.string(Tag.PatientID)).toBe('ABCD');
    expect(codesOf(object)).toEqual(['bad_item']);
  });

  test('UN of undefined length contains implicit items (CP-246)', () => {
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

  test('UN of a known tag is read by the VR of the dictionary', () => {
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
