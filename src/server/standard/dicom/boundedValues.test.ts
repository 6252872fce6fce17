import { describe, expect, test } from 'vitest';
import { explicit, implicit, join, part10 } from '../../../../test/support/rawElements.ts';
import { bufferSource, type ByteSource } from '../../bytes/origins/byteSource.ts';
import { createFullScanner, createHeaderScanner } from './headerScanner.ts';
import { readDicom } from './readDataSet.ts';
import * as Tag from './tag.ts';

const IMPLICIT = '1.2.840.10008.1.2';
const MILLION = 1_000_000;

/** Counts the bytes that are requested. */
function counting(bytes: Uint8Array): ByteSource & { asked: number } {
  const source = bufferSource(bytes);
  return {
    asked: 0,
    size: source.size,
    read(position, length) {
      this.asked += length;
      return source.read(position, length);
    },
    peek: (position, length) => source.read(position, length + 64),
  };
}

function textOf(tag: number, vr: string, value: Uint8Array | string, charset = ''): string {
  const characterSet = explicit(Tag.SpecificCharacterSet, 'CS', charset);
  const { dataSet } = readDicom(bufferSource(part10(join(characterSet, explicit(tag, vr, value)))));
  return dataSet.string(tag) ?? '';
}

describe('of an element with a million values', () => {
  const file = part10(
    join(
      implicit(Tag.ImageType, `${'ORIGINAL\\'.repeat(MILLION)} `),
      implicit(Tag.PixelSpacing, '1\\2\\'.repeat(MILLION / 2)),
      implicit(Tag.Rows, Buffer.alloc(2 * MILLION, Uint8Array.of(7, 0))),
      implicit(0x00720026, Buffer.alloc(4 * MILLION, Uint8Array.of(0x28, 0, 0x10, 0))),
    ),
    IMPLICIT,
  );

  test('a data set returns the requested first ones, and reads no more than these need', () => {
    const source = counting(file);
    const { dataSet } = readDicom(source);
    source.asked = 0;

    expect(dataSet.strings(Tag.ImageType, 3)).toEqual(['ORIGINAL', 'ORIGINAL', 'ORIGINAL']);
    expect(dataSet.numbers(Tag.PixelSpacing, 3)).toEqual([1, 2, 1]);
    expect(dataSet.number(Tag.Rows)).toBe(7);
    expect(dataSet.numbers(0x00720026, 2)).toEqual([0x00280010, 0x00280010]);
    expect(dataSet.bytes(Tag.Rows, 4)).toEqual(Uint8Array.of(7, 0, 7, 0));
    expect(source.asked).toBeLessThan(8192);
    expect(dataSet.count(Tag.Rows)).toBe(MILLION);
    // The text ends with a separator, which is followed by an empty value.
    expect(dataSet.count(Tag.PixelSpacing)).toBe(MILLION + 1);
  });

  test.each([createHeaderScanner, createFullScanner])('so does the header scan, by %o', (createScanner) => {
    const scan = createScanner([Tag.ImageType, Tag.PixelSpacing, Tag.Rows]).scan(bufferSource(file));
    if (scan.kind !== 'dicom') throw new Error(scan.message);

    expect(scan.attributes.strings(Tag.ImageType, 2)).toEqual(['ORIGINAL', 'ORIGINAL']);
    expect(scan.attributes.strings(Tag.ImageType, 4)).toHaveLength(4);
    expect(scan.attributes.numbers(Tag.PixelSpacing, 3)).toEqual([1, 2, 1]);
    expect(scan.attributes.number(Tag.Rows)).toBe(7);
  });
});

describe('text that is much longer than its VR allows', () => {
  test('is truncated, and ends in a mark', () => {
    // 1024 bytes for a few overlong values, and 1024 for this one.
    expect(textOf(Tag.PatientID, 'LO', 'x'.repeat(10_000))).toBe(`${'x'.repeat(2048)}\u2026`);
    expect(textOf(Tag.PatientID, 'LO', 'x'.repeat(2048))).toBe('x'.repeat(2048));
  });

  test('is complete if only padding follows', () => {
    expect(textOf(Tag.PatientID, 'LO', `ID${' '.repeat(10_000)}`)).toBe('ID');
  });

  test('is not truncated inside a character', () => {
    // 2048 bytes are 682 characters of three bytes, and two bytes of the next character.
    const value = Buffer.from('\u5c71'.repeat(2000));
    for (const charset of ['ISO_IR 192', '']) {
      expect(textOf(Tag.PatientID, 'LO', value, charset)).toBe(`${'\u5c71'.repeat(682)}\u2026`);
    }
  });

  test('is decoded only as far as it is shown, escape sequences included', () => {
    const source = counting(
      part10(
        join(
          implicit(Tag.SpecificCharacterSet, '\\ISO 2022 IR 87 '),
          implicit(Tag.PatientID, '\x1b$B0l\x1b(B'.repeat(MILLION)),
        ),
        IMPLICIT,
      ),
    );
    const { dataSet } = readDicom(source);
    source.asked = 0;

    expect(dataSet.string(Tag.PatientID)).toMatch(/^\u4e00+\u2026$/);
    expect(source.asked).toBeLessThan(8192);
  });
});
