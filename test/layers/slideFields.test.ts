import { describe, expect, test } from 'vitest';
import { decodeContours } from '../../src/shared/contourPacket.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { LayerResponse, LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import { decodeField, valueOfField } from '../../src/shared/fieldPacket.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { doseAt, writeDose } from '../support/fieldFiles.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { placeLevel, slideElements } from '../support/slideElements.ts';
import { structureSetElements, type WrittenContour, type WrittenRoi } from '../support/structureSetElements.ts';

const SPACE = '2.25.900';
/** 26 x 14 pixels of 0.5 mm; the middle of the first one is at (20, 10) mm. */
const SLIDE = slideElements({
  FrameOfReferenceUID: SPACE,
  ...placeLevel(20, 10, '0.5'),
  TotalPixelMatrixColumns: 26,
});
/** Its rows run against y and its columns against x, as those of most scanners. */
const TURNED = { ...SLIDE, ImageOrientationSlide: ['0', '-1', '0', '-1', '0', '0'] };

async function open(server: SharedServer, modality: string) {
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const slide = files.find((file) => file.modality === 'SM')!.index;
  const layer = files.find((file) => file.modality === modality)!.index;
  const description: LayerResponse = await (await server.request(`/api/layer/${layer}`)).json();
  const part = async (query: string) => {
    const response = await server.request(`/api/layer/${layer}/region?file=${slide}&${query}`);
    if (response.status !== 200) throw new Error(await response.text());
    return response.arrayBuffer();
  };
  return { slide, layer, description, part };
}

const ALL = 'x=0&y=0&width=26&height=14';

function roi(number: number, name: string, contours: readonly WrittenContour[], space = SPACE): WrittenRoi {
  return { number, name, contours, different: { ReferencedFrameOfReferenceUID: space } };
}

function structures(...rois: readonly WrittenRoi[]): Uint8Array {
  return writeDicom(structureSetElements(rois, { FrameOfReferenceUID: SPACE }));
}

/** The points of the contours of a packet, each as `part how: x,y x,y`. */
async function drawnOn(
  slide: DataSetInput,
  set: Uint8Array,
): Promise<{ readonly drawn: readonly string[]; readonly description: LayerResponse }> {
  const { part, description } = await open(await serveShared(writeDicom(slide), set), 'RTSTRUCT');
  const { items, rows, columns } = decodeContours(await part(ALL));
  expect([rows, columns]).toEqual([14, 26]);
  const drawn = items.map(({ part: number, how, points }) => {
    const pairs = Array.from({ length: points.length / 2 }, (_, at) => points.slice(2 * at, 2 * at + 2).join());
    return `${number} ${how}: ${pairs.join(' ')}`;
  });
  return { drawn, description };
}

