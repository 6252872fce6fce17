import { expect, test } from 'vitest';
import { createStackImage, SAGITTAL } from '../../../../test/support/createStackImage.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { buildSeries } from './buildSeries.ts';
import { tellStacksApart } from './tellStacksApart.ts';

function tell(files: readonly DicomFile[]): string[][] {
  const uids = { studyInstanceUid: '1.2', seriesInstanceUid: '1.2.3' };
  const { stacks } = buildSeries({ ...uids, files, geometryOf: () => undefined });
  return tellStacksApart(stacks, files).map((traits) => traits.map(({ name, value }) => `${name} ${value}`));
}

test('the only stack of a series needs no distinction', () => {
  expect(tell([createStackImage(0), createStackImage(1)])).toEqual([[]]);
});

test('echoes are distinguished by their number, and shared traits are left out', () => {
  const files = [1, 1, 2, 2].map((echoNumber, index) => createStackImage(index, { placement: { echoNumber } }));
  expect(tell(files)).toEqual([['echo 1'], ['echo 2']]);
});

test('localizers of other orientations are distinguished by image type and orientation', () => {
  const localizer = { imageType: 'ORIGINAL\\PRIMARY\\LOCALIZER' };
  const files = [
    createStackImage(0),
    createStackImage(1, { placement: localizer }),
    createStackImage(2, { placement: { ...localizer, orientation: SAGITTAL } }),
  ];
  expect(tell(files)).toEqual([
    ['image_type AXIAL', 'orientation axial'],
    ['image_type LOCALIZER', 'orientation axial'],
    ['image_type LOCALIZER', 'orientation sagittal'],
  ]);
});

test('a trait that differs within a stack does not distinguish it', () => {
  const files = [1, 2, 2].map((bValue, index) =>
    createStackImage(index, { rows: index === 0 ? 64 : 32, placement: { bValue: 400 * bValue, time: index } }),
  );
  // Both images of the second stack have b-value 800, but their times differ.
  expect(tell(files)).toEqual([
    ['b_value 400', 'phase 0', 'matrix 512 x 64'],
    ['b_value 800', 'matrix 512 x 32'],
  ]);
});

function createCopy(index: number, transferSyntaxName: string): DicomFile {
  const same = { frameCount: 2, sopInstanceUid: '1.2.9', instanceNumber: '1' };
  return createStackImage(index, { ...same, transferSyntaxName });
}

test('copies are distinguished by their encoding, and copies with the same encoding by their names', () => {
  expect(tell([createCopy(0, 'RLE'), createCopy(1, 'JPEG'), createCopy(2, 'JPEG')])).toEqual([
    ['transfer_syntax RLE'],
    ['transfer_syntax JPEG', 'file_name 1.dcm'],
    ['transfer_syntax JPEG', 'file_name 2.dcm'],
  ]);
});

test('frames of reference are named only where nothing else distinguishes two stacks', () => {
  const [label, volume] = ['DERIVED\\PRIMARY\\LABEL', 'ORIGINAL\\PRIMARY\\VOLUME'];
  const files = [
    createStackImage(0, { frameOfReferenceUid: '1.2.7', placement: { imageType: volume } }),
    createStackImage(1, { frameOfReferenceUid: '1.2.8', placement: { imageType: volume } }),
    createStackImage(2, { frameOfReferenceUid: '1.2.9', placement: { imageType: label } }),
  ];
  expect(tell(files)).toEqual([
    ['image_type VOLUME', 'frame_of_reference 1'],
    ['image_type VOLUME', 'frame_of_reference 2'],
    ['image_type LABEL'],
  ]);
});

test('multi-frame files are distinguished by their instance numbers', () => {
  const files = ['7', '8'].map((instanceNumber, index) => createStackImage(index, { frameCount: 3, instanceNumber }));
  expect(tell(files)).toEqual([['instance_number 7'], ['instance_number 8']]);
});
