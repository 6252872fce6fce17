import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { decodeField, valueOfField } from '../../src/shared/fieldPacket.ts';
import { decodeContours } from '../../src/shared/contourPacket.ts';
import type { LayerResponse, LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import type { RegistrationsResponse } from '../../src/shared/contract/registrations.ts';
import type { Vector3 } from '../../src/shared/geometry.ts';
import { decodeMasks } from '../../src/shared/maskLayers.ts';
import { writeNifti } from '../support/arrayFiles.ts';
import { askAgain } from '../support/askAgain.ts';
import { doseAt, writeDose } from '../support/fieldFiles.ts';
import { AXIAL, FRAME_OF_REFERENCE, placedImage, segmentationElements } from '../support/placedElements.ts';
import {
  deformationElements,
  motion,
  registrationElements,
  type WrittenDeformation,
  type WrittenRegistration,
} from '../support/registrationElements.ts';
import { serve, serveShared, type SharedServer } from '../support/serve.ts';
import { structureSetElements } from '../support/structureSetElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

/** A square in its own frame of reference, at z = 0. */
const STRUCTURES = structureSetElements([
  {
    number: 1,
    name: 'Square',
    contours: [
      {
        points: [
          [10, 0, 0],
          [20, 0, 0],
          [20, 10, 0],
          [10, 10, 0],
        ],
      },
    ],
  },
]);
const [B, C, D, E] = ['2.25.511', '2.25.512', '2.25.513', '2.25.514'] as const;

/** An image at z = 0 of a frame of reference; pixels of 1 mm from (0, 0). */
function imageIn(space: string) {
  return placedImage({ uid: '2.25.900', rows: 64, columns: 64, plane: AXIAL }, { FrameOfReferenceUID: space });
}

async function lay(space: string, registrations: readonly WrittenRegistration[]) {
  const files = [imageIn(space), STRUCTURES, ...registrations.map(registrationElements)];
  const server = await serveShared(...files.map((file) => writeDicom(file)));
  const { layers }: LayersResponse = await (await askAgain(`${server.baseUrl}/api/layers?file=0&frame=0`)).json();
  const response = await askAgain(`${server.baseUrl}/api/layer/1/frame?file=0&frame=0`);
  const { placement } = layers.find(({ layer }) => layer === 1)!;
  const items = response.status === 200 ? decodeContours(await response.arrayBuffer()).items : [];
  const corners = items.map(({ points }) => Array.from(points, (value) => Math.round(value * 1e3) / 1e3));
  return { placement, status: response.status, corners };
}

const reg = (uid: string, into: string, from: string, ...matrices: readonly number[][]): WrittenRegistration => ({
  uid: `2.25.70${uid}`,
  into,
  items: [{ from, matrices }],
});
const SHIFT = motion(0, [5, 7, 0]);
const SHIFTED = [[15, 7, 25, 7, 25, 17, 15, 17]];

describe('a structure set of another frame of reference', () => {
  test('lies over an image by the matrix of a registration, or by its inverse', async () => {
    expect(await lay(B, [reg('1', B, FRAME_OF_REFERENCE, SHIFT)])).toMatchObject({
      placement: { status: 'registered', reason: expect.stringContaining('turned by 0.0° and shifted by 8.6 mm') },
      corners: SHIFTED,
    });
    expect((await lay(B, [reg('1', FRAME_OF_REFERENCE, B, motion(0, [-5, -7, 0]))])).corners).toEqual(SHIFTED);
  });

  test('has matrices applied in their order', async () => {
    // First shifted to (15, 7), then turned by 90 degrees: (x, y) goes to (-y, x); then shifted by 40 in x.
    const matrices = [SHIFT, motion(90, [0, 0, 0]), motion(0, [40, 0, 0])];
    expect((await lay(B, [reg('1', B, FRAME_OF_REFERENCE, ...matrices)])).corners).toEqual([
      [33, 15, 33, 25, 23, 25, 23, 15],
    ]);
  });

  test('goes over at most three registrations, the fewest possible, whatever circles there are', async () => {
    const chain = [
      reg('1', B, FRAME_OF_REFERENCE, motion(0, [1, 0, 0])),
      reg('2', B, C, motion(0, [-2, -7, 0])),
      reg('3', C, D, motion(0, [-2, 0, 0])),
      reg('4', D, E, motion(0, [1, 0, 0])),
    ];
    const three = await lay(D, chain);
    expect(three).toMatchObject({
      placement: { status: 'registered', reason: expect.stringContaining('over 3 registrations') },
      corners: SHIFTED,
    });
    expect((await lay(E, chain)).placement).toMatchObject({ status: 'unavailable' });
    // A circle back to the first one is shorter.
    const circle = [...chain, reg('5', FRAME_OF_REFERENCE, D, motion(0, [-6, -7, 0]))];
    expect(await lay(D, circle)).toMatchObject({
      placement: { reason: expect.stringContaining('over the registration “Registration 2.25.705”') },
      corners: [[16, 7, 26, 7, 26, 17, 16, 17]],
    });
  });

  test('says that a registration is not rigid, and by how much it scales', async () => {
    const { placement } = await lay(B, [reg('1', B, FRAME_OF_REFERENCE, motion(10, [0, 0, 0], 1.25))]);
    expect(placement.reason).toMatch(/turned by 10\.0° and shifted by 0\.0 mm, and scaled by 1\.250: not rigid$/);
  });

  test('lies there if two registrations agree, and is refused with their names if they do not', async () => {
    const first = reg('1', B, FRAME_OF_REFERENCE, SHIFT);
    expect(await lay(B, [first, reg('2', B, FRAME_OF_REFERENCE, SHIFT)])).toMatchObject({ corners: SHIFTED });
    expect(await lay(B, [first, reg('2', B, FRAME_OF_REFERENCE, motion(0, [5, 8, 0]))])).toMatchObject({
      placement: {
        status: 'ambiguous',
        reason: expect.stringMatching(/different ways: “Registration 2.25.701”, or “Registration 2.25.702”$/),
      },
      status: 422,
      corners: [],
    });
  });

  test.each([
    ['a mirror', [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]],
    ['a singular matrix', [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]],
    ['a perspective', [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.1, 0, 0, 1]],
    ['too few numbers', [1, 0, 0, 5]],
  ])('is not placed by %s', async (_, matrix) => {
    expect(await lay(B, [reg('1', B, FRAME_OF_REFERENCE, matrix)])).toMatchObject({
      placement: { status: 'unavailable' },
      status: 422,
    });
  });
});

test('a dose of another frame of reference has the values of the points that the registration connects', async () => {
  const plane = { ...AXIAL, position: [-48, -36, 2], spacing: [1.5, 1.5] as const };
  const image = placedImage({ uid: '2.25.900', rows: 48, columns: 64, plane }, { FrameOfReferenceUID: B });
  const [degrees, shift] = [20, [4, -3, 2] as const];
  const registration = registrationElements(reg('1', B, FRAME_OF_REFERENCE, motion(degrees, shift)));
  const server = await serveShared(writeDicom(image), writeDose(), writeDicom(registration));
  const response = await server.request('/api/layer/1/frame?file=0&frame=0');
  const { item } = decodeField(await response.arrayBuffer());
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const differences: number[] = [];
  for (let row = 0; row < 48; row += 1) {
    for (let column = 0; column < 64; column += 1) {
      // Back from the image: the shift is taken off, and the turn goes the other way.
      const [x, y] = [-48 + 1.5 * column - shift[0], -36 + 1.5 * row - shift[1]];
      const point = [c * x + s * y, -s * x + c * y, 2 - shift[2]] as const;
      const isInside = point[0] > -30 && point[0] < 39 && point[1] > -35 && point[1] < 22;
      const value = valueOfField(item!, column, row);
      if (isInside) differences.push(Math.abs((value ?? Infinity) - doseAt(point)));
    }
  }

  expect(differences.length).toBeGreaterThan(1000);
  // Linear interpolation, twice, within 1 % of the maximum of 66 Gy.
  expect(Math.max(...differences)).toBeLessThan(0.66);
  const { layers }: LayersResponse = await (await server.request('/api/layers?file=0&frame=0')).json();
  expect(layers).toMatchObject([
    { kind: 'field', placement: { status: 'registered', reason: expect.stringContaining('turned by 20.0°') } },
  ]);
});

/** A grid of vectors around everything that these tests place. */
const AROUND = { uid: '2.25.780', first: [-64, -64, -40], stepMm: 8, count: [18, 18, 11] } as const;

describe('a deformable registration', () => {
  const plane = { ...AXIAL, position: [-48, -36, 2], spacing: [1.5, 1.5] as const };
  const image = placedImage({ uid: '2.25.900', rows: 48, columns: 64, plane }, { FrameOfReferenceUID: B });

  /** The largest difference between the dose over the image and the dose at the point that each pixel goes to. */
  async function compareDose(deformation: WrittenDeformation, goesTo: (point: Vector3) => Vector3) {
    const server = await serveShared(writeDicom(image), writeDose(), writeDicom(deformationElements(deformation)));
    const { layers }: LayersResponse = await (await server.request('/api/layers?file=0&frame=0')).json();
    expect(layers).toMatchObject([{ kind: 'field', placement: { status: 'deformed' }, touches_frame: true }]);
    const { item } = decodeField(await (await server.request('/api/layer/1/frame?file=0&frame=0')).arrayBuffer());
    let [difference, count] = [0, 0];
    for (let row = 0; row < 48; row += 1) {
      for (let column = 0; column < 64; column += 1) {
        const point = goesTo([-48 + 1.5 * column, -36 + 1.5 * row, 2]);
        const isInside = point[0] > -30 && point[0] < 39 && point[1] > -35 && point[1] < 22;
        if (!isInside) continue;
        count += 1;
        difference = Math.max(difference, Math.abs((valueOfField(item!, column, row) ?? Infinity) - doseAt(point)));
      }
    }
    expect(count).toBeGreaterThan(1000);
    return difference;
  }

  test('gives a dose the values of the points that its vectors lead to', async () => {
    const difference = await compareDose(
      { ...AROUND, into: B, from: FRAME_OF_REFERENCE, vectorAt: ([x, y]) => [4 + 0.08 * y, -3 + 0.05 * x, 2] },
      ([x, y, z]) => [x + 4 + 0.08 * y, y - 3 + 0.05 * x, z + 2],
    );
    // Linear interpolation, twice, within 1 % of the maximum of 66 Gy.
    expect(difference).toBeLessThan(0.66);
  });

  test('is followed backwards where its vectors come from the object', async () => {
    // q + v(q) = p: z and y first, then x.
    const difference = await compareDose(
      { ...AROUND, into: FRAME_OF_REFERENCE, from: B, vectorAt: ([, y]) => [4 + 0.05 * y, -3, 2] },
      ([x, y, z]) => [x - 4 - 0.05 * (y + 3), y + 3, z - 2],
    );
    expect(difference).toBeLessThan(0.66);
  });

  test('that cannot be used is a warning, and the volume lies over its own images', async () => {
    const own = placedImage({ uid: '2.25.901', rows: 48, columns: 64, plane });
    const broken = { ...AROUND, into: B, from: FRAME_OF_REFERENCE, vectorAt: (): Vector3 => [0, 0, 0], written: 3 };
    const server = await serveShared(
      writeDicom(image),
      writeDicom(own),
      writeDose(),
      writeDicom(STRUCTURES),
      writeDicom(deformationElements(broken)),
    );
    for (const layer of [2, 3]) {
      const { warnings, targets }: LayerResponse = await (await server.request(`/api/layer/${layer}`)).json();
      expect(warnings).toContainEqual({
        code: 'registration_unusable',
        message: 'the deformable registration cannot be used: its grid has fewer vectors than it declares',
      });
      expect(targets.map(({ file_index }) => file_index)).toEqual(layer === 2 ? [1] : [2]);
    }
    const refused = await server.request('/api/layer/2/frame?file=0&frame=0');
    expect([refused.status, (await refused.json()).code]).toEqual([422, 'semantic_mapping_unavailable']);
  });
});

/** Where masks lie, and their size. */
async function readMasks(server: Pick<SharedServer, 'request'>, path: string) {
  const response = await server.request(path);
  expect(response.status).toBe(200);
  const { layers } = decodeMasks(await response.arrayBuffer());
  return layers.map(({ top, left, rows, columns }) => [top, left, rows, columns]);
}

describe('masks of another frame of reference', () => {
  /** A patch of 6 rows and 8 columns at (10, 20) of three slices, in its own frame of reference. */
  const SIZE = 64;
  const isPatch = (i: number) => {
    const [row, column] = [Math.floor(i / SIZE) % SIZE, i % SIZE];
    return row >= 20 && row < 26 && column >= 10 && column < 18;
  };
  const patch = Array.from({ length: SIZE * SIZE }, (_, i) => Number(isPatch(i)));
  const segmentation = segmentationElements({
    rows: SIZE,
    columns: SIZE,
    type: 'BINARY',
    frames: [-2, 0, 2].map((z) => ({ samples: patch, plane: { ...AXIAL, position: [0, 0, z] } })),
  });
  const rigid = registrationElements(reg('1', B, FRAME_OF_REFERENCE, SHIFT));
  const bent = deformationElements({
    ...AROUND,
    into: B,
    from: FRAME_OF_REFERENCE,
    // Back by the same shift.
    vectorAt: () => [-5, -7, 0],
  });
  /** 5 columns and 7 rows further. */
  const MOVED = [[27, 15, 6, 8]];

  test.each([
    ['rigid', 'registered', rigid],
    ['deformable', 'deformed', bent],
  ])('a segmentation lies over images and planes by a %s registration', async (_, status, registration) => {
    const server = await serveShared(...[imageIn(B), segmentation, registration].map((file) => writeDicom(file)));
    const { layers }: LayersResponse = await (await server.request('/api/layers?file=0&frame=0')).json();
    expect(layers).toMatchObject([{ kind: 'mask', placement: { status }, touches_frame: true, frame_count: 1 }]);
    expect(await readMasks(server, '/api/layer/1/frame?file=0&frame=0')).toEqual(MOVED);
    const plane = `position=0,0,0&orientation=1,0,0,0,1,0&spacing=1,1&rows=${SIZE}&columns=${SIZE}`;
    expect(await readMasks(server, `/api/layer/1/plane?${plane}&frame_of_reference=${B}`)).toEqual(MOVED);
    // Its sources stay those that it was made from.
    const { sources } = await (await server.request('/api/file/1/segmentation')).json();
    expect(sources).toEqual([]);
  });

  test.each([
    ['rigid', rigid],
    ['deformable', bent],
  ])('model output lies over images and planes by a %s registration', async (_, registration) => {
    const folder = createTempFolder();
    const own = [-2, 0, 2].map((z) =>
      placedImage({ uid: `2.25.95${z + 2}`, rows: SIZE, columns: SIZE, plane: { ...AXIAL, position: [0, 0, z] } }),
    );
    for (const [at, file] of [...own, imageIn(B), registration].entries()) {
      writeBelow(folder, `${at}.dcm`, writeDicom(file));
    }
    const samples = Uint8Array.from({ length: 3 * SIZE * SIZE }, (_none, i) => Number(isPatch(i)));
    const place = { sizes: [SIZE, SIZE, 3], sform: [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 2, -2] };
    writeBelow(folder, 'labels.nii', writeNifti({ ...place, samples }));
    const floats = Float32Array.from(samples, (value) => 0.25 + value / 2);
    writeBelow(folder, 'map.nii', writeNifti({ ...place, samples: new Uint8Array(floats.buffer), datatype: 16 }));
    const server = await serve(folder);
    const over = 'frame?file=3&frame=0';
    expect(await readMasks(server, `/api/layer/1000000/${over}`)).toEqual(MOVED);
    const { item } = decodeField(await (await server.request(`/api/layer/1000001/${over}`)).arrayBuffer());
    // Inside and outside of the patch, away from its border.
    expect([valueOfField(item!, 18, 30), valueOfField(item!, 40, 40)]).toEqual([0.75, 0.25]);
    const { layers }: LayersResponse = await (await server.request('/api/layers?file=3&frame=0')).json();
    const attached = layers.filter(({ attachment_index }) => attachment_index !== null);
    expect(
      attached.map(({ title, touches_frame, placement }) => [title, touches_frame, placement.via_file_indices]),
    ).toEqual([
      ['labels', true, [4]],
      ['map', true, [4]],
    ]);
  });
});

test('the user chooses between registrations that lead to different places', async () => {
  const files = [imageIn(B), STRUCTURES];
  const registrations = [
    reg('1', B, FRAME_OF_REFERENCE, SHIFT),
    reg('2', B, FRAME_OF_REFERENCE, motion(10, [0, 0, 0])),
  ].map(registrationElements);
  const server = await serve(...[...files, ...registrations].map((file) => writeDicom(file)));
  const list = async (): Promise<RegistrationsResponse> =>
    (await server.request(`/api/registrations?frame_of_reference=${B}`)).json();
  const prefer = async (...wanted: readonly number[]) => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ files: wanted });
    return (await server.request('/api/registrations/preferred', { method: 'PUT', headers, body })).status;
  };
  const corners = async () => {
    const response = await server.request('/api/layer/1/frame?file=0&frame=0');
    if (response.status !== 200) return response.status;
    return decodeContours(await response.arrayBuffer()).items.map(({ points }) => [...points].map(Math.round));
  };

  expect(await corners()).toBe(422);
  expect(await list()).toMatchObject({
    choices: [
      {
        frame_of_reference_uid: FRAME_OF_REFERENCE,
        ways: [
          {
            via_file_indices: [2],
            angle_degrees: 0,
            shift_mm: expect.closeTo(8.602, 3),
            rigid: true,
            is_chosen: false,
          },
          { via_file_indices: [3], angle_degrees: expect.closeTo(10, 3), shift_mm: 0, is_chosen: false },
        ],
      },
    ],
  });
  expect(await prefer(2)).toBe(200);
  expect(await corners()).toEqual(SHIFTED);
  expect((await list()).choices[0]?.ways.map(({ is_chosen }) => is_chosen)).toEqual([true, false]);
  // 10 degrees around the origin: (10, 0) goes to (9.8, 1.7).
  expect(await prefer(3)).toBe(200);
  expect(await corners()).toEqual([[10, 2, 20, 3, 18, 13, 8, 12]]);
  expect([await prefer(), await corners(), await prefer(99)]).toEqual([200, 422, 404]);
});

