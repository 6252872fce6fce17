import { describe, expect, test } from 'vitest';
import { chooseVoi } from '../../../../shared/chooseVoi.ts';
import { createGrayTables } from '../../../../shared/grayTable.ts';
import { NO_RESCALE } from '../../../../shared/modality.ts';
import { presentFrame } from '../../../../shared/presentation.ts';
import { bufferSource } from '../../../bytes/origins/byteSource.ts';
import { type DataSetInput, writeDicom, type WriteOptions } from '../../../standard/dicom/writeDicom.ts';
import { decodeFrame } from '../decodeFrame.ts';
import { openImage } from '../imageFiles.ts';
import { readPresentation, toFrameToPresent } from './readPresentation.ts';

const BIG_ENDIAN = '1.2.840.10008.1.2.2';
const IMPLICIT = '1.2.840.10008.1.2';

describe('modality', () => {
  test('is rescale slope and intercept', () => {
    expect(read({ RescaleSlope: '2', RescaleIntercept: '-1024' }).modality).toEqual(rescale(2, -1024));
  });

  test('of a frame takes precedence over that of all frames, which takes precedence over the top level', () => {
    const file = {
      NumberOfFrames: '2',
      RescaleSlope: '9',
      SharedFunctionalGroupsSequence: [transformation(2)],
      PerFrameFunctionalGroupsSequence: [transformation(5), {}],
      PixelData: Int16Array.of(1, 2, 3, 4),
    };
    expect(read(file, 0).modality).toEqual(rescale(5, 0));
    expect(read(file, 1).modality).toEqual(rescale(2, 0));
  });

  test.each([undefined, BIG_ENDIAN, IMPLICIT])('is a lookup table, in transfer syntax %s too', (transferSyntaxUid) => {
    const item = { LUTDescriptor: lut('SS', [3, -1, 16]), ModalityLUTType: 'US', LUTData: lut('US', [10, 20, 300]) };
    const { modality } = read(
      { ModalityLUTSequence: [item] },
      0,
      transferSyntaxUid === undefined ? {} : { transferSyntaxUid },
    );
    expect(modality).toEqual({
      kind: 'lut',
      table: { firstValue: -1, entries: Uint16Array.of(10, 20, 300), bits: 16 },
    });
  });

  test('of a logarithmic angiogram is not used for display', () => {
    const SOPClassUID = '1.2.840.10008.5.1.4.1.1.12.1';
    expect(read({ SOPClassUID, RescaleSlope: '2', PixelIntensityRelationship: 'LOG' }).modality).toEqual(NO_RESCALE);
    expect(read({ SOPClassUID, RescaleSlope: '2', PixelIntensityRelationship: 'LIN' }).modality).toEqual(rescale(2, 0));
  });
});

describe('VOI', () => {
  test('has all declared windows and their function', () => {
    const { voi } = read({ WindowCenter: ['40', '-600'], WindowWidth: ['400', '1500'], VOILUTFunction: 'SIGMOID' });
    expect(voi).toEqual({
      windows: [
        { center: 40, width: 400 },
        { center: -600, width: 1500 },
      ],
      shape: 'SIGMOID',
      tables: [],
    });
  });

  test('skips a center without a width', () => {
    const { voi } = read({ WindowCenter: ['40', '50'], WindowWidth: '400' });
    const frame = { samples: Int16Array.of(1), modality: NO_RESCALE, padding: undefined };
    expect(chooseVoi({ kind: 'default', index: 1 }, voi, frame)).toMatchObject({ window: { center: 40, width: 400 } });
  });

  test('tables of signed modality values begin at a signed value', () => {
    // Written with the wrong VR US by some devices: 65436 is -100.
    const item = { LUTDescriptor: lut('US', [2, 65_436, 16]), LUTData: lut('US', [1, 2]) };
    expect(
      read({ RescaleSlope: '1', RescaleIntercept: '-1024', VOILUTSequence: [item] }).voi.tables[0]?.firstValue,
    ).toBe(-100);
  });
});

