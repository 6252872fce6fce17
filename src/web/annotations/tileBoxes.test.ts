import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ShownTile } from '../state/shownTiles.ts';
import { areaOf } from './roiEditing.ts';
import { cutAtTiles } from './tileBoxes.ts';

/** Columns and rows of a level, in tiles of 10 x 6, whose pixels are so many of the slide. */
function createTiles(columns: number, rows: number, scale: number): ShownTile[] {
  const [across, down] = [Math.ceil(columns / 10), Math.ceil(rows / 6)];
  return Array.from({ length: across * down }, (_, frame) => {
    const [x, y] = [(frame % across) * 10, Math.floor(frame / across) * 6];
    const part = { x: 0, y: 0, width: Math.min(10, columns - x), height: Math.min(6, rows - y) };
    return { fileIndex: 0, frame, corner: { x: x * scale + 3, y: y * scale }, scaleX: scale, scaleY: scale, part };
  });
}

test('a box over the corner of four tiles is one box on each', () => {
  const tiles = createTiles(25, 14, 2);
  // From (8, 4) to (12, 7) of the level; the second tile begins at column 10, the second row of tiles at row 6.
  expect(cutAtTiles([4, 8, 7, 12], tiles[0]!, tiles)).toEqual([
    { fileIndex: 0, frame: 0, box: [4, 8, 6, 10] },
    { fileIndex: 0, frame: 1, box: [4, 0, 6, 2] },
    { fileIndex: 0, frame: 3, box: [0, 8, 1, 10] },
    { fileIndex: 0, frame: 4, box: [0, 0, 1, 2] },
  ]);
});

test('no pixel of a box is lost or on two tiles, whichever tile it is counted from', () => {
  const span = fc.tuple(fc.nat(40), fc.nat(40)).map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1] as const);
  const scale = fc.double({ min: 0.3, max: 70, noNaN: true });
  fc.assert(
    fc.property(span, span, scale, fc.nat(100), (across, down, pixels, place) => {
      const tiles = createTiles(41, 41, pixels);
      const from = tiles[place % tiles.length]!;
      const [x, y] = [(from.frame % 5) * 10, Math.floor(from.frame / 5) * 6];
      const pieces = cutAtTiles([down[0] - y, across[0] - x, down[1] - y, across[1] - x], from, tiles);
      const covered = new Set<string>();
      for (const { frame, box } of pieces) {
        const [left, top] = [(frame % 5) * 10, Math.floor(frame / 5) * 6];
        for (let row = box[0]; row < box[2]; row++) {
          for (let column = box[1]; column < box[3]; column++) covered.add(`${top + row} ${left + column}`);
        }
      }
      const area = (down[1] - down[0]) * (across[1] - across[0]);
      expect(pieces.reduce((sum, { box }) => sum + areaOf(box), 0)).toBe(area);
      expect(covered.size).toBe(area);
      expect(covered.has(`${down[0]} ${across[0]}`) && covered.has(`${down[1] - 1} ${across[1] - 1}`)).toBe(true);
    }),
  );
});