test('registrations of a cohort are used for each patient, however many there are in all', async () => {
  // 520 other patients with two registrations each: 1,040 files, more than are followed from one frame of reference.
  const others = Array.from({ length: 520 }, (_, patient) =>
    [1, 2].map((part) => ({
      uid: `2.25.71${part}.${patient}`,
      into: `2.25.72.${patient}`,
      items: [{ from: `2.25.72.${patient}.${part}`, matrices: [SHIFT] }],
    })),
  ).flat();
  const own = reg('1', B, FRAME_OF_REFERENCE, SHIFT);
  expect(await lay(B, [own, ...others])).toMatchObject({ placement: { status: 'registered' }, corners: SHIFTED });
});

test('a layer is laid over images of at most 64 other frames of reference, and says how many are left out', async () => {
  const spaces = Array.from({ length: 70 }, (_, at) => `2.25.73.${at}`);
  const images = spaces.map((space, at) =>
    placedImage({ uid: `2.25.74.${at}`, rows: 8, columns: 8, plane: AXIAL }, { FrameOfReferenceUID: space }),
  );
  const items = spaces.map((from) => ({ from, matrices: [motion(0, [-15, 0, 0])] }));
  const registration = registrationElements({ uid: '2.25.75', into: FRAME_OF_REFERENCE, items });
  const server = await serveShared(...[STRUCTURES, registration, ...images].map((file) => writeDicom(file)));
  const { spaces: reached, warnings }: LayerResponse = await (await server.request('/api/layer/0')).json();

  expect(reached.filter(({ placement }) => placement.status === 'registered')).toHaveLength(64);
  expect(warnings).toContainEqual({
    code: 'images_left_out',
    message: 'nothing is drawn over the images of 6 frames of reference, because registrations lead to more than 64',
  });
});
