import { describe, expect, test } from 'vitest';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import type { DataSetInput } from '../../standard/dicom/dataSetInput.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import { writeDicom } from '../../standard/dicom/writeDicom.ts';
import { buildPixelInfo, type PixelInfo } from './buildPixelInfo.ts';

const BASE = { SOPClassUID: '1.2.840.10008.5.1.4.1.1.7', SOPInstanceUID: '1.2.826.0.1.3680043.10.7.1' };

function infoOf(elements: DataSetInput, transferSyntaxUid = '1.2.840.10008.1.2.1'): PixelInfo {
  const { dataSet } = readDicom(bufferSource(writeDicom({ ...BASE, ...elements })));
  return buildPixelInfo(dataSet, transferSyntaxUid);
}

function voi(center: string, width: string): DataSetInput {
  return { FrameVOILUTSequence: [{ WindowCenter: center, WindowWidth: width, VOILUTFunction: 'SIGMOID' }] };
}

function rescale(slope: string): DataSetInput {
  return { PixelValueTransformationSequence: [{ RescaleSlope: slope, RescaleIntercept: '-5', RescaleType: 'US' }] };
}

test('attributes that a file lacks have the default of the standard', () => {
  expect(infoOf({ BitsStored: 12 })).toEqual({
    highBit: 11,
    pixelRepresentation: 0,
    planarConfiguration: undefined,
    rescale: { slope: 1, intercept: 0, type: undefined },
    windows: [],
    voiLutFunction: 'LINEAR',
    frameTimeMs: undefined,
    lossy: false,
  });
});

test('a fraction in place of an integer is ignored', () => {
  const fraction = { vr: 'DS', value: '0.5' };
  const elements = { BitsStored: 12, HighBit: fraction, PixelRepresentation: fraction, PlanarConfiguration: fraction };

  expect(infoOf(elements)).toMatchObject({ highBit: 11, pixelRepresentation: 0, planarConfiguration: undefined });
});

describe('windows and rescale', () => {
  const topLevel = { WindowCenter: '1', WindowWidth: '10', RescaleSlope: '1' };
  const shared = { SharedFunctionalGroupsSequence: [{ ...voi('2', '20'), ...rescale('2') }] };
  const perFrame = { PerFrameFunctionalGroupsSequence: [{ ...voi('3', '30'), ...rescale('3') }, voi('4', '40')] };

  test.each([
    ['the top level', topLevel, 1, 'LINEAR'],
    ['the shared group before the top level', { ...topLevel, ...shared }, 2, 'SIGMOID'],
    ['the first frame’s group before both', { ...topLevel, ...shared, ...perFrame }, 3, 'SIGMOID'],
  ])('come from %s', (_, elements, value, shape) => {
    const info = infoOf(elements);
    expect(info.windows).toEqual([{ center: value, width: 10 * value, explanation: undefined }]);
    expect(info.rescale.slope).toBe(value);
    expect(info.voiLutFunction).toBe(shape);
  });

  test('all declared windows are listed with their explanations', () => {
    const elements = {
      WindowCenter: ['40', '300'],
      WindowWidth: ['400', '1500'],
      WindowCenterWidthExplanation: ['SOFT', 'BONE'],
    };
    expect(infoOf(elements).windows).toEqual([
      { center: 40, width: 400, explanation: 'SOFT' },
      { center: 300, width: 1500, explanation: 'BONE' },
    ]);
  });

  test('a center without a width is no window', () => {
    expect(infoOf({ WindowCenter: ['40', '300'], WindowWidth: '400' }).windows).toHaveLength(1);
  });
});

describe('the time from frame to frame', () => {
  test.each([
    ['Frame Time', { FrameTime: '33.3' }, 33.3],
    // (20 + 40) / 2: the first increment precedes the first frame.
    ['the mean of the Frame Time Vector', { FrameTimeVector: ['0', '20', '40'] }, 30],
    // 1000 ms / 25.
    ['Cine Rate', { CineRate: '25' }, 40],
    ['Recommended Display Frame Rate before Cine Rate', { CineRate: '25', RecommendedDisplayFrameRate: '10' }, 100],
    ['Frame Time before the rates', { FrameTime: '50', CineRate: '25' }, 50],
    ['nothing, where it is 0', { FrameTime: '0' }, undefined],
  ])('is %s', (_, elements, ms) => {
    expect(infoOf(elements).frameTimeMs).toBe(ms);
  });
});

describe('an image has lost something', () => {
  test('when it says so', () => {
    expect(infoOf({ LossyImageCompression: '01' }).lossy).toBe(true);
    expect(infoOf({ LossyImageCompression: '00' }).lossy).toBe(false);
  });

  test.each([
    ['JPEG Baseline', '1.2.840.10008.1.2.4.50', true],
    ['JPEG Extended', '1.2.840.10008.1.2.4.51', true],
    ['JPEG Spectral Selection', '1.2.840.10008.1.2.4.53', true],
    ['JPEG Full Progression', '1.2.840.10008.1.2.4.55', true],
    ['JPEG Lossless', '1.2.840.10008.1.2.4.70', false],
    ['JPEG-LS Lossless', '1.2.840.10008.1.2.4.80', false],
    ['JPEG-LS Near-lossless', '1.2.840.10008.1.2.4.81', true],
    ['JPEG 2000 Lossless', '1.2.840.10008.1.2.4.90', false],
    ['MPEG2', '1.2.840.10008.1.2.4.100', true],
    ['HEVC Main 10', '1.2.840.10008.1.2.4.108', true],
    ['RLE', '1.2.840.10008.1.2.5', false],
  ])('when its syntax can do no other: %s', (_, uid, lossy) => {
    expect(infoOf({}, uid).lossy).toBe(lossy);
  });
});
