import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { dot, pixelToPatient, type Vector3 } from '../../src/shared/geometry.ts';
import { decodeMasks, type SourceMasks } from '../../src/shared/maskLayers.ts';
import type { PlaneGrid } from '../../src/shared/planeGrid.ts';
import { corpus } from '../support/corpus.ts';
import { writePlan } from '../support/fieldFiles.ts';
import { CORPUS, needs } from '../support/needs.ts';
import { AXIAL, FRAME_OF_REFERENCE, placedImage, segmentationElements } from '../support/placedElements.ts';
import { turn } from '../support/rampVolume.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { fetchMasks, spread } from '../support/sourceMasks.ts';

const [ROWS, COLUMNS, SLICES] = [8, 10, 6];
const SPACING = [1.5, 0.5] as const;
const STEP_MM = 2;
const ORIGIN: Vector3 = [-3, 4, 10];

/** Samples of each slice for two segments: an ellipsoid, and a box that is empty in the first two slices. */
function isInside(segment: number, slice: number, row: number, column: number): boolean {
  if (segment === 2) return slice >= 2 && row >= 3 && row < 6 && column >= 1 && column < 4;
  return ((slice - 2.4) / 2.6) ** 2 + ((row - 3.3) / 3) ** 2 + ((column - 5.2) / 4) ** 2 <= 1;
}

function planeOf(slice: number) {
  return { ...AXIAL, position: [ORIGIN[0], ORIGIN[1], ORIGIN[2] + slice * STEP_MM], spacing: SPACING };
}

const uidOf = (slice: number) => `2.25.80${slice}`;
const SLICE_NUMBERS = Array.from({ length: SLICES }, (_, slice) => slice);

function writeImages(): Uint8Array[] {
  return SLICE_NUMBERS.map((slice) =>
    writeDicom(placedImage({ uid: uidOf(slice), rows: ROWS, columns: COLUMNS, plane: planeOf(slice) })),
  );
}

type Written = {
  readonly type: 'BINARY' | 'FRACTIONAL' | 'LABELMAP';
  readonly different?: DataSetInput;
  readonly slices?: readonly number[];
};

/** Frames without a sample of their segment are left out, as writers do. */
function writeMasks({ type, different = {}, slices = SLICE_NUMBERS }: Written): Uint8Array {
  const segments = type === 'LABELMAP' ? [0] : [1, 2];
  const frames = segments.flatMap((segment) =>
    slices.map((slice) => ({
      samples: Array.from({ length: ROWS * COLUMNS }, (_, i) => sampleOf(type, segment, slice, i)),
      segmentNumber: segment,
      plane: planeOf(slice),
      source: { uid: uidOf(slice) },
    })),
  );
  const filled = frames.filter(({ samples }) => samples.some((sample) => sample > 0));
  return writeDicom(
    segmentationElements({ rows: ROWS, columns: COLUMNS, type, frames: filled, segmentNumbers: [1, 2] }, different),
  );
}

function sampleOf(type: Written['type'], segment: number, slice: number, i: number): number {
  const [row, column] = [Math.floor(i / COLUMNS), i % COLUMNS];
  if (type === 'LABELMAP') return isInside(2, slice, row, column) ? 2 : Number(isInside(1, slice, row, column));
  const isIn = isInside(segment, slice, row, column);
  return isIn ? (type === 'FRACTIONAL' ? 20 * (slice + 1) + column : 1) : 0;
}

function pathOf(file: number, grid: PlaneGrid, more = ''): string {
  const { position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm, rows, columns } = grid;
  const plane = [
    `position=${position.join()}`,
    `orientation=${[...rowDirection, ...columnDirection].join()}`,
    `spacing=${rowSpacingMm},${columnSpacingMm}`,
    `rows=${rows}&columns=${columns}`,
  ].join('&');
  return `/api/layer/${file}/plane?frame_of_reference=${FRAME_OF_REFERENCE}&${plane}${more}`;
}

async function fetchPlane(server: TestServer, path: string): Promise<SourceMasks> {
  const response = await server.request(path);
  expect(response.status).toBe(200);
  return decodeMasks(await response.arrayBuffer());
}

/** By segment, or undefined for labels. */
function spreadAll(masks: SourceMasks): Map<number | undefined, number[]> {
  return new Map(masks.layers.map((layer) => [layer.segment, spread(masks, layer)]));
}

const SLICE_GRID: PlaneGrid = {
  position: ORIGIN,
  rowDirection: [1, 0, 0],
  columnDirection: [0, 1, 0],
  rowSpacingMm: SPACING[0],
  columnSpacingMm: SPACING[1],
  rows: ROWS,
  columns: COLUMNS,
};

