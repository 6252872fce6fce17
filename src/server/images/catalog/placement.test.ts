import { expect, test } from 'vitest';
import { ctElements } from '../../../../test/support/ctElements.ts';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import { type DataSetInput, writeDicom } from '../../standard/dicom/writeDicom.ts';
import { readPlacement, type Placement } from './placement.ts';

function read(elements: DataSetInput, { frameCount = 1, isSlide = false } = {}): Placement {
  const { dataSet } = readDicom(bufferSource(writeDicom(ctElements(elements))));
  return readPlacement(dataSet, { frameCount, isSlide });
}

const PLANE = { ImagePositionPatient: [1, 2, 3], ImageOrientationPatient: [1, 0, 0, 0, 1, 0] };

test('an image with one frame is placed by its own attributes', () => {
  const placement = read({
    ...PLANE,
    ImageType: ['ORIGINAL', 'PRIMARY', 'LOCALIZER'],
    EchoNumbers: 2,
    DiffusionBValue: 800,
    TriggerTime: 40,
    SliceThickness: 2.5,
    SpacingBetweenSlices: 3,
  });
  expect(placement).toEqual({
    imageType: 'ORIGINAL\\PRIMARY\\LOCALIZER',
    echoNumber: 2,
    bValue: 800,
    time: 40,
    position: [1, 2, 3],
    orientation: [1, 0, 0, 0, 1, 0],
    sliceThicknessMm: 2.5,
    sliceSpacingMm: 3,
    hasFrameGeometry: false,
    concatenation: undefined,
    slide: undefined,
  });
});

test('the functional groups of an only frame come before the attributes of the whole object', () => {
  const placement = read({
    ...PLANE,
    SliceThickness: 2.5,
    SharedFunctionalGroupsSequence: [
      {
        PlaneOrientationSequence: [{ ImageOrientationPatient: [0, 1, 0, 0, 0, -1] }],
        PixelMeasuresSequence: [{ SliceThickness: 4 }],
      },
    ],
    PerFrameFunctionalGroupsSequence: [{ PlanePositionSequence: [{ ImagePositionPatient: [7, 8, 9] }] }],
  });
  expect(placement).toMatchObject({
    position: [7, 8, 9],
    orientation: [0, 1, 0, 0, 0, -1],
    sliceThicknessMm: 4,
  });
});

test('a position of two values is none', () => {
  expect(read({ ...PLANE, ImagePositionPatient: [1, 2] }).position).toBeUndefined();
});

test('of several frames the place is not that of the first', () => {
  const placement = read({ ...PLANE, PerFrameFunctionalGroupsSequence: [{}, {}] }, { frameCount: 2 });
  expect(placement).toMatchObject({ position: undefined, orientation: undefined, hasFrameGeometry: true });
});

test('a cine has no geometry of frames, a dose grid has', () => {
  expect(read(PLANE, { frameCount: 9 }).hasFrameGeometry).toBe(false);
  expect(read({ ...PLANE, GridFrameOffsetVector: [0, 3] }, { frameCount: 2 }).hasFrameGeometry).toBe(true);
});

test('a part of a slide level knows its concatenation, its pyramid and its container', () => {
  const placement = read(
    {
      PyramidUID: '1.2.7',
      ContainerIdentifier: 'S1',
      TotalPixelMatrixRows: 100,
      TotalPixelMatrixColumns: 200,
      ImagedVolumeWidth: 12.5,
      ConcatenationUID: '1.2.8',
      InConcatenationNumber: 2,
      InConcatenationTotalNumber: 3,
      ConcatenationFrameOffsetNumber: 40,
    },
    { frameCount: 20, isSlide: true },
  );
  expect(placement).toMatchObject({
    hasFrameGeometry: false,
    concatenation: { uid: '1.2.8', number: 2, total: 3, frameOffset: 40 },
    slide: {
      pyramidUid: '1.2.7',
      containerIdentifier: 'S1',
      totalRows: 100,
      totalColumns: 200,
      imagedVolumeWidthMm: 12.5,
    },
  });
});
