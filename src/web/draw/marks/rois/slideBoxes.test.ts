import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PictureChoice, Tile, TileIndex } from '../../../kit/state/shownTiles.ts';
import { isOverlapping, type Rectangle } from '../../../kit/state/viewState.ts';
import { mergeSlideRois } from './mergeSlideRois.ts';
import { parsePayload, type RoiMark, toPayload } from './roi.ts';
import {
  changeUnits,
  cutBox,
  fitToTiles,
  keyOfUnit,
  type LevelMarks,
  readUnits,
  type SlideUnit,
} from './slideBoxes.ts';

const PICTURE: PictureChoice = { path: '1', planeUm: 0, planeIndex: 0 };

/** 4 x 3 tiles of 10 x 6 pixels, the last ones cut: 37 x 16 pixels. */
const [COLUMNS, ROWS, TILE_WIDTH, TILE_HEIGHT] = [37, 16, 10, 6];

type Layout = {
  /** The file that contains a tile, by the tile's index from the first. */
  readonly fileOf: (place: number) => number;
  readonly isMissing?: (place: number) => boolean;
};

function createIndex({ fileOf, isMissing = () => false }: Layout): TileIndex {
  const tiles: Tile[] = [];
  const counts = new Map<number, number>();
  for (let place = 0; place < 12; place++) {
    const [x, y] = [(place % 4) * TILE_WIDTH, Math.floor(place / 4) * TILE_HEIGHT];
    const fileIndex = fileOf(place);
    if (isMissing(place)) continue;
    const frame = counts.get(fileIndex) ?? 0;
    counts.set(fileIndex, frame + 1);
    const [width, height] = [Math.min(TILE_WIDTH, COLUMNS - x), Math.min(TILE_HEIGHT, ROWS - y)];
    tiles.push({ fileIndex, frame, x, y, width, height, fromX: 0, fromY: 0 });
  }
  return {
    list: (rectangle) => tiles.filter((tile) => isOverlapping(tile, rectangle)),
    place({ fileIndex, frame }) {
      const tile = tiles.find((one) => one.fileIndex === fileIndex && one.frame === frame);
      return tile && { tile, picture: PICTURE };
    },
    filesOf: () => [...counts.keys()],
    frameCountOf: (fileIndex) => counts.get(fileIndex) ?? 0,
  };
}

function emptyLevel(index: TileIndex): LevelMarks<RoiMark> {
  return new Map(index.filesOf(PICTURE).map((file) => [file, []]));
}

function toUnit(box: Rectangle, index: TileIndex): SlideUnit {
  return { box, picture: PICTURE, parts: cutBox(box, PICTURE, index) };
}

function boxesOf(level: LevelMarks<RoiMark>, index: TileIndex): (Rectangle | undefined)[] {
  return readUnits(level, index).map(({ box }) => box);
}

function add(level: LevelMarks<RoiMark>, box: Rectangle, index: TileIndex): LevelMarks<RoiMark> {
  return changeUnits(level, { index, before: undefined, after: toUnit(box, index) });
}

const ONE_FILE = createIndex({ fileOf: () => 0 });

test('a box over many tiles is nine ROIs at most, row by row, each with the frames that it is on', () => {
  // From (5, 3) to (33, 14): four tiles across, three down.
  expect(cutBox({ x: 5, y: 3, width: 28, height: 11 }, PICTURE, ONE_FILE)).toEqual([
    {
      fileIndex: 0,
      marks: [
        { box: [3, 5, 6, 10], frames: [0] },
        { box: [3, 0, 6, 10], frames: [1, 2] },
        { box: [3, 0, 6, 3], frames: [3] },
        { box: [0, 5, 6, 10], frames: [4] },
        { box: [0, 0, 6, 10], frames: [5, 6] },
        { box: [0, 0, 6, 3], frames: [7] },
        { box: [0, 5, 2, 10], frames: [8] },
        { box: [0, 0, 2, 10], frames: [9, 10] },
        { box: [0, 0, 2, 3], frames: [11] },
      ],
    },
  ]);
});

