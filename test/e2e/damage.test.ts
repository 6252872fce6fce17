import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { labelsOf, openMeasuring, RAMP_COLUMNS, RAMP_ROWS, writeRamp } from '../support/measuring.ts';
import { writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { serve } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { drag, openViewer, showsImage } from '../support/viewerPage.ts';

/** Values appear only after their meaning has been loaded, which takes long on a busy machine. */
const SLOW = { timeout: 60_000 };

test('an image with a missing part says so, and no values are measured there', async () => {
  const whole = writeRamp();
  // 16 bits per sample, and the pixel data comes last, so that three quarters of the rows are left.
  const kept = (RAMP_ROWS * 3) / 4;
  const cut = whole.slice(0, whole.length - 2 * RAMP_COLUMNS * (RAMP_ROWS - kept));
  const { page, cell, at, complaints } = await openMeasuring(await serve(cut));

  await expect.poll(() => cell.getByRole('status').allTextContents()).toContain(' 25 % of this image is missing');
  await page.mouse.move(...at(30, kept + 5));
  await expect.poll(() => cell.textContent(), SLOW).toMatch(/\(30, \d+\).*damaged/);
  await page.mouse.move(...at(30, 20));
  await expect.poll(() => cell.textContent(), SLOW).not.toMatch(/\(30, \d+\).*damaged/);

  await page.keyboard.press('Shift+E');
  await drag(page, at(20, 20), at(60, 40));
  await drag(page, at(20, kept - 10), at(60, kept + 10));
  await expect
    .poll(() => labelsOf(cell, 'box'), SLOW)
    .toEqual([
      [expect.stringContaining('Mean'), expect.any(String), expect.any(String)],
      ['No values: 25 % of this image is missing, and the region overlaps that part', expect.any(String)],
    ]);
  expect(complaints).toEqual([]);
});

test('an image with samples that Bits Stored cannot hold says how many', async () => {
  // 4,095 is the highest value of 12 bits, so the last two do not fit.
  const slice = writeSlice(
    { number: 0 },
    {
      BitsStored: 12,
      HighBit: 11,
      PixelRepresentation: 0,
      Rows: 2,
      Columns: 2,
      PixelData: new Uint8Array(Uint16Array.of(0, 4095, 4096, 65_535).buffer),
    },
  );
  const { cell, complaints } = await openViewer(await serve(slice));

  await expect.poll(() => cell.getByRole('status').allTextContents()).toContain(' 2 samples exceed Bits Stored');
  expect(complaints).toEqual([]);
});

test('a mask with a missing part says so over its image and in its row', async () => {
  const patch = { segment: 1, top: 4, left: 4, rows: 20, columns: 20 };
  const patches = [
    { ...patch, slice: 0 },
    { ...patch, slice: 1 },
  ];
  const masks = writeSegmentation({
    patches: [{ ...patch, slice: 0, segment: 2 }, ...patches],
    uid: '2.25.900',
    name: 'Organs',
  });
  // A frame has 32 rows of 4 bytes, and the last 16 rows are lost.
  const { page, cell, complaints } = await openViewer(await serve(...writeSlices(2), masks.slice(0, -64)));
  await page.locator('[data-cell="0"] canvas').first().click();
  await cell.getByText('1 segmentation').click();
  await cell.getByRole('checkbox').first().check();
  await page.keyboard.press('Escape');

  await showsImage(page, 0);
  await page.locator('[data-layer="layers"][data-masks="1"]').waitFor();
  expect(await cell.getByText('of the mask of').count()).toBe(0);
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 1);
  await cell.getByText('50 % of the mask of segment 1 is missing in its file').waitFor();
  await page.keyboard.press('ArrowUp');
  await showsImage(page, 0);
  await expect.poll(() => cell.getByText('of the mask of').count()).toBe(0);
  await page.getByRole('tab', { name: 'Layers' }).click();
  await page.locator('[data-part="1"]', { hasText: '1 damaged frame' }).waitFor();
  await page.locator('[data-part="2"]', { hasText: '400 voxels' }).waitFor();
  expect(await page.locator('[data-part="2"]', { hasText: 'damaged' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('the tags of a DICOM file that is not shown can be opened, until another image is viewed', async () => {
  const directory = writeDicom({ SOPClassUID: '1.2.840.10008.1.3.10', SOPInstanceUID: '2.25.7', FileSetID: 'DISC' });
  const server = await serve(writeSlice({ number: 0 }), writeSlice({ number: 1 }), directory);
  const { page, complaints } = await openViewer(server);
  const tags = page.getByRole('tree', { name: 'Tags' }).getByRole('treeitem');
  const open = async () => {
    await page.getByRole('button', { name: '2.dcm' }).click();
    await tags.filter({ hasText: 'File-set ID' }).waitFor();
    expect(await tags.filter({ hasText: "Patient's Name" }).count()).toBe(0);
  };

  await page.getByText('Not shown 1').click();
  await page.getByText(/^DICOMDIR \(/).click();
  await open();
  await page.getByRole('button', { name: 'Back to the tags of the image' }).click();
  await tags.filter({ hasText: "Patient's Name" }).waitFor();

  await open();
  await page.locator('[data-cell="0"] canvas').first().click();
  await page.keyboard.press('ArrowDown');
  await showsImage(page, 1);
  await tags.filter({ hasText: "Patient's Name" }).waitFor();
  expect(complaints).toEqual([]);
});
