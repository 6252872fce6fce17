import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { decodeField, valueOfField } from '../../src/shared/fieldPacket.ts';
import { decodeContours } from '../../src/shared/contourPacket.ts';
import type { LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import { doseAt, writeDose } from '../support/fieldFiles.ts';
import { AXIAL, FRAME_OF_REFERENCE, placedImage } from '../support/placedElements.ts';
import { motion, registrationElements, type WrittenRegistration } from '../support/registrationElements.ts';
import { serveShared } from '../support/serve.ts';
import { structureSetElements } from '../support/structureSetElements.ts';

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
  const { layers }: LayersResponse = await (await server.request('/api/layers?file=0&frame=0')).json();
  const response = await server.request('/api/layer/1/frame?file=0&frame=0');
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