describe('contours on a slide', () => {
  test('lie where the frame of reference puts them, at any height of a focal plane', async () => {
    // (22 - 20) / 0.5 = 4 columns and (11 - 10) / 0.5 = 2 rows from the first pixel; 3 micrometres above the glass.
    const triangle = [
      [22, 11, 0.003],
      [30, 11, 0.003],
      [22, 15, 0.003],
    ];
    const { drawn, description } = await drawnOn(SLIDE, structures(roi(1, 'Tumor', [{ points: triangle }])));
    expect(drawn).toEqual(['1 stored: 4,2 20,2 4,10']);
    expect(description.placement).toMatchObject({ status: 'direct', reason: '1 of 1 ROIs lie over open images' });
    expect(description.targets).toEqual([{ file_index: 0, frame_indices: [0] }]);
  });

  test('follow the orientation of the slide', async () => {
    // A row runs against y, a column against x: (20 - 18) / 0.5 = 4 rows, (10 - 7) / 0.5 = 6 columns.
    const line = [
      [18, 7, 0],
      [14, 1, 0],
    ];
    const { drawn } = await drawnOn(TURNED, structures(roi(1, 'Margin', [{ type: 'OPEN_PLANAR', points: line }])));
    expect(drawn).toEqual(['1 stored: 6,4 18,12']);
  });

  test('that are elsewhere are listed with the reason', async () => {
    const high = [
      [22, 11, 40],
      [30, 11, 40],
      [22, 15, 40],
    ];
    const set = structures(
      roi(1, 'Here', [{ points: high.map(([x = 0, y = 0]) => [x, y, 0]) }]),
      roi(2, 'Above', [{ points: high }]),
      roi(3, 'Other patient', [{ points: high }], '2.25.901'),
    );
    const { drawn, description } = await drawnOn(SLIDE, set);
    expect(drawn).toEqual(['1 stored: 4,2 20,2 4,10']);
    expect(description.unplaced).toEqual([
      { reason: 'none of its contours reaches an open image', part: 2, count: 1 },
      { reason: 'no image of its frame of reference is open', part: 3, count: 1 },
    ]);
  });

  test('of a slide without a position are not drawn, and the reason is told', async () => {
    const { TotalPixelMatrixOriginSequence: _origin, ...nowhere } = SLIDE;
    const set = structures(roi(1, 'Tumor', [{ points: [[22, 11, 0]], type: 'POINT' }]));
    const server = await serveShared(writeDicom(nowhere), set);
    const { slide, layer, description } = await open(server, 'RTSTRUCT');
    expect(description.placement.reason).toMatch(/the slide does not declare its position/);
    const refused = await server.request(`/api/layer/${layer}/region?file=${slide}&${ALL}`);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toMatch(/the slide does not declare its position/);
    const { layers }: LayersResponse = await (await server.request(`/api/layers?file=${slide}&frame=0`)).json();
    expect(layers.map(({ placement }) => placement.status)).toEqual(['unavailable']);
  });
});

describe('a dose on a slide', () => {
  const dose = writeDose({ different: { FrameOfReferenceUID: SPACE } });

  test('has the values of the plane that the slide lies in', async () => {
    const { part, description } = await open(await serveShared(writeDicom(SLIDE), dose), 'RTDOSE');
    expect(description.targets).toEqual([{ file_index: 0, frame_indices: [0] }]);
    expect(description.units).toMatchObject({ label: 'Gy' });
    // The grid has samples at x = 21 + 3 i, y = 10 + 3 j and z = 0, of 0.002 Gy: pixels 2 + 6 i and 6 j.
    const { item, rows, columns } = decodeField(await part(ALL));
    expect([rows, columns]).toEqual([14, 26]);
    for (const [column, row] of [
      [2, 0],
      [8, 6],
      [20, 12],
    ] as const) {
      const expected = doseAt([20 + column / 2, 10 + row / 2, 0]);
      expect(valueOfField(item!, column, row)).toBeCloseTo(expected, 2);
      expect(Math.abs(valueOfField(item!, column, row)! - expected)).toBeLessThanOrEqual(0.0011);
    }
  });

  test('is the same in a part with larger pixels', async () => {
    const { part } = await open(await serveShared(writeDicom(SLIDE), dose), 'RTDOSE');
    const { item, rows, columns } = decodeField(await part('x=8&y=4&width=16&height=8&pixel=4'));
    expect([rows, columns]).toEqual([2, 4]);
    // Sample 0 is the middle of pixels 8 to 11: pixel 9.5. Pixel 14 is the sample (14 - 9.5) / 4; pixel 6, (6 - 5.5) / 4.
    const expected = doseAt([20 + 14 / 2, 10 + 6 / 2, 0]);
    expect(Math.abs(valueOfField(item!, 4.5 / 4, 0.5 / 4)! - expected)).toBeLessThanOrEqual(0.0011);
  });

  test('that does not reach the glass is listed with the reason', async () => {
    const above = writeDose({ different: { FrameOfReferenceUID: SPACE, ImagePositionPatient: ['-30', '-35', '5'] } });
    const server = await serveShared(writeDicom(SLIDE), above);
    const { slide, part } = await open(server, 'RTDOSE');
    expect(decodeField(await part(ALL)).item).toBeUndefined();
    const { layers }: LayersResponse = await (await server.request(`/api/layers?file=${slide}&frame=0`)).json();
    expect(layers.map(({ placement }) => placement)).toEqual([
      expect.objectContaining({ status: 'unavailable', reason: 'none of its parts reaches these images' }),
    ]);
  });

  test('in another frame of reference is refused', async () => {
    const other = writeDose({ different: { FrameOfReferenceUID: '2.25.901' } });
    const { part } = await open(await serveShared(writeDicom(SLIDE), other), 'RTDOSE');
    await expect(part(ALL)).rejects.toThrow(/another frame of reference/);
  });
});

