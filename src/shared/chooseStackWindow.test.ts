import { expect, test } from 'vitest';
import type { PercentilesResponse } from './contract/percentiles.ts';
import { chooseStackWindow, samplePositions } from './chooseStackWindow.ts';

/** A frame whose values are spread evenly from `low` to `high`. */
function frameBetween(low: number, high: number, more: Partial<PercentilesResponse> = {}): PercentilesResponse {
  return {
    file_index: 0,
    frame_index: 0,
    count: 1000,
    percentiles: Array.from({ length: 101 }, (_, p) => low + ((high - low) * p) / 100),
    has_own_voi: false,
    voi_lut_function: null,
    grain: 'float',
    ...more,
  };
}

test.each([
  [1, [0]],
  [3, [0, 1, 2]],
  [7, [0, 1, 2, 3, 4, 5, 6]],
  // (i + 1/2) 70 / 7.
  [70, [5, 15, 25, 35, 45, 55, 65]],
])('of %i images those at %j are looked at', (count, positions) => {
  expect(samplePositions(count)).toEqual(positions);
});

test('the window is from the 1st to the 99th percentile of all that was looked at', () => {
  const frames = [frameBetween(0, 100), frameBetween(100, 200)];
  const window = chooseStackWindow({ frames, count: 40, suvFactor: undefined });
  // Of 202 points, the 3rd and the 200th are 2 and 198.
  expect(window).toMatchObject({ center: 100, width: 196, how: '1–99 % of 2 images' });
  expect(window?.explanation).toBe('1st to 99th percentile of 2 of 40 images of the stack');
});

test('a frame with fewer values counts less', () => {
  const frames = [frameBetween(0, 100), frameBetween(5000, 5000, { count: 5 })];
  // The outlier is 0.5 % of all values.
  const { center = 0, width = 0 } = chooseStackWindow({ frames, count: 2, suvFactor: undefined }) ?? {};
  expect(center + width / 2).toBeLessThanOrEqual(100);
});

test.each([
  ['whole', 51, 99],
  // LINEAR_EXACT, because its values are finer than whole numbers.
  ['rescaled', 50.5, 98],
] as const)('a window over %s numbers is in the form that it will be drawn in', (grain, center, width) => {
  // A single frame of 0.5 to 100.5: its 1st percentile is 1.5 and its 99th is 99.5.
  const frames = [frameBetween(0.5, 100.5, { grain })];
  expect(chooseStackWindow({ frames, count: 1, suvFactor: undefined })).toMatchObject({ center, width });
});

test.each([
  [0.0001, 5],
  [0.0006, 10],
])('PET is read in uptake values: with %s for each value from 0 to %i', (suvFactor, top) => {
  const frames = [frameBetween(0, 10_000)];
  const window = chooseStackWindow({ frames, count: 9, suvFactor });
  expect(window?.how).toBe(`SUV 0–${top}`);
  const { center = 0, width = 0 } = window ?? {};
  expect((center - width / 2) * suvFactor).toBeCloseTo(0);
  expect((center + width / 2) * suvFactor).toBeCloseTo(top);
});

test('where uptake is too faint for that, it is read as any other image', () => {
  const window = chooseStackWindow({ frames: [frameBetween(0, 1000)], count: 9, suvFactor: 0.0001 });
  expect(window?.how).toBe('1–99 % of 1 image');
});

test('of masks with few pixels set all is shown', () => {
  const mask = frameBetween(0, 0, { grain: 'whole', percentiles: [...Array<number>(100).fill(0), 1] });
  expect(chooseStackWindow({ frames: [mask], count: 1, suvFactor: undefined })).toMatchObject({ center: 1, width: 2 });
});

test('without values there is no window', () => {
  expect(chooseStackWindow({ frames: [], count: 3, suvFactor: undefined })).toBeUndefined();
  const empty = frameBetween(0, 1, { count: 0, percentiles: [] });
  expect(chooseStackWindow({ frames: [empty], count: 3, suvFactor: undefined })).toBeUndefined();
});
