import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolations } from '../support/axe.ts';
import { keyObjectElements, named, stateElements } from '../support/presentationElements.ts';
import { readPng } from '../support/readPng.ts';
import { serveShared } from '../support/serve.ts';
import { SLICE_SIZE, writeSlices } from '../support/segmentedSlices.ts';
import { openViewer, projectionOf, showsImage, type ViewerPage } from '../support/viewerPage.ts';

const IMAGE = { rows: SLICE_SIZE, columns: SLICE_SIZE };

/** A state of the third slice: white where the image is black, turned by 90°, with a line and a text. */
function writeState(): Uint8Array {
  return writeDicom(
    stateElements([named('2.25.72')], {
      SoftcopyVOILUTSequence: [{ WindowCenter: '30000', WindowWidth: '2' }],
      PresentationLUTShape: 'INVERSE',
      ImageRotation: 90,
      ImageHorizontalFlip: 'N',
      GraphicLayerSequence: [{ GraphicLayer: 'L', GraphicLayerOrder: '1' }],
      GraphicAnnotationSequence: [
        {
          GraphicLayer: 'L',
          GraphicObjectSequence: [
            { GraphicAnnotationUnits: 'PIXEL', GraphicType: 'POLYLINE', GraphicData: [4, 4, 20, 4] },
          ],
          TextObjectSequence: [
            {
              BoundingBoxAnnotationUnits: 'PIXEL',
              UnformattedTextValue: 'Lesion\r\nsecond line',
              BoundingBoxTopLeftHandCorner: [8, 20],
              BoundingBoxBottomRightHandCorner: [24, 26],
              BoundingBoxTextHorizontalJustification: 'LEFT',
            },
          ],
        },
      ],
    }),
  );
}

function writeSelections(): Uint8Array[] {
  const rejected = { uid: '2.25.911', title: ['113001', 'Rejected for Quality Reasons'] } as const;
  return [
    writeDicom(keyObjectElements([named('2.25.71'), named('2.25.73')])),
    writeDicom(keyObjectElements([named('2.25.74')], rejected)),
  ];
}

/** The gray level of the picture at a point of the image. */
async function levelAt({ page, cell }: ViewerPage, column: number, row: number, turns: number): Promise<number> {
  const box = await cell.boundingBox();
  const [x, y] = (await projectionOf(cell, IMAGE, { turns }))(column + 0.5, row + 0.5);
  return page
    .locator('[data-cell="0"] canvas')
    .first()
    .evaluate(
      (canvas: HTMLCanvasElement, [left, top]) => {
        const ratio = canvas.width / canvas.clientWidth;
        return canvas.getContext('2d')?.getImageData(left! * ratio, top! * ratio, 1, 1).data[0] ?? -1;
      },
      [x - (box?.x ?? 0), y - (box?.y ?? 0)],
    );
}

test('presentation states are offered, applied in one step and taken back; key images are a filter', async () => {
  const server = await serveShared(...writeSlices(5), writeState(), ...writeSelections());
  const viewer = await openViewer(server, { address: '#cell=2.25.72,1', position: 2 });
  const { page, cell, complaints } = viewer;
  const hash = () => decodeURIComponent(new URL(page.url()).hash);
  const graphics = cell.locator('[data-layer="presentation"]');
  const plain = await levelAt(viewer, 2, 2, 0);
  expect(plain).toBeLessThan(255);

  // Offered, but not applied by itself.
  const badge = cell.locator('summary', { hasText: 'Presentation' });
  await badge.click();
  await cell.getByText('A state for tests').waitFor();
  await page.getByText('Doe, Jane · 2025-01-14').waitFor();
  expect(await graphics.count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => levelAt(viewer, 2, 2, 1)).toBe(255);
  await expect.poll(() => graphics.locator('text').textContent()).toContain('Lesion');
  expect(await graphics.locator('tspan').allTextContents()).toEqual(['Lesion', 'second line']);
  expect(await badge.textContent()).toContain('Presentation: A state for tests');
  await expect.poll(hash).toContain('all:2.25.900');
  // The line from (4, 4) to (20, 4), whose upper side is the corner of a pixel, turned clockwise around the middle.
  const line = await graphics.locator('path').last().boundingBox();
  const [x, y] = (await projectionOf(cell, IMAGE, { turns: 1 }))(4, 4);
  expect(Math.abs((line?.x ?? 0) + (line?.width ?? 0) / 2 - x)).toBeLessThan(2);
  expect(Math.abs((line?.y ?? 0) - y)).toBeLessThan(3);

  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+P');
  await expect.poll(() => levelAt(viewer, 2, 2, 0)).toBe(plain);
  expect(await graphics.locator('text').count()).toBe(0);
  await expect.poll(hash).toContain('all-hidden:2.25.900');
  await page.keyboard.press('Shift+P');
  await expect.poll(() => levelAt(viewer, 2, 2, 1)).toBe(255);

  // One step.
  await page.keyboard.press('Control+z');
  await expect.poll(() => levelAt(viewer, 2, 2, 0)).toBe(plain);
  await expect.poll(hash).not.toContain('2.25.900');
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(() => levelAt(viewer, 2, 2, 1)).toBe(255);

  // A saved picture has it, and no list that is closed.
  await page.keyboard.press('Control+s');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save', exact: true }).click(),
  ]);
  const saved = readPng(new Uint8Array(await readFile(await download.path())));
  const pixelAt = (at: number) => [...saved.pixels.subarray(at * saved.channels, at * saved.channels + 3)];
  const row = (saved.rows - 150) * saved.columns + (saved.columns >> 1);
  expect([-100, -50, 0, 50, 100].map((step) => pixelAt(row + step))).toEqual(
    Array.from({ length: 5 }, () => [255, 255, 255]),
  );
  const isYellow = (at: number) => pixelAt(at).join() === '255,214,64';
  expect(Array.from({ length: saved.rows * saved.columns }, (_, at) => at).some(isYellow)).toBe(true);
  await page.keyboard.press('Escape');

  // A link has it too.
  await expect.poll(hash).toContain('all:2.25.900');
  await page.reload();
  await showsImage(page, 2);
  await expect.poll(() => levelAt(viewer, 2, 2, 1)).toBe(255);
  await graphics.locator('text').waitFor();

  // Only its graphics: the picture is the own one of the image.
  await badge.click();
  await page.getByRole('button', { name: 'Graphics only' }).click();
  await expect.poll(() => levelAt(viewer, 2, 2, 0)).toBe(plain);
  await graphics.locator('text').waitFor();
  await expect.poll(hash).toContain('marks:2.25.900');
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(hash).not.toContain('2.25.900');
  await page.keyboard.press('Escape');

  // Key images: a filter, ticks, and the one that was rejected.
  await cell.getByText('2 of 5 key images · Of Interest').waitFor();
  expect(await page.locator('[data-tick="key"]').count()).toBe(2);
  expect(await page.locator('[data-tick="rejected"]').count()).toBe(1);
  await page.keyboard.press('Home');
  await showsImage(page, 0);
  await page.keyboard.press('Shift+N');
  await showsImage(page, 1);
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 3);
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 3);
  await expect.poll(hash).toContain('2.25.910');
  await page.keyboard.press('Shift+N');
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 4);
  await cell.getByText('Rejected image: Rejected for Quality Reasons').waitFor();

  // Opening the state itself shows its image by it.
  await page.getByRole('treeitem', { name: /Presentation/ }).click();
  await showsImage(page, 2);
  await expect.poll(() => levelAt(viewer, 2, 2, 1)).toBe(255);
  expect(complaints).toEqual([]);
});
