import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { chosenVolumeOf, chooseVolume, mayLieOver } from './layers.ts';
import { createPage } from './page.ts';

const IMAGE = { patient_id: 'p', study_instance_uid: '1', frame_of_reference_uid: 'space' };
const MASKS = { object_kind: 'segmentation', has_pixels: true, ...IMAGE } as const;

test.each([
  ['of the same study and frame of reference', {}, true],
  ['of the same study that declares no frame of reference', { frame_of_reference_uid: null }, true],
  ['of the same study in another frame of reference', { frame_of_reference_uid: 'other' }, false],
  ['of another study in the same frame of reference', { study_instance_uid: '2' }, true],
  [
    'of another study that declares no frame of reference',
    { study_instance_uid: '2', frame_of_reference_uid: null },
    false,
  ],
  // Some writers give all patients the same frame of reference.
  ['of another patient', { study_instance_uid: '2', patient_id: 'q' }, false],
])('a segmentation %s may lie over an image: %j', (_, different, isPossible) => {
  const image = createFileRecord(0, IMAGE);
  expect(mayLieOver(createPage(), createFileRecord(1, { ...MASKS, ...different }), image)).toBe(isPossible);
});

test('a volume is chosen for each layer, until it follows the picture again', () => {
  const page = createPage();
  chooseVolume(page, 3, 2);
  chooseVolume(page, 4, 0);
  expect([3, 4, 5].map((layer) => chosenVolumeOf(page, layer))).toEqual([2, 0, undefined]);
  chooseVolume(page, 3, undefined);
  expect(chosenVolumeOf(page, 3)).toBeUndefined();
});
