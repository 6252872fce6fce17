import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_OVER_EACH_OTHER, OverlappingParts } from './overlappingParts.ts';

const SIZE = 12;
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
      const together = new OverlappingParts(SIZE, PARTS, most);
      const pairs = new Set<string>();
      let overlaps = 0;
      for (const spans of slices) {
        together.clear();
        const places = Array.from({ length: SIZE }, () => new Set<number>());
        for (const { part, from, length } of spans) {
          const own = places.slice(from, from + length);
          const news = own.filter((place) => !place.has(part)).length;
          expect(together.add(part, from, Math.min(SIZE, from + length))).toBe(news);
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

test('more parts over each other than can be looked at are refused', () => {
  const together = new OverlappingParts(1, 100);
  for (let part = 1; part <= MOST_OVER_EACH_OTHER; part += 1) expect(together.add(part, 0, 1)).toBe(1);

  expect(() => together.add(MOST_OVER_EACH_OTHER + 1, 0, 1)).toThrow('more than 64 parts lie over each other');
});
