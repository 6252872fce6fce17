import { describe, expect, test } from 'vitest';
import { plotCurve } from './plotCurve.ts';

describe('the plot of a time curve', () => {
  test('fills the unit square, with the highest value at the top and the times to scale', () => {
    const { lines, range, places } = plotCurve([10, 30, 20], [0, 1, 4]);
    expect(range).toEqual({ low: 10, high: 30 });
    expect(places).toEqual([0, 0.25, 1]);
    expect(lines).toEqual([
      [
        { x: 0, y: 1, index: 0 },
        { x: 0.25, y: 0, index: 1 },
        { x: 1, y: 0.5, index: 2 },
      ],
    ]);
  });

  test('has a gap where there is no value', () => {
    const { lines } = plotCurve([1, null, 3, undefined, 2], []);
    expect(lines.map((line) => line.map(({ index }) => index))).toEqual([[0], [2], [4]]);
  });

  test('has equal distances if the times are unknown, or do not ascend', () => {
    expect(plotCurve([1, 2, 3], []).places).toEqual([0, 0.5, 1]);
    expect(plotCurve([1, 2, 3], [5, 5, 6]).places).toEqual([0, 0.5, 1]);
  });

  test('is a line in the middle if nothing changes, and empty without values', () => {
    expect(plotCurve([7, 7], []).lines[0]?.map(({ y }) => y)).toEqual([0.5, 0.5]);
    expect(plotCurve([null, undefined], []).range).toBeUndefined();
  });
});
