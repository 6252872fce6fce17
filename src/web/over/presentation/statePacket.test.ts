import { expect, test } from 'vitest';
import type { WireGraphic } from '../../../shared/wireGraphics.ts';
import type { KnownPresentation } from '../../kit/state/presentations.ts';
import type { ShownTiles } from '../../kit/state/shownTiles.ts';
import { countInNoTile, movePacket, packetOfState, packetOnSlide } from './statePacket.ts';

const ITEM = { part: 0, filled: false, style: {}, how: 'stored', distance_mm: 0 } as const;

type Part = {
  readonly file: number;
  readonly frames: readonly number[] | null;
  readonly items: readonly WireGraphic[];
};

function stateWith(...parts: readonly Part[]): KnownPresentation {
  const graphics = parts.map(({ file, frames, items }) => ({
    applies_to: [{ file_index: file, frame_indices: frames }],
    items,
  }));
  const state = { graphics, areas: [], rotation: 0, flip_horizontal: false };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is used
  return { state, images: [], names: () => true } as unknown as KnownPresentation;
}

/** Two levels: 400 by 200 pixels in file 1, and half of that in tiles of 64 in file 2, whose tile 5 begins at (64, 64). */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is used
const TILES = {
  fileIndices: [1, 2],
  levels: [
    {
      fileIndices: [1],
      width: 400,
      height: 200,
      tileWidth: 64,
      tileHeight: 64,
      scaleX: 1,
      scaleY: 1,
      offsetX: 0,
      offsetY: 0,
    },
    {
      fileIndices: [2],
      width: 200,
      height: 100,
      tileWidth: 64,
      tileHeight: 64,
      scaleX: 2,
      scaleY: 2,
      offsetX: 0,
      offsetY: 0,
    },
  ],
  place: ({ frame }: { frame: number }) =>
    frame === 5 ? { corner: { x: 128, y: 128 }, scaleX: 2, scaleY: 2 } : undefined,
} as unknown as ShownTiles;

const SLIDE = { width: 400, height: 200 };

test('graphics on the matrix of a level are placed in pixels of the largest one', () => {
  const line: WireGraphic = { ...ITEM, shape: 'polyline', units: 'matrix', points: [-0.5, -0.5, 9.5, 19.5] };
  const known = stateWith({ file: 1, frames: null, items: [line] }, { file: 2, frames: null, items: [line] });
  const { items, columns } = packetOnSlide(known, TILES, SLIDE);
  // From corner to corner: (0, 0) to (10, 20) of a level with half of the pixels is (0, 0) to (20, 40).
  expect(items.map(({ units, points }) => [units, points])).toEqual([
    ['pixel', [-0.5, -0.5, 9.5, 19.5]],
    ['pixel', [-0.5, -0.5, 19.5, 39.5]],
  ]);
  expect([columns, countInNoTile(known, TILES)]).toEqual([400, 0]);
});

test('graphics in a tile are placed where the tile is, and those in every tile nowhere', () => {
  const point: WireGraphic = { ...ITEM, shape: 'point', units: 'pixel', points: [3.5, 4.5] };
  const known = stateWith({ file: 2, frames: [5, 6], items: [point] }, { file: 2, frames: null, items: [point] });
  // The corner of the tile is (128, 128), and (4, 5) of its pixels are (8, 10) of the slide.
  expect(packetOnSlide(known, TILES, SLIDE).items.map(({ points }) => points)).toEqual([[135.5, 137.5]]);
  expect(countInNoTile(known, TILES)).toBe(1);
});

test('texts are placed by the units of their box and of their anchor', () => {
  const text: WireGraphic = {
    ...ITEM,
    shape: 'text',
    units: 'pixel',
    points: [],
    text: {
      value: 'here',
      box: { corners: [9.5, 9.5, 19.5, 14.5], units: 'matrix', align: 'left' },
      anchor: { point: [0.25, 0.5], units: 'display', marked: true },
    },
  };
  const { items } = packetOnSlide(stateWith({ file: 2, frames: null, items: [text] }), TILES, SLIDE);
  expect(items[0]?.text).toEqual({
    value: 'here',
    box: { corners: [19.5, 19.5, 39.5, 29.5], units: 'pixel', align: 'left' },
    anchor: { point: [0.25, 0.5], units: 'display', isMarked: true },
  });
});

test('graphics of a frame are moved to the pixels of a plane in which it lies', () => {
  const line: WireGraphic = { ...ITEM, shape: 'polyline', units: 'pixel', points: [1, 2, 3, 4] };
  const packet = packetOfState(
    stateWith({ file: 1, frames: null, items: [line] }),
    { fileIndex: 1, frame: 0 },
    { width: 10, height: 20 },
  );
  // Turned over from left to right.
  const moved = movePacket(packet, (x, y) => [9 - x, y], { width: 10, height: 20 });
  expect(moved.items[0]?.points).toEqual([8, 2, 6, 4]);
  expect(moved.area?.corners).toEqual([-0.5, -0.5, 9.5, 19.5]);
});