function round(index: number): number {
  return Math.floor(index + 0.5 + 1e-6);
}

/** The nearest voxel of a point; halves belong to the higher index, as in planes of images. */
function nearest([x, y, z]: Vector3): readonly [slice: number, row: number, column: number] | undefined {
  const slice = round((z - ORIGIN[2]) / STEP_MM);
  const row = round((y - ORIGIN[1]) / SPACING[0]);
  const column = round((x - ORIGIN[0]) / SPACING[1]);
  const isIn = slice >= 0 && slice < SLICES && row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
  return isIn ? [slice, row, column] : undefined;
}

function lookUp(grid: PlaneGrid, type: Written['type'], segment: number, shift: Vector3 = [0, 0, 0]): number[] {
  return Array.from({ length: grid.rows * grid.columns }, (_, i) => {
    const [x, y, z] = pixelToPatient(grid, { row: Math.floor(i / grid.columns), column: i % grid.columns });
    const at = nearest([x + shift[0], y + shift[1], z + shift[2]]);
    return at === undefined ? 0 : sampleOf(type, segment, at[0], at[1] * COLUMNS + at[2]);
  });
}

const OBLIQUE: PlaneGrid = {
  ...turn(0.4, -0.3, 0.7),
  position: [-4, 2, 12],
  rowSpacingMm: 0.61,
  columnSpacingMm: 0.47,
  rows: 21,
  columns: 17,
};
/** Every sample lies exactly between two voxels in both directions of the slices, and in every other row between two slices. */
const TIES: PlaneGrid = {
  position: [ORIGIN[0] + 0.25, ORIGIN[1] + 3.5 * SPACING[0], ORIGIN[2]],
  rowDirection: [1, 0, 0],
  columnDirection: [0, 0, 1],
  rowSpacingMm: STEP_MM / 2,
  columnSpacingMm: SPACING[1],
  rows: 11,
  columns: COLUMNS - 1,
};

