import { expect, test } from 'vitest';
import { moveInGrid } from './moveInGrid.ts';

const BOUNDS = { lines: 100, columns: 5, pageLines: 20 };

test.each([
  ['ArrowDown', { line: 3, column: 2 }, { line: 4, column: 2 }],
  ['ArrowUp', { line: 0, column: 2 }, { line: -1, column: 2 }],
  ['ArrowUp', { line: -1, column: 2 }, { line: -1, column: 2 }],
  ['ArrowDown', { line: 99, column: 0 }, { line: 99, column: 0 }],
  ['ArrowRight', { line: 3, column: 4 }, { line: 3, column: 4 }],
  ['ArrowLeft', { line: 3, column: 0 }, { line: 3, column: 0 }],
  ['PageDown', { line: 90, column: 1 }, { line: 99, column: 1 }],
  ['PageDown', { line: -1, column: 1 }, { line: 19, column: 1 }],
  // To the first row, and not to the headings.
  ['PageUp', { line: 5, column: 1 }, { line: 0, column: 1 }],
  ['PageUp', { line: -1, column: 1 }, { line: -1, column: 1 }],
  ['Home', { line: 7, column: 3 }, { line: 7, column: 0 }],
  ['End', { line: 7, column: 3 }, { line: 7, column: 4 }],
  ['Ctrl+Home', { line: 7, column: 3 }, { line: 0, column: 0 }],
  ['Ctrl+End', { line: 7, column: 3 }, { line: 99, column: 4 }],
  ['Ctrl+ArrowDown', { line: 7, column: 3 }, { line: 99, column: 3 }],
])('%s leads from %j to %j', (spelled, from, to) => {
  const key = spelled.replace('Ctrl+', '');
  expect(moveInGrid(from, { key, ctrlKey: key !== spelled, metaKey: false }, BOUNDS)).toEqual(to);
});

test('other keys do not move, and a table without rows has only its headings', () => {
  expect(moveInGrid({ line: 0, column: 0 }, { key: 'x', ctrlKey: false, metaKey: false }, BOUNDS)).toBeUndefined();
  const empty = { ...BOUNDS, lines: 0 };
  expect(moveInGrid({ line: -1, column: 0 }, { key: 'ArrowDown', ctrlKey: false, metaKey: false }, empty)).toEqual({
    line: -1,
    column: 0,
  });
});
