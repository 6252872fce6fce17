import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openPath } from '../../../../test/support/sources.ts';
import {
  explicit,
  item as writeItem,
  itemEnd,
  join,
  part10,
  sequenceEnd,
  UNDEFINED,
} from '../../../../test/support/rawElements.ts';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { createFullScanner, createHeaderScanner, type HeaderScan } from './headerScanner.ts';
import * as Tag from './tag.ts';
import { ExplicitVrBigEndian, ImplicitVrLittleEndian } from './transferSyntax.ts';
import { type DataSetInput, writeDicom, type WriteOptions } from './writeDicom.ts';

const WANTED = [
  Tag.SOPInstanceUID,
  Tag.PatientName,
  Tag.PatientID,
  Tag.Rows,
  Tag.SmallestImagePixelValue,
  Tag.PixelSpacing,
  Tag.SharedFunctionalGroupsSequence,
  Tag.PerFrameFunctionalGroupsSequence,
];

const IMAGE: DataSetInput = {
  SpecificCharacterSet: 'ISO_IR 100',
  SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
  SOPInstanceUID: '1.2.3',
  ReferencedImageSequence: [{ ReferencedSOPInstanceUID: '1.2.4' }],
  PatientName: 'Müller^Jörg',
  PatientID: 'A',
  StudyDescription: 'not wanted',
  Rows: 2,
  BitsAllocated: 16,
  PixelRepresentation: 1,
  SmallestImagePixelValue: -7,
  PixelSpacing: [0.5, 0.25],
  PixelData: Int16Array.of(1, 2),
};

function scan(file: Uint8Array, scanner = createHeaderScanner(WANTED)): HeaderScan {
  return scanner.scan(bufferSource(file));
}

function scanned(result: HeaderScan): Extract<HeaderScan, { kind: 'dicom' }> {
  if (result.kind === 'failed') throw new Error(result.message);
  return result;
}

function spacingGroup(spacing: number): DataSetInput {
  return { PixelMeasuresSequence: [{ PixelSpacing: [spacing, spacing] }] };
}

describe('a header scan', () => {
  test.each<[string, WriteOptions]>([
    ['explicit', {}],
    ['implicit', { transferSyntaxUid: ImplicitVrLittleEndian }],
    ['big endian', { transferSyntaxUid: ExplicitVrBigEndian }],
    ['undefined lengths', { sequenceLength: 'undefined' }],
    ['without meta information', { meta: false }],
  ])('returns the wanted elements, the transfer syntax and the offset of the pixel data: %s', (_, options) => {
    const { attributes, pixelData, transferSyntaxUid } = scanned(scan(writeDicom(IMAGE, options)));

    expect(attributes.string(Tag.PatientName)).toBe('Müller^Jörg');
    expect(attributes.number(Tag.Rows)).toBe(2);
    expect(attributes.number(Tag.SmallestImagePixelValue)).toBe(-7);
    expect(attributes.numbers(Tag.PixelSpacing, 1000)).toEqual([0.5, 0.25]);
    expect(attributes.has(Tag.StudyDescription)).toBe(false);
    expect(pixelData).toMatchObject({ tag: Tag.PixelData, length: 4, encapsulated: false });
    expect(transferSyntaxUid).toBe(options.transferSyntaxUid ?? '1.2.840.10008.1.2.1');
  });

  test('reads the first item of each sequence of functional groups', () => {
    const file = writeDicom({
      ...IMAGE,
      SharedFunctionalGroupsSequence: [spacingGroup(1)],
      PerFrameFunctionalGroupsSequence: [spacingGroup(2), spacingGroup(3)],
    });
    const { attributes } = scanned(scan(file));
    const spacings = [Tag.SharedFunctionalGroupsSequence, Tag.PerFrameFunctionalGroupsSequence].map((tag) =>
      attributes.items(tag).map((item) => item.items(Tag.PixelMeasuresSequence)[0]?.number(Tag.PixelSpacing)),
    );
    expect(spacings).toEqual([[1], [2]]);
  });

  test('reads only the header of a large file', () => {
    const file = writeDicom({ ...IMAGE, ICCProfile: new Uint8Array(3_000_000), PixelData: new Uint8Array(5_000_000) });
    const source = openPath(writeBelow(createTempFolder(), 'large.dcm', file));
    const { pixelData } = scanned(createHeaderScanner(WANTED).scan(source));
    expect(pixelData?.length).toBe(5_000_000);
    expect(source.reads).toBeLessThanOrEqual(2);
    expect(source.bytesRead).toBeLessThanOrEqual(16 * 1024);
    source.close();
  });

  test('returns the same with the short path and the full reader, for unusual files too', () => {
    const files = [
      writeDicom(IMAGE),
      writeDicom({ ...IMAGE, SpecificCharacterSet: 'ISO_IR 144', PatientName: 'Люкceмбypг' }),
      writeDicom(IMAGE, { transferSyntaxUid: ImplicitVrLittleEndian }),
      part10(join(explicit(Tag.PatientID, 'LO', 'odd'), explicit(Tag.Rows, 'US', '\x02\x00'))),
      part10(join(explicit(Tag.Rows, 'US', '\x02\x00'), explicit(Tag.PatientID, 'LO', 'unordered '))),
      writeDicom({ ...IMAGE, PixelRepresentation: 0, SmallestImagePixelValue: 65_529 }),
      writeDicom(IMAGE).subarray(0, 500),
      writeDicom(IMAGE),
    ];
    const short = createHeaderScanner(WANTED);
    const full = createFullScanner(WANTED);
    for (const file of files) expect(describeScan(scan(file, short))).toEqual(describeScan(scan(file, full)));
  });
});

