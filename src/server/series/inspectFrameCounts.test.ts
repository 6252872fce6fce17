import { expect, test } from 'vitest';
import { createStackImage } from '../../../test/support/createStackImage.ts';
import { buildSeries } from './buildSeries.ts';

const UIDS = { studyInstanceUid: '1.2', seriesInstanceUid: '1.2.3', geometryOf: () => undefined };

test('a file of which not all declared frames can be shown says so in its stack', () => {
  const files = [createStackImage(0), createStackImage(1, { frameCount: 3, declaredFrameCount: 400 })];

  const { stacks } = buildSeries({ ...UIDS, files });

  expect(stacks.flatMap(({ warnings }) => warnings)).toEqual([
    {
      code: 'missing_frames',
      message: 'the file declares 400 frames, but only 3 of them can be shown',
      fileIndices: [1],
    },
  ]);
});

test('one of which only the first frame is there stays apart from images of one frame', () => {
  const files = [createStackImage(0), createStackImage(1, { frameCount: 1, declaredFrameCount: 2 })];

  expect(buildSeries({ ...UIDS, files }).stacks.map(({ warnings }) => warnings.length)).toEqual([0, 1]);
});
