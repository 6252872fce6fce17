import { describe, expect, test } from 'vitest';
import { allUids } from '../../../../test/support/allUids.ts';
import type { PixelDescription } from './imagePixel.ts';
import { assessSupport, explainSupport, toImagePixel } from './support.ts';

const SYNTAX = '1.2.840.10008.1.2';

test('an ordinary image can be shown', () => {
  expect(assessSupport(describeImage())).toEqual({ state: 'renderable', reason: undefined });
});

test('a file without pixel data is metadata only', () => {
  expect(assessSupport(describeImage({ pixelData: undefined }))).toEqual({
    state: 'metadata_only',
    reason: 'pixel_data.absent',
  });
});

describe('a transfer syntax without a codec has its own reason', () => {
  test.each([
    [`${SYNTAX}.4.100`, 'transfer_syntax.video'],
    [`${SYNTAX}.4.102.1`, 'transfer_syntax.video'],
    [`${SYNTAX}.4.108`, 'transfer_syntax.video'],
    [`${SYNTAX}.4.94`, 'transfer_syntax.jpip'],
    [`${SYNTAX}.4.205`, 'transfer_syntax.jpip'],
    [`${SYNTAX}.7.1`, 'transfer_syntax.smpte_st_2110'],
    [`${SYNTAX}.4.58`, 'transfer_syntax.not_supported'],
    [`${SYNTAX}.6.1`, 'transfer_syntax.not_supported'],
    ['1.2.3.4', 'transfer_syntax.unknown'],
  ])('%s is %s', (transferSyntaxUid, reason) => {
    const description = describeImage({ transferSyntaxUid, pixelData: fragments() });

    expect(assessSupport(description)).toEqual({ state: 'unsupported', reason });
    expect(() => toImagePixel(description)).toThrow(expect.objectContaining({ code: 'unsupported_transfer_syntax' }));
  });

  test('every transfer syntax of the standard is decoded, or refused by name', () => {
    const decoded: string[] = [];
    for (const { uid, type } of allUids()) {
      if (type !== 'TransferSyntax') continue;
      const isNative = [SYNTAX, `${SYNTAX}.1`, `${SYNTAX}.1.99`, `${SYNTAX}.2`].includes(uid);
      const description = describeImage({ transferSyntaxUid: uid, ...(!isNative && { pixelData: fragments() }) });
      const { state, reason } = assessSupport(description);
      expect(reason).not.toBe('transfer_syntax.unknown');
      if (state === 'renderable') decoded.push(uid.slice(SYNTAX.length + 1));
    }
    const jpeg = ['4.50', '4.51', '4.53', '4.55', '4.57', '4.70', '4.80', '4.81', '4.90', '4.91', '4.92', '4.93'];
    const newer = ['4.110', '4.111', '4.112', '4.201', '4.202', '4.203', '5', '8.1'];
    expect(decoded.toSorted()).toEqual(['', '1', '1.98', '1.99', '2', ...jpeg, ...newer].toSorted());
  });

  test('an image on a JPIP server is refused as such, even though the file has no pixel data', () => {
    const description = describeImage({ transferSyntaxUid: `${SYNTAX}.4.94`, pixelData: undefined });
    expect(assessSupport(description).reason).toBe('transfer_syntax.jpip');
  });
});

