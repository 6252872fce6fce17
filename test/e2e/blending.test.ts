import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolations } from '../support/axe.ts';
import { CT_SIZE, writeCt, writePet } from '../support/fieldFiles.ts';
import { AXIAL, FRAME_OF_REFERENCE, placedImage } from '../support/placedElements.ts';
import { blendingElements, named, stateElements } from '../support/presentationElements.ts';
import { readPng } from '../support/readPng.ts';
import { motion, registrationElements } from '../support/registrationElements.ts';
import { serveShared } from '../support/serve.ts';
import { LARGEST_UID } from '../support/slidePage.ts';
import { writePyramid } from '../support/slidePyramid.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { openViewer, projectionOf, showsImage, type ViewerPage } from '../support/viewerPage.ts';

const MR_SPACE = '2.25.600';
const CT_UIDS = Array.from({ length: CT_SIZE.slices }, (_, slice) => `2.25.7${slice + 10}`);
const MR_UIDS = Array.from({ length: 12 }, (_, slice) => `2.25.8${slice + 10}`);

/** Values that grow by 10 with each millimetre to the left, in pixels of 4 mm, in a frame of reference of its own. */
function writeMr(): Uint8Array[] {
  return MR_UIDS.map((uid, slice) =>
    writeDicom(
      placedImage(
        { uid, rows: 24, columns: 24, plane: { ...AXIAL, position: [0, 0, 4 * slice], spacing: [4, 4] } },
        {
          SeriesInstanceUID: '2.25.801',
          FrameOfReferenceUID: MR_SPACE,
          Modality: 'MR',
          SeriesDescription: 'MR',
          BitsAllocated: 16,
          BitsStored: 16,
          HighBit: 15,
          PixelData: Uint16Array.from({ length: 24 * 24 }, (_, i) => 40 * (i % 24)),
        },
      ),
    ),
  );
}

/** Red from 0 to 255, green 0, blue 255. */
const PALETTE: DataSetInput = Object.fromEntries(
  (['Red', 'Green', 'Blue'] as const).flatMap((color) => {
    const entries = { Red: (i: number) => i * 257, Green: () => 0, Blue: () => 65_535 }[color];
    return [
      [`${color}PaletteColorLookupTableDescriptor`, [256, 0, 16]],
      [`${color}PaletteColorLookupTableData`, Uint16Array.from({ length: 256 }, (_, i) => entries(i))],
    ];
  }),
);

const OPACITY = 0.4;

function writeBlending(over: readonly string[], more: DataSetInput): Uint8Array {
  const under = {
    RescaleSlope: '1',
    RescaleIntercept: '-1000',
    RescaleType: 'HU',
    SoftcopyVOILUTSequence: [{ WindowCenter: '100', WindowWidth: '401' }],
  };
  return writeDicom(
    blendingElements(
      [
        { position: 'UNDERLYING', images: CT_UIDS.slice(0, -1).map((uid) => named(uid)), elements: under },
        {
          position: 'SUPERIMPOSED',
          images: over.map((uid) => named(uid)),
          elements: { SoftcopyVOILUTSequence: [{ WindowCenter: '510.5', WindowWidth: '1021' }] },
        },
      ],
      { RelativeOpacity: OPACITY, ...PALETTE, ...more },
    ),
  );
}

const GRAPHICS: DataSetInput = {
  GraphicLayerSequence: [{ GraphicLayer: 'L', GraphicLayerOrder: '1' }],
  GraphicAnnotationSequence: [
    {
      GraphicLayer: 'L',
      ReferencedImageSequence: [named('2.25.716')],
      GraphicObjectSequence: [
        { GraphicAnnotationUnits: 'PIXEL', GraphicType: 'POLYLINE', GraphicData: [10, 12, 50, 12] },
      ],
    },
  ],
};

