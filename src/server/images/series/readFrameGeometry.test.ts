import { expect, test } from 'vitest';
import { sourceOf } from '../../../../test/support/sources.ts';
import { enhancedElements } from '../../../../test/support/enhancedElements.ts';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { writeDicom } from '../../standard/dicom/writeDicom.ts';
import { readFrameGeometry } from './readFrameGeometry.ts';

test('frames are placed in space, and ranked by time if they are at one position', () => {
  const frames = [
    { position: [0, 0, 1], temporalPosition: 2 },
    { position: [0, 0, 1], temporalPosition: 1 },
    { position: [0, 0, 3], temporalPosition: 1 },
  ];
  const path = writeBelow(createTempFolder(), 'a.dcm', writeDicom(enhancedElements(frames)));
  const geometry = readFrameGeometry({ source: sourceOf(path), frameCount: 4 });
  expect([...geometry.points]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 3, NaN, NaN, NaN]);
  expect([...geometry.ranks]).toEqual([1, 0, 0, NaN]);
  expect(geometry).toMatchObject({ placesFrames: true, isSpatial: true });
});
