import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WsiTilesResponse } from '../../../../shared/contract/wsi.ts';
import type { Rectangle } from '../../../kit/state/viewState.ts';
import type { PictureChoice } from '../../../kit/state/shownTiles.ts';
import { buildLevelTiles } from './levelTiles.ts';

const FIRST: PictureChoice = { path: '#0', planeUm: undefined, planeIndex: 0 };

/** 25 x 14 pixels in tiles of 10 x 6: three by three. */
function createAnswer(different: Partial<WsiTilesResponse> = {}): WsiTilesResponse {
  return {
    source_file_index: 0,
    tiling_status: 'full',
    total_pixel_matrix: { rows: 14, columns: 25 },
    tile_rows: 6,
    tile_columns: 10,
    frame_count: 9,
    optical_paths: [{ identifier: null, description: null, objective_power: null, wavelength_nm: null }],
    focal_planes: [{ z_offset_slide: 0 }],
    absent_pixel_rgb: null,
    raster: { frame_offset: 0, tiles_across: 3, tiles_down: 3 },
    tiles: null,
    ...different,
  };
}

const LEVEL = { width: 25, height: 14 };
const ALL: Rectangle = { x: 0, y: 0, ...LEVEL };

describe('a full raster', () => {
  test('gives the tiles under a rectangle, those at the edge cut', () => {
    const tiles = buildLevelTiles(LEVEL, [createAnswer()]);
    expect(tiles.find({ x: 19, y: 11, width: 3, height: 3 }, FIRST)).toEqual([
      { fileIndex: 0, frame: 4, x: 10, y: 6, width: 10, height: 6, fromX: 0, fromY: 0 },
      { fileIndex: 0, frame: 5, x: 20, y: 6, width: 5, height: 6, fromX: 0, fromY: 0 },
      { fileIndex: 0, frame: 7, x: 10, y: 12, width: 10, height: 2, fromX: 0, fromY: 0 },
      { fileIndex: 0, frame: 8, x: 20, y: 12, width: 5, height: 2, fromX: 0, fromY: 0 },
    ]);
  });

  test('leaves out the frames that the file does not have', () => {
    const tiles = buildLevelTiles(LEVEL, [createAnswer({ frame_count: 7 })]);
    expect(tiles.find(ALL, FIRST).map(({ frame }) => frame)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('in two parts is one', () => {
    const second = {
      frame_count: 4,
      source_file_index: 1,
      raster: { frame_offset: 5, tiles_across: 3, tiles_down: 3 },
    };
    const tiles = buildLevelTiles(LEVEL, [createAnswer({ frame_count: 5 }), createAnswer(second)]);
    expect(tiles.find(ALL, FIRST).map(({ fileIndex, frame, x, y }) => [fileIndex, frame, x, y])).toEqual([
      ...[0, 1, 2, 3, 4].map((frame) => [0, frame, (frame % 3) * 10, Math.floor(frame / 3) * 6]),
      ...[0, 1, 2, 3].map((frame) => [1, frame, ((frame + 5) % 3) * 10, Math.floor((frame + 5) / 3) * 6]),
    ]);
  });

  test('of several paths and planes has them one after the other, planes first', () => {
    const answer = createAnswer({
      frame_count: 36,
      optical_paths: [
        { identifier: 'b', description: 'Brightfield', objective_power: null, wavelength_nm: null },
        { identifier: 'f', description: null, objective_power: null, wavelength_nm: null },
      ],
      focal_planes: [{ z_offset_slide: 0 }, { z_offset_slide: 2.5 }],
    });
    const tiles = buildLevelTiles(LEVEL, [answer]);
    expect(tiles.paths.map(({ label }) => label)).toEqual(['b Brightfield', 'f']);
    const choice = { path: 'f', planeUm: 2.5, planeIndex: 1 };
    // ((1 x 2) + 1) x 9 tiles come before.
    expect(tiles.find(ALL, choice)[0]?.frame).toBe(27);
    expect(tiles.choiceOf(0, 35)).toEqual(choice);
    expect(tiles.findFrame({ path: 'f', planeUm: 0, planeIndex: 0 })).toEqual({ fileIndex: 0, frame: 18 });
  });
});

describe('optical paths and focal planes in files of their own', () => {
  const answers = ['r', 'g'].map((identifier, source_file_index) =>
    createAnswer({
      source_file_index,
      optical_paths: [{ identifier, description: null, objective_power: null, wavelength_nm: null }],
    }),
  );

  test('are one choice', () => {
    const tiles = buildLevelTiles(LEVEL, answers);
    expect(tiles.paths.map(({ key }) => key)).toEqual(['r', 'g']);
    expect(new Set(tiles.find(ALL, { ...FIRST, path: 'g' }).map(({ fileIndex }) => fileIndex))).toEqual(new Set([1]));
  });

  test('a level that lacks the picture gives the nearest that it has', () => {
    const planes = [5, 0].map((z_offset_slide, source_file_index) =>
      createAnswer({ source_file_index, focal_planes: [{ z_offset_slide }] }),
    );
    const tiles = buildLevelTiles(LEVEL, planes);
    expect(tiles.planes).toEqual([
      { um: 0, index: 0 },
      { um: 5, index: 1 },
    ]);
    const choice = { path: 'unheard of', planeUm: 4, planeIndex: 7 };
    expect(new Set(tiles.find(ALL, choice).map(({ fileIndex }) => fileIndex))).toEqual(new Set([0]));
  });
});

describe('tiles at places of their own', () => {
  test('are found wherever they lie, also across the edges of the slide', () => {
    const tiles = { x: [-4, 3, null, 24, 90], y: [-1, 5, 0, 13, 0], optical_path: null, focal_plane: null };
    const level = buildLevelTiles(LEVEL, [createAnswer({ raster: null, frame_count: 5, tiles })]);
    expect(level.find(ALL, FIRST)).toEqual([
      { fileIndex: 0, frame: 0, x: 0, y: 0, width: 6, height: 5, fromX: 4, fromY: 1 },
      { fileIndex: 0, frame: 1, x: 3, y: 5, width: 10, height: 6, fromX: 0, fromY: 0 },
      { fileIndex: 0, frame: 3, x: 24, y: 13, width: 1, height: 1, fromX: 0, fromY: 0 },
    ]);
  });

  test('are those that a look at each of them finds', () => {
    const place = fc.integer({ min: -12, max: 130 });
    const frames = fc.array(fc.tuple(place, place), { maxLength: 60 });
    const rectangle = fc.record({
      x: fc.double({ min: -20, max: 120, noNaN: true }),
      y: fc.double({ min: -20, max: 120, noNaN: true }),
      width: fc.double({ min: 0.1, max: 60, noNaN: true }),
      height: fc.double({ min: 0.1, max: 60, noNaN: true }),
    });
    fc.assert(
      fc.property(frames, rectangle, (places, looked) => {
        const tiles = { x: places.map(([x]) => x), y: places.map(([, y]) => y), optical_path: null, focal_plane: null };
        const size = { width: 120, height: 110 };
        const level = buildLevelTiles(size, [createAnswer({ raster: null, frame_count: places.length, tiles })]);
        const found = level.find(looked, FIRST).map(({ frame }) => frame);
        const expected = places.flatMap(([x, y], frame) => {
          const [left, right] = [Math.max(x, 0), Math.min(x + 10, 120)];
          const [top, bottom] = [Math.max(y, 0), Math.min(y + 6, 110)];
          const isThere = left < right && top < bottom;
          const isSeen = left < looked.x + looked.width && looked.x < right;
          return isThere && isSeen && top < looked.y + looked.height && looked.y < bottom ? [frame] : [];
        });
        expect(found.toSorted((a, b) => a - b)).toEqual(expected);
      }),
    );
  });

  test('a single frame that says nothing lies at the beginning', () => {
    const tiles = { x: [null], y: [null], optical_path: null, focal_plane: null };
    const level = buildLevelTiles({ width: 8, height: 5 }, [createAnswer({ raster: null, frame_count: 1, tiles })]);
    expect(level.find({ x: 0, y: 0, width: 8, height: 5 }, FIRST)).toMatchObject([{ frame: 0, width: 8, height: 5 }]);
  });

  test('frames of another path or plane are not found; those that do not say are in all', () => {
    const tiles = { x: [0, 0, 0, 0], y: [0, 0, 0, 0], optical_path: [0, 1, 1, -1], focal_plane: [0, 0, 1, -1] };
    const answer = createAnswer({
      raster: null,
      frame_count: 4,
      tiles,
      optical_paths: ['a', 'b'].map((identifier) => ({
        identifier,
        description: null,
        objective_power: null,
        wavelength_nm: null,
      })),
      focal_planes: [{ z_offset_slide: 0 }, { z_offset_slide: 1 }],
    });
    const level = buildLevelTiles(LEVEL, [answer]);
    const framesOf = (path: string, planeUm: number) =>
      level.find(ALL, { path, planeUm, planeIndex: 0 }).map(({ frame }) => frame);
    expect([framesOf('a', 0), framesOf('b', 0), framesOf('b', 1)]).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
  });

  test('a matrix that claims to be endless takes no endless memory', () => {
    const tiles = { x: [4_000_000_000], y: [3], optical_path: null, focal_plane: null };
    const size = { width: 2 ** 32 - 1, height: 2 ** 32 - 1 };
    const answer = createAnswer({ raster: null, frame_count: 1, tiles, tile_rows: 1, tile_columns: 1 });
    const level = buildLevelTiles(size, [answer]);
    expect(level.find({ x: 3_999_999_990, y: 0, width: 20, height: 20 }, FIRST)).toMatchObject([{ frame: 0 }]);
  });
});

test('where a frame lies is where it was found, and a frame that is not found lies nowhere', () => {
  const raster = createAnswer({
    frame_count: 30,
    optical_paths: ['a', 'b'].map((identifier) => ({
      identifier,
      description: null,
      objective_power: null,
      wavelength_nm: null,
    })),
    focal_planes: [{ z_offset_slide: 0 }, { z_offset_slide: 1 }],
  });
  const declared = createAnswer({
    raster: null,
    frame_count: 4,
    optical_paths: raster.optical_paths,
    focal_planes: raster.focal_planes,
    tiles: { x: [0, 7, null, 90], y: [0, 3, 0, 0], optical_path: [0, 1, 1, -1], focal_plane: [0, 0, 1, -1] },
  });
  for (const answer of [raster, declared]) {
    const tiles = buildLevelTiles(LEVEL, [answer]);
    for (const path of ['a', 'b']) {
      for (const planeUm of [0, 1]) {
        const choice = { path, planeUm, planeIndex: planeUm };
        const found = new Map(tiles.find(ALL, choice).map((tile) => [tile.frame, tile]));
        for (let frame = 0; frame < 40; frame++) {
          expect(tiles.place({ fileIndex: 0, frame }, choice)).toEqual(found.get(frame));
        }
      }
    }
    expect(tiles.place({ fileIndex: 1, frame: 0 }, FIRST)).toBeUndefined();
  }
});