describe('unwanted sequences of undefined length', () => {
  const text = fc.integer({ min: 0, max: 6_000 }).map((length) => 'x'.repeat(length));
  const { item: nested } = fc.letrec<{ item: DataSetInput }>((tie) => ({
    item: fc.record(
      {
        ReferencedSOPInstanceUID: fc.constantFrom('1.2.3', '1.2.34'),
        PatientID: fc.constant('not this one'),
        TextValue: text,
        ContentSequence: fc.array(tie('item'), { maxLength: 3, depthIdentifier: 'item' }),
      },
      { requiredKeys: [] },
    ),
  }));
  test('are skipped, however deep and long they are', () => {
    const folder = createTempFolder();
    const short = createHeaderScanner(WANTED);
    const syntaxes = fc.constantFrom(undefined, ImplicitVrLittleEndian);
    const sequences = fc.array(nested, { maxLength: 4 });
    fc.assert(
      fc.property(sequences, syntaxes, (ReferencedImageSequence, transferSyntaxUid) => {
        const input = { ...IMAGE, ReferencedImageSequence, RequestAttributesSequence: ReferencedImageSequence };
        const file = writeDicom(input, {
          sequenceLength: 'undefined',
          ...(transferSyntaxUid && { transferSyntaxUid }),
        });
        const source = openPath(writeBelow(folder, 'nested.dcm', file));
        const { attributes, pixelData } = scanned(short.scan(source));
        expect(attributes.strings(Tag.PatientID, 100)).toEqual(['A']);
        expect(attributes.numbers(Tag.PixelSpacing, 1000)).toEqual([0.5, 0.25]);
        // Two samples of two bytes are at the end of the file.
        expect(pixelData?.offset).toBe(file.length - 4);
        source.close();
      }),
    );
  });

  const uid = explicit(0x00081155, 'UI', '1.2.3\0');
  test.each<[string, Uint8Array]>([
    ['that are whole', sequenceOf(writeItem(uid, UNDEFINED), itemEnd(), writeItem(uid), sequenceEnd())],
    ['without items', sequenceOf(sequenceEnd())],
    ['whose item does not end', sequenceOf(writeItem(uid, UNDEFINED), sequenceEnd())],
    ['that do not end', sequenceOf(writeItem(uid, UNDEFINED), itemEnd())],
    ['whose end has a length', sequenceOf(writeItem(uid, UNDEFINED), itemEnd(2), sequenceEnd(4))],
    ['with an element between the items', sequenceOf(uid, sequenceEnd())],
    ['with an end too many', sequenceOf(writeItem(uid, UNDEFINED), itemEnd(), itemEnd(), sequenceEnd())],
    ['with an item longer than the file', sequenceOf(writeItem(uid, 5_000), sequenceEnd())],
    [
      'with a value of odd length',
      sequenceOf(writeItem(explicit(0x00081155, 'UI', '1.2'), UNDEFINED), itemEnd(), sequenceEnd()),
    ],
    [
      'with a VR that is none',
      sequenceOf(writeItem(explicit(0x00081155, 'zz', '1.'), UNDEFINED), itemEnd(), sequenceEnd()),
    ],
  ])('are read as by the full reader: those %s', (_, elements) => {
    const file = part10(elements);
    const [short, full] = [createHeaderScanner(WANTED), createFullScanner(WANTED)];
    expect(describeScan(scan(file, short))).toEqual(describeScan(scan(file, full)));
  });
});

/** A sequence of undefined length with this content after its header, followed by the wanted element. */
function sequenceOf(...content: readonly Uint8Array[]): Uint8Array {
  return join(explicit(0x00081140, 'SQ', '', UNDEFINED), ...content, explicit(Tag.PatientID, 'LO', 'A '));
}

