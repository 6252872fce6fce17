import { expect, test } from 'vitest';
import type { SpreadField } from './spreadField.ts';
import { traceLevel } from './traceLevel.ts';

function spread(width: number, values: readonly number[]): SpreadField {
  return { left: 0, top: 0, width, height: values.length / width, parts: 1, values: Float32Array.from(values) };
}

test('the line of a cone is a circle of the right radius, closed', () => {
  const size = 61;
  const values = Array.from(
    { length: size * size },
    (_, i) => 100 - Math.hypot((i % size) - 30, Math.floor(i / size) - 30),
  );
  const lines = traceLevel(spread(size, values), 80.3);
  let length = 0;
  const ends = new Map<string, number>();
  for (let at = 0; at < lines.length; at += 4) {
    const [fromX, fromY, toX, toY] = [lines[at]!, lines[at + 1]!, lines[at + 2]!, lines[at + 3]!];
    length += Math.hypot(toX - fromX, toY - fromY);
    for (const [x, y] of [
      [fromX, fromY],
      [toX, toY],
    ] as const) {
      // The middle of the first pixel is at 0.5.
      expect(Math.abs(Math.hypot(x - 30.5, y - 30.5) - 19.7)).toBeLessThan(0.02);
      const key = `${x.toFixed(5)} ${y.toFixed(5)}`;
      ends.set(key, (ends.get(key) ?? 0) + 1);
    }
  }
  // 2 π 19.7 = 123.78.
  expect(length).toBeGreaterThan(123.5);
  expect(length).toBeLessThan(123.79);
  expect([...ends.values()].every((count) => count === 2)).toBe(true);
});

test.each([
  // The mean of 6 is above 5: the high corners are connected, and the lines go around the low ones.
  [
    [10, 2, 2, 10],
    [
      [0.5, 1.125, 0.875, 1.5],
      [1.125, 0.5, 1.5, 0.875],
    ],
  ],
  // The mean of 4 is below 5: the lines go around the high corners.
  [[7, 1, 1, 7], undefined],
])('the mean decides a saddle: %j', (values, expected) => {
  const lines = traceLevel(spread(2, values), 5);
  expect(lines).toHaveLength(8);
  const isAroundLow =
    Math.hypot(lines[0]! - 0.5, lines[1]! - 1.5) < 0.7 && Math.hypot(lines[2]! - 0.5, lines[3]! - 1.5) < 0.7;
  expect(isAroundLow).toBe(expected !== undefined);
});

test('there is no line towards what is missing', () => {
  expect(traceLevel(spread(2, [10, 0, NaN, 0]), 5)).toEqual([]);
  expect(traceLevel(spread(3, [0, 0, 0, 10, 10, 10]), 5)).toEqual([0.5, 1, 1.5, 1, 1.5, 1, 2.5, 1]);
});
