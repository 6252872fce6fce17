import { expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolations } from '../support/axe.ts';
import { keyObjectElements, named } from '../support/presentationElements.ts';
import { contentItem, measurementGroup, reportElements, scoord } from '../support/regionElements.ts';
import { serve, type SharedServer } from '../support/serve.ts';
import { writeSlices } from '../support/segmentedSlices.ts';
import { openTab, type TestPage } from '../support/browser.ts';
import { openViewer } from '../support/viewerPage.ts';

const TEXT = ['121106', 'DCM', 'Comment'] as const;

function text(value: string): DataSetInput {
  return contentItem('TEXT', TEXT, { TextValue: value });
}

async function openDocument(server: SharedServer, address: string): Promise<TestPage> {
  const opened = await openTab(server);
  await opened.page.setViewportSize({ width: 1280, height: 800 });
  await opened.page.goto(`${server.baseUrl}/${address}`);
  return opened;
}

function writeReport(different: DataSetInput = {}): Uint8Array {
  return writeDicom(
    reportElements([measurementGroup('Nodule 1', [scoord('CIRCLE', [16, 16, 20, 16], '2.25.71')], 8)], {
      CompletionFlag: 'COMPLETE',
      VerificationFlag: 'UNVERIFIED',
      ...different,
    }),
  );
}

test('a report is read in a cell, and its measurement opens the image with the region beside it', async () => {
  const server = await serve(...writeSlices(3), writeReport());
  const { page, complaints } = await openDocument(server, '#cell=2.25.700,1');
  const document = page.getByRole('document', { name: 'Imaging Measurement Report' });
  await document.getByText('Tracking Identifier:').waitFor();
  await document.getByText('Verification unverified').waitFor();
  expect(await findViolations(page)).toEqual([]);

  await document.getByRole('button', { name: 'Measurements' }).click();
  const row = document.getByRole('row', { name: /Nodule 1/ });
  expect(await row.textContent()).toContain('8');
  expect(await findViolations(page)).toEqual([]);
  await row.getByRole('button', { name: /image/ }).click();
  const image = page.locator('[data-cell="1"]');
  await image.locator('svg[data-layer="graphics"] path[data-part="1"][data-lit]').waitFor({ state: 'attached' });
  // The document stays, and the address keeps both and the group.
  await expect.poll(() => new URL(page.url()).hash).toContain('item=1.1.1');
  expect(new URL(page.url()).hash).toContain('layout=1x2');
  expect(await document.isVisible()).toBe(true);
  expect(complaints).toEqual([]);
});

test('the address leads to an item, the tree has all items, and the search finds them', async () => {
  const content = Array.from({ length: 3_000 }, (_, i) => text(`line ${i + 1}`));
  const server = await serve(writeReport({ ContentSequence: content }));
  const { page } = await openDocument(server, '#cell=2.25.700,1&item=1.2900');
  const document = page.getByRole('document', { name: 'Imaging Measurement Report' });
  const line = document.locator('[data-item="1.2900"]');
  await line.waitFor();
  await expect.poll(() => line.evaluate((element) => element.getBoundingClientRect().top < innerHeight)).toBe(true);
  expect(await line.getAttribute('aria-current')).toBe('location');

  await document.getByRole('searchbox', { name: 'Search the report' }).fill('line 2750');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).hash).toContain('item=1.2750');
  await document.getByRole('button', { name: 'Tree' }).click();
  const selected = document.getByRole('treeitem', { selected: true });
  expect(await selected.textContent()).toContain('line 2750');
  // Only the visible rows are drawn.
  expect(await document.getByRole('treeitem').count()).toBeLessThan(100);
});

test('key objects are pictures in their order, and can be scrolled through alone', async () => {
  const server = await serve(...writeSlices(3), writeDicom(keyObjectElements([named('2.25.72'), named('2.25.70')])));
  const { page } = await openViewer(server, { address: '#cell=2.25.70,1' });
  const line = page.getByRole('treeitem', { name: /Key Object Selection/ });
  await line.click();
  const pictures = page.getByRole('region', { name: 'Selected objects' }).getByRole('listitem');
  await expect.poll(() => pictures.count()).toBe(2);

  await line.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open its images' }).click();
  await page
    .locator('[data-cell="0"]')
    .getByText(/2 of 3 key images/)
    .waitFor();
});

test('the palette and the filter of folders find a report by its title', async () => {
  const server = await serve(...writeSlices(3), writeReport());
  const { page } = await openViewer(server, { address: '#cell=2.25.70,1' });
  await page.getByRole('combobox', { name: 'Filter files' }).fill('imaging measurement');
  await page.getByRole('treeitem', { name: /Imaging Measurement Report · Comprehensive 3D SR/ }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a series, tag or command' }).fill('measurement report');
  await page.getByRole('option', { name: /Imaging Measurement Report/ }).click();
  const document = page.getByRole('document', { name: 'Imaging Measurement Report' });
  await document.waitFor();
  expect(await document.isVisible()).toBe(true);
});

test('a private object has a summary, and the keys scroll it', async () => {
  const other = { OtherPatientIDsSequence: Array.from({ length: 60 }, (_, i) => ({ PatientID: `P${i}` })) };
  const server = await serve(
    writeDicom({ SOPClassUID: '1.2.3.4', SOPInstanceUID: '2.25.5', PatientName: 'Doe^Jane', ...other }),
  );
  const { page } = await openDocument(server, '#cell=2.25.5,1');
  const document = page.getByRole('document', { name: 'Private object' });
  await document.getByText('The standard defines no SOP class 1.2.3.4.').waitFor();
  await document.getByRole('button', { name: 'Patient ID' }).click();
  await document.getByRole('columnheader', { name: /Patient ID/ }).waitFor();
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('End');
  await expect.poll(() => document.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
  expect(await findViolations(page)).toEqual([]);
});