test('two boxes that meet at the edge of a tile stay two: the one that lies before is listed after the other', () => {
  const [left, right] = [
    { x: 2, y: 1, width: 8, height: 3 },
    { x: 10, y: 1, width: 5, height: 3 },
  ];
  let level = add(emptyLevel(ONE_FILE), left, ONE_FILE);
  level = add(level, right, ONE_FILE);
  expect(level.get(0)).toEqual([
    { box: [1, 0, 4, 5], frames: [1] },
    { box: [1, 2, 4, 10], frames: [0] },
  ]);
  expect(boxesOf(level, ONE_FILE)).toEqual([right, left]);
  // As one box, the same ROIs are in the opposite order.
  const whole = { x: 2, y: 1, width: 13, height: 3 };
  expect(boxesOf(add(emptyLevel(ONE_FILE), whole, ONE_FILE), ONE_FILE)).toEqual([whole]);
});

const BY_HALF: Layout = { fileOf: (place) => (place < 6 ? 0 : 1) };
const BY_TILE: Layout = { fileOf: (place) => place };

test.each<[string, Layout, string[]]>([
  // The second begins above the first, but its part in the second file comes after that of the first.
  ['meet in the second file', BY_HALF, ['0 6 30 6', '30 0 7 16']],
  ['begin with the same ROI', BY_HALF, ['0 0 30 12', '0 0 30 12', '0 0 37 12']],
  ['share whole tiles', BY_TILE, ['0 0 30 12', '0 0 37 12', '0 6 20 10', '20 6 17 6']],
])('boxes on several files that %s are read as they were drawn', (_, layout, boxes) => {
  const index = createIndex(layout);
  const level = boxes.reduce((all, box) => {
    const [x = 0, y = 0, width = 0, height = 0] = box.split(' ').map(Number);
    return add(all, { x, y, width, height }, index);
  }, emptyLevel(index));
  expect(boxesOf(level, index).map(nameOf).toSorted()).toEqual(boxes);
});

test('of two boxes that share ROIs in several files, the one that is deleted goes', () => {
  const index = createIndex(BY_TILE);
  const [wide, thin, top, all, tall] = [
    { x: 10, y: 0, width: 20, height: 6 },
    { x: 11, y: 6, width: 19, height: 1 },
    { x: 20, y: 0, width: 10, height: 6 },
    { x: 0, y: 0, width: 30, height: 16 },
    { x: 20, y: 0, width: 10, height: 12 },
  ];
  let level = [wide, thin, top, all].reduce((known, box) => add(known, box, index), emptyLevel(index));
  const unitOf = (box: Rectangle) => readUnits(level, index).find((unit) => isSame(unit.box, box));
  level = changeUnits(level, { index, before: unitOf(wide), after: toUnit(tall, index) });
  level = changeUnits(level, { index, before: unitOf(tall), after: undefined });
  expect(boxesOf(level, index).map(nameOf).toSorted()).toEqual([thin, top, all].map(nameOf).toSorted());
});

test('deleting what stood between two boxes does not make them one', () => {
  const [left, other, right] = [
    { x: 2, y: 1, width: 8, height: 3 },
    { x: 20, y: 12, width: 3, height: 3 },
    { x: 10, y: 1, width: 5, height: 3 },
  ];
  let level: LevelMarks<RoiMark> = new Map([
    [0, [left, other, right].flatMap((box) => cutBox(box, PICTURE, ONE_FILE)[0]!.marks)],
  ]);
  expect(boxesOf(level, ONE_FILE)).toEqual([left, other, right]);
  level = changeUnits(level, { index: ONE_FILE, before: toUnit(other, ONE_FILE), after: undefined });
  expect(new Set(boxesOf(level, ONE_FILE))).toEqual(new Set([left, right]));
});

test('patches of whole tiles, one ROI each, as other programs write them, are not joined', () => {
  const level = new Map([[0, [0, 1, 4, 5].map((frame): RoiMark => ({ box: [0, 0, 6, 10], frames: [frame] }))]]);
  expect(boxesOf(level, ONE_FILE)).toHaveLength(4);
});

