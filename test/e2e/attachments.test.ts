import { expect, test } from 'vitest';
import { writeNpy, writeNrrd } from '../support/arrayFiles.ts';
import { findViolations } from '../support/axe.ts';
import { serve } from '../support/serve.ts';
import { SLICE_SIZE, writeSlices } from '../support/segmentedSlices.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { openViewer, showsImage } from '../support/viewerPage.ts';

const SLICES = 5;

/** A folder with five slices, 3 mm apart with pixels of 1 mm, and beside them a segmentation of another program. */
function writeFolder(): string {
  const folder = createTempFolder();
  for (const [number, slice] of writeSlices(SLICES).entries()) writeBelow(folder, `${number}.dcm`, slice);
  const samples = new Uint8Array(SLICE_SIZE * SLICE_SIZE * SLICES);
  for (let row = 4; row < 12; row += 1) {
    for (let column = 8; column < 24; column += 1) samples[(3 * SLICE_SIZE + row) * SLICE_SIZE + column] = 3;
  }
  const header = [
    'type: uint8',
    'dimension: 3',
    'space: left-posterior-superior',
    `sizes: ${SLICE_SIZE} ${SLICE_SIZE} ${SLICES}`,
    'space directions: (1,0,0) (0,1,0) (0,0,3)',
    'space origin: (0,0,0)',
    'encoding: raw',
    'Segment0_Name:=Lesion',
    'Segment0_Color:=1 0 0',
    'Segment0_LabelValue:=3',
  ];
  writeBelow(folder, 'model.seg.nrrd', writeNrrd(header, samples));
  writeBelow(folder, 'pickled.npy', writeNpy([2], new Uint8Array(16), { descr: '|O' }));
  return folder;
}

/** The color in the middle of the layers, and the share of their pixels that are drawn. */
function readCanvas(canvas: HTMLCanvasElement): { color: number[]; share: number } {
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
  const drawn: number[][] = [];
  for (let at = 0; at < data.length; at += 4) if (data[at + 3]! > 0) drawn.push(Array.from(data.slice(at, at + 3)));
  return { color: drawn[drawn.length >> 1] ?? [], share: drawn.length };
}

test('model output lies over its images and planes, has a place in the address, and needs no request for its looks', async () => {
  const viewer = await openViewer(await serve(writeFolder()), { address: '#cell=2.25.73,1', position: 3 });
  const { page, cell, complaints } = viewer;
  await cell.locator('summary', { hasText: '1 attachment' }).waitFor();
  await page.keyboard.press('m');
  const layers = page.locator('[data-cell="0"] [data-layer="layers"][data-masks="1"]');
  await layers.waitFor();
  await expect.poll(() => layers.evaluate(readCanvas)).toMatchObject({ color: [255, 0, 0] });
  await expect.poll(() => new URL(page.url()).hash).toContain('layer=~model.seg.nrrd');

  // The panel names its part, and says why the other file is not shown.
  await page.getByRole('tab', { name: 'Context' }).click();
  const section = page.getByRole('region', { name: 'model.seg.nrrd' });
  await section.getByText('Lesion').waitFor();
  await section.getByText('the grid of the file is that of the images').waitFor();
  await page.getByText('1 attachment not shown').click();
  await page.getByText('the array holds Python objects').waitFor();
  expect(await findViolations(page)).toEqual([]);

  const requests: string[] = [];
  page.on('request', (request) => void requests.push(request.url()));
  await section.getByRole('button', { name: 'Show Lesion' }).click();
  await expect.poll(() => layers.evaluate(readCanvas)).toMatchObject({ share: 0 });
  await section.getByRole('button', { name: 'Show Lesion' }).click();
  await expect.poll(() => layers.evaluate(readCanvas)).toMatchObject({ color: [255, 0, 0] });
  expect(requests).toEqual([]);

  // The address opens it again.
  await page.reload();
  await showsImage(page, 3);
  await layers.waitFor();
  await page.keyboard.press('y');
  for (const one of [0, 1, 2]) {
    await page.locator(`[data-cell="${one}"] [data-layer="layers"][data-masks="1"]`).waitFor();
  }
  expect(complaints).toEqual([]);
});