/** The color of the page at a pixel of the CT. */
async function colorAt({ page, cell }: ViewerPage, column: number, row: number): Promise<number[]> {
  const { rows, columns } = CT_SIZE;
  const [x, y] = (await projectionOf(cell, { rows, columns }, {}))(column + 0.5, row + 0.5);
  const { pixels } = readPng(
    new Uint8Array(await page.screenshot({ clip: { x: Math.round(x), y: Math.round(y), width: 1, height: 1 } })),
  );
  return [...pixels.subarray(0, 3)];
}

/** Pixel 40 of a row lies at x = -48 + 40 * 1.5 = 12 mm, which is 12 - (-40) = 52 mm in the MR: a value of 520. */
const [COLUMN, ROW] = [40, 20];
/** 34 HU in a window from -100.5 to 299.5: (34 - 99.5) / 400 + 0.5 = 0.33625. */
const GRAY = 0.33625 * 255;
/** 520 in a window from 0 to 1020. */
const RED = (520 / 1020) * 255;
const BLENDED = [RED, 0, 255].map((level) => OPACITY * level + (1 - OPACITY) * GRAY);

function isNear(found: readonly number[], expected: readonly number[]): boolean {
  // Gray, color and opacity are rounded to levels before they are mixed.
  return expected.every((level, at) => Math.abs(found[at]! - level) <= 2);
}

