import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GraphicItem } from '../../src/shared/contract/graphics.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { LayerResponse, LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import { decodeGraphics } from '../../src/shared/graphicsPacket.ts';
import { decodePoints, isClusters, type PointsPacket } from '../../src/shared/pointsPacket.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { AXIAL, FRAME_OF_REFERENCE, placedImage } from '../support/placedElements.ts';
import {
  fiducialElements,
  measuredElements,
  measurementGroup,
  reportElements,
  scoord,
  scoord3d,
  slideAnnotationElements,
} from '../support/regionElements.ts';
import { serveShared, serveWith, type SharedServer } from '../support/serve.ts';
import { placeLevel, slideElements } from '../support/slideElements.ts';
import { spectroscopyElements } from '../support/waveformElements.ts';

/** Image, label, type, points in its pixels, and distance from its plane. */
type RecordedRegion = readonly [image: string, label: string | null, type: string, points: number[], mm: number];
type RecordedSet = { readonly path: string; readonly folder: string; readonly regions: readonly RecordedRegion[] };
type Recorded = {
  readonly corpus: readonly RecordedSet[];
  readonly layers: readonly RecordedSet[];
  readonly fiducials: RecordedSet;
  readonly annotations: {
    readonly path: string;
    readonly slide: string;
    readonly groups: readonly RecordedGroup[];
  };
  /** An object that highdicom wrote, in Base64. */
  readonly measured: { readonly file: string; readonly slide: string; readonly groups: readonly RecordedGroup[] };
};
type RecordedGroup = {
  readonly label: string;
  readonly type: string;
  /** Of each annotation. */
  readonly points: readonly (readonly number[])[];
  /** Of each measurement. */
  readonly names: readonly string[];
  readonly units: readonly string[];
  /** Of each annotation, the value of each measurement; null for none. */
  readonly values: readonly (readonly (number | null)[])[];
};

const RECORDED: Recorded = JSON.parse(readFileSync(new URL('regions.json', import.meta.url), 'utf8'));
const SHAPES: Readonly<Record<string, string>> = { MULTIPOINT: 'point', LINE: 'point', RULER: 'polyline' };

async function open(server: SharedServer) {
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const indexOf = (path: string) => files.find((file) => file.path.endsWith(path))?.index ?? -1;
  const describeLayer = async (layer: number): Promise<LayerResponse> =>
    (await server.request(`/api/layer/${layer}`)).json();
  const graphics = async (path: string): Promise<readonly GraphicItem[]> =>
    decodeGraphics(await (await server.request(path)).arrayBuffer()).items;
  const points = async (path: string): Promise<PointsPacket> =>
    decodePoints(await (await server.request(path)).arrayBuffer());
  return { files, indexOf, describeLayer, graphics, points };
}

/** Returns the number of regions that are as recorded. */
async function countEqual(root: string, { path, folder, regions }: RecordedSet): Promise<number> {
  let equal = 0;
  const server = await serveShared(join(root, folder), join(root, path));
  const { indexOf, describeLayer, graphics } = await open(server);
  const layer = indexOf(path);
  const { parts, targets, placement } = await describeLayer(layer);
  expect(placement.status).not.toBe('unavailable');
  const images = [...new Set(regions.map(([image]) => image))];
  expect(new Set(targets.map(({ file_index }) => file_index))).toEqual(new Set(images.map(indexOf)));
  for (const image of images) {
    const items = await graphics(`/api/layer/${layer}/frame?file=${indexOf(image)}&frame=0`);
    const left = [...items];
    for (const [, label, type, points, mm] of regions.filter(([name]) => name === image)) {
      const shape = SHAPES[type] ?? type.toLowerCase();
      const at = left.findIndex((item) => isSame(item, shape, points));
      expect([image, type, points, at >= 0]).toEqual([image, type, points, true]);
      const [item] = left.splice(at, 1);
      expect(item!.distanceMm).toBeCloseTo(mm, 4);
      const { label: found } = parts.find(({ part }) => part === item!.part)!;
      expect(label ?? found).toBe(found);
      equal += 1;
    }
  }
  return equal;
}

function isSame(item: GraphicItem, shape: string, points: readonly number[]): boolean {
  if (item.shape !== shape || item.points.length !== points.length) return false;
  return item.points.every((value, at) => Math.abs(value - points[at]!) < 1e-4);
}

describe('regions of real reports', needs(CORPUS), () => {
  test('have the coordinates that another reader finds in the files', async () => {
    for (const set of RECORDED.corpus) {
      expect(await countEqual(corpus ?? '', set)).toBe(set.regions.length);
    }
  });
});

