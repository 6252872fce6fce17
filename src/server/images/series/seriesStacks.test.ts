import { expect, test } from 'vitest';
import { createRankedGeometry } from '../../../../test/support/createFrameGeometry.ts';
import { createStackImage } from '../../../../test/support/createStackImage.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { createSeriesStacks } from './seriesStacks.ts';

function inSeries(index: number, seriesInstanceUid: string, studyInstanceUid = '1.2'): DicomFile {
  return createStackImage(index, { seriesInstanceUid, studyInstanceUid });
}

function createStacks(...files: readonly DicomFile[]) {
  const stacks = createSeriesStacks();
  for (const file of files) stacks.add(file);
  return stacks;
}

test('series are sorted by study and series UID, and an unchanged series is not built again', () => {
  const stacks = createStacks(inSeries(0, '2.2'), inSeries(1, '2.10'), inSeries(2, '2.1', '1.1'));
  const before = stacks.build();

  stacks.add(inSeries(3, '2.2'));
  const after = stacks.build();

  expect(before.map(({ seriesInstanceUid }) => seriesInstanceUid)).toEqual(['2.1', '2.10', '2.2']);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toBe(before[1]);
  expect(after[2]?.stacks[0]?.frames.length).toBe(2);
});

test('a built series does not change while files are added', () => {
  const stacks = createStacks(inSeries(0, '2.2'));
  const series = stacks.build();
  stacks.add(inSeries(1, '2.2'));
  stacks.add(inSeries(2, '2.3'));
  stacks.build();
  expect(series.map((each) => each.stacks[0]?.frames.length)).toEqual([1]);
});

test('without new files the series are the same', () => {
  const stacks = createStacks(inSeries(0, '2.2'));
  expect(stacks.build()).toBe(stacks.build());
});

test('frames are in stored order until their positions are known', () => {
  const stacks = createStacks(createStackImage(0, { frameCount: 2, placement: { hasFrameGeometry: true } }));
  const early = stacks.build();
  stacks.place(0, createRankedGeometry([5, 1]));
  const late = stacks.build();

  expect(Array.from(early[0]!.stacks[0]!.frames.frameIndices)).toEqual([0, 1]);
  expect(Array.from(late[0]!.stacks[0]!.frames.frameIndices)).toEqual([1, 0]);
});
