import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { WsiTilesResponse } from '../../src/shared/contract/wsi.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { locateTile } from '../../src/server/images/wsi/locateTile.ts';
import { corpus } from '../support/corpus.ts';
import { ctElements } from '../support/ctElements.ts';
import { serve, serveShared, type TestServer } from '../support/serve.ts';
import { slideElements } from '../support/slideElements.ts';
import { createSlideContexts } from '../../src/server/images/wsi/slideContext.ts';
import { createWorkerPool } from '../../src/server/machine/workers/workerPool.ts';
import { CORPUS, needs } from '../support/needs.ts';

async function readTiles(server: TestServer, file = 0): Promise<WsiTilesResponse> {
  const response = await server.request(`/api/file/${file}/wsi-tiles`);
  expect(response.status).toBe(200);
  return Value.Parse(WsiTilesResponse, await response.json());
}

test('a full tiling is described by its size, its optical paths and its focal planes', async () => {
  const slide = slideElements({
    NumberOfFrames: 36,
    NumberOfOpticalPaths: 2,
    TotalPixelMatrixFocalPlanes: 2,
    OpticalPathSequence: [
      { OpticalPathIdentifier: 'b', OpticalPathDescription: 'Brightfield', ObjectiveLensPower: '40' },
      { OpticalPathIdentifier: 'f', IlluminationWaveLength: 488 },
    ],
    TotalPixelMatrixOriginSequence: [
      { XOffsetInSlideCoordinateSystem: 0, YOffsetInSlideCoordinateSystem: 0, ZOffsetInSlideCoordinateSystem: 1 },
    ],
    SharedFunctionalGroupsSequence: [{ PixelMeasuresSequence: [{ SpacingBetweenSlices: '0.002' }] }],
    // L* of 100, a* and b* of 0: white.
    RecommendedAbsentPixelCIELabValue: [65535, 32896, 32896],
  });
  const server = await serve(writeDicom(slide));

  expect(await readTiles(server)).toEqual({
    source_file_index: 0,
    tiling_status: 'full',
    total_pixel_matrix: { rows: 14, columns: 25 },
    tile_rows: 6,
    tile_columns: 10,
    frame_count: 36,
    optical_paths: [
      { identifier: 'b', description: 'Brightfield', objective_power: 40, wavelength_nm: null },
      { identifier: 'f', description: null, objective_power: null, wavelength_nm: 488 },
    ],
    // 0.002 mm are 2 micrometres.
    focal_planes: [{ z_offset_slide: 1 }, { z_offset_slide: 3 }],
    absent_pixel_rgb: [255, 255, 255],
    raster: { frame_offset: 0, tiles_across: 3, tiles_down: 3 },
    tiles: null,
  });
});

test('a slide that declares billions of optical paths and focal planes is refused', async () => {
  const slide = slideElements({ NumberOfOpticalPaths: 2 ** 32 - 1, TotalPixelMatrixFocalPlanes: 2 ** 32 - 1 });
  const { optical_paths, focal_planes } = await readTiles(await serve(writeDicom(slide)));
  expect([optical_paths.length, focal_planes.length]).toEqual([4096, 1024]);
});

test('the second part of a level has the number of frames before it', async () => {
  const part = { ConcatenationUID: '1.2.826.5', InConcatenationNumber: 2, ConcatenationFrameOffsetNumber: 5 };
  const server = await serve(writeDicom(slideElements({ NumberOfFrames: 4, ...part })));
  expect(await readTiles(server)).toMatchObject({ frame_count: 4, raster: { frame_offset: 5, tiles_across: 3 } });
});