describe('regions of the phantom', needs(LAYERS_DATA), () => {
  test('of all types, in images and in space, have the recorded coordinates', async () => {
    for (const set of [...RECORDED.layers, RECORDED.fiducials]) {
      expect(await countEqual(findLayersData() ?? '', set)).toBe(set.regions.length);
    }
  });

  test('in space lie on planes that cut them', async () => {
    const root = `${findLayersData()}/synthetic-phantom`;
    const server = await serveShared(`${root}/ct`, `${root}/sr/tid1500_all_regions.dcm`);
    const { files, indexOf, graphics } = await open(server);
    const layer = indexOf('tid1500_all_regions.dcm');
    const space = files.find(({ modality }) => modality === 'CT')?.frame_of_reference_uid ?? '';
    // A coronal plane at y = 0 through the polygon from x = -10 to 20 at z = 1.25, with pixels of 1 mm from x = -50 and
    // z = 50 on.
    const shape = 'position=-50,0,50&orientation=1,0,0,0,0,-1&spacing=1,1&rows=100&columns=100';
    const items = await graphics(`/api/layer/${layer}/plane?frame_of_reference=${space}&${shape}`);
    const polygon = items.find(({ part }) => part === 5);
    expect(polygon).toMatchObject({ shape: 'polyline', how: 'cut', points: [40, 48.75, 70, 48.75] });
  });
});

const SLICES = [0, 2, 4].map((z, at) =>
  writeDicom(placedImage({ uid: `2.25.80${at}`, rows: 40, columns: 40, plane: { ...AXIAL, position: [0, 0, z] } })),
);

describe('a report', () => {
  test('names its regions, says what was measured, and lists what is not drawn with the reason', async () => {
    const report = writeDicom(
      reportElements([
        measurementGroup('Nodule 1', [scoord('POLYLINE', [4.5, 4.5, 10.5, 12.5], '2.25.801')], 12.3456),
        measurementGroup('Nodule 2', [scoord3d('POINT', [7, 8, 4.5], FRAME_OF_REFERENCE)]),
        measurementGroup('Elsewhere', [scoord('POINT', [1, 1], '2.25.999')]),
        measurementGroup('Broken', [
          scoord('POLYLINE', [1, 1, NaN, 2], '2.25.801'),
          scoord('CIRCLE', [1, 1, 2], '2.25.801'),
          scoord('SPIRAL', [1, 1], '2.25.801'),
        ]),
        measurementGroup('Far', [scoord3d('POINT', [1e308, 0, 0], FRAME_OF_REFERENCE)]),
      ]),
    );
    const server = await serveShared(...SLICES, report);
    const { files, describeLayer, graphics } = await open(server);
    const layer = files.find(({ modality }) => modality === 'SR')!.index;
    const imageOf = (uid: string) => files.find((file) => file.sop_instance_uid === uid)!.index;

    const { parts, targets, unplaced, warnings } = await describeLayer(layer);
    expect(parts.map(({ label, description, reason }) => [label, description, reason])).toEqual([
      ['Nodule 1', 'Nodule · Length 12.346 mm', null],
      ['Nodule 2', 'Nodule', null],
      ['Elsewhere', 'Nodule', 'the image that it names is not open'],
      ['Broken', 'Nodule', expect.any(String)],
      ['Far', 'Nodule', 'a coordinate is not a number'],
    ]);
    expect(new Set(targets.map(({ file_index }) => file_index))).toEqual(
      new Set([imageOf('2.25.801'), imageOf('2.25.802')]),
    );
    expect(unplaced.filter(({ part }) => part === 4).map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['a coordinate is not a number', 'the graphic type “SPIRAL” is not one of the standard']),
    );
    expect(warnings).toMatchObject([{ code: 'regions_left_out' }]);

    const [line] = await graphics(`/api/layer/${layer}/frame?file=${imageOf('2.25.801')}&frame=0`);
    expect(line).toMatchObject({
      part: 1,
      shape: 'polyline',
      points: [4, 4, 10, 12],
      how: 'stored',
      text: { value: 'Nodule 1\nLength 12.346 mm' },
    });
    // The nearest slice is 0.5 mm below the point.
    const above = await graphics(`/api/layer/${layer}/frame?file=${imageOf('2.25.802')}&frame=0`);
    expect(above).toMatchObject([{ part: 2, points: [7, 8], how: 'nearest', distanceMm: 0.5 }]);
    expect(await graphics(`/api/layer/${layer}/frame?file=${imageOf('2.25.800')}&frame=0`)).toEqual([]);

    // A coronal plane at y = 8 crosses the line of slice z = 2 at x = 7, and has it within half a pixel on both sides.
    const plane = 'position=0,8,0&orientation=1,0,0,0,0,1&spacing=1,1&rows=5&columns=40';
    const cut = await graphics(`/api/layer/${layer}/plane?frame_of_reference=${FRAME_OF_REFERENCE}&${plane}`);
    expect(cut.find(({ part }) => part === 1)).toMatchObject({ how: 'cut', points: [6.625, 2, 7.375, 2] });

    const { layers }: LayersResponse = await (
      await server.request(`/api/layers?file=${imageOf('2.25.801')}&frame=0`)
    ).json();
    expect(layers.find((one) => one.layer === layer)).toMatchObject({
      kind: 'graphics',
      placement: { status: 'by_reference' },
      touches_frame: true,
      frame_count: 2,
    });
  });

  test('without regions is listed with the reason', async () => {
    const server = await serveShared(...SLICES, writeDicom(reportElements([])));
    const { files, describeLayer } = await open(server);
    const { placement } = await describeLayer(files.find(({ modality }) => modality === 'SR')!.index);
    expect(placement).toMatchObject({ status: 'unavailable', reason: 'the report has no regions' });
  });
});

