import { expect, test } from 'vitest';
import type { ContourItem } from '../../../../shared/contourPacket.ts';
import { findContoursAt } from './contoursAt.ts';

function square(part: number, from: number, to: number, different: Partial<ContourItem> = {}): ContourItem {
  const points = Float32Array.of(from, from, to, from, to, to, from, to);
  return { part, isClosed: true, how: 'stored', distanceMm: 0, points, ...different };
}

function partsAt(items: readonly ContourItem[], column: number, row: number): readonly number[] {
  return findContoursAt({ rows: 100, columns: 100, items }, column, row);
}

test('the parts around a pixel are named, the smallest first', () => {
  const items = [square(1, 0, 90), square(2, 20, 60), square(3, 30, 40)];
  expect(partsAt(items, 35, 35)).toEqual([3, 2, 1]);
  expect(partsAt(items, 50, 50)).toEqual([2, 1]);
  expect(partsAt(items, 95, 50)).toEqual([]);
});

test('a pixel in the hole of a ring is not in the ring, but on its inner line it is', () => {
  const ring = [square(1, 10, 60), square(1, 20, 50)];
  expect(partsAt(ring, 15, 35)).toEqual([1]);
  expect(partsAt(ring, 35, 35)).toEqual([]);
  expect(partsAt(ring, 21, 35)).toEqual([1]);
});

test('an open line and a point are named only next to them', () => {
  const line = square(4, 10, 60, { isClosed: false });
  const point = { ...line, part: 5, points: Float32Array.of(80, 80) };
  expect(partsAt([line, point], 35, 10.5)).toEqual([4]);
  // Its open side, from the last corner to the first.
  expect(partsAt([line, point], 10, 35)).toEqual([]);
  expect(partsAt([line, point], 80, 81)).toEqual([5]);
});