test('a sparse slide has the positions, paths and planes of all its frames in one response, counted from 0', async () => {
  const slide = slideElements({
    NumberOfFrames: 4,
    DimensionOrganizationType: 'TILED_SPARSE',
    OpticalPathSequence: [{ OpticalPathIdentifier: 'a' }],
    PerFrameFunctionalGroupsSequence: [place(1, 1, 2.5, 'a'), place(21, 7, 0, 'b'), {}, place(4, 13, 0, 'a')],
  });
  const server = await serve(writeDicom(slide));

  expect(await readTiles(server)).toMatchObject({
    tiling_status: 'sparse',
    optical_paths: [
      { identifier: 'a', description: null, objective_power: null, wavelength_nm: null },
      { identifier: 'b', description: null, objective_power: null, wavelength_nm: null },
    ],
    focal_planes: [{ z_offset_slide: 0 }, { z_offset_slide: 2.5 }],
    absent_pixel_rgb: null,
    raster: null,
    tiles: { x: [0, 20, null, 3], y: [0, 6, null, 12], optical_path: [0, 1, 0, 0], focal_plane: [1, 0, -1, 0] },
  });
});

test('paths and planes are left out if there is only one', async () => {
  const slide = slideElements({
    NumberOfFrames: 2,
    DimensionOrganizationType: 'TILED_SPARSE',
    PerFrameFunctionalGroupsSequence: [place(1, 1, 0, 'a'), place(11, 1, 0, 'a')],
  });
  const server = await serve(writeDicom(slide));
  const { tiles, optical_paths } = await readTiles(server);
  expect(tiles).toEqual({ x: [0, 10], y: [0, 0], optical_path: null, focal_plane: null });
  expect(optical_paths).toEqual([{ identifier: 'a', description: null, objective_power: null, wavelength_nm: null }]);
});

test.each([
  ['/api/file/x/wsi-tiles', 400, 'invalid_path'],
  ['/api/file/9/wsi-tiles', 404, 'not_found'],
  ['/api/file/1/wsi-tiles', 400, 'bad_request'],
])('%s is refused as %i %s', async (url, status, code) => {
  const server = await serveShared(writeDicom(slideElements()), writeDicom(ctElements()));
  const response = await server.request(url);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code });
});

test('every frame of a real slide is at the same position as in its context', needs(CORPUS), async () => {
  const server = await serve(`${corpus}/wsi`);
  const tasks = createWorkerPool({ size: 1 });
  try {
    const slides = createSlideContexts({ catalog: server.catalog, tasks, memory: createMemoryAccount() });
    const files = server.catalog.files.filter(
      ({ objectKind, placement }) => objectKind === 'whole_slide_microscopy' && placement?.imageType.includes('VOLUME'),
    );
    expect(files.length).toBeGreaterThan(15);
    for (const file of files) {
      const told = await readTiles(server, file.index);
      const layout = await slides.readLayout(file, undefined);
      for (let frame = 0; frame < file.frameCount; frame += 1) {
        const { rectangle, opticalPath } = locateTile(layout, frame);
        expect(placeOf(told, frame)).toEqual({ x: rectangle?.x, y: rectangle?.y, path: opticalPath?.index ?? 0 });
      }
    }
  } finally {
    await tasks.close();
  }
});

/** The place of a frame, by the rule in the contract. */
function placeOf({ raster, tiles, ...told }: WsiTilesResponse, frame: number) {
  if (raster === null) {
    return { x: tiles?.x[frame], y: tiles?.y[frame], path: tiles?.optical_path?.[frame] ?? 0 };
  }
  const position = frame + raster.frame_offset;
  const onePlane = raster.tiles_across * raster.tiles_down;
  const tile = position % onePlane;
  return {
    x: (tile % raster.tiles_across) * told.tile_columns,
    y: Math.floor(tile / raster.tiles_across) * told.tile_rows,
    path: Math.floor(position / onePlane / told.focal_planes.length),
  };
}

/** The groups of a sparse frame, with positions counted from 1 as in DICOM. */
function place(column: number, row: number, z: number, path: string): DataSetInput {
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
    OpticalPathIdentificationSequence: [{ OpticalPathIdentifier: path }],
  };
}