test('fiducials of every shape are drawn, in space and in images, with their uncertainty', async () => {
  const z = 2;
  const set = fiducialElements(
    [
      { name: 'point', shape: 'POINT', points: [[5, 6, z]], uncertaintyMm: 1.5 },
      {
        name: 'line',
        shape: 'LINE',
        points: [
          [5, 6, z],
          [15, 6, z],
        ],
      },
      {
        name: 'plane',
        shape: 'PLANE',
        points: [
          [12, 0, 0],
          [12, 5, 5],
          [12, 9, 1],
        ],
      },
      {
        name: 'surface',
        shape: 'SURFACE',
        points: [
          [1, 1, z],
          [2, 2, z],
          [3, 3, 30],
        ],
      },
      {
        name: 'ruler',
        shape: 'RULER',
        points: [
          [5, 30, z],
          [10, 30, z],
          [15, 30, z],
        ],
      },
      {
        name: 'l',
        shape: 'L_SHAPE',
        points: [
          [5, 5, z],
          [5, 10, z],
          [10, 10, z],
        ],
      },
      {
        name: 't',
        shape: 'T_SHAPE',
        points: [
          [5, 5, z],
          [15, 5, z],
          [10, 20, z],
        ],
      },
      {
        name: 'shape',
        shape: 'SHAPE',
        points: [
          [1, 1, z],
          [2, 1, z],
          [2, 2, z],
          [1, 1, z],
        ],
      },
      { name: 'image', shape: 'POINT', inImage: { uid: '2.25.801', points: [[3.5, 4.5]] } },
      { name: 'unknown', shape: 'STAR', points: [[1, 1, z]] },
    ],
    FRAME_OF_REFERENCE,
  );
  const server = await serveShared(...SLICES, writeDicom(set));
  const { files, describeLayer, graphics } = await open(server);
  const layer = files.find(({ modality }) => modality === 'FID')!.index;
  const image = files.find((file) => file.sop_instance_uid === '2.25.801')!.index;
  const items = await graphics(`/api/layer/${layer}/frame?file=${image}&frame=0`);
  const of = (part: number) =>
    items.filter((item) => item.part === part).map(({ shape, points, how }) => [shape, points, how]);
  expect(of(1)).toEqual([['point', [5, 6], 'stored']]);
  expect(items.find(({ part }) => part === 1)).toMatchObject({ uncertaintyPx: 1.5, text: { value: 'point' } });
  expect(of(2)).toEqual([
    ['polyline', [-0.5, 6, 39.5, 6], 'stored'],
    ['point', [5, 6, 15, 6], 'stored'],
  ]);
  expect(of(3)).toEqual([['polyline', [12, 39.5, 12, -0.5], 'cut']]);
  expect(of(4)).toEqual([['point', [1, 1, 2, 2], 'stored']]);
  expect(of(5).map(([shape]) => shape)).toEqual(['polyline', 'point']);
  expect(of(6)).toEqual([['polyline', [5, 5, 5, 10, 10, 10], 'stored']]);
  // The second line starts in the middle of the first.
  expect(of(7)).toEqual([
    ['polyline', [5, 5, 15, 5], 'stored'],
    ['polyline', [10, 5, 10, 20], 'stored'],
  ]);
  expect(of(8)).toEqual([['polyline', [1, 1, 2, 1, 2, 2, 1, 1], 'stored']]);
  expect(of(9)).toEqual([['point', [3, 4], 'stored']]);
  expect((await describeLayer(layer)).parts.at(-1)?.reason).toBe('the shape “STAR” is not one of the standard');
});

