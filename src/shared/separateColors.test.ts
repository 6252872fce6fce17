import { expect, test } from 'vitest';
import { separateColors } from './separateColors.ts';

type Part = {
  readonly number: number;
  readonly color: readonly [number, number, number];
  readonly declaredColor?: readonly [number, number, number];
};

function part(number: number, color: Part['color']): Part {
  return { number, color };
}

const RED = part(1, [255, 0, 0]);
const BLUE = part(2, [0, 0, 255]);

test('the first of two parts of one color keeps it, and the second gets another one that no part declares', () => {
  const separated = separateColors([RED, part(3, [255, 0, 0]), BLUE]);
  expect(separated[0]).toBe(RED);
  expect(separated[2]).toBe(BLUE);
  expect(separated[1]).toMatchObject({ number: 3, declaredColor: [255, 0, 0] });
  for (const { color } of [RED, BLUE]) {
    expect(Math.hypot(...separated[1]!.color.map((value, at) => value - color[at]!))).toBeGreaterThan(40);
  }
});

test('colors that are nearly equal are told apart, others stay as they are', () => {
  expect(separateColors([RED, part(3, [250, 10, 5])])[1]!.declaredColor).toEqual([250, 10, 5]);
  const different = [RED, BLUE, part(3, [255, 90, 0])];
  expect(separateColors(different)).toEqual(different);
});

test('ten parts of one color get ten colors, the same each time', () => {
  const parts = Array.from({ length: 10 }, (_, i) => part(i, [0, 255, 0]));
  const colors = separateColors(parts).map(({ color }) => color.join());
  expect(new Set(colors).size).toBe(10);
  expect(separateColors(parts).map(({ color }) => color.join())).toEqual(colors);
});

test('a part that is not drawn takes no color away', () => {
  const parts = [RED, part(3, [255, 0, 0])];
  expect(separateColors(parts, ({ number }) => number !== 1)).toEqual(parts);
});
