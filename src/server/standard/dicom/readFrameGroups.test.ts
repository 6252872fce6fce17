import { expect, test } from 'vitest';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { readFrameGroups } from './readFrameGroups.ts';
import * as Tag from './tag.ts';
import { type DataSetInput, writeDicom } from './writeDicom.ts';

function write(frameCount: number, different: DataSetInput = {}): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.4.1',
    SOPInstanceUID: '1.2.826.0.1.3680043.8.498.50',
    SharedFunctionalGroupsSequence: [{ FrameAnatomySequence: [{ FrameLaterality: 'U' }] }],
    PerFrameFunctionalGroupsSequence: Array.from({ length: frameCount }, (_, frame) => ({
      FrameContentSequence: [{ FrameAcquisitionNumber: frame % 65_536, FrameComments: 'not wanted' }],
    })),
    ...different,
  });
}

const WANTED = { wanted: [], wantedInGroups: [Tag.FrameContentSequence, Tag.FrameAcquisitionNumber] };

test('every frame is read once, in order, and a large object in parts', () => {
  const frameCount = 8192 + 5;
  const source = bufferSource(write(frameCount));
  const numbers: (number | undefined)[] = [];
  const parts: number[] = [];
  for (const { firstFrame, frames } of readFrameGroups(source, { frameCount, ...WANTED })) {
    expect(firstFrame).toBe(numbers.length);
    parts.push(frames.length);
    for (const frame of frames) {
      numbers.push(frame.items(Tag.FrameContentSequence)[0]?.number(Tag.FrameAcquisitionNumber));
    }
  }
  expect(parts).toEqual([8192, 5]);
  expect(numbers).toEqual(Array.from({ length: frameCount }, (_, frame) => frame));
});

test('unwanted elements are not read, and every part has the shared groups', () => {
  const [groups] = readFrameGroups(bufferSource(write(2)), {
    frameCount: 2,
    wanted: [Tag.SOPInstanceUID],
    wantedInGroups: [Tag.FrameAnatomySequence, Tag.FrameContentSequence],
  });
  expect(groups?.dataSet.has(Tag.SOPInstanceUID)).toBe(true);
  expect(groups?.dataSet.has(Tag.SOPClassUID)).toBe(false);
  expect(groups?.frames[1]?.items(Tag.FrameContentSequence)[0]?.size).toBe(0);
  expect(groups?.shared?.items(Tag.FrameAnatomySequence)).toHaveLength(1);
});

test('reading ends if an object describes fewer frames than it has', () => {
  const parts = [...readFrameGroups(bufferSource(write(3)), { frameCount: 40_000, ...WANTED })];
  expect(parts.map(({ frames }) => frames.length)).toEqual([3]);
});
