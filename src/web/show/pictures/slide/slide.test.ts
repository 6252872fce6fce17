import { describe, expect, test } from 'vitest';
import type { WsiContextResponse } from '../../../../shared/contract/wsi.ts';
import { buildSlide } from './slide.ts';

type Level = readonly [columns: number, rows: number, mmPerPixel: number | null];

function createContext(levels: readonly Level[], different: Partial<WsiContextResponse> = {}): WsiContextResponse {
  return {
    source_file_index: 0,
    frame_index: 0,
    tile_frame_path: '/api/file/0/frame/0',
    positioning_status: 'positioned',
    position_source: 'dicom_tiled_full_raster',
    tiling_status: 'full',
    total_pixel_matrix: { rows: 9000, columns: 12000 },
    tile_rectangle: null,
    tile_row: null,
    tile_column: null,
    pyramid_uid: null,
    pyramid_level: 0,
    pyramid_levels: levels.map(([columns, rows, mm_per_pixel], index) => {
      const tiles = { tile_rows: 512, tile_columns: 512 };
      return { file_indices: [index], rows, columns, ...tiles, mm_per_pixel, offset: null };
    }),
    optical_path: null,
    focal_plane: null,
    image_type_role: 'VOLUME',
    companions: [],
    companions_truncated: false,
    relationships: [],
    relationships_truncated: false,
    reconstruction_claimed: false,
    warnings: [],
    ...different,
  };
}

const FILE = { rows: 512, columns: 512, pixel_spacing_mm: null, pixel_aspect_ratio: null };

describe('the scale of a level', () => {
  test('is exact across and down, where the level is no exact quarter', () => {
    const slide = buildSlide(
      createContext([
        [12000, 9000, 0.0005],
        [2999, 2250, 0.002],
        [749, 563, 0.008],
      ]),
      FILE,
    );
    expect(slide?.levels.map(({ scaleX, scaleY }) => [scaleX, scaleY])).toEqual([
      [1, 1],
      [12000 / 2999, 4],
      [12000 / 749, 9000 / 563],
    ]);
  });

  test('is that of the pixel spacing, where the level shows another area', () => {
    const context = createContext([
      [12000, 9000, 0.0005],
      [1000, 800, 0.002],
    ]);
    const [largest, other] = context.pyramid_levels;
    const slide = buildSlide(
      { ...context, pyramid_levels: [largest!, { ...other!, offset: { columns: 300.5, rows: -20.5 } }] },
      FILE,
    );
    expect(slide?.levels[1]).toMatchObject({ scaleX: 4, scaleY: 4, offsetX: 300.5, offsetY: -20.5 });
  });

  test('is that of the pixel spacing, where a level was filled up to whole tiles', () => {
    // A quarter of 12000 x 9000 is 3000 x 2250; in tiles of 512 that is 6 x 5, or 3072 x 2560.
    const slide = buildSlide(
      createContext([
        [12000, 9000, 0.0005],
        [3072, 2560, 0.002],
      ]),
      FILE,
    );
    expect(slide?.levels[1]).toMatchObject({ scaleX: 4, scaleY: 4 });
  });

  test('is that of the sizes, where whole tiles are just right', () => {
    const slide = buildSlide(
      createContext([
        [12288, 9216, 0.0005],
        [3072, 2304, 0.002],
      ]),
      FILE,
    );
    expect(slide?.levels[1]).toMatchObject({ scaleX: 4, scaleY: 4 });
  });
});

test('levels of a few pixels are left out', () => {
  const slide = buildSlide(
    createContext([
      [3072, 2304, null],
      [384, 288, null],
      [192, 144, null],
      [24, 18, null],
    ]),
    FILE,
  );
  expect(slide?.backing).toBe(1);
});

test('a label in several tiles is a picture of one level', () => {
  const context = createContext([], { total_pixel_matrix: { rows: 700, columns: 600 }, source_file_index: 3 });
  const slide = buildSlide(context, { ...FILE, pixel_spacing_mm: [0.05, 0.05] });
  expect(slide).toMatchObject({ image: { width: 600, height: 700, aspect: 1 }, mmPerPixel: 0.05, backing: 0 });
  expect(slide?.levels).toMatchObject([{ fileIndices: [3], width: 600, height: 700, tileWidth: 512 }]);
});

test('tiles of which nothing says how large a picture they make are no slide', () => {
  expect(buildSlide(createContext([], { total_pixel_matrix: null }), FILE)).toBeUndefined();
});

test('other pyramids of the same slide are not among its label and overview', () => {
  const companion = { sop_instance_uid: '1.2', pyramid_uid: null };
  const companions = [
    { ...companion, file_index: 4, image_type_role: 'LABEL' },
    { ...companion, file_index: 5, image_type_role: 'VOLUME' },
  ];
  const slide = buildSlide(createContext([[12000, 9000, null]], { companions }), FILE);
  expect(slide?.companions).toEqual([{ fileIndex: 4, role: 'LABEL' }]);
});