/** A slab around a point. */
function slabOf(orientation: readonly number[], thickness: number): DataSetInput {
  return { SlabThickness: thickness, SlabOrientation: orientation, MidSlabPosition: [20, 15, 2] };
}

test('the volume of spectra and the grid of their voxels are lines on the images that cut them', async () => {
  // The second normal is longer than 1, and the third points down: neither changes the slab.
  const spectra = spectroscopyElements(() => [1, 0], {
    rows: 2,
    columns: 2,
    more: {
      FrameOfReferenceUID: FRAME_OF_REFERENCE,
      VolumeLocalizationSequence: [slabOf([1, 0, 0], 10), slabOf([0, 2, 0], 8), slabOf([0, 0, -1], 6)],
      SharedFunctionalGroupsSequence: [
        {
          PixelMeasuresSequence: [{ PixelSpacing: ['4', '5'], SliceThickness: '6' }],
          PlaneOrientationSequence: [{ ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'] }],
        },
      ],
      PerFrameFunctionalGroupsSequence: [{ PlanePositionSequence: [{ ImagePositionPatient: ['17.5', '13', '2'] }] }],
    },
  });
  const server = await serveShared(...SLICES, writeDicom(spectra));
  const { files, describeLayer, graphics } = await open(server);
  const layer = files.find(({ sop_instance_uid }) => sop_instance_uid === '2.25.7101')!.index;
  const { parts, placement } = await describeLayer(layer);
  expect(placement.status).toBe('direct');
  expect(parts.map(({ label }) => label)).toEqual(['Grid of 2 × 2 voxels', 'Selected volume']);

  const image = files.find((file) => file.sop_instance_uid === '2.25.801')!.index;
  const items = await graphics(`/api/layer/${layer}/frame?file=${image}&frame=0`);
  const linesOf = (part: number) => items.filter((item) => item.part === part).map(({ points }) => toLine(points));
  // 10 mm around x = 20, and 8 mm around y = 15, on pixels of 1 mm.
  const box = ['15,11 15,19', '15,11 25,11', '15,19 25,19', '25,11 25,19'];
  expect(linesOf(2).toSorted()).toEqual(box);
  // Voxels of 5 by 4 mm have two more lines between them.
  expect(linesOf(1).toSorted()).toEqual([...box, '15,15 25,15', '20,11 20,19'].toSorted());
  expect(items.every(({ how }) => how === 'cut')).toBe(true);
});

/** The ends of a line, the lower one first. */
function toLine([x1 = NaN, y1 = NaN, x2 = NaN, y2 = NaN]: readonly number[]): string {
  const ends = [
    [x1, y1],
    [x2, y2],
  ].map((end) => end.map((value) => Math.round(value * 1e6) / 1e6).join(','));
  return ends.toSorted().join(' ');
}

test('spectra whose slabs enclose nothing say so', async () => {
  const slab = { SlabThickness: 10, SlabOrientation: [1, 0, 0], MidSlabPosition: [0, 0, 0] };
  const more = { FrameOfReferenceUID: FRAME_OF_REFERENCE, VolumeLocalizationSequence: [slab, slab, slab] };
  const server = await serveShared(...SLICES, writeDicom(spectroscopyElements(() => [1, 0], { more })));
  const { files, describeLayer } = await open(server);
  const { placement, unplaced } = await describeLayer(
    files.find(({ sop_instance_uid }) => sop_instance_uid === '2.25.7101')!.index,
  );
  expect(placement.status).toBe('unavailable');
  expect(unplaced).toMatchObject([{ reason: 'its 3 slabs enclose no volume' }]);
});

const MATRIX = { FrameOfReferenceUID: '2.25.900', ...placeLevel(1, 2, '0.001') };

/** Two values, the lowest and the highest, in 256 parts of their range. */
const AT_BOTH_ENDS = [1, ...Array.from({ length: 254 }, () => 0), 1];

describe('annotations of slides', () => {
  test('of every type are drawn in the part of the slide that is asked for', async () => {
    const annotations = slideAnnotationElements([
      { type: 'POINT', values: [2.5, 3.5, 20.5, 10.5], count: 2 },
      // Two polygons; the second begins with the seventh value.
      { type: 'POLYGON', values: [0, 0, 4, 0, 4, 4, 10, 2, 14, 2, 14, 6, 10, 6], indices: [1, 7], isDouble: true },
      { type: 'RECTANGLE', values: [1, 1, 5, 1, 5, 3, 1, 3] },
      { type: 'ELLIPSE', values: [10, 10, 20, 10, 15, 8, 15, 12] },
      { type: 'POLYLINE', values: [0, 13, 24, 13], indices: [1] },
    ]);
    const server = await serveShared(writeDicom(slideElements(MATRIX)), writeDicom(annotations));
    const { files, describeLayer, points } = await open(server);
    const layer = files.find(({ modality }) => modality === 'ANN')!.index;
    const { parts, targets, placement } = await describeLayer(layer);
    expect(placement.status).toBe('by_reference');
    expect(targets).toEqual([
      { file_index: files.find(({ modality }) => modality === 'SM')!.index, frame_indices: [0] },
    ]);
    expect(parts.map(({ geometry, description }) => [geometry, description])).toMatchObject([
      [['POINT'], '2 points'],
      [['POLYGON'], '2 polygons'],
      [['RECTANGLE'], '1 rectangle'],
      [['ELLIPSE'], '1 ellipse'],
      [['POLYLINE'], '1 polyline'],
    ]);

    const left = await points(`/api/layer/${layer}/region?x=0&y=0&width=9&height=7&pixel=0.1`);
    expect(shapesOf(left)).toEqual([
      [1, 'point', [2, 3]],
      [2, 'polygon', [-0.5, -0.5, 3.5, -0.5, 3.5, 3.5]],
      [3, 'rectangle', [0.5, 0.5, 4.5, 0.5, 4.5, 2.5, 0.5, 2.5]],
    ]);
    // From the corner of the region on.
    const right = await points(`/api/layer/${layer}/region?x=9&y=0&width=16&height=14&pixel=0.1`);
    expect(shapesOf(right)).toEqual([
      [1, 'point', [11, 10]],
      [2, 'polygon', [0.5, 1.5, 4.5, 1.5, 4.5, 5.5, 0.5, 5.5]],
      [4, 'ellipse', [0.5, 9.5, 10.5, 9.5, 5.5, 7.5, 5.5, 11.5]],
      [5, 'polyline', [-9.5, 12.5, 14.5, 12.5]],
    ]);
    // Nothing of them can be seen if a pixel of the screen is ten of the slide, so that each is a point.
    const far = await points(`/api/layer/${layer}/region?x=0&y=0&width=25&height=14&pixel=10&parts=2`);
    expect(shapesOf(far)).toEqual([
      [2, 'point', [1.5, 1.5]],
      [2, 'point', [11.5, 3.5]],
    ]);
  });

  test('in millimetres lie where the slide is, with a common height and without', async () => {
    // The first sample is at (1, 2) mm and samples are 1 µm: (1.004, 2.006) is column 4, row 6.
    const inSpace = { AnnotationCoordinateType: '3D', FrameOfReferenceUID: '2.25.900' };
    const annotations = slideAnnotationElements(
      [
        { type: 'POINT', values: [1.004, 2.006, 0.5], isDouble: true },
        { type: 'POINT', values: [1.01, 2.003], isDouble: true, different: { CommonZCoordinateValue: 0.5 } },
      ],
      inSpace,
    );
    const server = await serveShared(writeDicom(slideElements(MATRIX)), writeDicom(annotations));
    const { files, points, describeLayer } = await open(server);
    const layer = files.find(({ modality }) => modality === 'ANN')!.index;
    expect((await describeLayer(layer)).placement.status).toBe('direct');
    const found = shapesOf(await points(`/api/layer/${layer}/region?x=0&y=0&width=25&height=14`));
    expect(found.map(([part, , at]) => [part, at.map((value) => Math.round(value * 1000) / 1000)])).toEqual([
      [1, [4, 6]],
      [2, [10, 3]],
    ]);
  });

  test('are refused over a file that is no slide', async () => {
    const annotations = slideAnnotationElements([{ type: 'POINT', values: [2.5, 3.5] }]);
    const server = await serveShared(writeDicom(slideElements(MATRIX)), writeDicom(annotations));
    const { files } = await open(server);
    const layer = files.find(({ modality }) => modality === 'ANN')!.index;
    const response = await server.request(`/api/layer/${layer}/region?file=${layer}&x=0&y=0&width=25&height=14`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'bad_request',
      error: `file ${layer} is not a whole slide image`,
    });
  });

  test('of a smaller level lie over the largest one, and those of a frame over that frame', async () => {
    const small = slideElements({
      SOPInstanceUID: '2.25.901',
      TotalPixelMatrixColumns: 5,
      TotalPixelMatrixRows: 3,
      NumberOfFrames: 1,
      ...MATRIX,
      SharedFunctionalGroupsSequence: [{ PixelMeasuresSequence: [{ PixelSpacing: ['0.005', '0.005'] }] }],
    });
    const onLevel = slideAnnotationElements([{ type: 'POINT', values: [1, 1] }], named('2.25.901'));
    const onFrame = slideAnnotationElements([{ type: 'POINT', values: [1.5, 2.5] }], {
      ...named('1.2.826.0.1.3680043.8.498.70', '5'),
      SOPInstanceUID: '2.25.730',
      PixelOriginInterpretation: 'FRAME',
    });
    const server = await serveShared(...[slideElements(MATRIX), small, onLevel, onFrame].map((one) => writeDicom(one)));
    const { files, points } = await open(server);
    const indexOf = (uid: string) => files.find((file) => file.sop_instance_uid === uid)!.index;
    const largest = indexOf('1.2.826.0.1.3680043.8.498.70');
    const query = `region?file=${largest}&x=0&y=0&width=25&height=14`;
    // A fifth of the columns: the corner (1, 1) of the level is the corner (5, 14 / 3) of the largest one.
    const [x, y] = shapesOf(await points(`/api/layer/${indexOf('2.25.720')}/${query}`))[0]![2];
    expect([x, y]).toEqual([expect.closeTo(4.5, 4), expect.closeTo(14 / 3 - 0.5, 4)]);
    // Frame 5 is the middle one of nine tiles of 10 x 6.
    const at = shapesOf(await points(`/api/layer/${indexOf('2.25.730')}/${query}`))[0]![2];
    expect(at).toEqual([11, 8]);
  });

  test('are counted in cells that do not depend on the part, if they are too many', async () => {
    // 128 x 128 points, one for each pixel: in cells of 64 pixels there are 4096.
    const values = Array.from({ length: 2 * 128 * 128 }, (_, at) =>
      at % 2 === 0 ? ((at / 2) % 128) + 0.5 : Math.floor(at / 256) + 0.5,
    );
    // 0, 1, 0, 1 and so on: in the middle one half.
    const measured = measuredElements(
      'Even',
      '1',
      Array.from({ length: 128 * 128 }, (_, at) => at % 2),
    );
    const slide = slideElements({
      ...MATRIX,
      TotalPixelMatrixColumns: 128,
      TotalPixelMatrixRows: 128,
      Rows: 128,
      Columns: 128,
      NumberOfFrames: 1,
    });
    const server = await serveShared(
      writeDicom(slide),
      writeDicom(slideAnnotationElements([{ type: 'POINT', values, different: { MeasurementsSequence: [measured] } }])),
    );
    const { files, describeLayer, points } = await open(server);
    const layer = files.find(({ modality }) => modality === 'ANN')!.index;
    const [described] = (await describeLayer(layer)).parts[0]!.measurements;
    expect([described!.bins.length, described!.bins[0], described!.bins.at(-1)]).toEqual([256, 8192, 8192]);
    const whole = await points(`/api/layer/${layer}/region?x=0&y=0&width=128&height=128&pixel=1`);
    if (!isClusters(whole.content)) throw new Error('these are no clusters');
    const { cell, x, y, counts, values: means, bins } = whole.content;
    expect([cell, ...counts]).toEqual([64, 4096, 4096, 4096, 4096]);
    expect([...means]).toEqual([0.5, 0.5, 0.5, 0.5]);
    // Of 32 parts of the range from 0 to 1, the first and the last.
    const filled = [...bins].flatMap((count, at) => (count === 0 ? [] : [[at % 32, count]]));
    expect(filled).toEqual(Array.from({ length: 8 }, (_, at) => [31 * (at % 2), 2048]));
    expect([...x].map((value, at) => [value, y[at]])).toEqual([
      [32, 32],
      [96, 32],
      [32, 96],
      [96, 96],
    ]);
    const right = await points(`/api/layer/${layer}/region?x=64&y=0&width=64&height=128&pixel=1`);
    // The middles are those of before, from the corner of the part on; 8192 are not too many.
    expect(isClusters(right.content)).toBe(false);
  });

  test('whose lists and counts lie are left out, and their number is told', async () => {
    const annotations = slideAnnotationElements([
      // Out of order, right, without an end, beyond the end, and zero.
      { type: 'POLYGON', values: [0, 0, 4, 0, 4, 4, 0, 4, 9, 9, 9, 8], indices: [5, 1, 9, 99, 0] },
      { type: 'POINT', values: [NaN, 1, 2.5, 2.5, 1e30, 3], count: 4_000_000_000 },
      { type: 'POLYGON', values: [0, 0, 1, 1, 2, 0] },
      { type: 'BLOB', values: [1, 1] },
      { type: 'ELLIPSE', values: [1, 1, 2] },
    ]);
    const server = await serveShared(writeDicom(slideElements(MATRIX)), writeDicom(annotations));
    const { files, describeLayer, points } = await open(server);
    const layer = files.find(({ modality }) => modality === 'ANN')!.index;
    const { unplaced, warnings, parts } = await describeLayer(layer);
    const bad = 'the coordinates of annotations are not numbers, or their index list does not fit the coordinates';
    expect(unplaced).toEqual(
      expect.arrayContaining([
        { part: 1, reason: bad, count: 4 },
        { part: 2, reason: bad, count: 2 },
        { part: 2, reason: expect.stringContaining('declares more annotations'), count: 4_000_000_000 - 3 },
        { part: 3, reason: bad, count: 1 },
        { part: 4, reason: 'the graphic type “BLOB” is not one of the standard', count: 1 },
      ]),
    );
    expect(warnings).toMatchObject([{ code: 'annotations_left_out' }]);
    expect(parts.map(({ reason }) => reason === null)).toEqual([true, true, false, false, false]);
    const shown = shapesOf(await points(`/api/layer/${layer}/region?x=0&y=0&width=25&height=14&pixel=0.1`));
    expect(shown).toEqual([
      [1, 'polygon', [-0.5, -0.5, 3.5, -0.5, 3.5, 3.5, -0.5, 3.5]],
      [2, 'point', [2, 2]],
    ]);
  });

  test('more than the memory for them are refused', async () => {
    const values = Array.from({ length: 60_000 }, () => 1);
    const server = await serveWith({
      inputs: [writeDicom(slideElements(MATRIX)), writeDicom(slideAnnotationElements([{ type: 'POINT', values }]))],
      memoryBytes: 32 * 2 ** 20,
    });
    const { files }: FilesResponse = await (await server.request('/api/files')).json();
    const layer = files.find(({ modality }) => modality === 'ANN')!.index;
    const response = await server.request(`/api/layer/${layer}`);
    expect([response.status, await response.json()]).toMatchObject([422, { code: 'layer_too_large' }]);
  });

  test('have the values that there is memory for', async () => {
    // Of a budget of 32 MiB, 1.5 % of one half are for annotations: 252 KB. The points take 28 bytes each, 168 KB, and the
    // values of each measurement 24 KB, so that there is room for three of them.
    const count = 6000;
    const values = Array.from({ length: 2 * count }, () => 1);
    const measured = Array.from({ length: 8 }, (_, at) =>
      measuredElements(
        `M${at}`,
        '1',
        Array.from({ length: count }, () => at),
      ),
    );
    const annotations = slideAnnotationElements([
      { type: 'POINT', values, count, different: { MeasurementsSequence: measured } },
    ]);
    const inputs = [writeDicom(slideElements(MATRIX)), writeDicom(annotations)];
    const server = await serveWith({ inputs, memoryBytes: 32 * 2 ** 20 });
    const { files, describeLayer } = await open(server);
    const layer = files.find(({ modality }) => modality === 'ANN')!.index;
    const { parts, warnings } = await describeLayer(layer);
    const ranges = parts[0]!.measurements.map(({ range }) => range);
    expect(ranges).toEqual([[0, 0], [1, 1], [2, 2], null, null, null, null, null]);
    expect(warnings.map(({ code }) => code)).toEqual(['values_not_read']);
  });

  test('are points with values over the slide of a real object, as highdicom reads them', needs(CORPUS), async () => {
    const { path, slide, groups } = RECORDED.annotations;
    const server = await serveShared(`${corpus}/${path}`, `${corpus}/${slide}`);
    expect(await countEqualAnnotations(server, groups)).toBe(2);
    const { indexOf, describeLayer } = await open(server);
    const [nuclei] = (await describeLayer(indexOf(path))).parts;
    expect(nuclei?.description).toBe('2 points · Area 20.4 to 43.8 µm² · Nucleus · manual');
  });

  test('have the values of those that an index list names, as highdicom reads them', needs(CORPUS), async () => {
    const { file, slide, groups } = RECORDED.measured;
    const server = await serveShared(`${corpus}/${slide}`, Buffer.from(file, 'base64'));
    expect(await countEqualAnnotations(server, groups)).toBe(14);
  });

  test('whose values belong to no annotation say so, and values that are not numbers are none', async () => {
    const annotations = slideAnnotationElements([
      {
        type: 'POINT',
        // The second annotation cannot be drawn, but is counted.
        values: [2.5, 3.5, NaN, 1, 20.5, 10.5],
        count: 3,
        different: {
          MeasurementsSequence: [
            // In any order, with one for each annotation, for none, and two that there are no values for.
            measuredElements('Sparse', '1', [30, 10, 99, 98, 97], [3, 1, 0, 4, 4_000_000_000, 2, 2]),
            measuredElements('Dense', '1', [1, 2, Infinity, 4]),
            { ConceptNameCodeSequence: [{ CodeValue: '2', CodingSchemeDesignator: '99TEST', CodeMeaning: 'None' }] },
          ],
        },
      },
    ]);
    const server = await serveShared(writeDicom(slideElements(MATRIX)), writeDicom(annotations));
    const { files, describeLayer, points } = await open(server);
    const layer = files.find(({ modality }) => modality === 'ANN')!.index;
    const { parts, warnings } = await describeLayer(layer);
    expect(parts[0]?.measurements).toEqual([
      { name: 'Sparse', unit: '', count: 2, range: [10, 30], bins: AT_BOTH_ENDS },
      { name: 'Dense', unit: '', count: 2, range: [1, 2], bins: AT_BOTH_ENDS },
      { name: 'None', unit: '', count: 0, range: null, bins: [] },
    ]);
    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      ['annotations_left_out', expect.any(String)],
      ['values_left_out', '4 measured values belong to no annotation of their group'],
      ['values_not_read', expect.any(String)],
    ]);
    const { content } = await points(`/api/layer/${layer}/region?x=0&y=0&width=25&height=14&pixel=0.1`);
    if (isClusters(content)) throw new Error('these are clusters');
    expect([[...content.numbers], content.width, [...content.values]]).toEqual([[1, 3], 3, [10, 1, NaN, 30, NaN, NaN]]);
  });
});

