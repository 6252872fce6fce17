import { describe, expect, test } from 'vitest';
import { PACKED_ELEMENTS } from './elements.generated.ts';
import { dictionaryVr, findDictionaryEntry, findTag, isPrivate } from './dictionary.ts';
import { allUids } from '../../../../test/support/allUids.ts';
import { findUid, sopClassName, transferSyntaxName } from './uids.ts';

describe('the data dictionary', () => {
  test('knows keyword, name, VR and retirement of an element', () => {
    expect(findDictionaryEntry(0x00100010)).toEqual({
      keyword: 'PatientName',
      name: "Patient's Name",
      vr: 'PN',
      retired: false,
    });
    expect(findDictionaryEntry(0x00200030)).toMatchObject({ keyword: 'ImagePosition', retired: true });
  });

  test.each([
    ['US or SS', 0x00280106],
    ['OB or OW', 0x7fe00010],
    ['US or OW', 0x00283006],
    ['OF', 0x7fe00008],
    ['SQ', 0x52009230],
  ])('gives %s for %i', (vr, tag) => {
    expect(dictionaryVr(tag)).toBe(vr);
  });

  test('knows every group of a repeating element', () => {
    expect(findDictionaryEntry(0x60000010)?.keyword).toBe('OverlayRows');
    expect(findDictionaryEntry(0x601e0010)?.keyword).toBe('OverlayRows');
    expect(findTag('OverlayRows')).toBe(0x60000010);
  });

  test('has elements of recent editions of the standard', () => {
    expect(findTag('PyramidUID')).toBe(0x00080019);
    expect(findTag('GenderIdentitySequence')).toBe(0x00100041);
  });

  test('finds every element of its table by its tag', () => {
    const lines = PACKED_ELEMENTS.split('\n').filter((line) => /^[\dA-F]{8}\|/.test(line));
    const names = lines.map((line) => findDictionaryEntry(parseInt(line.slice(0, 8), 16))?.name);
    expect(names).toEqual(lines.map((line) => line.split('|')[2]));
    // PS3.6 has no elements beside these.
    for (const tag of [0x00000004, 0x00080007, 0x7fe00012, 0xffffffff])
      expect(findDictionaryEntry(tag)).toBeUndefined();
  });

  test('recognises private elements, their creators and group lengths', () => {
    expect(isPrivate(0x00091001)).toBe(true);
    expect(dictionaryVr(0x00090010)).toBe('LO');
    expect(dictionaryVr(0x00091001)).toBeUndefined();
    expect(dictionaryVr(0x12340000)).toBe('UL');
    expect(dictionaryVr(0x00081234)).toBeUndefined();
  });
});

describe('unique identifiers', () => {
  // PS3.6 table A-1.
  test.each([
    ['1.2.840.10008.1.2.4.202', 'High-Throughput JPEG 2000 with RPCL Options Image Compression (Lossless Only)'],
    ['1.2.840.10008.1.2.4.110', 'JPEG XL Lossless'],
    ['1.2.840.10008.1.2.4.112', 'JPEG XL'],
    ['1.2.840.10008.1.2.8.1', 'Deflated Image Frame Compression'],
    ['1.2.840.10008.1.2.7.1', 'SMPTE ST 2110-20 Uncompressed Progressive Active Video'],
  ])('%s is %s', (uid, name) => {
    expect(transferSyntaxName(uid)).toBe(name);
  });

  test('name SOP classes, and only those', () => {
    expect(sopClassName('1.2.840.10008.5.1.4.1.1.2')).toBe('CT Image Storage');
    expect(sopClassName('1.2.840.10008.5.1.4.1.1.66.7')).toBe('Label Map Segmentation Storage');
    expect(sopClassName('1.2.840.10008.1.2')).toBeUndefined();
    expect(findUid('1.2.3')).toBeUndefined();
  });

  test('are unique', () => {
    const uids = [...allUids()].map(({ uid }) => uid);
    expect(uids.length).toBeGreaterThan(400);
    expect(new Set(uids).size).toBe(uids.length);
  });
});
