import { expect, test } from 'vitest';
import { createStackImage } from '../../../../test/support/createStackImage.ts';
import { buildSeries } from './buildSeries.ts';

const UIDS = { studyInstanceUid: '1.2', seriesInstanceUid: '1.2.3', geometryOf: () => undefined };

test('a file with fewer frames than it declares is reported in its stack', () => {
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

test('a multi-frame file of which only the first frame exists is not mixed with single-frame images', () => {
  const files = [createStackImage(0), createStackImage(1, { frameCount: 1, declaredFrameCount: 2 })];

  expect(buildSeries({ ...UIDS, files }).stacks.map(({ warnings }) => warnings.length)).toEqual([0, 1]);
});
