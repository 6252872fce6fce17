import { expect, test } from 'vitest';
import { createMaskBits, type MaskBits } from '../../../../shared/maskRuns.ts';
import { paintStroke } from './paintStroke.ts';

function show({ bits, columns, rows }: MaskBits): string[] {
  return Array.from({ length: rows }, (_, row) => [...bits.subarray(row * columns, (row + 1) * columns)].join(''));
}

const AT = { x: 2.5, y: 2.5 };

test('a dab paints the pixels whose center is within its radius', () => {
  const mask = createMaskBits(5, 5);
  // The centers beside the middle are 1 away, those at the corners √2.
  paintStroke(mask, AT, AT, { radius: 1, aspect: 1, value: 1 });
  expect(show(mask)).toEqual(['00000', '00100', '01110', '00100', '00000']);

  paintStroke(mask, AT, AT, { radius: 0.2, aspect: 1, value: 0 });
  expect(show(mask)).toEqual(['00000', '00100', '01010', '00100', '00000']);
});

test('a stroke has no gaps, however far apart its points are, and ends at the edge of the image', () => {
  const mask = createMaskBits(5, 3);
  paintStroke(mask, { x: -3, y: 1.5 }, { x: 9, y: 1.5 }, { radius: 0.5, aspect: 1, value: 1 });
  expect(show(mask)).toEqual(['00000', '11111', '00000']);
  expect(paintStroke(mask, { x: 90, y: 90 }, { x: 91, y: 90 }, { radius: 2, aspect: 1, value: 1 })).toBeUndefined();
});

test('the smallest brush paints the pixel under it, wherever in the pixel it is', () => {
  const mask = createMaskBits(3, 3);
  paintStroke(mask, { x: 1.95, y: 1.05 }, { x: 1.95, y: 1.05 }, { radius: 0.1, aspect: 1, value: 1 });
  expect(show(mask)).toEqual(['000', '010', '000']);
});

test('pixels that are twice as high as wide are counted as such', () => {
  const mask = createMaskBits(5, 5);
  // One row is as far as two columns.
  paintStroke(mask, AT, AT, { radius: 2, aspect: 2, value: 1 });
  expect(show(mask)).toEqual(['00000', '00100', '11111', '00100', '00000']);
});

test('a brush with a range of values leaves other pixels alone', () => {
  const mask = createMaskBits(3, 3);
  const center = { x: 1.5, y: 1.5 };
  paintStroke(mask, center, center, { radius: 5, aspect: 1, value: 1, accepts: (at) => at % 2 === 0 });
  expect(show(mask)).toEqual(['101', '010', '101']);
});
