import { expect, test } from 'vitest';
import { moveInTree } from './treeKeys.ts';

// An open row with two child rows, the second of which is closed.
const ROWS = [
  { level: 1, isOpen: true, hasChildren: true },
  { level: 2, isOpen: false, hasChildren: false },
  { level: 2, isOpen: false, hasChildren: true },
];

test.each([
  [0, 'ArrowDown', 1],
  [2, 'ArrowDown', 2],
  [0, 'ArrowUp', 0],
  [1, 'Home', 0],
  [0, 'End', 2],
  [0, 'PageDown', 2],
  [0, 'ArrowRight', 1],
  [1, 'ArrowRight', 1],
  [2, 'ArrowLeft', 0],
  [-1, 'ArrowDown', 0],
])('from line %i %s goes to %i', (row, key, to) => {
  expect(moveInTree(ROWS, row, key)).toEqual({ kind: 'go', row: to });
});

test.each([
  [0, 'ArrowLeft'],
  [2, 'ArrowRight'],
])('on line %i %s closes or opens it', (row, key) => {
  expect(moveInTree(ROWS, row, key)).toEqual({ kind: 'toggle' });
});

test('other keys are ignored', () => {
  expect(moveInTree(ROWS, 0, 'a')).toBeUndefined();
});
