import { expect, test } from 'vitest';
import type { GraphicShape } from '../../../../shared/contract/graphics.ts';
import { findGraphicsAt } from './graphicsAt.ts';

const ITEM = { units: 'pixel', isFilled: false, style: {}, how: 'stored', distanceMm: 0 } as const;

test.each<[GraphicShape, readonly number[], readonly [number, number], boolean]>([
  ['circle', [10, 10, 15, 10], [10, 13], true],
  ['circle', [10, 10, 15, 10], [10, 17], false],
  ['ellipse', [0, 10, 20, 10, 10, 6, 10, 14], [17, 10], true],
  ['ellipse', [0, 10, 20, 10, 10, 6, 10, 14], [10, 15], false],
  ['polygon', [0, 0, 20, 0, 20, 20, 0, 20], [10, 10], true],
  ['polygon', [0, 0, 20, 0, 20, 20, 0, 20], [25, 10], false],
  ['polyline', [0, 0, 20, 20], [10, 11], true],
  ['polyline', [0, 0, 20, 0, 20, 20], [10, 10], false],
  ['point', [5, 5], [6, 5], true],
  ['point', [5, 5], [9, 5], false],
])('a %s of %j is at %j: %j', (shape, points, [column, row], isThere) => {
  const packet = { rows: 30, columns: 30, items: [{ ...ITEM, part: 4, shape, points }] };
  expect(findGraphicsAt(packet, column, row)).toEqual(isThere ? [4] : []);
});
