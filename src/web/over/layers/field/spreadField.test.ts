import { expect, test } from 'vitest';
import type { FieldItem } from '../../../../shared/fieldPacket.ts';
import { valueOfField } from '../../../../shared/fieldPacket.ts';
import { spreadField } from './spreadField.ts';

/** A grid of 3 x 4 samples, two pixels of the picture apart, whose first sample lies at pixel (1, 0.5). */
const ITEM: FieldItem = {
  rows: 3,
  columns: 4,
  toTarget: [2, 0, 0, 2, 1, 0.5],
  samples: Uint16Array.from([0, 10, 20, 30, 100, 110, 120, 130, 200, 210, 65535, 230]),
  scale: 0.5,
  offset: -1,
  missing: { low: 65535, high: 65535 },
  isInterpolated: false,
};

test('each pixel has the value that the sampler would give it, and nothing is known beyond the samples', () => {
  const [rows, columns] = [480, 640];
  const spread = spreadField({ rows, columns, item: ITEM });
  // One part for each pixel. Samples reach from -0.5 to 3.5 steps: columns 0 to 8, rows -0.5 to 5.5.
  expect(spread).toMatchObject({ parts: 1, left: 0, top: 0, width: 8, height: 6 });
  for (let row = 0; row < spread!.height; row += 1) {
    for (let column = 0; column < spread!.width; column += 1) {
      const value = spread!.values[row * spread!.width + column]!;
      const expected = valueOfField(ITEM, column, row) ?? NaN;
      expect(Number.isNaN(value)).toBe(Number.isNaN(expected));
      expect(Number.isNaN(value) ? 0 : Math.abs(value - expected)).toBeLessThan(1e-4);
    }
  }
  // Half way between 10 and 20 in the first row: 15 * 0.5 - 1, at column 4 and between rows 0 and 1 at 0.25.
  expect(valueOfField(ITEM, 4, 0.5)).toBe(6.5);
  // Nearest to the missing sample at column 5, row 4.5.
  expect(valueOfField(ITEM, 5.4, 4.2)).toBeUndefined();
  // Nearest to 120, with a part of the missing one: only the others count, here only 120 itself.
  expect(valueOfField(ITEM, 5, 3)).toBe(59);
});

test('a small picture is divided, so that lines between its pixels are smooth', () => {
  const spread = spreadField({ rows: 6, columns: 8, item: ITEM });
  expect(spread).toMatchObject({ parts: 8, left: 4, width: 60 });
});

test('nothing is spread where there is nothing', () => {
  expect(spreadField({ rows: 6, columns: 8, item: undefined })).toBeUndefined();
  expect(spreadField({ rows: 6, columns: 8, item: { ...ITEM, toTarget: [2, 0, 0, 2, 100, 0] } })).toBeUndefined();
});
