import { expect, test } from 'vitest';
import type { ViewStack } from '../state/stacks.ts';
import { findGaps } from './missingSlices.ts';

function createStack(positions: readonly (number | undefined)[], code: 'missing_positions' | 'gantry_tilt'): ViewStack {
  return {
    id: 'stack',
    kind: 'ordinary',
    frames: positions.map((positionMm, fileIndex) => ({ fileIndex, frame: 0, sopInstanceUid: '', positionMm })),
    warnings: [{ code, message: '', file_indices: [] }],
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

test('slices without a place are no gap', () => {
  expect(findGaps(createStack([0, 2, undefined, 6, 8], 'missing_positions'))).toEqual([]);
});

test('a stack that does not warn has no marks', () => {
  expect(findGaps(createStack([0, 2, 4, 10], 'gantry_tilt'))).toEqual([]);
});