type MapForm = { readonly tiling?: 'TILED_SPARSE' | 'TILED_FULL'; readonly channels?: number };

/** A map of 13 x 7 samples of 1 mm in tiles of 5 x 4, whose values are 100 row + column, 1000 more in each channel. */
function tiledMap(matrix: DataSetInput, { tiling = 'TILED_SPARSE', channels = 1 }: MapForm = {}): Uint8Array {
  const tiles = Array.from({ length: channels }, (_, channel) =>
    [0, 4].flatMap((top) => [0, 5, 10].map((left) => ({ top, left, channel }))),
  ).flat();
  const values = tiles.flatMap(({ top, left, channel }) =>
    Array.from({ length: 20 }, (_, i) => 1000 * channel + 100 * (top + Math.floor(i / 5)) + left + (i % 5)),
  );
  const groups = tiles.map(({ top, left }) => ({
    PlanePositionSlideSequence: [
      {
        ColumnPositionInTotalImagePixelMatrix: left + 1,
        RowPositionInTotalImagePixelMatrix: top + 1,
        XOffsetInSlideCoordinateSystem: String(20.25 + left),
        YOffsetInSlideCoordinateSystem: String(10.25 + top),
      },
    ],
  }));
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.30',
    SOPInstanceUID: '2.25.910',
    StudyInstanceUID: SLIDE['StudyInstanceUID']!,
    SeriesInstanceUID: '2.25.911',
    SeriesDescription: 'Attention',
    Modality: 'OT',
    FrameOfReferenceUID: SPACE,
    DimensionOrganizationType: tiling,
    TotalPixelMatrixColumns: 13,
    TotalPixelMatrixRows: 7,
    ...placeLevel(20.25, 10.25, '1'),
    NumberOfFrames: String(tiles.length),
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 4,
    Columns: 5,
    BitsAllocated: 32,
    ...(tiling === 'TILED_SPARSE' && { PerFrameFunctionalGroupsSequence: groups }),
    FloatPixelData: Float32Array.from(values),
    ...matrix,
  });
}

describe('a map of tiles on a slide', () => {
  test.each(['TILED_SPARSE', 'TILED_FULL'] as const)('has its own samples there: %s', async (tiling) => {
    const { part, description } = await open(await serveShared(writeDicom(SLIDE), tiledMap({}, { tiling })), 'OT');
    expect(description.placement).toMatchObject({ status: 'direct' });
    expect(description.targets).toEqual([{ file_index: 0, frame_indices: [0] }]);
    // Rows and columns beyond the matrix are stored, too: 100 * 7 + 14.
    expect(description.value_range).toEqual([0, 714]);
    const { item } = decodeField(await part(ALL));
    // Sample (row, column) has pixels 2 row and 2 row + 1, 2 column and 2 column + 1: its middle is half a pixel on.
    expect([item!.rows, item!.columns]).toEqual([7, 13]);
    for (const [row, column] of [
      [0, 0],
      [3, 4],
      [4, 5],
      [6, 12],
    ] as const) {
      expect(valueOfField(item!, 2 * column + 0.5, 2 * row + 0.5)).toBeCloseTo(100 * row + column, 4);
    }
    // Between two tiles, half way: (104 + 105) / 2.
    expect(valueOfField(item!, 9.5, 2.5)).toBeCloseTo(104.5, 4);
  });

  test('is sampled at the pixels of a part that are larger than its own', async () => {
    const { part } = await open(await serveShared(writeDicom(SLIDE), tiledMap({})), 'OT');
    const { item } = decodeField(await part('x=4&y=0&width=16&height=8&pixel=4'));
    // The middle of pixels 4 to 7 is 5.5, that of pixels 0 to 3 is 1.5: half way between samples 2 and 3, 0 and 1.
    expect([item!.rows, item!.columns]).toEqual([2, 4]);
    expect([...item!.samples]).toEqual([103, 105, 107, 109, 303, 305, 307, 309]);
  });

  test('with two values at one place has two volumes', async () => {
    const { part, description } = await open(await serveShared(writeDicom(SLIDE), tiledMap({}, { channels: 2 })), 'OT');
    expect(description.volumes.map(({ label }) => label)).toEqual(['1', '2']);
    const { item } = decodeField(await part(`${ALL}&parts=1`));
    expect(valueOfField(item!, 2 * 3 + 0.5, 2 * 5 + 0.5)).toBeCloseTo(1503, 3);
    await expect(part(`${ALL}&parts=2`)).rejects.toThrow(/outside 0 to 1/);
  });

  test('that has no slide is listed with the reason', async () => {
    const map = tiledMap({ FrameOfReferenceUID: '2.25.901' });
    const { part, description } = await open(await serveShared(writeDicom(SLIDE), map), 'OT');
    expect(description.placement).toMatchObject({
      status: 'unavailable',
      reason: 'no slide of its frame of reference is open',
    });
    await expect(part(ALL)).rejects.toThrow(/different frames of reference/);
  });
});

