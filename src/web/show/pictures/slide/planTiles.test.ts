import { expect, test } from 'vitest';
import { WHOLE_IMAGE } from '../../../kit/state/viewState.ts';
import { imageToCanvas } from '../viewTransform.ts';
import type { PictureChoice } from '../../../kit/state/shownTiles.ts';
import { buildLevelTiles, type LevelTiles } from './levelTiles.ts';
import { chooseLevel, planTiles } from './planTiles.ts';
import type { Slide, SlideLevel } from './slide.ts';

const CHOICE: PictureChoice = { path: '#0', planeUm: 0, planeIndex: 0 };
const CANVAS = { width: 800, height: 600 };
const TILE = 512;

/** A slide with `count` levels, each half as large as the one before, in tiles of 512 x 512. */
function createSlide(width: number, height: number, count: number): Slide {
  const level = (at: number): SlideLevel => {
    const size = { width: Math.ceil(width / 2 ** at), height: Math.ceil(height / 2 ** at) };
    const scale = { scaleX: width / size.width, scaleY: height / size.height };
    const tiles = { tileWidth: TILE, tileHeight: TILE };
    return { fileIndices: [at], ...size, ...tiles, ...scale, offsetX: 0, offsetY: 0 };
  };
  const others = Array.from({ length: count - 1 }, (_, at) => level(at + 1));
  return {
    image: { width, height, aspect: 1 },
    levels: [level(0), ...others],
    backing: count - 1,
    mmPerPixel: undefined,
    companions: [],
    warnings: [],
  };
}

function tilesOf({ levels }: Slide): (level: number) => LevelTiles | undefined {
  const built = levels.map(({ width, height, fileIndices }) => {
    const [across, down] = [Math.ceil(width / TILE), Math.ceil(height / TILE)];
    const answer = {
      source_file_index: fileIndices[0] ?? 0,
      tiling_status: 'full' as const,
      total_pixel_matrix: { rows: height, columns: width },
      tile_rows: TILE,
      tile_columns: TILE,
      frame_count: across * down,
      optical_paths: [{ identifier: null, description: null, objective_power: null, wavelength_nm: null }],
      focal_planes: [{ z_offset_slide: 0 }],
      absent_pixel_rgb: null,
      raster: { frame_offset: 0, tiles_across: across, tiles_down: down },
      tiles: null,
    };
    return buildLevelTiles({ width, height }, [answer]);
  });
  return (level) => built[level];
}

function plan(slide: Slide, view: Partial<typeof WHOLE_IMAGE> = {}, mostTiles = 600) {
  const matrix = imageToCanvas({ ...WHOLE_IMAGE, ...view }, slide.image, CANVAS);
  return planTiles({
    slide,
    imageToCanvas: matrix,
    canvas: CANVAS,
    choice: CHOICE,
    tilesOf: tilesOf(slide),
    mostTiles,
  });
}

test('the level that is as sharp as the screen is chosen, and the largest beyond 1:1', () => {
  const { levels } = createSlide(100_000, 80_000, 8);
  // Levels are 1, 1/2, 1/4 … of the largest; an enlargement by a tenth is allowed.
  expect([0.0075, 0.0079, 0.1, 0.25, 0.27, 0.28, 1, 8].map((zoom) => chooseLevel(levels, zoom))).toEqual([
    7, 7, 3, 2, 2, 1, 0, 0,
  ]);
});

test('all of a slide of 100,000 x 80,000 pixels takes a handful of tiles', () => {
  const { target, now, soon, isCut } = plan(createSlide(100_000, 80_000, 8));
  // 600 pixels of height are 0.0075 of 80,000; level 7 is 782 x 625, in 2 x 2 tiles.
  expect({ target, count: now.length, soon: soon.length, isCut }).toEqual({
    target: 7,
    count: 4,
    soon: 0,
    isCut: false,
  });
});

test('close up, the whole slide comes first, then a coarse look, then the tiles from the middle outwards', () => {
  const slide = createSlide(100_000, 80_000, 8);
  // The middle of tile (50, 40): 800 x 600 pixels around it touch three columns and three rows.
  const center = { x: 50.5 * TILE, y: 40.5 * TILE };
  const { target, now, levels } = plan(slide, { zoom: 1, center });
  expect({ target, levels }).toEqual({ target: 0, levels: [7, 2, 0] });
  const order = now.map(({ level }) => level);
  expect(order).toEqual(order.toSorted((a, b) => b - a));
  const sharp = now.filter(({ level }) => level === 0).map(({ tile }) => [tile.x / TILE, tile.y / TILE]);
  expect(sharp[0]).toEqual([50, 40]);
  // 800 pixels extend 144 into the columns on each side, 600 pixels 44 into the rows above and below.
  const nine = [49, 50, 51].flatMap((x) => [39, 40, 41].map((y) => [x, y]));
  expect(new Set(sharp.map(String))).toEqual(new Set(nine.map(String)));
});

test('what lies around the view comes when the view is there', () => {
  const slide = createSlide(100_000, 80_000, 8);
  const { soon } = plan(slide, { zoom: 1, center: { x: 50.5 * TILE, y: 40.5 * TILE } });
  // Five by five tiles without the three by three of the view.
  expect(soon.filter(({ level }) => level === 0)).toHaveLength(16);
});

test('a view beside the slide takes nothing', () => {
  const { now, soon, layers } = plan(createSlide(4000, 3000, 3), { zoom: 1, center: { x: -5000, y: 0 } });
  expect([now, soon, layers]).toEqual([[], [], []]);
});

test('of a slide without small levels the middle is shown, and said to be cut', () => {
  const { now, isCut } = plan(createSlide(100_000, 80_000, 1), {}, 400);
  expect(isCut).toBe(true);
  expect(now.length).toBeLessThanOrEqual(400);
  expect(now.length).toBeGreaterThan(200);
  expect(now[0]?.tile).toMatchObject({ x: 97 * TILE, y: 78 * TILE });
});