describe('a segmentation cut by a plane of the patient', () => {
  test('is its stored masks in the planes of its frames', async () => {
    const server = await serve(...writeImages(), writeMasks({ type: 'BINARY' }));
    for (const slice of SLICE_NUMBERS) {
      const grid = { ...SLICE_GRID, position: [ORIGIN[0], ORIGIN[1], ORIGIN[2] + slice * STEP_MM] as const };
      const stored = await fetchMasks(server, { segmentation: SLICES, file: slice });
      const cut = await fetchPlane(server, pathOf(SLICES, grid));
      expect(cut).toMatchObject({ rows: ROWS, columns: COLUMNS, damaged: [] });
      expect(spreadAll(cut)).toEqual(spreadAll(stored));
    }
  });

  test.each([
    ['an oblique one', OBLIQUE],
    ['one between the voxels', TIES],
  ])('has the nearest voxels in %s', async (_, grid) => {
    const types = ['BINARY', 'FRACTIONAL', 'LABELMAP'] as const;
    const files = types.map((type, i) => writeMasks({ type, different: { SOPInstanceUID: `2.25.61${i}` } }));
    const server = await serve(...files);
    for (const [file, type] of types.entries()) {
      const cut = spreadAll(await fetchPlane(server, pathOf(file, grid)));
      const segments = type === 'LABELMAP' ? [undefined] : [1, 2];
      for (const segment of segments) {
        const expected = lookUp(grid, type, segment ?? 0);
        expect(expected.some((sample) => sample > 0)).toBe(true);
        expect(cut.get(segment)).toEqual(expected);
      }
    }
  });

  test('has what any sheet of a slab has, and the label of the sheet nearest to the plane', async () => {
    const files = [
      writeMasks({ type: 'BINARY' }),
      writeMasks({ type: 'LABELMAP', different: { SOPInstanceUID: '2.25.611' } }),
    ];
    const server = await serve(...files);
    // Sheets at -2, 0 and 2 mm: 2 floor(5 / (2 * 2)) + 1 of them.
    const grid = { ...SLICE_GRID, position: [ORIGIN[0], ORIGIN[1], ORIGIN[2] + 2] as const };
    const shifts = ([0, -2, 2] as const).map((z): Vector3 => [0, 0, z]);
    const binary = spreadAll(await fetchPlane(server, pathOf(0, grid, '&slab=5')));
    for (const segment of [1, 2]) {
      const sheets = shifts.map((shift) => lookUp(grid, 'BINARY', segment, shift));
      expect(binary.get(segment)).toEqual(sheets[0]!.map((_, i) => Math.max(...sheets.map((sheet) => sheet[i]!))));
    }
    const labels = spreadAll(await fetchPlane(server, pathOf(1, grid, '&slab=5')));
    const sheets = shifts.map((shift) => lookUp(grid, 'LABELMAP', 0, shift));
    expect(labels.get(undefined)).toEqual(
      sheets[0]!.map((_, i) => sheets.map((sheet) => sheet[i]!).find((label) => label > 0) ?? 0),
    );
  });

  test('is empty beside its frames, and in the gap of frames that were left out', async () => {
    const server = await serve(writeMasks({ type: 'BINARY' }));
    const far = { ...SLICE_GRID, position: [500, 500, 500] as const };
    expect(await fetchPlane(server, pathOf(0, far))).toMatchObject({ rows: ROWS, columns: COLUMNS, layers: [] });
    // Slices 2 and 3 have no frames: from half a step beyond slice 1, at 3 mm, to half a step before slice 4, at 7 mm.
    const gap = await serve(writeMasks({ type: 'BINARY', slices: [0, 1, 4, 5] }));
    const filled = await Promise.all(
      [2.9, 3.1, 6.9, 7.1].map(async (z) => {
        const grid = { ...SLICE_GRID, position: [ORIGIN[0], ORIGIN[1], ORIGIN[2] + z] as const };
        return (await fetchPlane(gap, pathOf(0, grid))).layers.length > 0;
      }),
    );
    expect(filled).toEqual([true, false, false, true]);
  });

  test('is refused with the reason in another frame of reference, and without one', async () => {
    const none = { FrameOfReferenceUID: undefined, SOPInstanceUID: '2.25.612' };
    const files = [writeMasks({ type: 'BINARY' }), writeMasks({ type: 'BINARY', different: none })];
    const server = await serve(...files);
    const other = await server.request(pathOf(0, SLICE_GRID).replace(FRAME_OF_REFERENCE, '2.25.9'));
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({
      code: 'semantic_mapping_unavailable',
      error: 'the image has another frame of reference, and no open registration connects the two',
    });
    const undeclared = await server.request(pathOf(1, SLICE_GRID));
    expect(await undeclared.json()).toMatchObject({
      error: 'the segmentation has no Frame of Reference UID (0020,0052)',
    });
  });

  test('checks its plane as that of an image, and refuses a file without a layer', async () => {
    const server = await serve(...writeImages(), writeMasks({ type: 'BINARY' }), writePlan());
    const refusals = [
      pathOf(SLICES, { ...SLICE_GRID, rowDirection: [1, 1, 0] }),
      pathOf(SLICES, { ...SLICE_GRID, rows: 4096, columns: 4096 }),
      pathOf(SLICES, { ...SLICE_GRID, rowSpacingMm: 0 }),
      pathOf(SLICES, { ...SLICE_GRID, position: [NaN, 0, 0] }),
      pathOf(SLICES, { ...SLICE_GRID, position: [1e308, 0, 0] }),
      pathOf(SLICES, SLICE_GRID, '&slab=1e9'),
    ];
    for (const path of refusals) {
      const response = await server.request(path);
      expect([path, response.status]).toEqual([path, 400]);
      const image = await server.request(path.replace(`/layer/${SLICES}/plane`, '/file/0/plane/raw'));
      expect(image.status).toBe(400);
    }
    const plan = await server.request(pathOf(SLICES + 1, SLICE_GRID));
    expect(plan.status).toBe(404);
  });
});

test('a real segmentation is its stored masks in the planes of its images', needs(CORPUS), async () => {
  const folder = join(corpus ?? '', 'seg/dcmqi-liver');
  const server = await serve(join(folder, 'ct-3slice'), join(folder, 'liver.dcm'));
  const files = server.catalog.files;
  const segmentation = files.find(({ objectKind }) => objectKind === 'segmentation')!;
  let compared = 0;
  for (const { index, placement, pixelSpacingMm, rows, columns, frameOfReferenceUid, objectKind } of files) {
    if (objectKind === 'segmentation') continue;
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = placement!.orientation!;
    const [x = 0, y = 0, z = 0] = placement!.position!;
    const grid: PlaneGrid = {
      position: [x, y, z],
      rowDirection: [a, b, c],
      columnDirection: [d, e, f],
      rowSpacingMm: pixelSpacingMm![0],
      columnSpacingMm: pixelSpacingMm![1],
      rows,
      columns,
    };
    expect(dot(grid.rowDirection, grid.columnDirection)).toBeCloseTo(0, 9);
    const stored = await fetchMasks(server, { segmentation: segmentation.index, file: index });
    const path = pathOf(segmentation.index, grid).replace(FRAME_OF_REFERENCE, frameOfReferenceUid!);
    const cut = await fetchPlane(server, path);
    expect(spreadAll(cut)).toEqual(spreadAll(stored));
    compared += stored.layers.length;
  }
  expect(compared).toBeGreaterThan(0);
});
