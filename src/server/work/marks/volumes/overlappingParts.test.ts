import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_OVER_EACH_OTHER, OverlappingParts } from './overlappingParts.ts';

const SIZE = 60;
const PARTS = 6;

/** Spans of parts, in slices. */
const PAINTED = fc.array(
  fc.array(
    fc.record({
      part: fc.integer({ min: 1, max: PARTS - 1 }),
      from: fc.nat({ max: SIZE }),
      length: fc.nat({ max: SIZE }),
    }),
    { maxLength: 30 },
  ),
  { maxLength: 3 },
);

test.each([2, 5, 1_000])('pairs and overlaps are those of sets, with at most %i combinations', (most) => {
  fc.assert(
    fc.property(PAINTED, (slices) => {
      const together = new OverlappingParts({ rows: 1, columns: SIZE }, PARTS, most);
      const pairs = new Set<string>();
      let overlaps = 0;
      for (const spans of slices) {
        together.clear();
        const places = Array.from({ length: SIZE }, () => new Set<number>());
        for (const { part, from, length } of spans) {
          const own = places.slice(from, from + length);
          const news = own.filter((place) => !place.has(part)).length;
          expect(together.add(part, 0, from, Math.min(SIZE, from + length))).toBe(news);
          for (const place of own) place.add(part);
        }
        for (const place of places) {
          if (place.size > 1) overlaps += 1;
          for (const a of place) for (const b of place) if (a < b) pairs.add(`${a} ${b}`);
        }
      }

      const listed = together.listPairs();

      const found = Array.from({ length: listed.length / 2 }, (_, n) => `${listed[2 * n]} ${listed[2 * n + 1]}`);
      expect(found).toEqual([...pairs].toSorted());
      expect(together.overlaps).toBe(overlaps);
    }),
  );
});

test('parts that fill a slice cost a step for each row and not for each sample', () => {
  const [rows, columns] = [100, 4096];
  const together = new OverlappingParts({ rows, columns }, 41);
  for (let part = 1; part <= 40; part += 1) {
    for (let row = 0; row < rows; row += 1) expect(together.add(part, row, 0, columns)).toBe(columns);
  }
  expect(together.overlaps).toBe(rows * columns);
  expect(together.listPairs()).toHaveLength(40 * 39);
  expect(together.steps).toBe(40 * rows);
});

test('rows of many runs are looked at by their samples, and only there', () => {
  const columns = 4096;
  const together = new OverlappingParts({ rows: 2, columns }, 4);
  for (let at = 0; at < columns; at += 4) together.add(1, 0, at, at + 2);
  const before = together.steps;
  expect(together.add(2, 0, 1, 101)).toBe(100);
  expect(together.steps - before).toBe(100);
  expect(together.add(2, 1, 1, 101)).toBe(100);
  expect(together.steps - before).toBe(101);
  // From 1 to 100, two of four samples are in the first part: 1, 4, 5, 8, 9 … 96, 97 and 100.
  expect(together.overlaps).toBe(50);
});

test('more parts over each other than can be looked at are refused', () => {
  const together = new OverlappingParts({ rows: 1, columns: 1 }, 100);
  for (let part = 1; part <= MOST_OVER_EACH_OTHER; part += 1) expect(together.add(part, 0, 0, 1)).toBe(1);

  expect(() => together.add(MOST_OVER_EACH_OTHER + 1, 0, 0, 1)).toThrow('more than 64 parts lie over each other');
});