function describeScan(result: HeaderScan): unknown {
  if (result.kind === 'failed') return result;
  const { attributes, pixelData, flags, transferSyntaxUid } = result;
  const values = WANTED.map((tag) => [
    attributes.has(tag),
    attributes.strings(tag, 100),
    attributes.numbers(tag, 1000),
  ]);
  return { values, flags, transferSyntaxUid, pixels: pixelData && { ...pixelData, source: undefined } };
}

describe('values of the previous file', () => {
  const scanner = createHeaderScanner(WANTED);

  test('do not appear in a file that lacks them', () => {
    scan(writeDicom(IMAGE), scanner);
    const { attributes } = scanned(scan(writeDicom({ SOPInstanceUID: '1.2.9' }), scanner));
    expect(attributes.has(Tag.PatientName)).toBe(false);
    expect(attributes.string(Tag.PatientID)).toBeUndefined();
  });

  test('are decoded again with another character set', () => {
    const stored = { vr: 'PN', value: Uint8Array.of(0xe9, 0x20) };
    const names = ['ISO_IR 100', 'ISO_IR 144', 'ISO_IR 100'].map((characterSet) => {
      const file = writeDicom({ SpecificCharacterSet: characterSet, PatientName: stored });
      return scanned(scan(file, scanner)).attributes.string(Tag.PatientName);
    });
    expect(names).toEqual(['é', 'щ', 'é']);
  });

  test('are read again with another pixel representation', () => {
    const values = [1, 0].map((sign) => {
      const value = { vr: 'US or SS', value: Uint8Array.of(0xff, 0xff) };
      const elements = { PixelRepresentation: sign, SmallestImagePixelValue: value };
      const file = writeDicom(elements, { transferSyntaxUid: ImplicitVrLittleEndian });
      return scanned(scan(file, scanner)).attributes.number(Tag.SmallestImagePixelValue);
    });
    expect(values).toEqual([-1, 65_535]);
  });
});

describe('data that is not DICOM', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  test.each([
    ['nothing', new Uint8Array(0)],
    ['text', Buffer.from('Patient;Study\n'.repeat(40))],
    ['JSON', Buffer.from(JSON.stringify({ files: Array.from({ length: 50 }, (_, index) => index) }))],
    ['a picture', Buffer.concat([png, Buffer.alloc(1000, 7)])],
    ['gzip', gzipSync(Buffer.alloc(1000, 'x'))],
    ['zip', Buffer.from('504b0304140000000800' + '00'.repeat(200), 'hex')],
    ['zeros', new Uint8Array(5000)],
    ['ones', new Uint8Array(5000).fill(255)],
    ['an ELF program', Buffer.from('7f454c4602010100' + '00'.repeat(300), 'hex')],
    ['a Windows bitmap', Buffer.from('424d36000c00' + '00'.repeat(300), 'hex')],
    ['a few bytes that begin like group 8', Buffer.from('08000500', 'hex')],
  ])('%s', (_, bytes) => {
    expect(scan(Uint8Array.from(bytes))).toMatchObject({ kind: 'failed', reason: 'not_dicom' });
  });

  test('DICM with nothing after it is DICOM that cannot be read', () => {
    const file = Buffer.concat([Buffer.alloc(128), Buffer.from('DICM')]);
    expect(scan(file)).toMatchObject({ kind: 'failed', reason: 'dicom_parse_failed' });
    const noise = Buffer.alloc(2000, 0xa5);
    expect(scan(Buffer.concat([file, noise]))).toMatchObject({ kind: 'failed', reason: 'dicom_parse_failed' });
  });

  test('DICM at offset 128 inside a data set without a preamble is not a prefix', () => {
    const elements = {
      SOPClassUID: '1.2',
      SOPInstanceUID: '1.3',
      StudyDescription: 'x'.repeat(40),
      SeriesDescription: 'x'.repeat(56),
    };
    const bytes = Buffer.from(writeDicom(elements, { meta: false }));
    bytes.write('DICM', 128, 'latin1');
    expect(scanned(scan(bytes)).attributes.string(Tag.SOPInstanceUID)).toBe('1.3');
  });
});

test('pixel data is found after a million functional groups of undefined length', () => {
  const frame = join(writeItem(explicit(0x00209158, 'LT'), UNDEFINED), itemEnd());
  const frames = Uint8Array.from(Buffer.alloc(frame.length * 330_000, frame));
  const groups = explicit(Tag.PerFrameFunctionalGroupsSequence, 'SQ', frames, UNDEFINED);
  const file = part10(join(groups, sequenceEnd(), explicit(Tag.PixelData, 'OW', new Uint8Array(2))));

  expect(scan(file)).toMatchObject({ kind: 'dicom', pixelData: { length: 2 } });
});