describe('padding', () => {
  test('is a range of stored values, whichever end comes first', () => {
    const file = { PixelPaddingValue: lut('SS', [-1000]), PixelPaddingRangeLimit: lut('SS', [-2000]) };
    expect(read(file).padding).toEqual({ low: -2000, high: -1000 });
  });

  test('of signed samples is signed, whatever its VR', () => {
    expect(read({ PixelPaddingValue: lut('US', [63_536]) }).padding).toEqual({ low: -2000, high: -2000 });
  });

  test('of float samples is a float', () => {
    const file = { ...floatImage(), FloatPixelPaddingValue: -0.5, FloatPixelPaddingRangeLimit: 0.25 };
    expect(read(file).padding).toEqual({ low: -0.5, high: 0.25 });
  });
});

describe('palettes', () => {
  test.each([undefined, BIG_ENDIAN])(
    'of 8-bit entries are packed two to a word, in transfer syntax %s',
    (transferSyntaxUid) => {
      const file = { ...paletteImage(), ...channels([3, 0, 8], lut('OW', [0x0201, 0x0003])) };
      const { palette } = read(file, 0, transferSyntaxUid === undefined ? {} : { transferSyntaxUid });
      expect(palette?.colors.slice(0, 9)).toEqual(Uint8Array.of(1, 1, 1, 2, 2, 2, 3, 3, 3));
    },
  );

  test('can be segmented', () => {
    const segments = { vr: 'OW', value: Uint16Array.of(0, 1, 0, 1, 4, 0xff00) };
    const file = { ...paletteImage(), ...segmentedChannels([5, 0, 16], segments) };
    expect(read(file).palette?.colors.at(-1)).toBe(255);
  });

  test('of gray images are used only if the file declares colors', () => {
    const palette = channels([1, 100, 16], lut('OW', [0xff00]));
    expect(read({ ...palette, PixelPresentation: 'COLOR' }).supplementalPalette?.firstValue).toBe(100);
    expect(read(palette).supplementalPalette).toBeUndefined();
  });
});

describe('overlays', () => {
  const graphics = { '60000010': us(1), '60000011': us(2), '60000040': { vr: 'CS', value: 'G' } };

  test('are read from packed bits, at their origin', () => {
    const { overlays } = read({ ...graphics, '60000050': { vr: 'SS', value: [1, 2] }, '60003000': lut('OW', [0b10]) });
    expect(overlays).toEqual([{ group: 0x6000, rows: 1, columns: 2, origin: [1, 2], mask: Uint8Array.of(0, 1) }]);
  });

  test('in unused bits of the samples are drawn', async () => {
    // Twelve bits stored; the first pixel has its overlay in bit 15.
    const file = { BitsStored: 12, HighBit: 11, PixelRepresentation: 0, '60000100': us(16), '60000102': us(15) };
    const picture = await present({ ...graphics, ...file, PixelData: Uint16Array.of(0x8000, 0) });
    expect([...picture.pixels]).toEqual([255, 0]);
  });

  test('without data and without their own bit are ignored', () => {
    expect(read({ ...graphics, '60000100': us(1), '60000102': us(0) })).toMatchObject({
      overlays: [],
      embeddedOverlayBits: [],
    });
  });

  test('that are the bitmap of a shutter hide pixels instead of being drawn', async () => {
    const shutter = { ShutterShape: 'BITMAP', '00181623': us(0x6000), ShutterPresentationValue: 0x8000 };
    const picture = await present({
      ...graphics,
      ...shutter,
      '60003000': lut('OW', [0b01]),
      WindowCenter: '128',
      WindowWidth: '256',
    });
    expect([...picture.pixels]).toEqual([0x80, 9]);
  });
});

describe('shutters', () => {
  test('of several shapes are all applied', () => {
    const file = {
      ShutterShape: ['RECTANGULAR', 'CIRCULAR', 'POLYGONAL'],
      ShutterLeftVerticalEdge: '1',
      ShutterRightVerticalEdge: '2',
      ShutterUpperHorizontalEdge: '3',
      ShutterLowerHorizontalEdge: '4',
      CenterOfCircularShutter: ['5', '6'],
      RadiusOfCircularShutter: '7',
      VerticesOfThePolygonalShutter: ['1', '1', '1', '9', '9', '9'],
      ShutterPresentationValue: 65_535,
    };
    expect(read(file).shutters).toEqual({
      shutters: [
        { shape: 'rectangular', left: 1, right: 2, upper: 3, lower: 4 },
        { shape: 'circular', center: [5, 6], radius: 7 },
        {
          shape: 'polygonal',
          vertices: [
            [1, 1],
            [1, 9],
            [9, 9],
          ],
        },
      ],
      presentationValue: 65_535,
    });
  });

  test('without dimensions hide nothing', () => {
    expect(read({ ShutterShape: 'CIRCULAR' }).shutters).toBeUndefined();
  });
});