test('a blending state is applied in one step through a registration; graphics are drawn on planes and slides', async () => {
  const folder = writePyramid(createTempFolder(), { levels: [{ width: 512, height: 384, tile: 128 }] });
  const shift = registrationElements({
    uid: '2.25.610',
    into: FRAME_OF_REFERENCE,
    items: [{ from: MR_SPACE, matrices: [motion(0, [-40, -40, -22])] }],
  });
  const onSlide = stateElements([named(LARGEST_UID)], {
    SOPInstanceUID: '2.25.950',
    SeriesInstanceUID: '2.25.951',
    ContentDescription: 'On the slide',
    GraphicAnnotationSequence: [
      {
        GraphicLayer: 'L',
        GraphicObjectSequence: [
          { GraphicAnnotationUnits: 'MATRIX', GraphicType: 'POLYLINE', GraphicData: [100, 200, 400, 200] },
        ],
      },
    ],
  });
  writeFileSync(join(folder, 'state.dcm'), writeDicom(onSlide));
  const server = await serveShared(
    ...writeCt(),
    ...writeMr(),
    ...writePet(),
    writeDicom(shift),
    writeBlending(MR_UIDS, {
      ContentDescription: 'MR over CT',
      ...GRAPHICS,
      ReferencedSpatialRegistrationSequence: [named('2.25.611')],
    }),
    writeBlending(
      Array.from({ length: 10 }, (_, slice) => `2.25.7${slice + 60}`),
      { SOPInstanceUID: '2.25.905', ContentDescription: 'PET over CT' },
    ),
    folder,
  );
  const viewer = await openViewer(server, { address: '#cell=2.25.716,1', position: 6 });
  const { page, cell, complaints } = viewer;
  const hash = () => decodeURIComponent(new URL(page.url()).hash);
  const layers = (count: number) => cell.locator(`[data-layer="layers"][data-masks="${count}"]`).waitFor();
  const graphics = cell.locator('[data-layer="presentation"]');
  const badge = cell.locator('summary', { hasText: 'resentation' });
  const isBlended = () => colorAt(viewer, COLUMN, ROW).then((color) => isNear(color, BLENDED));
  const plain = await colorAt(viewer, COLUMN, ROW);

  // Nothing is applied by itself; what cannot be says why.
  await badge.click();
  await page.getByText('MR over CT').waitFor();
  await page.getByText('The registration that it names is not open.').waitFor();
  await page.getByText('It cannot be applied: its superimposed images have different rescales').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.keyboard.press('Escape');
  await layers(1);
  await expect.poll(isBlended).toBe(true);
  await cell.locator('[data-field]').waitFor();
  await expect.poll(hash).toContain('all:2.25.900');

  await page.keyboard.press('Shift+P');
  await expect.poll(() => colorAt(viewer, COLUMN, ROW)).toEqual(plain);
  await page.keyboard.press('Shift+P');
  await expect.poll(isBlended).toBe(true);

  // One step.
  await page.keyboard.press('Control+z');
  await expect.poll(() => colorAt(viewer, COLUMN, ROW)).toEqual(plain);
  await expect.poll(hash).not.toContain('layer=');
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(isBlended).toBe(true);

  // It is not for the last image.
  await page.keyboard.press('End');
  await showsImage(page, 11);
  await cell.getByText('not for this image').waitFor();
  await expect.poll(() => colorAt(viewer, COLUMN, ROW)).toEqual(plain);
  for (let position = 10; position >= 6; position -= 1) {
    await page.keyboard.press('ArrowUp');
    await showsImage(page, position);
  }
  await expect.poll(isBlended).toBe(true);

  // A link has it. What it laid over the images leaves with it.
  await expect.poll(hash).toMatch(/cell=2\.25\.716.*layer=/);
  await page.reload();
  await showsImage(page, 6);
  await expect.poll(isBlended).toBe(true);
  await badge.click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => colorAt(viewer, COLUMN, ROW)).toEqual(plain);

  // On the planes of the volume, graphics are where their image is, and a plane across the images says why there are none.
  await page.keyboard.press('y');
  await cell.getByText('Axial', { exact: true }).first().waitFor();
  await page.locator('[data-cell="1"][data-status="ready"][data-quality="exact"]').waitFor();
  const showGraphics = async (number: number, name: string) => {
    const one = page.locator(`[data-cell="${number}"][data-status="ready"]`);
    await one.locator('summary', { hasText: 'resentation' }).click();
    await one.getByRole('listitem').filter({ hasText: name }).getByRole('button', { name: 'Graphics only' }).click();
    await page.keyboard.press('Escape');
    return one;
  };
  // The planes go through the image that was on the screen.
  await showGraphics(0, 'MR over CT');
  await graphics.locator('path').first().waitFor({ state: 'attached' });
  const line = await graphics.locator('path').last().boundingBox();
  const { rows, columns } = CT_SIZE;
  const [left, top] = (await projectionOf(cell, { rows, columns }, {}))(10, 12);
  expect(Math.abs(line!.x - left)).toBeLessThan(3);
  expect(Math.abs(line!.y + line!.height / 2 - top)).toBeLessThan(2);
  const across = await showGraphics(1, 'MR over CT');
  await across.getByText('not drawn here, where no stored image lies').waitFor();
  await page.keyboard.press('y');

  // On a slide they are on its matrix, of which each stored frame is a tile.
  await page.goto(`${server.baseUrl}/#cell=${LARGEST_UID},1`);
  await cell.getByText('Presentation').waitFor();
  await showGraphics(0, 'On the slide');
  await graphics.locator('path').first().waitFor({ state: 'attached' });
  const onSlideLine = await graphics.locator('path').last().boundingBox();
  const project = await projectionOf(cell, { rows: 384, columns: 512 }, {});
  const [[x1, y1], [x2]] = [project(100, 200), project(400, 200)];
  expect(Math.abs(onSlideLine!.x - x1)).toBeLessThan(3);
  expect(Math.abs(onSlideLine!.y + onSlideLine!.height / 2 - y1)).toBeLessThan(3);
  expect(Math.abs(onSlideLine!.width - (x2 - x1))).toBeLessThan(6);
  await expect.poll(hash).toContain('marks:2.25.950');

  // Opening the state itself does the same.
  await page.goto(`${server.baseUrl}/#cell=2.25.716,1`);
  await showsImage(page, 6);
  await page
    .getByRole('treeitem', { name: /Presentation/ })
    .last()
    .click();
  await graphics.locator('path').first().waitFor({ state: 'attached' });
  await expect.poll(hash).toContain('marks:2.25.950');
  expect(complaints).toEqual([]);
});