test('a list of all frames means the same as none', () => {
  const index = createIndex({ fileOf: (place) => Math.floor(place / 4) });
  // Two files of four tiles each: all of the first and the top of the second.
  const box = { x: 0, y: 0, width: 37, height: 12 };
  const written = cutBox(box, PICTURE, index);
  expect(written[0]?.marks).toContainEqual({ box: [0, 0, 6, 10], frames: [0, 1, 2] });
  const single = createIndex({ fileOf: (place) => place });
  const four = { x: 5, y: 3, width: 10, height: 6 };
  expect(cutBox(four, PICTURE, single).map(({ marks }) => marks.map(({ frames }) => frames))).toEqual([
    [[]],
    [[]],
    [[]],
    [[]],
  ]);
  const listed = new Map(cutBox(four, PICTURE, single).map((part) => [part.fileIndex, withFrames(part.marks, [0])]));
  expect(boxesOf(listed, single)).toEqual([four]);
});

function withFrames(marks: readonly RoiMark[], frames: readonly number[]): readonly RoiMark[] {
  return marks.map((mark) => ({ ...mark, frames }));
}

test('a ROI on frames that make no box is on each of its tiles for itself', () => {
  const level = new Map([[0, [{ box: [1, 2, 3, 4], frames: [0, 5] }] satisfies RoiMark[]]]);
  expect(boxesOf(level, ONE_FILE)).toEqual([undefined]);
});

test('the whole slide is one box, though its ROI lists no frames because it is on all', () => {
  // With only the first two tiles it is a file of two frames.
  const two: TileIndex = {
    ...ONE_FILE,
    frameCountOf: () => 2,
    list: (box) => ONE_FILE.list(box, PICTURE).filter(({ frame }) => frame < 2),
  };
  expect(boxesOf(new Map([[0, [{ box: [0, 0, 6, 10], frames: [] }]]]), two)).toEqual([
    { x: 0, y: 0, width: 20, height: 6 },
  ]);
});

test('a box over tiles that are missing is what lies on the others', () => {
  const sparse = createIndex({ fileOf: () => 0, isMissing: (place) => [0, 3, 7, 11].includes(place) });
  const box = fitToTiles({ x: 5, y: 3, width: 32, height: 10 }, PICTURE, sparse)!;
  expect(box).toEqual({ x: 5, y: 3, width: 25, height: 10 });
  // The tile of its first corner is missing too.
  expect(boxesOf(add(emptyLevel(sparse), box, sparse), sparse)).toEqual([box]);
  expect(fitToTiles({ x: 31, y: 0, width: 3, height: 3 }, PICTURE, sparse)).toBeUndefined();
});

const LAYOUTS: readonly (Layout & { readonly name: string })[] = [
  { name: 'one file', fileOf: () => 0 },
  { name: 'a level cut into two files within a row', ...BY_HALF },
  { name: 'a level of three files', fileOf: (place) => Math.floor(place / 4) },
  { name: 'a file for each tile', ...BY_TILE },
  { name: 'missing tiles', fileOf: () => 0, isMissing: (place) => place % 5 === 3 },
];

/** Chooses edges of tiles far more often than a uniform choice would. */
function edge(size: number, tile: number): fc.Arbitrary<number> {
  const edges = Array.from({ length: Math.ceil(size / tile) + 1 }, (_, at) => Math.min(at * tile, size));
  return fc.oneof(fc.constantFrom(...edges), fc.nat(size));
}

function span(size: number, tile: number): fc.Arbitrary<readonly [number, number]> {
  return fc
    .tuple(edge(size, tile), edge(size, tile))
    .map(([a, b]) => [Math.min(a, b, size - 1), Math.max(a, b, Math.min(a, b, size - 1) + 1)] as const);
}

const BOX = fc
  .tuple(span(COLUMNS, TILE_WIDTH), span(ROWS, TILE_HEIGHT))
  .map(([[left, right], [top, bottom]]): Rectangle => ({ x: left, y: top, width: right - left, height: bottom - top }));