const UNITS: Readonly<Record<string, string>> = { um2: 'µm²', '1': '' };

/** Compares the annotations over a slide of 50 x 50 pixels, and their values, with those of another reader. */
async function countEqualAnnotations(server: SharedServer, groups: readonly RecordedGroup[]): Promise<number> {
  const { files, describeLayer, points } = await open(server);
  const layer = files.find(({ modality }) => modality === 'ANN')!.index;
  const { parts } = await describeLayer(layer);
  const described = parts.map(({ label, geometry, measurements }) => [
    label,
    geometry,
    measurements.map(({ name, unit, count, range }) => [name, unit, count, range]),
  ]);
  expect(described).toEqual(
    groups.map(({ label, type, names, units, values }) => [
      label,
      [type],
      names.map((name, at) => {
        const given = values.flatMap((row) => row[at] ?? []);
        return [name, UNITS[units[at]!], given.length, [Math.min(...given), Math.max(...given)]];
      }),
    ]),
  );
  const packet = await points(`/api/layer/${layer}/region?x=0&y=0&width=50&height=50&pixel=0.1`);
  if (isClusters(packet.content)) throw new Error('these are clusters');
  const { numbers, width, values } = packet.content;
  const found = shapesOf(packet);
  expect(found).toHaveLength(groups.reduce((sum, group) => sum + group.points.length, 0));
  for (const [at, [part, , flat]] of found.entries()) {
    const group = groups[part - 1]!;
    const number = numbers[at]! - 1;
    expect(flat).toEqual(group.points[number]!.map((value) => expect.closeTo(value, 4)));
    const own = [...values.subarray(at * width, (at + 1) * width)].slice(0, group.names.length);
    expect(own).toEqual(group.values[number]!.map((value) => value ?? NaN));
  }
  return found.length;
}

/** A reference to a slide image, and to a frame of it, counted from 1. */
function named(uid: string, frame?: string): DataSetInput {
  return {
    ReferencedImageSequence: [
      { ReferencedSOPInstanceUID: uid, ...(frame !== undefined && { ReferencedFrameNumber: frame }) },
    ],
  };
}

type Shape = readonly [part: number, shape: string, points: number[]];

function shapesOf({ content }: PointsPacket): Shape[] {
  if (isClusters(content)) throw new Error('these are clusters');
  const { parts, types, starts, points } = content;
  const names = ['point', 'polyline', 'polygon', 'ellipse', 'rectangle'];
  return [...types].map((type, at) => [
    parts[at]!,
    names[type]!,
    [...points.subarray(2 * starts[at]!, 2 * starts[at + 1]!)],
  ]);
}
