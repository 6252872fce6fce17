import { expect, test } from 'vitest';
import type { ContourItem } from './contourPacket.ts';
import { buildContourLines } from './contourLines.ts';

function item(points: readonly number[], different: Partial<ContourItem> = {}): ContourItem {
  return { part: 1, isClosed: true, how: 'stored', distanceMm: 0, points: Float32Array.from(points), ...different };
}

function linesOf(...items: readonly ContourItem[]) {
  return buildContourLines({ rows: 9, columns: 9, items });
}

test('a closed line returns to its start, half a pixel from the centres that the packet names', () => {
  const [part] = linesOf(item([0, 0, 2, 0, 2, 2]));

  expect(part?.areas).toEqual([[0.5, 0.5, 2.5, 0.5, 2.5, 2.5]]);
  expect(part?.lines).toEqual([[0.5, 0.5, 2.5, 0.5, 2.5, 2.5, 0.5, 0.5]]);
});

test('the bridge of a keyhole belongs to the area, but is not drawn as a line', () => {
  const outer = [0, 0, 8, 0, 8, 8, 0, 8, 0, 0];
  const inner = [2, 2, 2, 6, 6, 6, 6, 2, 2, 2];
  const [part] = linesOf(item([...outer, ...inner]));

  const segments = part!.lines.flatMap((line) =>
    Array.from({ length: line.length / 2 - 1 }, (_, i) => line.slice(2 * i, 2 * i + 4).join(' ')),
  );
  expect(part?.areas[0]).toHaveLength(20);
  // Four sides outside, four inside, and none between them.
  expect(segments.filter((segment) => new Set(segment.split(' ')).size > 1)).toHaveLength(8);
  expect(segments).not.toContain('0.5 0.5 2.5 2.5');
  expect(segments).not.toContain('2.5 2.5 0.5 0.5');
});

test('contours of another plane are dashed, and a single point is a mark', () => {
  const [first, second] = linesOf(
    item([0, 0, 2, 0, 2, 2], { how: 'nearest' }),
    item([3, 4], { part: 2, isClosed: false }),
  );

  expect([first?.lines.length, first?.dashed.length]).toEqual([0, 1]);
  expect([second?.part, second?.points]).toEqual([2, [[3.5, 4.5]]]);
});

test('lines run in the same direction, so that one inside another can be filled, too', () => {
  const outer = [0, 0, 8, 0, 8, 8, 0, 8];
  // The other way round.
  const inner = [2, 2, 2, 6, 6, 6, 6, 2];
  const [part] = linesOf(item(outer), item(inner));

  expect(part?.areas[1]).toEqual([6.5, 2.5, 6.5, 6.5, 2.5, 6.5, 2.5, 2.5]);
});
