import { expect, test } from 'vitest';
import { boundsOfLabel, overlaps } from '../../../show/tools/markCrowd.ts';
import { placeLabels, type WantedLabel } from './labelPlaces.ts';

const SCREEN = { width: 800, height: 600 };
const STATISTICS = ['Lesion', 'Mean 102.2 HU  SD 27.63', 'Min -45  Max 151  1748 px', 'Area 1059.8 mm²'];

function box(left: number, top: number, lines: readonly string[] = STATISTICS, isActive = false): WantedLabel {
  const bounds = { left, top, right: left + 60, bottom: top + 50 };
  const points = [bounds.left, bounds.right].flatMap((x) => [bounds.top, bounds.bottom].map((y) => ({ x, y })));
  return { lines, points, bounds, isActive };
}

test('a text is beside the lower right corner of its mark', () => {
  const [label] = placeLabels([box(100, 100)], SCREEN);
  expect(label).toMatchObject({ lines: STATISTICS, at: { x: 169, y: 159 } });
});

test('a text that would lie over another text or outline is on another side of its mark', () => {
  // The second box is where the text of the first would be.
  const marks = [box(300, 200), box(370, 250)];
  const boxes = placeLabels(marks, SCREEN).map((label) => boundsOfLabel(label));
  expect(overlaps(boxes[0]!, boxes[1]!)).toBe(false);
  expect(overlaps(boxes[0]!, marks[1]!.bounds)).toBe(false);
  expect(overlaps(boxes[1]!, marks[0]!.bounds)).toBe(false);
});

test('in a crowd a text is its first line, except that of the selected mark, and none lies over another', () => {
  const marks = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) =>
    box(250 + 75 * (n % 3), 200 + 65 * Math.floor(n / 3), STATISTICS, n === 4),
  );
  const labels = placeLabels(marks, SCREEN);
  expect(labels[4]).toMatchObject({ lines: STATISTICS, at: { x: 394, y: 324 } });
  expect(labels.some(({ lines }) => lines.length === 1)).toBe(true);
  for (const { lines } of labels) expect(lines[0]).toBe('Lesion');
  const boxes = labels.map((label) => boundsOfLabel(label));
  const others = boxes.filter((_, n) => n !== 4);
  expect(others.filter((one, n) => others.some((other, m) => m > n && overlaps(one, other)))).toEqual([]);
});

test('a text is inside the cell', () => {
  for (const [left, top] of [
    [0, 0],
    [740, 0],
    [0, 550],
    [740, 550],
  ] as const) {
    const [label] = placeLabels([box(left, top)], SCREEN);
    const bounds = boundsOfLabel(label!);
    expect(bounds.left).toBeGreaterThanOrEqual(0);
    expect(bounds.right).toBeLessThanOrEqual(SCREEN.width);
    expect(bounds.bottom).toBeLessThanOrEqual(SCREEN.height);
  }
});
