import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { WsiContextResponse } from '../../src/shared/contract/wsi.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { corpus } from '../support/corpus.ts';
import { ctElements } from '../support/ctElements.ts';
import { serve, serveShared, type TestServer } from '../support/serve.ts';
import { placeLevel, slideElements } from '../support/slideElements.ts';
import { CORPUS, needs } from '../support/needs.ts';

async function readContext(server: TestServer, file: number, frame: number): Promise<WsiContextResponse> {
  const response = await server.request(`/api/file/${file}/frame/${frame}/wsi-context`);
  expect(response.status).toBe(200);
  const body: unknown = await response.json();
  expect([...Value.Errors(WsiContextResponse, body)]).toEqual([]);
  return Value.Parse(WsiContextResponse, body);
}

function serveSlides(...slides: readonly DataSetInput[]): Promise<TestServer> {
  return serve(
    ...slides.map((slide, number) =>
      writeDicom(slideElements({ SOPInstanceUID: `1.2.826.0.1.3680043.8.498.70.${number}`, ...slide })),
    ),
  );
}

test('an edge tile of a full tiling is placed and clipped', async () => {
  const server = await serveSlides({
    NumberOfOpticalPaths: 1,
    OpticalPathSequence: [{ OpticalPathIdentifier: 'bright' }],
    SharedFunctionalGroupsSequence: [{ PixelMeasuresSequence: [{ PixelSpacing: ['0.0005', '0.0005'] }] }],
  });

  expect(await readContext(server, 0, 8)).toEqual({
    source_file_index: 0,
    frame_index: 8,
    tile_frame_path: '/api/file/0/frame/8',
    positioning_status: 'positioned',
    position_source: 'dicom_tiled_full_raster',
    tiling_status: 'full',
    total_pixel_matrix: { rows: 14, columns: 25 },
    // The third tile of the third row starts at column 20 and row 12. 5 of its columns and 2 of its rows are in the
    // matrix.
    tile_rectangle: { x: 20, y: 12, width: 5, height: 2 },
    tile_row: 2,
    tile_column: 2,
    pyramid_uid: null,
    pyramid_level: 0,
    pyramid_levels: [
      { file_indices: [0], rows: 14, columns: 25, tile_rows: 6, tile_columns: 10, mm_per_pixel: 0.0005, offset: null },
    ],
    optical_path: { index: 0, identifier: 'bright' },
    focal_plane: { index: 0, z_offset_slide: null },
    image_type_role: 'VOLUME',
    companions: [],
    companions_truncated: false,
    relationships: [],
    relationships_truncated: false,
    reconstruction_claimed: false,
    warnings: [],
  });
});

test('tiles of a slide without Pixel Representation are unsigned, with a warning', async () => {
  // 9 tiles of 6 × 10 samples, of which 200 would be -56 if they were signed.
  const server = await serveSlides({ PixelRepresentation: undefined, PixelData: new Uint8Array(9 * 60).fill(200) });
  const tile = await server.request('/api/file/0/frame/4/raw');
  const info = await (await server.request('/api/file/0/info')).json();

  expect(new Set(new Uint8Array(await tile.arrayBuffer()))).toEqual(new Set([200]));
  expect(tile.headers.get('x-frame-pixel-representation')).toBe('0');
  expect(info.warnings).toContain('Pixel Representation is missing; the samples are taken for unsigned numbers.');
  expect((await server.request('/api/file/0/frame/4/wsi-context')).status).toBe(200);
});

test('a sparse slide is placed frame by frame, counted from 0', async () => {
  const server = await serveSlides({
    NumberOfFrames: 3,
    DimensionOrganizationType: 'TILED_SPARSE',
    OpticalPathSequence: [{ OpticalPathIdentifier: 'a' }, { OpticalPathIdentifier: 'b' }],
    PerFrameFunctionalGroupsSequence: [place(1, 1, 0), place(21, 7, 0), place(21, 13, 2.5)],
  });

  expect(await readContext(server, 0, 2)).toMatchObject({
    position_source: 'declared_per_frame',
    tiling_status: 'sparse',
    tile_rectangle: { x: 20, y: 12, width: 5, height: 2 },
    tile_row: 2,
    tile_column: 2,
    optical_path: { index: 1, identifier: 'b' },
    focal_plane: { index: 1, z_offset_slide: 2.5 },
  });
  expect(await readContext(server, 0, 0)).toMatchObject({
    tile_rectangle: { x: 0, y: 0, width: 10, height: 6 },
    optical_path: { index: 0, identifier: 'a' },
    focal_plane: { index: 0, z_offset_slide: 0 },
  });
});

