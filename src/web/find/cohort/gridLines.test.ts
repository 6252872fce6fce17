import { expect, test } from 'vitest';
import { layOutGroups } from './gridLines.ts';

test('without groups, each line is a row', () => {
  const lines = layOutGroups(3, undefined, new Set());
  expect(lines.count).toBe(3);
  expect(lines.lineAt(2)).toEqual({ kind: 'row', row: 2 });
});

test('each group has a heading before its rows, and a closed one nothing else', () => {
  const lines = layOutGroups(6, [2, 3, 1], new Set([1]));
  expect(Array.from({ length: lines.count }, (_, line) => lines.lineAt(line))).toEqual([
    { kind: 'group', group: 0, isOpen: true },
    { kind: 'row', row: 0 },
    { kind: 'row', row: 1 },
    { kind: 'group', group: 1, isOpen: false },
    { kind: 'group', group: 2, isOpen: true },
    // After the two of the first group and the three of the closed one.
    { kind: 'row', row: 5 },
  ]);
});

test('a table without rows has no lines', () => {
  expect(layOutGroups(0, [], new Set()).count).toBe(0);
});
