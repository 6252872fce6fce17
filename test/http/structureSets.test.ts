import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type ContourItem, decodeContours } from '../../src/shared/contourPacket.ts';
import type { LayerResponse, LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import { AXIAL, placedImage } from '../support/placedElements.ts';
import { rasterizeContours } from '../support/rasterizeContours.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { circle, structureSetElements, type WrittenRoi } from '../support/structureSetElements.ts';

const SPACING = 2.5;
const SIZE = 80;

/** Slices of 80 x 80 pixels of 1 mm, 2.5 mm apart; the centre of the first pixel is at -40, -40. */
function writeStack(): Uint8Array[] {
  return [0, 1, 2, 3, 4, 5].map((slice) =>
    writeDicom(
      placedImage(
        {
          uid: `2.25.70${slice}`,
          rows: SIZE,
          columns: SIZE,
          plane: { ...AXIAL, position: [-40, -40, slice * SPACING] },
        },
        { InstanceNumber: String(slice + 1) },
      ),
    ),
  );
}

const LAYER = 6;

async function serveRois(rois: readonly WrittenRoi[]): Promise<SharedServer> {
  return serveShared(...writeStack(), writeDicom(structureSetElements(rois)));
}

async function readLayer(server: SharedServer): Promise<LayerResponse> {
  return (await server.request(`/api/layer/${LAYER}`)).json();
}

async function readItems(server: SharedServer, slice: number, query = ''): Promise<readonly ContourItem[]> {
  const response = await server.request(`/api/layer/${LAYER}/frame?file=${slice}&frame=0${query}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  return decodeContours(await response.arrayBuffer()).items;
}

/** The pixels of a part. */
function rasterize(items: readonly ContourItem[], part: number): Uint8Array {
  return rasterizeContours(
    items.filter((item) => item.part === part),
    [SIZE, SIZE],
  );
}

function around(z: number, radius: number): number[][] {
  return circle([-5.3, 4.2, z], radius);
}

function disc(z: number): number[][] {
  return circle([0, 0, z], 10);
}

describe('rings', () => {
  const OUTER = 18;
  const INNER = 9;
  const levels = [0, 1, 2, 3, 4, 5].map((slice) => slice * SPACING);
  /** Out along the outer circle, over the bridge, back along the inner one, and over the bridge again. */
  const keyhole = (z: number) => {
    const [outer, inner] = [around(z, OUTER), around(z, INNER)];
    return [...outer, outer[0]!, inner[0]!, ...inner.slice(1).toReversed(), inner[0]!, outer[0]!];
  };
  const both = (type: string) =>
    levels.flatMap((z) => [OUTER, INNER].map((radius) => ({ type, points: around(z, radius) })));
  const rois: WrittenRoi[] = [
    { number: 11, name: 'Keyhole', contours: levels.map((z) => ({ points: keyhole(z) })) },
    { number: 7, name: 'Nested', contours: both('CLOSED_PLANAR') },
    { number: 3, name: 'XOR', contours: both('CLOSEDPLANAR_XOR') },
  ];

  test('as a keyhole, as nested contours and as XOR are the same mask, with the area of the ring', async () => {
    const items = await readItems(await serveRois(rois), 2);
    const masks = rois.map(({ number }) => rasterize(items, number));

    expect(masks[1]).toEqual(masks[0]);
    expect(masks[2]).toEqual(masks[0]);
    // π (18² - 9²) = 763.4 mm², and a pixel has 1 mm². Within 1 %.
    const area = masks[0]!.reduce((sum, value) => sum + value, 0);
    expect(Math.abs(area / 763.407 - 1)).toBeLessThan(0.01);
    // Against the analytic ring: Dice is 2 |A ∩ B| / (|A| + |B|).
    const ring = masks[0]!.map((_, pixel) => {
      const distance = Math.hypot((pixel % SIZE) - 40 + 5.3, Math.floor(pixel / SIZE) - 40 - 4.2);
      return distance < OUTER && distance > INNER ? 1 : 0;
    });
    const common = ring.reduce((sum, value, pixel) => sum + value * masks[0]![pixel]!, 0);
    expect((2 * common) / (area + ring.reduce((sum, value) => sum + value, 0))).toBeGreaterThan(0.99);
  });

  test('have the volume of six slabs, and only those that are not declared as holes have a warning', async () => {
    const { parts, warnings } = await readLayer(await serveRois(rois));

    // 763.407 mm² in six planes of 2.5 mm are 11.451 cm³; 96 corners cut off 0.07 % of it.
    for (const { volume_mm3 } of parts) expect(Math.abs((volume_mm3 ?? 0) / 11_451.1 - 1)).toBeLessThan(0.01);
    expect(warnings).toEqual([
      { code: 'nested_contours', message: expect.stringMatching(/drawn as holes.*: Nested$/) },
    ]);
  });
});

describe('contours that lie in no slice', () => {
  const tilt = Math.sin(Math.PI / 6);
  const rois: WrittenRoi[] = [
    { number: 1, name: 'Between', contours: [1, 3.5, 6].map((mm) => ({ points: disc(mm) })) },
    { number: 2, name: 'Rounded', contours: [0.004, 2.496, 5.01].map((mm) => ({ points: disc(mm) })) },
    { number: 3, name: 'Gap', contours: [0, 2.5, 10, 12.5].map((mm) => ({ points: disc(mm) })) },
    { number: 4, name: 'Sagittal', contours: [{ points: circle([0, 5, 0], 8).map(([x, y]) => [3, y!, x!]) }] },
    {
      number: 5,
      name: 'Tilted by 30 degrees',
      contours: [
        { points: circle([0, 0, 0], 8).map(([x, y]) => [x! * Math.sqrt(1 - tilt * tilt), y!, 5 + x! * tilt]) },
      ],
    },
    { number: 6, name: 'Seed', contours: [{ type: 'POINT', points: [[1, 2, 5.7]] }] },
    {
      number: 7,
      name: 'Needle',
      contours: [
        {
          type: 'OPEN_NONPLANAR',
          points: [
            [0, 0, -10],
            [20, 0, 30],
          ],
        },
      ],
    },
  ];

  test.each([
    // A contour at 1 mm over a slice at 0; at 3.5 over 2.5; at 6 over 5. At 7.5 the one at 6 is 1.5 mm away.
    [1, 0, [['nearest', 1]]],
    [1, 1, [['nearest', 1]]],
    [1, 2, [['nearest', 1]]],
    [1, 3, []],
    // Within 1 % of the spacing of 2.5 mm.
    [2, 0, [['stored', 0.004]]],
    [2, 1, [['stored', -0.004]]],
    [2, 2, [['stored', 0.01]]],
    // Nothing at 5 and 7.5: the gap is three times the spacing.
    [3, 1, [['stored', 0]]],
    [3, 2, []],
    [3, 4, [['stored', 0]]],
    // Within half of the spacing of the other structures.
    [6, 2, [['nearest', 0.7]]],
    [6, 3, []],
  ])('part %i over slice %i', async (part, slice, expected) => {
    const items = await readItems(await serveRois(rois), slice, `&parts=${part}`);

    expect(items.map(({ how }) => how)).toEqual(expected.map(([how]) => how));
    for (const [at, { distanceMm }] of items.entries()) expect(distanceMm).toBeCloseTo(Number(expected[at]?.[1]), 3);
  });

  test('and in planes across are cut: a circle in a line as long as its chord', async () => {
    const server = await serveRois(rois);
    const [sagittal, ...others] = await readItems(server, 2, '&parts=4');

    expect(others).toEqual([]);
    expect(sagittal).toMatchObject({ how: 'cut', isClosed: false });
    // At z = 5 the circle of radius 8 around (y 5, z 0) has a chord of 2 √(64 - 25) = 12.49 mm; 96 corners.
    const [x1, y1, x2, y2] = sagittal!.points;
    expect([x1, x2]).toEqual([43, 43]);
    expect(Math.abs(y2! - y1!)).toBeCloseTo(12.49, 1);

    // The tilted circle crosses the plane through its centre in a diameter.
    const [tilted] = await readItems(server, 2, '&parts=5');
    expect(tilted).toMatchObject({ how: 'cut', isClosed: false });
    expect(Math.hypot(tilted!.points[0]! - tilted!.points[2]!, tilted!.points[1]! - tilted!.points[3]!)).toBeCloseTo(
      16,
      1,
    );
  });

  test('and open lines that pass through a slice are shown within half the usual spacing of it', async () => {
    const [needle] = await readItems(await serveRois(rois), 2, '&parts=7');

    // x = (z + 10) / 2; z from 3.75 to 6.25 gives 6.875 to 8.125, and 40 pixels are left of x = 0.
    expect(needle).toMatchObject({ how: 'cut', isClosed: false });
    expect([...needle!.points].map((value) => Number(value.toFixed(3)))).toEqual([46.875, 40, 48.125, 40]);
  });
});

test('a plane across a stack of contours cuts their slabs, which reach half way to the next ones', async () => {
  const square = [
    [-10, -10],
    [10, -10],
    [10, 10],
    [-10, 10],
  ];
  const contours = [0, SPACING, 2 * SPACING].map((z) => ({ points: square.map(([x, y]) => [x!, y!, z]) }));
  const server = await serveRois([{ number: 1, name: 'Block', contours }]);
  // Coronal, at y = 3: x from -40 along the rows, z from 20 downwards, 1 mm.
  const plane = 'position=-40,3,20&orientation=1,0,0,0,0,-1&spacing=1,1&rows=40&columns=80';
  const response = await server.request(`/api/layer/${LAYER}/plane?frame_of_reference=2.25.500&${plane}`);
  const { items } = decodeContours(await response.arrayBuffer());

  expect(items.map(({ how, isClosed, part }) => [how, isClosed, part])).toEqual(items.map(() => ['cut', true, 1]));
  // Columns 30 to 50; rows 20 - z, from 1.25 below the contour at 0 to 1.25 above the one at 5, in one outline.
  const boxes = items.map(({ points }) => {
    const [columns, rows] = [0, 1].map((axis) => [...points].filter((_, at) => at % 2 === axis));
    return [Math.min(...columns!), Math.max(...columns!), Math.min(...rows!), Math.max(...rows!)];
  });
  expect(boxes).toEqual([[30, 50, 13.75, 21.25]]);
});

describe('a structure set', () => {
  const z = [0, SPACING].map((mm) => ({ points: circle([0, 0, mm], 10, 12) }));

  test('lists every ROI by its number, and says why one is not drawn', async () => {
    const rois: WrittenRoi[] = [
      { number: 9, name: 'PTV', contours: z, color: [255, 128, 0], interpretedType: 'PTV' },
      { number: 4, name: 'Empty', contours: [] },
      { number: 5, name: 'Elsewhere', contours: z, different: { ReferencedFrameOfReferenceUID: '2.25.999' } },
      { number: 6, name: 'Far', contours: [{ points: circle([0, 0, 500], 5) }] },
    ];
    const server = await serveRois(rois);
    const { parts, placement, targets, unplaced } = await readLayer(server);

    expect(parts).toMatchObject([
      {
        part: 9,
        label: 'PTV',
        interpreted_type: 'PTV',
        color: [255, 128, 0],
        color_source: 'declared',
        contour_count: 2,
        ends: [{ first: { file_index: 0, frame_index: 0 }, last: { file_index: 1, frame_index: 0 } }],
        reason: null,
      },
      {
        part: 4,
        color_source: 'palette',
        contour_count: 0,
        volume_mm3: null,
        reason: 'the object has no contours of it',
      },
      { part: 5, reason: 'no image of its frame of reference is open' },
      { part: 6, reason: 'none of its contours reaches an open image' },
    ]);
    expect(placement).toMatchObject({ status: 'direct', reason: '1 of 4 ROIs lie over open images' });
    expect(targets.map(({ file_index }) => file_index)).toEqual([0, 1]);
    expect(unplaced.map(({ part }) => part)).toEqual([4, 5, 6]);
    const { layers }: LayersResponse = await (await server.request('/api/layers?file=3&frame=0')).json();
    expect(layers).toMatchObject([{ layer: LAYER, kind: 'contour', touches_frame: false, frame_count: 2 }]);
  });

  test.each([
    ['ImagePositionPatient', 'Image Position (Patient) (0020,0032)'],
    ['ImageOrientationPatient', 'Image Orientation (Patient) (0020,0037)'],
    ['PixelSpacing', 'Pixel Spacing (0028,0030)'],
  ])('says that its images have no %s', async (keyword, name) => {
    const image = placedImage({ uid: '2.25.700', rows: SIZE, columns: SIZE, plane: AXIAL }, { [keyword]: undefined });
    const server = await serveShared(
      writeDicom(image),
      writeDicom(structureSetElements([{ number: 1, name: 'PTV', contours: z }])),
    );
    const { parts }: LayerResponse = await (await server.request('/api/layer/1')).json();

    const reason = `no image of its frame of reference has a known place: the image has no valid ${name}`;
    expect(parts).toMatchObject([{ part: 1, reason }]);
  });

  test('is drawn in spite of repeated ends, wrong counts, points out of this world, and too few points', async () => {
    const [first] = z;
    const square = [
      [-1, -1, 0],
      [1, -1, 0],
      [1, 1, 0],
      [-1, 1, 0],
    ];
    const server = await serveRois([
      { number: 1, name: 'Repeated', contours: [{ points: [...first!.points, first!.points[0]!] }] },
      {
        number: 2,
        name: 'Wrong count',
        contours: [{ points: square, different: { NumberOfContourPoints: '5000000' } }],
      },
      {
        number: 3,
        name: 'Too far',
        contours: [{ points: square, different: { ContourData: ['0', '1e30', '0', ...square.flat().map(String)] } }],
      },
      { number: 4, name: 'Two points', contours: [{ points: square.slice(0, 2) }] },
      { number: 5, name: 'Two values', contours: [{ points: [], different: { ContourData: ['1', '2'] } }] },
      { number: 6, name: 'Unknown', contours: [{ type: 'SPLINE', points: square }] },
    ]);
    const items = await readItems(server, 0);

    expect(items.map(({ part, points }) => [part, points.length / 2])).toEqual(
      // In the order of the sequence of contours.
      [
        [4, 2],
        [3, 4],
        [2, 4],
        [1, 12],
      ],
    );
    const { unplaced } = await readLayer(server);
    expect(unplaced).toContainEqual({ reason: 'the contours have no points', part: 5, count: 1 });
    expect(unplaced).toContainEqual({
      reason: 'the type of the contours is not one of the standard',
      part: 6,
      count: 1,
    });
  });

  test('says which files have too many frames to look at', async () => {
    // Eight bytes in each frame; one more frame than the bound on all planes together.
    const huge = {
      ...placedImage({ uid: '2.25.950', rows: 2, columns: 4, plane: AXIAL }),
      NumberOfFrames: 2 ** 18 + 1,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelData: new Uint8Array(8 * (2 ** 18 + 1)),
    };
    const structures = structureSetElements([{ number: 1, name: 'PTV', contours: z }]);
    const server = await serveShared(...writeStack(), writeDicom(structures), writeDicom(huge));
    const { targets, warnings } = await readLayer(server);

    expect(targets.map(({ file_index }) => file_index)).toEqual([0, 1]);
    expect(warnings).toEqual([
      { code: 'images_left_out', message: expect.stringMatching(/over 1 open files, .* more than 262144 frames/) },
    ]);
  });

  test('is refused over an image of another frame of reference', async () => {
    const elsewhere = placedImage(
      { uid: '2.25.900', rows: 8, columns: 8, plane: AXIAL },
      { FrameOfReferenceUID: '2.25.901' },
    );
    const structures = structureSetElements([{ number: 1, name: 'PTV', contours: z }]);
    const server = await serveShared(writeDicom(elsewhere), writeDicom(structures));
    const response = await server.request('/api/layer/1/frame?file=0&frame=0');

    expect([response.status, await response.json()]).toMatchObject([
      422,
      { code: 'semantic_mapping_unavailable', error: expect.stringContaining('another frame of reference') },
    ]);
  });
});
