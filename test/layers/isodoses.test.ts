import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { traceLevel } from '../../src/web/over/layers/field/traceLevel.ts';

type RecordedLevel = {
  readonly level: number;
  readonly length: number;
  readonly points: readonly (readonly [x: number, y: number])[];
};

/** By makeIsodoses.py, from the field below. */
const RECORDED: readonly RecordedLevel[] = JSON.parse(readFileSync(new URL('isodoses.json', import.meta.url), 'utf8'));

const [ROWS, COLUMNS] = [28, 36];
const VALUES = Float64Array.from({ length: ROWS * COLUMNS }, (_, at) => {
  const [x, y] = [at % COLUMNS, Math.floor(at / COLUMNS)];
  const hill = (top: number, left: number, down: number, width: number) =>
    top * Math.exp(-((x - left) ** 2 + (y - down) ** 2) / width);
  return hill(60, 13, 12, 60) + hill(45, 24, 15, 40) + 0.5 * x;
});

test.each(RECORDED)('the isodose of $level Gy goes through the points of scikit-image', ({ level, length, points }) => {
  const place = { left: 0, top: 0, width: COLUMNS, height: ROWS, parts: 1 };
  const lines = traceLevel({ ...place, values: Float32Array.from(VALUES) }, level);
  const own = new Map<string, readonly [number, number]>();
  let ownLength = 0;
  for (let at = 0; at < lines.length; at += 4) {
    // The middle of the first pixel is at 0.5.
    const [fromX, fromY] = [lines[at]! - 0.5, lines[at + 1]! - 0.5];
    const [toX, toY] = [lines[at + 2]! - 0.5, lines[at + 3]! - 0.5];
    ownLength += Math.hypot(toX - fromX, toY - fromY);
    for (const [x, y] of [
      [fromX, fromY],
      [toX, toY],
    ] as const)
      own.set(`${x.toFixed(3)} ${y.toFixed(3)}`, [x, y]);
  }
  expect(own.size).toBe(points.length);
  // Values of 32 bits have 24 bits of their own: 4e-6 of 64 Gy, on slopes of at least 0.3 Gy a pixel.
  const isNear = ([x, y]: readonly [number, number]) =>
    points.some(([otherX, otherY]) => Math.hypot(x - otherX, y - otherY) < 3e-5);
  expect([...own.values()].filter((point) => !isNear(point))).toEqual([]);
  expect(Math.abs(ownLength - length)).toBeLessThan(1e-3);
});
