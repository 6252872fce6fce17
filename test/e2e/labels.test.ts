import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Download, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type SegmentationFrame, segmentationElements } from '../support/placedElements.ts';
import { serve } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, SLICE_UID, writeSlice } from '../support/sliceFiles.ts';
import { openViewer } from '../support/viewerPage.ts';

const SLICES = 4;
const SIZE = SLICE_ROWS * SLICE_COLUMNS;

/** Segment 1 has columns 3 to 9, segment 2 columns 8 to 19, of all rows on all slices. */
const COLUMNS = [
  [3, 10],
  [8, 20],
] as const;

function writeSegmentation(): Uint8Array {
  const frames = COLUMNS.flatMap(([first, end], at) =>
    Array.from({ length: SLICES }, (_, slice): SegmentationFrame => ({
      samples: Array.from({ length: SIZE }, (__, n) => (n % SLICE_COLUMNS >= first && n % SLICE_COLUMNS < end ? 1 : 0)),
      segmentNumber: at + 1,
      plane: { position: [0, 0, 2 * slice], orientation: [1, 0, 0, 0, 1, 0], spacing: [1, 1] },
    })),
  );
  const declared = Array.from({ length: SLICES }, (_, number) => `${SLICE_UID}.1.${number + 1}`);
  const size = { rows: SLICE_ROWS, columns: SLICE_COLUMNS, type: 'BINARY', segmentNumbers: [1, 2] } as const;
  const more = { FrameOfReferenceUID: `${SLICE_UID}.102`, SeriesDescription: 'Organs', SeriesNumber: '9' };
  return writeDicom(segmentationElements({ ...size, declared, frames }, more));
}

async function openStudy() {
  const slices = Array.from({ length: SLICES }, (_, number) => writeSlice({ number }));
  const server = await serve(...slices, writeSegmentation());
  return { server, ...(await openViewer(server)) };
}

async function openDialog(page: Page) {
  await page.getByRole('tree').getByText('Series 1').first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Download labels…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Download labels' });
  await dialog.waitFor();
  return dialog;
}

async function read(download: Download): Promise<Buffer> {
  return readFileSync(await download.path());
}

test('the menu of a series downloads what lies over it as labels, and names the overlaps beforehand', async () => {
  const { page, complaints } = await openStudy();
  const dialog = await openDialog(page);

  // 7 and 12 columns of 20 rows on 4 slices; columns 8 and 9 are in both.
  await dialog.getByText('2 labels in 30 × 20 × 4 voxels, in 2 volumes').waitFor();
  await dialog.getByText('1 segment 1 560 voxels').waitFor();
  await dialog.getByText('2 segment 2 960 voxels').waitFor();
  await dialog.getByText('160 voxels are in more than one label: segment 1 and segment 2').waitFor();
  await dialog.getByLabel('Overlaps').selectOption('the later one counts');
  await dialog.getByText('2 labels in 30 × 20 × 4 voxels').waitFor();
  const arriving = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  const download = await arriving;

  expect(download.suggestedFilename()).toBe('CT-series1-Series_1-labels.nii.gz');
  const file = gunzipSync(await read(download));
  const labels = file.subarray(file.readFloatLE(108));
  expect([...labels.subarray(0, 21)]).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0]);
  expect(labels.length).toBe(SLICES * SIZE);
  await dialog.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('labels that overlap leave in several files', async () => {
  const { page } = await openStudy();
  const dialog = await openDialog(page);
  await dialog.getByLabel('Overlaps').selectOption('in several files');
  await dialog.getByLabel('Format').selectOption('NIfTI, not packed (.nii)');
  const downloads: Download[] = [];
  page.on('download', (download) => downloads.push(download));
  await dialog.getByRole('button', { name: 'Download' }).click();
  await expect.poll(() => downloads.length).toBe(2);

  expect(downloads.map((one) => one.suggestedFilename()).toSorted()).toEqual([
    'CT-series1-Series_1-labels-1.nii',
    'CT-series1-Series_1-labels-2.nii',
  ]);
});

test('parts of a segmentation become marks that can be edited', async () => {
  const { page, server } = await openStudy();
  const dialog = await openDialog(page);
  await dialog.getByText('in 2 volumes').waitFor();
  await dialog.getByRole('button', { name: 'Make marks' }).click();

  await page.getByText('2 marks imported').waitFor();
  const { marks } = await (await server.request('/api/marks')).json();
  expect(marks.map(({ kind }: { kind: string }) => kind)).toEqual(['brush', 'brush']);
});

test('without a layer the dialog says what there is to choose, and downloads nothing', async () => {
  const server = await serve(...Array.from({ length: SLICES }, (_, number) => writeSlice({ number })));
  const { page } = await openViewer(server);
  const dialog = await openDialog(page);

  await dialog.getByText('nothing on these images is an area').waitFor();
  expect(await dialog.getByRole('button', { name: 'Download' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Marks of these images').uncheck();
  await dialog.getByText('Choose what becomes labels.').waitFor();
});
