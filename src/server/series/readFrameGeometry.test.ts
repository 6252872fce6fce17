import { expect, test } from 'vitest';
import { enhancedElements } from '../../../test/support/enhancedElements.ts';
import { createTempFolder, writeBelow } from '../../../test/support/tempFolder.ts';
import { openFileSource } from '../dicom/byteSource.ts';
import { type DataSetInput, writeDicom } from '../dicom/writeDicom.ts';
import type { FrameGeometry } from './frameGeometry.ts';
import { readFrameGeometry } from './readFrameGeometry.ts';

function read(elements: DataSetInput, frameCount: number): FrameGeometry {
  const path = writeBelow(createTempFolder(), 'a.dcm', writeDicom(elements));
  const source = openFileSource(path);
  source.close();
  return readFrameGeometry({ path, identity: source.identity, frameCount });
}

test('each orientation is told once, and which frames have it', () => {
  const sagittal = [0, 1, 0, 0, 0, -1];
  const frames = [{ position: [0, 0, 1] }, { position: [0, 0, 2], orientation: sagittal }, { position: [0, 0, 3] }];
  const geometry = read(enhancedElements(frames), 3);
  expect(geometry.orientations).toEqual([[1, 0, 0, 0, 1, 0], sagittal]);
  expect([...geometry.orientationOf]).toEqual([0, 1, 0]);
  expect([...geometry.points]).toEqual([0, 0, 1, 0, 0, 2, 0, 0, 3]);
  expect(geometry.isSpatial).toBe(true);
});

test('a place that all frames share is that of a cine', () => {
  const elements = enhancedElements([], {
    NumberOfFrames: 2,
    SharedFunctionalGroupsSequence: [
      {
        PlanePositionSequence: [{ ImagePositionPatient: [4, 5, 6] }],
        PlaneOrientationSequence: [{ ImageOrientationPatient: [1, 0, 0, 0, 1, 0] }],
      },
    ],
    PerFrameFunctionalGroupsSequence: [{}, {}],
    PixelData: new Uint8Array(8),
  });
  const geometry = read(elements, 2);
  expect([...geometry.points]).toEqual([4, 5, 6, 4, 5, 6]);
  expect(geometry.isSpatial).toBe(false);
});

test('the planes of an ultrasound volume lie in the coordinates of the volume', () => {
  const elements = enhancedElements([], {
    NumberOfFrames: 2,
    SharedFunctionalGroupsSequence: [
      { PlaneOrientationVolumeSequence: [{ ImageOrientationVolume: [1, 0, 0, 0, 1, 0] }] },
    ],
    PerFrameFunctionalGroupsSequence: [7, 3].map((z) => ({
      PlanePositionVolumeSequence: [{ ImagePositionVolume: [0, 0, z] }],
    })),
    PixelData: new Uint8Array(8),
  });
  const geometry = read(elements, 2);
  expect([...geometry.points]).toEqual([0, 0, 7, 0, 0, 3]);
  expect([...geometry.orientationOf]).toEqual([0, 0]);
});

test('offsets of a dose grid that begin with the height of the origin are heights themselves', () => {
  const elements = enhancedElements([], {
    NumberOfFrames: 2,
    SharedFunctionalGroupsSequence: undefined,
    PerFrameFunctionalGroupsSequence: undefined,
    ImagePositionPatient: [1, 2, 30],
    ImageOrientationPatient: [1, 0, 0, 0, 1, 0],
    GridFrameOffsetVector: ['30', '27.5'],
    PixelData: new Uint8Array(8),
  });
  expect([...read(elements, 2).points]).toEqual([1, 2, 30, 1, 2, 27.5]);
});

test('frames that the object does not describe have no place', () => {
  const geometry = read(enhancedElements([{ position: [0, 0, 1] }]), 2);
  expect([...geometry.points]).toEqual([0, 0, 1, NaN, NaN, NaN]);
  expect([...geometry.orientationOf]).toEqual([0, -1]);
});

test('a position that is no number is none', () => {
  const elements = enhancedElements([{ position: [0, 0, 1] }], {
    PerFrameFunctionalGroupsSequence: [
      { PlanePositionSequence: [{ ImagePositionPatient: { vr: 'DS', value: new TextEncoder().encode('a\\0\\1 ') } }] },
    ],
  });
  expect([...read(elements, 1).points]).toEqual([NaN, NaN, NaN]);
});
