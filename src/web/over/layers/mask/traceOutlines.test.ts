import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MaskLayer } from '../../../../shared/maskLayers.ts';
import { traceOutlines } from './traceOutlines.ts';

function mask(rows: readonly string[], different: Partial<MaskLayer> = {}): MaskLayer {
  const samples = Uint8Array.from(rows.join(''), Number);
  const size = { rows: rows.length, columns: rows[0]?.length ?? 0 };
  return { frame: 0, segment: 3, kind: 'mask', maximum: undefined, top: 10, left: 20, ...size, samples, ...different };
}

/** Each line as text, in order. */
function linesOf(layer: MaskLayer, segment = 3): string[] {
  const numbers = traceOutlines(layer).get(segment) ?? [];
  const lines = Array.from({ length: numbers.length / 4 }, (_, i) => numbers.slice(i * 4, i * 4 + 4).join(' '));
  return lines.toSorted();
}

test('a rectangle has four lines along the outer edges of its pixels', () => {
  expect(linesOf(mask(['11', '11', '11']))).toEqual(
    ['20 10 22 10', '20 13 22 13', '20 10 20 13', '22 10 22 13'].toSorted(),
  );
});

test('a hole has lines of its own', () => {
  const outer = ['20 10 23 10', '20 13 23 13', '20 10 20 13', '23 10 23 13'];
  const inner = ['21 11 22 11', '21 12 22 12', '21 11 21 12', '22 11 22 12'];

  expect(linesOf(mask(['111', '101', '111']))).toEqual([...outer, ...inner].toSorted());
});

test('between two labels both have a line', () => {
  const layer = mask(['12'], { kind: 'labels', segment: undefined });

  expect(linesOf(layer, 1)).toContain('21 10 21 11');
  expect(linesOf(layer, 2)).toContain('21 10 21 11');
});

test('a fraction is inside from one half on', () => {
  const layer = mask([''], {
    kind: 'fractions',
    maximum: 100,
    rows: 1,
    columns: 3,
    samples: Uint8Array.of(49, 50, 90),
  });

  expect(linesOf(layer)).toEqual(['21 10 23 10', '21 11 23 11', '21 10 21 11', '23 10 23 11'].toSorted());
});

test('the lines are as long as there are edges between inside and outside', () => {
  const samples = fc.uint8Array({ minLength: 42, maxLength: 42, max: 1 });
  fc.assert(
    fc.property(samples, (values) => {
      const layer = mask([''], { rows: 6, columns: 7, samples: values });
      const at = (row: number, column: number) =>
        row < 0 || column < 0 || row > 5 || column > 6 ? 0 : (values[row * 7 + column] ?? 0);
      let edges = 0;
      for (let row = -1; row < 6; row++) {
        for (let column = -1; column < 7; column++) {
          edges += Number(at(row, column) !== at(row, column + 1)) + Number(at(row, column) !== at(row + 1, column));
        }
      }

      const numbers = traceOutlines(layer).get(3) ?? [];
      let length = 0;
      for (let i = 0; i < numbers.length; i += 4) {
        length += Math.abs(numbers[i + 2]! - numbers[i]!) + Math.abs(numbers[i + 3]! - numbers[i + 1]!);
      }
      expect(length).toBe(edges);
    }),
  );
});