test('two parts of a level are one level, and the second part begins where the first ends', async () => {
  const server = await serveSlides(part(2, 5, 4), part(1, 0, 5));

  const context = await readContext(server, 0, 0);

  // Frame 5 of the whole level: the third tile of the second row.
  expect(context).toMatchObject({ tile_row: 1, tile_column: 2, pyramid_level: 0, warnings: [] });
  expect(context.pyramid_levels.map(({ file_indices }) => file_indices)).toEqual([[1, 0]]);
});

test('a level with a missing part has a warning', async () => {
  const server = await serveSlides(part(1, 0, 5));
  expect((await readContext(server, 0, 0)).warnings).toEqual(['of 2 parts, these are missing: 2']);
});

describe('files of one slide', () => {
  const label = { ImageType: ['ORIGINAL', 'PRIMARY', 'LABEL', 'NONE'] };
  const overview = { ImageType: ['ORIGINAL', 'PRIMARY', 'OVERVIEW', 'NONE'] };
  const small = {
    TotalPixelMatrixColumns: 10,
    TotalPixelMatrixRows: 6,
    NumberOfFrames: 1,
    ImageType: ['DERIVED', 'PRIMARY', 'VOLUME', 'RESAMPLED'],
    ImagedVolumeWidth: 20,
  };

  test('a level that begins elsewhere on the slide has its offset', async () => {
    const server = await serveSlides(placeLevel(1, 2, '0.001'), { ...small, ...placeLevel(1.01, 1.98, '0.002') });

    // Between sample centres, 10 samples further and 20 samples back. Samples twice as large put the corner half a
    // sample further back.
    expect((await readContext(server, 0, 0)).pyramid_levels).toMatchObject([
      { file_indices: [0], offset: null },
      { file_indices: [1], offset: { columns: expect.closeTo(9.5, 6), rows: expect.closeTo(-20.5, 6) } },
    ]);
  });

  test('levels without a Pyramid UID are found by series, container and image type; the rest are companions', async () => {
    const server = await serveSlides(small, label, {}, overview, { ...small, ContainerIdentifier: 'S2' });

    const context = await readContext(server, 0, 0);

    expect(context.pyramid_level).toBe(1);
    expect(context.pyramid_levels).toMatchObject([
      { file_indices: [2], rows: 14, columns: 25, mm_per_pixel: null },
      // 20 mm over 10 columns.
      { file_indices: [0], rows: 6, columns: 10, mm_per_pixel: 2 },
    ]);
    expect(context.companions.map(({ file_index, image_type_role }) => [file_index, image_type_role])).toEqual([
      [1, 'LABEL'],
      [3, 'OVERVIEW'],
      [4, 'VOLUME'],
    ]);
  });

  test('a Pyramid UID takes precedence: levels of another pyramid are companions', async () => {
    const server = await serveSlides(
      { PyramidUID: '1.2.1' },
      { ...small, PyramidUID: '1.2.1' },
      { ...small, PyramidUID: '1.2.2' },
    );

    const context = await readContext(server, 1, 0);

    expect(context).toMatchObject({ pyramid_uid: '1.2.1', pyramid_level: 1 });
    expect(context.pyramid_levels.map(({ file_indices }) => file_indices)).toEqual([[0], [1]]);
    expect(context.companions).toMatchObject([{ file_index: 2, pyramid_uid: '1.2.2' }]);
  });

  test('a label is in no pyramid', async () => {
    const server = await serveSlides(
      {},
      { ...label, NumberOfFrames: 1, TotalPixelMatrixColumns: 10, TotalPixelMatrixRows: 6 },
    );
    expect(await readContext(server, 1, 0)).toMatchObject({
      image_type_role: 'LABEL',
      pyramid_level: null,
      pyramid_levels: [],
      companions: [{ file_index: 0, image_type_role: 'VOLUME' }],
    });
  });

  test('at most 64 companions are listed', async () => {
    const server = await serveSlides({}, ...Array.from({ length: 65 }, () => label));
    const context = await readContext(server, 0, 0);
    expect(context.companions).toHaveLength(64);
    expect(context.companions_truncated).toBe(true);
  });
});

