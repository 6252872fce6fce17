import { afterEach, expect, test, vi } from 'vitest';
import { holdAnswers } from '../../../../test/support/heldAnswers.ts';
import { AXIAL, createTable } from '../../../../test/support/rampVolume.ts';
import { toVolumeResponse } from '../../../../test/support/wireVolume.ts';
import { createPage, type Page } from './page.ts';
import { findTimedFrame, frameAtTime } from './timedFrames.ts';
import { loadVolume, type StackVolume } from './volumes.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The page asks the server for the volume. */
async function learn(page: Page, answer: StackVolume): Promise<void> {
  const answers = holdAnswers();
  const loading = loadVolume(page, answer.address);
  answers[0]?.(toVolumeResponse(answer));
  await loading;
}

/** Two places at three times: files 10 to 12 in the first place, 20 to 22 in the second. Times 1 and 2 share file 22. */
const volume: StackVolume = {
  address: { fileIndex: 10, frame: 0 },
  fileIndex: 10,
  frameCount: 6,
  table: createTable({
    ...AXIAL,
    rows: 4,
    columns: 5,
    rowSpacingMm: 1,
    columnSpacingMm: 1,
    origin: [0, 0, 0],
    offsetsMm: [0, 2],
  }),
  space: 'patient',
  spaceName: '1.9',
  times: ['a', 'b', 'c'],
  frames: { fileIndices: [10, 20, 11, 22, 12, 22], frameIndices: [0, 0, 0, 1, 0, 1] },
  timeValues: [],
  toFrameValue: 1,
  unit: 'HU',
  hasOneRescale: true,
  isRealWorld: false,
  warnings: [],
};

test('a stored frame of a volume with times is found by place and time, unless several times share it', async () => {
  const page = createPage();
  expect(findTimedFrame(page, { fileIndex: 11, frame: 0 })).toBeUndefined();
  await learn(page, volume);
  const found = findTimedFrame(page, { fileIndex: 11, frame: 0 });
  expect([found?.place, found?.time]).toEqual([0, 1]);
  expect(frameAtTime(found!, 2)).toEqual({ fileIndex: 12, frame: 0 });
  expect(frameAtTime(found!, 3)).toBeUndefined();
  const second = findTimedFrame(page, { fileIndex: 20, frame: 0 });
  expect([second?.place, second?.time]).toEqual([1, 0]);
  expect(frameAtTime(second!, 2)).toEqual({ fileIndex: 22, frame: 1 });
  expect(findTimedFrame(page, { fileIndex: 22, frame: 1 })).toBeUndefined();
  expect(findTimedFrame(page, { fileIndex: 22, frame: 0 })).toBeUndefined();
  // A volume with a single time moves nothing.
  page.restart();
  await learn(page, { ...volume, times: [''] });
  expect(findTimedFrame(page, { fileIndex: 11, frame: 0 })).toBeUndefined();
});

test('a mosaic is the frame of all places at its time', async () => {
  const page = createPage();
  // Both places at three times are parts of one file each.
  await learn(page, { ...volume, frames: { fileIndices: [10, 10, 11, 11, 12, 12], frameIndices: [0, 0, 0, 0, 0, 0] } });
  const found = findTimedFrame(page, { fileIndex: 11, frame: 0 });
  expect(found?.time).toBe(1);
  expect(frameAtTime(found!, 2)).toEqual({ fileIndex: 12, frame: 0 });
});
