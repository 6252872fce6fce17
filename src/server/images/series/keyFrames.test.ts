import { expect, test } from 'vitest';
import { listKeyFrames } from './keyFrames.ts';
import type { Series, Stack } from './stack.ts';

function stack(
  frames: readonly (readonly [file: number, frame: number, position: number])[],
  kind: Stack['kind'] = 'ordinary',
): Stack {
  return {
    id: '',
    kind,
    concatenationUid: undefined,
    pyramidUid: undefined,
    imageTypeRole: undefined,
    totalPixelMatrixRows: undefined,
    totalPixelMatrixColumns: undefined,
    frames: {
      length: frames.length,
      fileIndices: frames.map(([file]) => file),
      frameIndices: frames.map(([, frame]) => frame),
      positionsMm: frames.map(([, , position]) => position),
    },
    warnings: [],
    ofFrames: undefined,
  };
}

function keysOf(stacks: readonly Stack[], wanted: number) {
  const series: Series = { id: '', studyInstanceUid: '1', seriesInstanceUid: '2', frameOfReferenceUids: [], stacks };
  return listKeyFrames(series, wanted).map(({ frames, peaks }) => ({
    frames: frames.map(({ fileIndex, frame }) => `${fileIndex}/${frame}`),
    peaks: peaks.length,
  }));
}

test('slices are evenly spaced places, in the middle of their times', () => {
  // Three times of 20 places, time after time.
  const frames = Array.from({ length: 60 }, (_, at) => [at, 0, at % 20] as const);
  // Two are left out at each end: places 2, 10 and 17, each at its second time.
  expect(keysOf([stack(frames)], 3)).toEqual([{ frames: ['22/0', '30/0', '37/0'], peaks: 0 }]);
});

test('a file whose frames have no positions is a cine: its first frame, and others for the peak', () => {
  const frames = Array.from({ length: 30 }, (_, frame) => [4, frame, NaN] as const);
  expect(keysOf([stack(frames)], 9)).toEqual([{ frames: ['4/0'], peaks: 8 }]);
  expect(keysOf([stack(frames)], 1)).toEqual([{ frames: ['4/14'], peaks: 0 }]);
});

test('images of one place are a cine, too, and images without a place are different pictures', () => {
  expect(keysOf([stack(Array.from({ length: 30 }, (_, file) => [file, 0, 7] as const))], 9)).toEqual([
    { frames: ['0/0'], peaks: 8 },
  ]);
  const apart = Array.from({ length: 5 }, (_, file) => [file, 0, NaN] as const);
  expect(keysOf([stack(apart)], 3)).toEqual([{ frames: ['0/0', '2/0', '4/0'], peaks: 0 }]);
});

test('each stack has its share of the pictures', () => {
  const slices = Array.from({ length: 50 }, (_, file) => [file, 0, file] as const);
  const scout = [[90, 0, 0]] as const;
  expect(keysOf([stack(scout), stack(slices)], 4).map(({ frames }) => frames.length)).toEqual([1, 3]);
  // Of two stacks one picture is wanted: the first of them.
  expect(keysOf([stack(scout), stack(slices)], 1)).toEqual([{ frames: ['90/0'], peaks: 0 }]);
});

test('a slide is named by the files of each level', () => {
  const tiles = Array.from({ length: 9 }, (_, frame) => [3 + (frame % 2), frame, NaN] as const);
  expect(keysOf([stack(tiles, 'wsi_pyramid_level')], 9)).toEqual([{ frames: ['3/0', '4/0'], peaks: 0 }]);
});