const HOSTILE_MAPS: readonly (readonly [name: string, matrix: DataSetInput, form?: MapForm])[] = [
  ['a matrix of 4,294,967,295 columns', { TotalPixelMatrixColumns: 4_294_967_295 }],
  ['a full matrix of 4,294,967,295 columns', { TotalPixelMatrixColumns: 4_294_967_295 }, { tiling: 'TILED_FULL' }],
  ['a matrix without rows', { TotalPixelMatrixRows: 0 }],
  ['two thousand million frames', { NumberOfFrames: '2000000000' }],
  ['two thousand million frames of a full matrix', { NumberOfFrames: '2000000000' }, { tiling: 'TILED_FULL' }],
  ['tiles of 65,535 rows and columns', { Rows: 65_535, Columns: 65_535 }],
  ['tiles without columns', { Columns: 0 }],
  [
    'tiles at the ends of the numbers',
    { PerFrameFunctionalGroupsSequence: [tileAt(2_147_483_647), tileAt(-2_147_483_648)] },
  ],
  ['tiles that are all in one place', { PerFrameFunctionalGroupsSequence: Array.from({ length: 6 }, () => tileAt(1)) }],
  ['pixels of 1e308 mm', placeLevel(20.25, 10.25, '1e308')],
  ['pixels of no size', placeLevel(20.25, 10.25, '0')],
  ['an origin beyond all numbers', placeLevel(1e300, -1e300, '1')],
  ['directions of no length', { ImageOrientationSlide: ['0', '0', '0', '0', '0', '0'] }],
  ['no samples', { FloatPixelData: new Float32Array() }],
];

test.each(HOSTILE_MAPS.map(([name, matrix, form]) => ({ name, matrix, form })))(
  'a map of tiles with $name is shown or refused with its reason, and harms no other',
  async ({ matrix, form }) => {
    const good = writeDose({ different: { FrameOfReferenceUID: SPACE } });
    const server = await serveShared(writeDicom(SLIDE), tiledMap(matrix, form), good);
    const { files }: FilesResponse = await (await server.request('/api/files')).json();
    const map = files.find(({ modality }) => modality === 'OT')?.index;
    const asked = [
      ...(map === undefined ? [] : [`layer/${map}`, `layer/${map}/region?file=0&${ALL}`, `file/${map}/frame/0`]),
      'layers?file=0&frame=0',
    ];
    for (const path of asked) {
      const response = await server.request(`/api/${path}`);
      const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
      const code = response.ok ? 'shown' : /"code":"(\w+)"/.exec(body)?.[1];
      expect({ path, status: response.status, code }).toEqual({
        path,
        status: expect.toBeOneOf([200, 400, 404, 413, 415, 422]),
        code: expect.not.toBeOneOf([undefined, 'internal_error']),
      });
    }
    const { layers }: LayersResponse = await (await server.request('/api/layers?file=0&frame=0')).json();
    expect(layers.map(({ kind }) => kind)).toContain('field');
  },
);

function tileAt(place: number): DataSetInput {
  return {
    PlanePositionSlideSequence: [
      { ColumnPositionInTotalImagePixelMatrix: place, RowPositionInTotalImagePixelMatrix: place },
    ],
  };
}
