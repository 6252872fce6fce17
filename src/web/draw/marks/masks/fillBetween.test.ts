import { describe, expect, test } from 'vitest';
import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { countMaskPixels, createMaskBits, decodeMask, encodeMask } from '../../../../shared/maskRuns.ts';
import { runToEnd } from '../../../kit/ui/runInSlices.ts';
import { fillBetween } from './fillBetween.ts';

const SIZE = { columns: 64, rows: 64 };

function disk(x: number, y: number, radius: number): MarkMask {
  const mask = createMaskBits(SIZE.columns, SIZE.rows);
  for (let at = 0; at < mask.bits.length; at += 1) {
    const [column, row] = [at % SIZE.columns, Math.floor(at / SIZE.columns)];
    if (Math.hypot(column - x, row - y) <= radius) mask.bits[at] = 1;
  }
  return encodeMask(mask)!;
}

const fill = (a: MarkMask, b: MarkMask, between: number) => runToEnd(fillBetween(a, b, { between, ...SIZE }));

describe('between two masks', () => {
  test('that are equal, every frame has the same mask', () => {
    const mask = disk(20, 30, 7);
    expect(fill(mask, mask, 3)).toEqual([mask, mask, mask]);
  });

  test('a disk grows evenly', () => {
    const areas = fill(disk(30, 30, 4), disk(30, 30, 12), 3).map((mask) => countMaskPixels(mask!.runs));
    // Radii 6, 8 and 10. The area of a disk of pixels differs from πr² by less than its circumference.
    for (const [n, radius] of [6, 8, 10].entries()) {
      expect(Math.abs(areas[n]! - Math.PI * radius ** 2)).toBeLessThan(2 * Math.PI * radius);
    }
  });

  test('a disk that moves keeps its size, also where the two do not overlap', () => {
    const [middle] = fill(disk(10, 20, 5), disk(50, 40, 5), 1);
    // Halfway between the centers.
    expect(middle).toEqual(disk(30, 30, 5));
  });

  test('a mask at the edge of the image stays in it', () => {
    for (const mask of fill(disk(0, 0, 6), disk(63, 63, 6), 5)) {
      expect(mask!.left + mask!.width).toBeLessThanOrEqual(SIZE.columns);
      expect(mask!.top + mask!.height).toBeLessThanOrEqual(SIZE.rows);
    }
  });
});

test('distances are those to the nearest pixel, as a search over all pixels finds them', () => {
  // A mask with a hole and two parts. With equal masks on both sides, every depth must keep its sign.
  const mask = createMaskBits(SIZE.columns, SIZE.rows);
  decodeMask(disk(20, 20, 9), mask);
  for (let row = 18; row < 22; row += 1) mask.bits.fill(0, row * 64 + 18, row * 64 + 22);
  decodeMask(disk(44, 40, 6), mask);
  const written = encodeMask(mask)!;
  expect(fill(written, written, 1)).toEqual([written]);
});
