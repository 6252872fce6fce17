import { expect, test } from 'vitest';
import { createSheetCanvas } from './sheetCanvas.ts';
import { strokeLines, type TileLine } from './strokeLines.ts';

const BOX = { left: 2, top: 1, width: 10, height: 8 };
const STROKE = { color: [255, 255, 255], alpha: 1, width: 1 } as const;

function draw(lines: readonly TileLine[], different: object = {}, budget = { left: 1_000 }) {
  const canvas = createSheetCanvas(14, 10);
  const isWhole = strokeLines(canvas, BOX, lines, { ...STROKE, ...different }, budget);
  const levelAt = (x: number, y: number) => canvas.pixels[((BOX.top + y) * 14 + BOX.left + x) * 3]!;
  return { canvas, isWhole, levelAt };
}

test('a line of one pixel through the middle of a row covers that row alone', () => {
  const { levelAt } = draw([[0, 3.5, 10, 3.5]]);
  expect([2, 3, 4].map((y) => levelAt(5, y))).toEqual([0, 255, 0]);
});

test('a line between two rows covers half of each', () => {
  const { levelAt } = draw([[0, 4, 10, 4]]);
  // 255 / 2, as a whole number.
  expect([3, 4].map((y) => levelAt(5, y))).toEqual([128, 128]);
});

test('where lines cross, they are no brighter, and their opacity counts once', () => {
  const { levelAt } = draw(
    [
      [0, 3.5, 10, 3.5],
      [5.5, 0, 5.5, 8],
    ],
    { alpha: 0.5 },
  );
  expect([levelAt(5, 3), levelAt(2, 3), levelAt(5, 6)]).toEqual([128, 128, 128]);
});

test('nothing is drawn beside the box, however far a line reaches', () => {
  const { canvas } = draw([[-1e6, -1e6, 1e6, 1e6]], { width: 3 });
  const outside = Array.from({ length: 140 }, (_, at) => at).filter((at) => {
    const [x, y] = [at % 14, Math.floor(at / 14)];
    const isInside = x >= 2 && x < 12 && y >= 1 && y < 9;
    return !isInside && canvas.pixels[at * 3] !== 0;
  });
  expect(outside).toEqual([]);
});

test('coordinates that are no numbers draw nothing', () => {
  const { canvas, isWhole } = draw([[NaN, 1, 5, 5], [0, Infinity, 5, 5], [3], []]);
  expect(isWhole).toBe(true);
  expect(canvas.pixels.every((level) => level === 0)).toBe(true);
});

test('a dashed line has gaps', () => {
  // Four pixels of line, three of gap, and so on.
  const { levelAt } = draw([[0, 3.5, 10, 3.5]], { isDashed: true });
  expect([1, 5.4, 8].map((x) => levelAt(Math.floor(x), 3) > 127)).toEqual([true, false, true]);
});

test('lines end with the budget, which says so', () => {
  const many = Array.from({ length: 100 }, (): TileLine => [0, 3.5, 10, 3.5]);
  const budget = { left: 25 };
  expect(draw(many, {}, budget).isWhole).toBe(false);
  expect(budget.left).toBeLessThan(0);
});

test('only colors make a picture colored', () => {
  expect(draw([[0, 3.5, 10, 3.5]]).canvas.isColored).toBe(false);
  expect(draw([[0, 3.5, 10, 3.5]], { color: [255, 0, 0] }).canvas.isColored).toBe(true);
});