/** Values of 600 from x = 10 mm on, in the frame of reference of the CT. */
function writeOther(): Uint8Array[] {
  return Array.from({ length: 12 }, (_, slice) =>
    writeDicom(
      placedImage(
        {
          uid: `2.25.84${slice + 10}`,
          rows: 24,
          columns: 12,
          plane: { ...AXIAL, position: [12, -46, -22 + 4 * slice], spacing: [4, 4] },
        },
        {
          SeriesInstanceUID: '2.25.841',
          Modality: 'MR',
          SeriesDescription: 'Other',
          BitsAllocated: 16,
          BitsStored: 16,
          HighBit: 15,
          PixelData: new Uint16Array(24 * 12).fill(600),
        },
      ),
    ),
  );
}

const numbers = (...inputs: readonly number[]) => inputs.map((number) => ({ BlendingInputNumber: number }));

test('an advanced blending state mixes three series, at each pixel those that have a value there', async () => {
  const shift = registrationElements({
    uid: '2.25.610',
    into: FRAME_OF_REFERENCE,
    items: [{ from: MR_SPACE, matrices: [motion(0, [-40, -40, -22])] }],
  });
  const state = stateElements([], {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.11.8',
    ContentDescription: 'Three',
    ReferencedSeriesSequence: [
      { SeriesInstanceUID: '2.25.71', ReferencedImageSequence: CT_UIDS.map((uid) => named(uid)) },
    ],
    PresentationLUTShape: undefined,
    AdvancedBlendingSequence: [
      {
        BlendingInputNumber: 1,
        StudyInstanceUID: '2.25.502',
        SeriesInstanceUID: '2.25.801',
        ReferencedImageSequence: MR_UIDS.map((uid) => named(uid)),
        SoftcopyVOILUTSequence: [{ WindowCenter: '510.5', WindowWidth: '1021' }],
        PaletteColorLookupTableSequence: [PALETTE],
      },
      {
        BlendingInputNumber: 2,
        StudyInstanceUID: '2.25.502',
        SeriesInstanceUID: '2.25.71',
        GeometryForDisplay: 'TRUE',
        RescaleSlope: '1',
        RescaleIntercept: '-1000',
        RescaleType: 'HU',
        SoftcopyVOILUTSequence: [{ WindowCenter: '100', WindowWidth: '401' }],
      },
      {
        BlendingInputNumber: 3,
        StudyInstanceUID: '2.25.502',
        SeriesInstanceUID: '2.25.841',
        SoftcopyVOILUTSequence: [{ WindowCenter: '510.5', WindowWidth: '1021' }],
      },
    ],
    BlendingDisplaySequence: [{ BlendingMode: 'EQUAL', BlendingDisplayInputSequence: numbers(1, 2, 3) }],
  });
  const server = await serveShared(...writeCt(), ...writeMr(), ...writeOther(), writeDicom(shift), writeDicom(state));
  const viewer = await openViewer(server, { address: '#cell=2.25.716,1', position: 6 });
  const { page, cell, complaints } = viewer;
  const plain = await colorAt(viewer, COLUMN, ROW);
  await cell.locator('summary', { hasText: 'resentation' }).click();
  await cell.getByText('Three').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.keyboard.press('Escape');
  await cell.locator('[data-layer="layers"][data-masks="2"]').waitFor();
  // Without a palette, 600 in a window from 0 to 1020 is gray.
  const other = (600 / 1020) * 255;
  const all = [RED, 0, 255].map((level) => (level + GRAY + other) / 3);
  await expect.poll(async () => isNear(await colorAt(viewer, COLUMN, ROW), all)).toBe(true);
  // Pixel 32 is at x = 0 mm, where the third series has none; the MR has 10 * 40 there.
  const two = [(400 / 1020) * 255, 0, 255].map((level) => (level + GRAY) / 2);
  await expect.poll(async () => isNear(await colorAt(viewer, 32, ROW), two)).toBe(true);
  await page.keyboard.press('Control+z');
  await expect.poll(() => colorAt(viewer, COLUMN, ROW)).toEqual(plain);
  // Opening the state itself shows the images whose geometry it names.
  await page
    .getByRole('treeitem', { name: /Presentation|Three/ })
    .last()
    .click();
  await cell.locator('[data-layer="layers"][data-masks="2"]').waitFor();
  expect(complaints).toEqual([]);
});
