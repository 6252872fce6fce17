import { expect, test } from 'vitest';
import type { GrayFrame } from '../pictures/loadedFrame.ts';
import { windowOfBox } from './windowOfBox.ts';

/** In this frame of 10 rows and 20 columns, sample i is i, and its value is i - 1000. */
const FRAME: GrayFrame = {
  kind: 'gray',
  rows: 10,
  columns: 20,
  samples: Int16Array.from({ length: 200 }, (_, i) => i),
  isMonochrome1: false,
  modality: { kind: 'rescale', slope: 1, intercept: -1000 },
  voi: { windows: [{ center: 0, width: 5 }], shape: undefined, tables: [] },
  padding: undefined,
  presentation: 'raw',
};

test('the window goes from the lowest to the highest value of the pixels that the box touches', () => {
  // Columns 2 to 4 of rows 1 and 2: samples 22 to 24 and 42 to 44. LINEAR is black at 22 and white at 44 if the width
  // is 44 - 22 + 1 and the center (22 + 44 + 1) / 2.
  expect(windowOfBox([{ frame: FRAME, box: { x: 2.5, y: 1.2, width: 2, height: 1 } }])).toEqual({
    center: 33.5 - 1000,
    width: 23,
  });
});

test('one pixel in a hundred does not count', () => {
  const samples = FRAME.samples.slice();
  samples[0] = 30_000;
  // Of 200 values, the 1st percentile is the 2nd and the 99th is the 198th. Without sample 0 these are 2 and 198.
  expect(windowOfBox([{ frame: { ...FRAME, samples }, box: { x: 0, y: 0, width: 20, height: 10 } }])).toEqual({
    center: (2 + 198 + 1) / 2 - 1000,
    width: 197,
  });
});

test('padding does not count', () => {
  const padded = { ...FRAME, padding: { low: 0, high: 21 } };
  expect(windowOfBox([{ frame: padded, box: { x: 0, y: 0, width: 3, height: 2 } }])).toEqual({
    center: 22.5 - 1000,
    width: 1,
  });
});

test('a box outside the image has no window', () => {
  expect(windowOfBox([{ frame: FRAME, box: { x: 30, y: 0, width: 5, height: 5 } }])).toBeUndefined();
  expect(windowOfBox([{ frame: FRAME, box: { x: -9, y: 0, width: 5, height: 5 } }])).toBeUndefined();
});

test('a box over two tiles has one window for the values of both', () => {
  // The last two columns of one tile and the first two of the next, in row 0: samples 18, 19, 0 and 1.
  const [left, right] = [
    { x: 18, y: 0, width: 4, height: 1 },
    { x: -2, y: 0, width: 4, height: 1 },
  ];
  const parts = [left, right].map((box) => ({ frame: FRAME, box }));
  expect(windowOfBox(parts)).toEqual({ center: (0 + 19 + 1) / 2 - 1000, width: 20 });
});
