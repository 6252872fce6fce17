import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openTab } from '../support/browser.ts';
import { placeLevel } from '../support/slideElements.ts';
import { serve } from '../support/serve.ts';
import { at, createFolder, LARGEST_UID, middleOf, showsSlide } from '../support/slidePage.ts';
import { halvings, writePyramid } from '../support/slidePyramid.ts';
import { structureSetElements } from '../support/structureSetElements.ts';

const SPACE = '2.25.900';
const STUDY = '1.2.826.0.1.3680043.8.498.71';
/** 2048 x 1536 pixels of 0.001 mm, whose first one is at (5, 3) mm. */
const LEVELS = halvings(2048, 1536, 512).map((shape, level) => ({
  ...shape,
  elements: { FrameOfReferenceUID: SPACE, ...placeLevel(5, 3, String(0.001 * 2 ** level)) },
}));

/** A square of 200 pixels from pixel 900 on, in millimetres. */
const SQUARE = [
  [5.9, 3.7],
  [6.1, 3.7],
  [6.1, 3.9],
  [5.9, 3.9],
].map(([x, y]) => [x!, y!, 0]);

/** 16 x 12 values, each for 128 x 128 pixels: their column. Tiles of 8 x 12. */
function writeMap(): Uint8Array {
  const tiles = [0, 8];
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.30',
    SOPInstanceUID: '2.25.910',
    StudyInstanceUID: STUDY,
    SeriesInstanceUID: '2.25.911',
    SeriesDescription: 'Attention',
    Modality: 'OT',
    FrameOfReferenceUID: SPACE,
    DimensionOrganizationType: 'TILED_SPARSE',
    TotalPixelMatrixColumns: 16,
    TotalPixelMatrixRows: 12,
    ...placeLevel(5.0635, 3.0635, '0.128'),
    NumberOfFrames: '2',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 12,
    Columns: 8,
    BitsAllocated: 32,
    PerFrameFunctionalGroupsSequence: tiles.map((left) => ({
      PlanePositionSlideSequence: [
        {
          ColumnPositionInTotalImagePixelMatrix: left + 1,
          RowPositionInTotalImagePixelMatrix: 1,
          XOffsetInSlideCoordinateSystem: String(5.0635 + left * 0.128),
          YOffsetInSlideCoordinateSystem: '3.0635',
        },
      ],
    })),
    FloatPixelData: Float32Array.from(tiles.flatMap((left) => Array.from({ length: 96 }, (_, i) => left + (i % 8)))),
  });
}

test('contours and a map of tiles lie over a slide, and change their look without a request', async () => {
  const folder = createFolder();
  writePyramid(folder, { levels: LEVELS });
  const structures = structureSetElements(
    [
      {
        number: 1,
        name: 'Tumor',
        contours: [{ points: SQUARE }],
        color: [255, 0, 0],
        different: { ReferencedFrameOfReferenceUID: SPACE },
      },
    ],
    { FrameOfReferenceUID: SPACE, StudyInstanceUID: STUDY },
  );
  writeFileSync(join(folder, 'structures.dcm'), writeDicom(structures));
  writeFileSync(join(folder, 'map.dcm'), writeMap());
  const server = await serve(folder);
  const { page, complaints, requests } = await openTab(server);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${server.baseUrl}/?slide${at(1000, 800, 1)}&layer=2.25.600&layer=2.25.910`);
  await showsSlide(page);
  const cell = page.locator('[data-cell="0"]');
  const layers = cell.locator('canvas[data-layer="layers"]');
  await expect.poll(() => layers.getAttribute('data-masks')).toMatch(/^[2-9]/);
  const colorAt = (x: number, y: number) =>
    layers.evaluate(
      (canvas: HTMLCanvasElement, [dx, dy]) => {
        const pixel = [Math.round(canvas.width / 2 + dx!), Math.round(canvas.height / 2 + dy!)] as const;
        return Array.from(canvas.getContext('2d')?.getImageData(...pixel, 1, 1).data ?? []);
      },
      [x, y],
    );
  // The left side of the square is 100 pixels from the middle of the view.
  await expect.poll(async () => (await colorAt(-100, 0))[0]).toBeGreaterThan(200);
  // The map covers all of the slide.
  expect((await colorAt(300, 200))[3]).toBeGreaterThan(60);
  // Pixel 1087 is the middle of column 8, whose pixels are 1024 to 1151: (1087 - 63.5) / 128 = 7.996.
  const [x, y] = await middleOf(cell);
  await page.mouse.move(x + 87, y);
  await expect.poll(() => cell.locator('[data-texts]').textContent()).toMatch(/Attention (?:8|7\.99\d|8\.00\d)\D/);
  await expect.poll(() => cell.locator('[data-texts]').textContent()).toContain('Tumor');

  const asked = () => requests.filter((url) => url.includes('/region?')).length;
  const before = asked();
  await page.getByRole('tab', { name: 'Layers' }).click();
  await page.getByRole('slider', { name: 'Opacity of Attention' }).fill('0');
  await expect.poll(async () => (await colorAt(300, 200))[3]).toBe(0);
  expect(asked()).toBe(before);
  expect(new URL(page.url()).hash).toContain(LARGEST_UID);
  expect(complaints).toEqual([]);
}, 180_000);
