import { expect, test } from 'vitest';
import { type Contour, traceContours } from './contour.ts';

const COLUMNS = 40;
const BIT = 2;

test('the outline of a rectangle encloses its pixels', () => {
  const bits = paint((x, y) => x >= 8 && x < 28 && y >= 10 && y < 22);

  const [outline, ...others] = trace(bits);

  expect(others).toEqual([]);
  // 20 by 12 pixels. The corners of blocks are cut off, each by less than a pixel.
  expect(areaOf(outline!)).toBeGreaterThan(236);
  expect(areaOf(outline!)).toBeLessThanOrEqual(240);
  // Pixel centres are integers, so edges are at halves.
  expect(Math.min(...xsOf(outline!))).toBe(7.5);
  expect(Math.max(...xsOf(outline!))).toBe(27.5);
});

test('a hole is left out and two parts are told apart', () => {
  const bits = paint((x, y) => {
    const ring = x >= 2 && x < 22 && y >= 2 && y < 22 && !(x >= 8 && x < 16 && y >= 8 && y < 16);
    return ring || (x >= 28 && x < 36 && y >= 4 && y < 12);
  });

  const areas = trace(bits).map(areaOf);

  expect(areas).toHaveLength(2);
  expect(areas[0]).toBeCloseTo(400, -1);
  expect(areas[1]).toBeCloseTo(64, -1);
});

test('other bits do not matter', () => {
  expect(trace(new Uint16Array(COLUMNS * COLUMNS).fill(1))).toEqual([]);
});

function paint(isInside: (x: number, y: number) => boolean): Uint16Array {
  return Uint16Array.from({ length: COLUMNS * COLUMNS }, (_, i) =>
    isInside(i % COLUMNS, Math.floor(i / COLUMNS)) ? BIT + 1 : 1,
  );
}

function trace(bits: Uint16Array): Contour[] {
  return traceContours({
    bits,
    bit: BIT,
    columns: COLUMNS,
    box: { top: 0, bottom: COLUMNS - 1, left: 0, right: COLUMNS - 1 },
  });
}

function xsOf(outline: Contour): number[] {
  return outline.filter((_, i) => i % 2 === 0);
}

function areaOf(outline: Contour): number {
  let twice = 0;
  for (let i = 0; i < outline.length; i += 2) {
    const next = (i + 2) % outline.length;
    twice += outline[i]! * outline[next + 1]! - outline[next]! * outline[i + 1]!;
  }
  return Math.abs(twice / 2);
}
