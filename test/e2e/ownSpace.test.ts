import { expect, test } from 'vitest';
import { showStoredBeside } from '../support/storedBeside.ts';
import { writeNrrd } from '../support/arrayFiles.ts';
import { SLICE_SIZE, writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { serve } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { openViewer, reload } from '../support/viewerPage.ts';

const SLICES = 8;

/** Slices without Frame of Reference UID, a segmentation of them without one, and an array on their grid. */
function writeFolder(): string {
  const folder = createTempFolder();
  for (const [number, slice] of writeSlices(SLICES, { FrameOfReferenceUID: undefined }).entries()) {
    writeBelow(folder, `${number}.dcm`, slice);
  }
  const patches = [2, 3, 4, 5].map((slice) => ({ segment: 1, top: 8, left: 10, rows: 8, columns: 12, slice }));
  const different = { FrameOfReferenceUID: undefined };
  writeBelow(folder, 'seg.dcm', writeSegmentation({ patches, uid: '2.25.900', name: 'Box', different }));
  const samples = new Uint8Array(SLICE_SIZE * SLICE_SIZE * SLICES).fill(1);
  const header = [
    'type: uint8',
    'dimension: 3',
    'space: left-posterior-superior',
    `sizes: ${SLICE_SIZE} ${SLICE_SIZE} ${SLICES}`,
    'space directions: (1,0,0) (0,1,0) (0,0,3)',
    'space origin: (0,0,0)',
    'encoding: raw',
  ];
  writeBelow(folder, 'model.nrrd', writeNrrd(header, samples));
  return folder;
}

test('images without a frame of reference have planes with their layers, and one cursor for planes and images', async () => {
  const server = await serve(writeFolder());
  const { page, complaints } = await openViewer(server, { address: '#cell=2.25.73,1', position: 3 });
  await page.keyboard.press('m');
  const layersIn = (cell: number) => page.locator(`[data-cell="${cell}"] [data-layer="layers"][data-masks="2"]`);
  await layersIn(0).waitFor();
  await page.keyboard.press('y');
  await showStoredBeside(page, '2.25.73');
  for (const cell of [0, 1, 2, 3]) await layersIn(cell).waitFor();

  // The stored images in the last cell follow the axial plane, as in a frame of reference, to the last image of the segmentation.
  await page.locator('[data-cell="0"]').hover();
  for (let i = 0; i < 2; i += 1) await page.keyboard.press('ArrowDown');
  await expect.poll(() => page.locator('[data-cell="3"]').getAttribute('data-shown')).toBe('5');

  await reload(page);
  await page.locator('html[data-parts="all"]').waitFor();
  for (const cell of [0, 1, 2, 3]) await layersIn(cell).waitFor();
  expect(complaints).toEqual([]);
});
