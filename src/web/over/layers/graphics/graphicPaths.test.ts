import { describe, expect, test } from 'vitest';
import type { GraphicItem, GraphicShape } from '../../../../shared/contract/graphics.ts';
import { isClosedShape, pathOfItem, toPicturePoint } from './graphicPaths.ts';

const SIZE = { rows: 10, columns: 20 };

function createItem(shape: GraphicShape, points: readonly number[]): GraphicItem {
  return { part: 1, shape, units: 'pixel', points, isFilled: false, style: {}, how: 'stored', distanceMm: 0 };
}

/** All numbers of a path. */
function numbersOf(path: string | undefined): number[] {
  return [...(path ?? '').matchAll(/-?\d+(?:\.\d+)?/g)].map(([text]) => Number(text));
}

describe('a point in parts of the displayed area', () => {
  // A picture of 20 x 10 pixels. Its upper left part, a tenth from the left and a fifth from the top as stored, is
  // (2, 2) in pixels from the corner. Turned clockwise by 90 degrees, the left edge becomes the upper one.
  test.each([
    [0, false, 0.1, 0.2],
    [90, false, 0.8, 0.1],
    [180, false, 0.9, 0.8],
    [270, false, 0.2, 0.9],
    [0, true, 0.9, 0.2],
    [90, true, 0.2, 0.1],
    [180, true, 0.1, 0.8],
    [270, true, 0.8, 0.9],
  ] as const)('after a turn by %i, flipped: %j, is where it is stored', (rotation, isFlipped, x, y) => {
    const area = { corners: [-0.5, -0.5, 19.5, 9.5], rotation, isFlipped } as const;
    const [across, down] = toPicturePoint(x, y, 'display', { ...SIZE, area });
    expect(across).toBeCloseTo(2, 9);
    expect(down).toBeCloseTo(2, 9);
  });

  test('is a part of the whole picture without an area', () => {
    expect(toPicturePoint(0.5, 1, 'display', SIZE)).toEqual([10, 10]);
  });
});

describe('the path of a shape', () => {
  test('runs through the centres of pixels, which are half a pixel from their corners', () => {
    expect(pathOfItem(createItem('polyline', [0, 0, 3, 4]), SIZE)).toBe('M0.5 0.5L3.5 4.5');
    expect(pathOfItem(createItem('polygon', [0, 0, 3, 4, 0, 4]), SIZE)).toBe('M0.5 0.5L3.5 4.5L0.5 4.5Z');
  });

  test('of a circle has its extremes a radius from the centre', () => {
    const numbers = numbersOf(pathOfItem(createItem('circle', [5, 5, 5, 8]), SIZE));
    const xs = numbers.filter((_, at) => at % 2 === 0);
    expect([Math.min(...xs), Math.max(...xs)]).toEqual([2.5, 8.5]);
  });

  test('of an ellipse passes the ends of both axes', () => {
    const path = pathOfItem(createItem('ellipse', [1, 5, 9, 5, 5, 3, 5, 7]), SIZE)!;
    for (const end of ['9.5 5.5', '5.5 7.5', '1.5 5.5', '5.5 3.5']) expect(path).toContain(end);
  });

  test('of a smooth curve passes all its points', () => {
    const path = pathOfItem(createItem('interpolated', [0, 0, 4, 2, 8, 0]), SIZE)!;
    expect(path.startsWith('M0.5 0.5C')).toBe(true);
    expect(path).toContain(' 4.5 2.5C');
    expect(path.endsWith(' 8.5 0.5')).toBe(true);
  });

  test.each([
    ['point', [1, 1]],
    ['text', []],
    ['polyline', [1, 1]],
    ['ellipse', [1, 1, 2, 2]],
    ['circle', [1, 1]],
  ] as const)('is none for a %s of %j', (shape, points) => {
    expect(pathOfItem(createItem(shape, points), SIZE)).toBeUndefined();
  });
});

test('a polyline whose last point is its first has an inside', () => {
  expect(isClosedShape(createItem('polyline', [0, 0, 3, 4, 0, 4, 0, 0]))).toBe(true);
  expect(isClosedShape(createItem('polyline', [0, 0, 3, 4, 0, 4]))).toBe(false);
  expect(isClosedShape(createItem('polyline', [0, 0, 0, 0]))).toBe(false);
});