describe.each(LAYOUTS)('$name', (layout) => {
  const index = createIndex(layout);

  test('any boxes that are drawn, moved and deleted are read as they were drawn', () => {
    const step = fc.record({ kind: fc.constantFrom('add', 'add', 'move', 'delete'), box: BOX, which: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 9 }), (steps) => {
        let level = emptyLevel(index);
        let drawn: Rectangle[] = [];
        for (const { kind, box, which } of steps) {
          const fitted = fitToTiles(box, PICTURE, index);
          if (fitted === undefined) continue;
          const old = kind === 'add' ? undefined : drawn[which % Math.max(1, drawn.length)];
          const before = old && readUnits(level, index).find((unit) => isSame(unit.box, old));
          const after = kind === 'delete' ? undefined : toUnit(fitted, index);
          level = changeUnits(level, { index, before, after });
          drawn = [...drawn.filter((one) => one !== old), ...(after === undefined ? [] : [fitted])];
          expect(boxesOf(level, index).map(nameOf).toSorted()).toEqual(drawn.map(nameOf).toSorted());
        }
      }),
      { numRuns: Number(process.env['SLIDE_BOX_RUNS'] ?? 60) },
    );
  });
});

describe.each(LAYOUTS)('$name', (layout) => {
  const index = createIndex(layout);

  test.each([
    ['inside a tile', { x: 2, y: 1, width: 3, height: 2 }],
    ['over several tiles', { x: 5, y: 3, width: 10, height: 6 }],
  ])('a box %s that is drawn again at the same place is there as often as it was drawn', (_, box) => {
    let level = emptyLevel(index);
    for (let times = 1; times <= 8; times++) {
      level = add(level, box, index);
      expect(boxesOf(level, index).map(nameOf)).toEqual(Array.from({ length: times }, () => nameOf(box)));
    }
    for (let times = 7; times >= 0; times--) {
      level = changeUnits(level, { index, before: readUnits(level, index)[0], after: undefined });
      expect(boxesOf(level, index).map(nameOf)).toEqual(Array.from({ length: times }, () => nameOf(box)));
    }
  });

  test('boxes that two users drew, moved and deleted are merged box by box: none is split', () => {
    const changes = fc.array(fc.record({ box: BOX, which: fc.nat() }), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(fc.array(BOX, { maxLength: 3 }), changes, changes, (boxes, mine, theirs) => {
        const fitted = boxes.flatMap((box) => fitToTiles(box, PICTURE, index) ?? []);
        const base = fitted.reduce((level, box) => add(level, box, index), emptyLevel(index));
        const [a, b] = [mine, theirs].map((own) => move(base, own, index));
        // Only the content of one file, because parts in several files are merged file by file.
        const file = index.filesOf(PICTURE)[0]!;
        const unitsOf = (level: LevelMarks<RoiMark>) => readUnits(new Map([[file, level.get(file) ?? []]]), index);
        const payloadOf = (level: LevelMarks<RoiMark>) => toPayload(level.get(file) ?? []);
        const merged = mergeSlideRois(
          { base: payloadOf(base), mine: payloadOf(a!), theirs: payloadOf(b!) },
          { fileIndex: file, index },
        );
        const wanted = new Set([...unitsOf(a!), ...unitsOf(b!)].map(keyOfUnit));
        const read = readUnits(new Map([[file, parsePayload(merged)]]), index).map(keyOfUnit);
        // Each is a box of one side, and everything that either side added is present.
        expect(read.filter((key) => !wanted.has(key))).toEqual([]);
        const known = new Set(unitsOf(base).map(keyOfUnit));
        expect([...wanted].filter((key) => !known.has(key) && !read.includes(key))).toEqual([]);
      }),
      { numRuns: Number(process.env['SLIDE_BOX_RUNS'] ?? 60) },
    );
  });
});

type Change = { readonly box: Rectangle; readonly which: number };

function move(level: LevelMarks<RoiMark>, changes: readonly Change[], index: TileIndex): LevelMarks<RoiMark> {
  return changes.reduce((now, { box, which }) => {
    const fitted = fitToTiles(box, PICTURE, index);
    const units = readUnits(now, index);
    const before = units[which % Math.max(1, units.length)];
    return fitted === undefined ? now : changeUnits(now, { index, before, after: toUnit(fitted, index) });
  }, level);
}

function isSame(a: Rectangle | undefined, b: Rectangle): boolean {
  return nameOf(a) === nameOf(b);
}

function nameOf(box: Rectangle | undefined): string {
  return box === undefined ? 'none' : `${box.x} ${box.y} ${box.width} ${box.height}`;
}