test('the color profile of a slide is that of the optical path of the frame', () => {
  const file = {
    OpticalPathSequence: [opticalPath('1', 1), opticalPath('2', 2)],
    PerFrameFunctionalGroupsSequence: [{ OpticalPathIdentificationSequence: [{ OpticalPathIdentifier: '2' }] }],
  };
  expect(read(file).iccProfile).toEqual(Uint8Array.of(2, 2));
});

test('a file is shown as it declares: rescaled, windowed and inverted, with black padding', async () => {
  const picture = await present({
    Columns: 4,
    PhotometricInterpretation: 'MONOCHROME1',
    RescaleSlope: '1',
    RescaleIntercept: '-1024',
    WindowCenter: '40',
    WindowWidth: '400',
    PixelPaddingValue: lut('SS', [-2000]),
    PixelData: Int16Array.of(863, 1064, 1264, -2000),
  });
  expect([...picture.pixels]).toEqual([255, 127, 0, 0]); // -161, 40 and 240 HU
  expect(picture.window).toEqual({ center: 40, width: 400, applied: 'linear' });
});

/** One row of two signed words, 0 and 9. */
function createImage(more: DataSetInput): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
    SOPInstanceUID: '2.25.1',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 1,
    Columns: 2,
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 1,
    PixelData: Int16Array.of(0, 9),
    ...more,
  };
}

function opticalPath(identifier: string, byte: number): DataSetInput {
  return { OpticalPathIdentifier: identifier, ICCProfile: Uint8Array.of(byte, byte) };
}

function floatImage(): DataSetInput {
  return {
    BitsAllocated: 32,
    BitsStored: undefined,
    HighBit: undefined,
    PixelRepresentation: undefined,
    PixelData: undefined,
    FloatPixelData: Float32Array.of(0, 1),
  };
}

function paletteImage(): DataSetInput {
  return { PhotometricInterpretation: 'PALETTE COLOR', PixelRepresentation: 0, PixelData: Uint16Array.of(0, 1) };
}

function channels(descriptor: number[], data: DataSetInput[string]): DataSetInput {
  const both = (color: string) => [
    [`${color}PaletteColorLookupTableDescriptor`, lut('US', descriptor)],
    [`${color}PaletteColorLookupTableData`, data],
  ];
  return Object.fromEntries(['Red', 'Green', 'Blue'].flatMap(both));
}

function segmentedChannels(descriptor: number[], data: DataSetInput[string]): DataSetInput {
  const both = (color: string) => [
    [`${color}PaletteColorLookupTableDescriptor`, lut('US', descriptor)],
    [`Segmented${color}PaletteColorLookupTableData`, data],
  ];
  return Object.fromEntries(['Red', 'Green', 'Blue'].flatMap(both));
}

function lut(vr: string, value: number[]) {
  return vr === 'OW' ? { vr, value: Uint16Array.from(value) } : { vr, value };
}

function us(value: number) {
  return { vr: 'US', value };
}

function rescale(slope: number, intercept: number) {
  return { kind: 'rescale', slope, intercept };
}

function transformation(slope: number): DataSetInput {
  return {
    PixelValueTransformationSequence: [{ RescaleSlope: String(slope), RescaleIntercept: '0', RescaleType: 'US' }],
  };
}

function read(more: DataSetInput, frame = 0, options: WriteOptions = {}) {
  const { object, pixel } = openImage(bufferSource(writeDicom(createImage(more), options)));
  return readPresentation(object.dataSet, pixel, frame);
}

async function present(more: DataSetInput) {
  const image = openImage(bufferSource(writeDicom(createImage(more))));
  const { object, pixel, codec } = image;
  const presentation = readPresentation(object.dataSet, pixel, 0);
  const planes = presentation.embeddedOverlayBits;
  const decoded = await decodeFrame(image.readEncoded(0), { pixel, codec, frame: 0 }, { planes });
  return presentFrame(toFrameToPresent(decoded, pixel, presentation), { kind: 'default' }, createGrayTables());
}
