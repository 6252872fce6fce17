import { expect, test } from 'vitest';
import { columnWidth, fitTile, layOutSheet, tallestSheet } from './layOutSheet.ts';

const square = { rows: 100, columns: 100, pixelAspectRatio: 1 };
const wide = { rows: 50, columns: 100, pixelAspectRatio: 1 };

test('columns share the width and the gaps of two pixels between them', () => {
  // (100 - 2 x 2) / 3
  expect(columnWidth(100, 3)).toBe(32);
  expect(columnWidth(100, 1)).toBe(100);
});

test.each([
  [square, 32, { width: 32, height: 32 }],
  [wide, 32, { width: 32, height: 16 }],
  // Pixels twice as high as wide make a square.
  [{ ...wide, pixelAspectRatio: 2 }, 32, { width: 32, height: 32 }],
  // Four times as high as wide: no higher than two columns, and narrower for it.
  [{ rows: 400, columns: 100, pixelAspectRatio: 1 }, 32, { width: 16, height: 64 }],
  // No pixel has such a shape.
  [{ ...square, pixelAspectRatio: 1e9 }, 32, { width: 32, height: 32 }],
  [{ rows: 1, columns: 5000, pixelAspectRatio: 1 }, 32, { width: 32, height: 1 }],
])('%j fits into a column of %i as %j', (shape, width, size) => {
  expect(fitTile(shape, width)).toEqual(size);
});

test('a row is as high as its highest picture, and others are in the middle of it', () => {
  const { height, boxes } = layOutSheet([square, wide, wide], 66, 2);
  expect(boxes).toEqual([
    { left: 0, top: 0, width: 32, height: 32 },
    { left: 34, top: 8, width: 32, height: 16 },
    { left: 0, top: 34, width: 32, height: 16 },
  ]);
  expect(height).toBe(50);
});

test('no sheet is higher than is said of it before it is made', () => {
  const tall = { rows: 900, columns: 100, pixelAspectRatio: 1 };
  const { height } = layOutSheet([tall, tall, tall], 66, 2);
  expect(height).toBeLessThanOrEqual(tallestSheet(3, 66, 2));
});