describe('a layout that cannot be shown has a reason', () => {
  test.each<[Partial<PixelDescription>, string]>([
    [{ rows: undefined }, 'pixel_layout.rows_missing'],
    [{ columns: 0 }, 'pixel_layout.size_zero'],
    [{ rows: 65_535, columns: 65_535 }, 'pixel_layout.too_large'],
    [{ bitsStored: undefined }, 'pixel_layout.bits_stored_missing'],
    [{ bitsStored: 17 }, 'pixel_layout.bits_stored'],
    [{ bitsAllocated: 0 }, 'pixel_layout.bits_allocated'],
    [{ pixelRepresentation: 2 }, 'pixel_layout.pixel_representation'],
    [{ numberOfFrames: undefined }, 'pixel_layout.number_of_frames'],
    [{ samplesPerPixel: 3 }, 'pixel_layout.samples_per_pixel'],
    [{ photometricInterpretation: 'RGB' }, 'pixel_layout.samples_per_pixel'],
    [{ photometricInterpretation: 'ARGB', samplesPerPixel: 4 }, 'pixel_layout.argb'],
    [{ photometricInterpretation: 'CMYK', samplesPerPixel: 4 }, 'pixel_layout.cmyk'],
    [{ photometricInterpretation: 'HSV', samplesPerPixel: 3 }, 'pixel_layout.hsv'],
    [{ photometricInterpretation: 'YBR_RCT', samplesPerPixel: 3 }, 'pixel_layout.photometric_interpretation'],
    [{ photometricInterpretation: 'PALETTE COLOR' }, 'pixel_layout.palette_missing'],
    [{ photometricInterpretation: undefined }, 'pixel_layout.photometric_interpretation_missing'],
  ])('%o is %s', (changes, reason) => {
    const description = describeImage(changes);

    expect(assessSupport(description)).toEqual({ state: 'unsupported', reason });
    expect(() => toImagePixel(description)).toThrow(expect.objectContaining({ code: 'unsupported_pixel_layout' }));
  });

  test('32-bit samples are supported uncompressed and in RLE, but not in JPEG', () => {
    const deep = { rows: 5, bitsAllocated: 32, bitsStored: 32 };
    expect(assessSupport(describeImage(deep)).state).toBe('renderable');
    const inFragments = (syntax: string) =>
      describeImage({ ...deep, transferSyntaxUid: SYNTAX + syntax, pixelData: fragments() });
    expect(assessSupport(inFragments('.5')).state).toBe('renderable');
    expect(assessSupport(inFragments('.4.70')).reason).toBe('pixel_layout.bits_stored');
  });
});

test('float pixel data needs neither Bits Stored nor Pixel Representation', () => {
  const float = { tag: 0x7fe00008, vr: 'OF', encapsulated: false, length: 400 };
  const description = describeImage({
    bitsAllocated: 32,
    bitsStored: undefined,
    pixelRepresentation: undefined,
    pixelData: float,
  });

  expect(assessSupport(description).state).toBe('renderable');
  expect(toImagePixel(description).pixel).toMatchObject({
    sampleKind: 'float32',
    bitsStored: 32,
    pixelRepresentation: 0,
  });
});

test('native pixel data shorter than one row is truncated; with at least one row, the existing part is shown', () => {
  const native = { tag: 0x7fe00010, vr: 'OW', encapsulated: false };
  expect(assessSupport(describeImage({ pixelData: { ...native, length: 19 } })).reason).toBe('pixel_data.truncated');
  expect(assessSupport(describeImage({ pixelData: { ...native, length: 20 } })).reason).toBeUndefined();
});

test('fragments contradict a transfer syntax without fragments', () => {
  expect(assessSupport(describeImage({ pixelData: fragments() })).reason).toBe('transfer_syntax.mismatch');
});

test('a reason is explained with the values that cause it', () => {
  const description = describeImage({ rows: undefined });
  expect(explainSupport('pixel_layout.rows_missing', description)).toBe(
    'the pixel layout cannot be shown (rows missing): ? x 10 pixels, 1 samples of 12 in 16 bits, MONOCHROME2',
  );
});

function describeImage(changes: Partial<PixelDescription> = {}): PixelDescription {
  return {
    transferSyntaxUid: `${SYNTAX}.1`,
    rows: 10,
    columns: 10,
    samplesPerPixel: 1,
    bitsAllocated: 16,
    bitsStored: 12,
    highBit: 11,
    pixelRepresentation: 0,
    photometricInterpretation: 'MONOCHROME2',
    planarConfiguration: undefined,
    numberOfFrames: 1,
    warnings: [],
    hasPalette: false,
    pixelData: { tag: 0x7fe00010, vr: 'OW', encapsulated: false, length: 200 },
    ...changes,
  };
}

function fragments(): PixelDescription['pixelData'] {
  return { tag: 0x7fe00010, vr: 'OB', encapsulated: true, length: 500 };
}
