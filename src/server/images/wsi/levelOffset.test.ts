import { describe, expect, test } from 'vitest';
import { findLevelOffset, type PlacedLevel } from './levelOffset.ts';

function createLevel(mmPerPixel: number, origin: readonly [number, number], orientation = [-1, 0, 0, -1]): PlacedLevel {
  const [rowX = 0, rowY = 0, columnX = 0, columnY = 0] = orientation;
  return { mmPerPixel, placement: { originMm: origin, orientation: [rowX, rowY, columnX, columnY] } };
}

const LARGEST = createLevel(0.001, [20, 30]);

describe('the offset of a level', () => {
  test('is the way between the corners of the first samples, along rows and columns', () => {
    // Rows run towards smaller x, columns towards smaller y: 2 mm and 1 mm are 2000 and 1000 samples. A sample of the
    // level is 4 wide, so its corner is 2 before its centre; in the largest level the corner is half a sample before
    // it.
    expect(findLevelOffset(createLevel(0.004, [18, 29]), LARGEST)).toEqual({ columns: 1998.5, rows: 998.5 });
  });

  test('follows a slide that lies across', () => {
    const across = [0, -1, -1, 0];
    const [level, largest] = [createLevel(0.004, [18, 29], across), createLevel(0.001, [20, 30], across)];
    expect(findLevelOffset(level, largest)).toEqual({ columns: 998.5, rows: 1998.5 });
  });

  test.each([
    ['the same origin', createLevel(0.004, [20, 30])],
    ['an origin in the middle of its first sample', createLevel(0.004, [20 - 0.0015, 30 - 0.0015])],
    ['another orientation', createLevel(0.004, [18, 29], [1, 0, 0, 1])],
    ['no origin', { mmPerPixel: 0.004, placement: undefined }],
    ['no spacing', { ...createLevel(0.004, [18, 29]), mmPerPixel: undefined }],
  ])('is none with %s', (_, level) => {
    expect(findLevelOffset(level, LARGEST)).toBeUndefined();
  });
});
