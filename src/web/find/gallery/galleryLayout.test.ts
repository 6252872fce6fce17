import { expect, test } from 'vitest';
import { layOutGroups } from '../cohort/gridLines.ts';
import { fitTiles, layOutGallery } from './galleryLayout.ts';
import { moveInGallery } from './moveInGallery.ts';

const SIZES = { perRow: 4, tilePx: 100, headingPx: 30 };

/** Groups of 5, 3 and 9 rows, of which the second is closed: lines 0 to 5, 6, and 7 to 16. */
function createGrouped() {
  const lines = layOutGroups(17, [5, 3, 9], new Set([1]));
  const groups = [
    { count: 5, isOpen: true },
    { count: 3, isOpen: false },
    { count: 9, isOpen: true },
  ];
  return { lines, layout: layOutGallery(lines, groups, SIZES) };
}

test('tiles fill rows, and the last row has the rest', () => {
  const layout = layOutGallery(layOutGroups(10, undefined, new Set()), undefined, SIZES);
  expect(layout.rows).toBe(3);
  expect([...layout.tops]).toEqual([0, 100, 200, 300]);
  expect(layout.rowAt(2)).toEqual({ kind: 'tiles', line: 8, count: 2 });
  expect([0, 3, 4, 9].map(layout.rowOfLine)).toEqual([0, 0, 1, 2]);
});

test('each group begins a row of its own after its heading, and a closed one has no tiles', () => {
  const { layout } = createGrouped();
  expect(Array.from({ length: layout.rows }, (_, row) => layout.rowAt(row))).toEqual([
    { kind: 'group', line: 0, group: 0, isOpen: true },
    { kind: 'tiles', line: 1, count: 4 },
    { kind: 'tiles', line: 5, count: 1 },
    { kind: 'group', line: 6, group: 1, isOpen: false },
    { kind: 'group', line: 7, group: 2, isOpen: true },
    { kind: 'tiles', line: 8, count: 4 },
    { kind: 'tiles', line: 12, count: 4 },
    { kind: 'tiles', line: 16, count: 1 },
  ]);
  expect([...layout.tops]).toEqual([0, 30, 130, 230, 260, 290, 390, 490, 590]);
});

test('a line is in the row that has it', () => {
  const { lines, layout } = createGrouped();
  for (let line = 0; line < lines.count; line += 1) {
    const row = layout.rowAt(layout.rowOfLine(line));
    const count = row.kind === 'tiles' ? row.count : 1;
    expect(line >= row.line && line < row.line + count).toBe(true);
  }
});

test.each([
  ['ArrowRight', 3, 4],
  ['ArrowLeft', 0, 0],
  // From the third tile of the first row to the only one of the second.
  ['ArrowDown', 3, 5],
  ['ArrowUp', 12, 8],
  ['ArrowDown', 16, 16],
  ['Home', 3, 1],
  ['End', 8, 11],
  ['PageDown', 1, 6],
])('%s leads from line %i to %i', (key, from, to) => {
  const { lines, layout } = createGrouped();
  const press = { key, ctrlKey: false, metaKey: false };
  expect(moveInGallery(from, press, layout, { lines: lines.count, pageRows: 2 })).toBe(to);
});

test('with Ctrl, Home and End lead to the first and the last line', () => {
  const { lines, layout } = createGrouped();
  const bounds = { lines: lines.count, pageRows: 2 };
  expect(moveInGallery(9, { key: 'Home', ctrlKey: true, metaKey: false }, layout, bounds)).toBe(0);
  expect(moveInGallery(2, { key: 'End', ctrlKey: true, metaKey: false }, layout, bounds)).toBe(16);
  expect(moveInGallery(2, { key: 'x', ctrlKey: false, metaKey: false }, layout, bounds)).toBeUndefined();
});

test('tiles fill the width of the gallery', () => {
  // Five of 160 and four gaps of 8 are 832; a sixth does not fit into 900, so each is (900 - 32) / 5 wide.
  expect(fitTiles(900, 160, 8)).toEqual({ perRow: 5, tilePx: 173 });
  expect(fitTiles(100, 160, 8)).toEqual({ perRow: 1, tilePx: 100 });
});
