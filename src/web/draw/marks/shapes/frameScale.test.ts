import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../../test/support/createFileRecord.ts';
import type { PlaneRun } from '../../../../shared/contract/series.ts';
import { findFrameScale } from './frameScale.ts';

const RUN: PlaneRun = {
  first: 0,
  count: 5,
  space: 'patient',
  orientation: [1, 0, 0, 0, 1, 0],
  origins_mm: [0, 0, 0],
  origin_step: [0, 0, 1],
  pixel_spacing_mm: [0.5, 0.25],
  pixel_spacing_source: 'pixel_spacing',
};
const FILE = createFileRecord(0, {
  frame_count: 9,
  pixel_spacing_mm: [2, 2],
  pixel_spacing_source: 'imager',
  pixel_aspect_ratio: 1,
});

test('the spacing of the frame comes before that of the file, which is of its first frame', () => {
  expect(findFrameScale(FILE, RUN)).toEqual({
    spacingMm: [0.5, 0.25],
    source: 'pixel_spacing',
    aspect: 2,
    regions: [],
  });
});

test.each([undefined, { ...RUN, pixel_spacing_mm: null, pixel_spacing_source: null }])(
  'a frame of which no spacing is known has that of its file',
  (plane) => {
    expect(findFrameScale(FILE, plane)).toEqual({ spacingMm: [2, 2], source: 'imager', aspect: 1, regions: [] });
  },
);

test('an ultrasound image must be asked for its regions', () => {
  expect(findFrameScale({ ...FILE, modality: 'US' }, RUN)).toBeUndefined();
});