test.each([
  ['/api/file/0/frame/x/wsi-context', 400, 'invalid_path'],
  ['/api/file/9/frame/0/wsi-context', 404, 'not_found'],
  ['/api/file/0/frame/9/wsi-context', 404, 'frame_out_of_range'],
  ['/api/file/1/frame/1/wsi-context', 404, 'frame_out_of_range'],
  ['/api/file/1/frame/0/wsi-context', 400, 'bad_request'],
])('%s is refused as %i %s', async (url, status, code) => {
  const server = await serveShared(writeDicom(slideElements()), writeDicom(ctElements()));
  const response = await server.request(url);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code });
});

describe('real slides', needs(CORPUS), () => {
  test('the tiles of every level cover its matrix once for each optical path', async () => {
    const server = await serve(`${corpus}/wsi`);
    const levels = server.catalog.files.filter(
      ({ objectKind, placement }) => objectKind === 'whole_slide_microscopy' && placement?.imageType.includes('VOLUME'),
    );
    expect(levels.length).toBeGreaterThan(15);
    for (const { index, frameCount, path } of levels) {
      const covered = new Map<string, number>();
      let matrix = 0;
      for (let frame = 0; frame < frameCount; frame += 1) {
        const {
          tile_rectangle: tile,
          optical_path: optical,
          total_pixel_matrix: total,
        } = await readContext(server, index, frame);
        const key = optical?.identifier ?? '';
        covered.set(key, (covered.get(key) ?? 0) + (tile?.width ?? 0) * (tile?.height ?? 0));
        matrix = (total?.rows ?? 0) * (total?.columns ?? 0);
      }
      expect({ path, areas: [...new Set(covered.values())] }).toEqual({ path, areas: [matrix] });
    }
  });

  test('the levels of a fluorescence slide without Pyramid UID are sorted from large to small, beside label and map', async () => {
    const server = await serve(`${corpus}/wsi/fluorescence-bpaec`);
    const base = server.catalog.files.findIndex(({ path }) => path.endsWith('/5_0'));

    const context = await readContext(server, base, 26);

    // Each level halves the previous one; 2304 x 3072 in tiles of 1024 is 3 x 3, for three optical paths.
    expect(context.pyramid_levels.map(({ rows }) => rows)).toEqual([2304, 1152, 576, 288, 144, 72, 36, 18]);
    expect(context).toMatchObject({ pyramid_level: 0, tile_row: 2, tile_column: 2, optical_path: { index: 2 } });
    expect(context.companions.map((companion) => companion.image_type_role)).toEqual(['REGIONLOCALIZER', 'LABEL']);
  });
});

/** The groups of a sparse frame, with positions counted from 1 as in DICOM. A frame above the glass uses path b. */
function place(column: number, row: number, z: number): DataSetInput {
  return {
    PlanePositionSlideSequence: [
      {
        ColumnPositionInTotalImagePixelMatrix: column,
        RowPositionInTotalImagePixelMatrix: row,
        XOffsetInSlideCoordinateSystem: 0,
        YOffsetInSlideCoordinateSystem: 0,
        ZOffsetInSlideCoordinateSystem: z,
      },
    ],
    OpticalPathIdentificationSequence: [{ OpticalPathIdentifier: z > 0 ? 'b' : 'a' }],
  };
}

/** One of two parts of a level. */
function part(number: number, offset: number, frames: number): DataSetInput {
  return {
    NumberOfFrames: frames,
    ConcatenationUID: '1.2.826.5',
    InConcatenationNumber: number,
    InConcatenationTotalNumber: 2,
    ConcatenationFrameOffsetNumber: offset,
  };
}
