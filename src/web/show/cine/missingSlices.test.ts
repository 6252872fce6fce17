import { expect, test } from 'vitest';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { findGaps } from './missingSlices.ts';

/** `named` are the files that the warning is about. */
function createStack(
  positions: readonly (number | undefined)[],
  code: 'missing_positions' | 'gantry_tilt',
  named: number[] = [...positions.keys()],
): ViewStack {
  return {
    id: 'stack',
    kind: 'ordinary',
    frames: positions.map((positionMm, fileIndex) => ({ fileIndex, frame: 0, sopInstanceUid: '', positionMm })),
    warnings: [{ code, message: '', file_indices: named }],
    fileIndex: 0,
    seriesUid: undefined,
    studyUid: undefined,
  };
}

test('gaps are marked after the slice before them, with the number of slices that would fit', () => {
  // Steps 2, 2, 6, 2, 2, 4: the median is 2, so two are missing after the third, one after the sixth.
  expect(findGaps(createStack([0, 2, 4, 10, 12, 14, 18], 'missing_positions'))).toEqual([
    { after: 2, missing: 2 },
    { after: 5, missing: 1 },
  ]);
});

test('a distance that the warning does not name is no gap, however long it is', () => {
  // Steps 2, 2, 2, 4, 4, 8, 4: the slices from 6 mm on are thicker, and one of them is missing.
  const positions = [0, 2, 4, 6, 10, 14, 22, 26];
  expect(findGaps(createStack(positions, 'missing_positions', [5, 6]))).toMatchObject([{ after: 5 }]);
});

test('slices without a place are no gap', () => {
  expect(findGaps(createStack([0, 2, undefined, 6, 8], 'missing_positions'))).toEqual([]);
});

test('a stack that does not warn has no marks', () => {
  expect(findGaps(createStack([0, 2, 4, 10], 'gantry_tilt'))).toEqual([]);
});
