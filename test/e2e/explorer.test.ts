import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { openPage } from '../support/browser.ts';
import { serve, serveWith } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { openViewer } from '../support/viewerPage.ts';

const UID = '1.2.826.0.1.3680043.10.68';

function writeReport(number: number, different: Record<string, string> = {}): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11',
    SOPInstanceUID: `${UID}.${number}`,
    StudyInstanceUID: `${UID}.100.${number % 7}`,
    SeriesInstanceUID: `${UID}.101.${number % 50}`,
    Modality: 'SR',
    PatientName: 'Roe^Ann',
    PatientID: `R${number % 7}`,
    SeriesDescription: 'Findings',
    StudyDate: '20240131',
    ...different,
  });
}

/** Names of the lines of the tree at this level. */
async function linesOf(page: Page, level: number): Promise<string[]> {
  const lines = page.locator(`nav [role=treeitem][aria-level="${level}"]`);
  return lines.evaluateAll((items) => items.map((item) => item.textContent ?? ''));
}

function line(page: Page, name: string | RegExp) {
  return page.getByRole('navigation').getByRole('treeitem', { name });
}

test('the study tree has patients, studies and series, and its counts add up to the files found', async () => {
  const server = await serve(
    writeSlice({ number: 0 }),
    writeSlice({ number: 1 }),
    writeSlice({ number: 0, series: 2 }),
    writeReport(1),
    writeReport(2),
  );
  const { page, complaints } = await openViewer(server);
  await line(page, '2 · Series 2').waitFor();

  expect(await linesOf(page, 1)).toEqual(['Doe, Jane P1 3 files', 'Roe, Ann R1 1 file', 'Roe, Ann R2 1 file']);
  expect(await linesOf(page, 3)).toEqual([
    '1 · Series 1 CT · 2 images 2 files',
    '2 · Series 2 CT · 1 image 1 file',
    'Findings SR · structured report 1 file',
    'Findings SR · structured report 1 file',
  ]);
  await page.getByText('5 files open').waitFor();
  expect(complaints).toEqual([]);
});

test('a click opens a series in the active cell, and its line is marked', async () => {
  const server = await serve(writeSlice({ number: 0 }), writeSlice({ number: 5, series: 2 }));
  const { page } = await openViewer(server);

  await line(page, /^2 · Series 2/).click();

  await page.locator('nav [aria-selected=true]', { hasText: 'Series 2' }).waitFor();
  await page.getByRole('figure', { name: 'CT Series 2' }).waitFor();
  expect(await page.locator('nav [aria-selected=true]').count()).toBe(1);
});

test('a series that is dropped on a cell opens there', async () => {
  const server = await serve(writeSlice({ number: 0 }), writeSlice({ number: 5, series: 2 }));
  const { page } = await openViewer(server, { address: '#layout=1x2' });

  await line(page, /^2 · Series 2/).dragTo(page.locator('[data-cell="1"]'));

  await page.locator('html[data-parts="all"] [data-cell="1"][data-status="ready"]').waitFor();
  expect(await page.locator('[data-cell="1"]').getAttribute('aria-label')).toBe('CT Series 2');
  expect(await page.locator('[data-cell="0"]').getAttribute('aria-label')).toBe('CT Series 1');
});

test('the folder tree has the folders as they lie on the disk', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'one/deep/a.dcm', writeSlice({ number: 0 }));
  writeBelow(folder, 'one/deep/b.dcm', writeSlice({ number: 1 }));
  writeBelow(folder, 'two/c.dcm', writeReport(1));
  const server = await serve(folder);
  const { page } = await openViewer(server);

  await page.getByRole('button', { name: 'Folders' }).click();

  expect(await linesOf(page, 2)).toEqual(['one/deep  2 files', 'two  1 file']);
  await line(page, /^two/).click();
  await line(page, /^c\.dcm/).click();
  await page.getByText('It holds no image. (pixel_data.absent)').first().waitFor();
  await page.locator('[data-cell="0"]').getByText('Basic Text SR Storage').waitFor();
});

test('the folder tree is open down to the file that is shown, and again when another is opened', async () => {
  const folder = createTempFolder();
  for (let i = 0; i < 60; i++) writeBelow(folder, `a/${i}.dcm`, writeReport(i));
  writeBelow(folder, 'b/c/deep/1.dcm', writeSlice({ number: 0 }));
  writeBelow(folder, 'b/d/2.dcm', writeSlice({ number: 0, series: 2 }));
  const { page } = await openViewer(await serve(folder));
  await page.getByRole('button', { name: 'Folders' }).click();
  const marked = page.locator('nav [aria-selected=true]');

  await marked.getByText('1.dcm').waitFor();
  await line(page, /^b/).click();
  expect(await line(page, /^1\.dcm/).count()).toBe(0);
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('PageDown');

  await marked.getByText('2.dcm').waitFor();
  expect(await marked.count()).toBe(1);
});

test('a folder that is closed is marked while what is shown lies in it', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a/deep/1.dcm', writeSlice({ number: 0 }));
  writeBelow(folder, 'b/2.dcm', writeSlice({ number: 0, series: 2 }));
  const { page } = await openViewer(await serve(folder));
  await page.getByRole('button', { name: 'Folders' }).click();
  const marked = page.locator('nav [aria-selected=true]');

  await marked.getByText('1.dcm').waitFor();
  await line(page, /a\/deep/).click();
  await marked.getByText('a/deep').waitFor();

  expect(await marked.count()).toBe(1);
});

test('the filter looks at names, ids, descriptions, modality, kind and path, and takes all its words', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'scans/a.dcm', writeSlice({ number: 0 }));
  writeBelow(folder, 'notes/b.dcm', writeReport(1, { SeriesDescription: 'Liver findings' }));
  const server = await serve(folder);
  const { page } = await openViewer(server);
  const filter = page.getByRole('searchbox', { name: 'Filter files' });

  for (const words of ['doe', 'P1', 'jane ct', 'scans', 'classic image', 'series']) {
    await filter.fill(words);
    await expect.poll(() => linesOf(page, 1), { message: words }).toEqual(['Doe, Jane P1 1 file']);
  }
  await filter.fill('liver sr 2024-01-31');
  await expect.poll(() => linesOf(page, 1)).toEqual(['Roe, Ann R1 1 file']);
  await page.getByText('1 of 2 files').waitFor();
  await filter.fill('liver ct');
  await expect.poll(() => linesOf(page, 1)).toEqual([]);
});

test('what is not shown is listed by reason', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a.dcm', writeReport(1));
  writeBelow(folder, 'notes.txt', 'no DICOM');
  const server = await serve(folder);
  const { page } = await openPage();
  await page.goto(server.baseUrl);

  await page.getByText('Not shown', { exact: false }).and(page.locator('summary')).click();
  await page.getByText('Not a DICOM file').click();

  await page.getByText(`${folder}/notes.txt`).waitFor();
  expect(await page.getByRole('status').first().textContent()).toBe('1 file open · 1 file not shown');
});

function middle(page: Page) {
  return page.getByRole('region', { name: 'What was found' });
}

test('a folder without a file says so in the middle of the page', async () => {
  const server = await serve(createTempFolder());
  const { page, complaints } = await openPage();
  await page.goto(server.baseUrl);

  await middle(page).getByText('What was opened holds no files at all.').waitFor();

  expect(await middle(page).textContent()).toContain('No DICOM file was found.');
  expect(complaints).toEqual([]);
});

test('a folder without DICOM says in the middle of the page what was found instead, by reason', async () => {
  const folder = createTempFolder();
  for (let i = 0; i < 5; i++) writeBelow(folder, `notes${i}.txt`, 'no DICOM');
  const server = await serve(folder, `${folder}/absent`);
  const { page } = await openPage();
  await page.goto(server.baseUrl);

  await middle(page).getByText('Not a DICOM file: 5 files').waitFor();
  await middle(page).getByText('The path given does not exist or cannot be reached: 1 path').waitFor();

  const named = await middle(page).getByRole('listitem').allTextContents();
  expect(named).toContain(`${folder}/absent`);
  // Three of five, and that there are more.
  expect(named.filter((path) => path.endsWith('.txt'))).toHaveLength(3);
  expect(named).toContain('…');
});

const NO_FILE = [{ field: 'modality', text: 'no such' }] as const;

test('where the filter leaves every file out, the middle of the page says so', async () => {
  const server = await serveWith({ inputs: [writeSlice({ number: 0 })], catalog: { filters: NO_FILE } });
  const { page } = await openPage();
  await page.goto(server.baseUrl);

  await middle(page).getByText('Left out by --filter: 1 file').waitFor();

  expect(await middle(page).textContent()).toContain('Every DICOM file was left out.');
});

test('ten thousand files draw only the lines that can be seen, and all of them are counted', async () => {
  const folder = createTempFolder();
  for (let i = 0; i < 10_000; i++) {
    const series = { SeriesInstanceUID: `${UID}.102.${i}`, SeriesDescription: `Findings ${i}` };
    writeBelow(folder, `${i}.dcm`, writeReport(i, series));
  }
  const server = await serve(folder);
  const { page } = await openPage();
  await page.goto(server.baseUrl);
  await page.getByText('10,000 files open').waitFor();
  await line(page, /^Findings 0 /).waitFor();

  const tree = page.getByRole('tree', { name: 'Patients and studies' });
  // The last of the last patient: 9995 = 7 x 1427 + 6. The list comes in pages, so its end moves for a while.
  await expect
    .poll(
      async () => {
        await tree.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return line(page, /^Findings 9995 /).count();
      },
      { timeout: 30_000 },
    )
    .toBe(1);
  expect(await page.getByRole('navigation').getByRole('treeitem').count()).toBeLessThan(100);

  const filter = page.getByRole('searchbox', { name: 'Filter files' });
  let total = 0;
  for (let patient = 0; patient < 7; patient++) {
    await filter.fill(`R${patient}`);
    // The list follows the words a moment later: only this patient's own line is counted.
    const own = new RegExp(` R${patient} ([\\d,]+) files$`);
    await expect.poll(() => linesOf(page, 1)).toEqual([expect.stringMatching(own)]);
    total += Number(own.exec((await linesOf(page, 1))[0] ?? '')?.[1]?.replace(',', ''));
  }
  expect(total).toBe(10_000);
}, 120_000);

test('lines stay under the pointer while others come in above them', async () => {
  const folder = createTempFolder();
  for (let i = 0; i < 60; i++)
    writeBelow(folder, `b${i}.dcm`, writeReport(i, { PatientID: `P${i}`, SeriesDescription: `S${i}` }));
  const server = await serve(folder);
  const { page } = await openPage();
  await page.goto(server.baseUrl);
  await line(page, /^Roe, Ann P0 /).waitFor();
  const tree = page.getByRole('tree', { name: 'Patients and studies' });
  await tree.evaluate((element) => element.scrollTo(0, 1500));
  const seen = tree.getByRole('treeitem').filter({ hasText: 'P20' });
  const before = await seen.boundingBox();

  // Closing a patient above takes lines away there.
  await tree.evaluate((element) => {
    const above = [...element.querySelectorAll('[role=treeitem]')].find((item) => item.textContent?.includes('P12'));
    above?.querySelector('span')?.click();
  });

  await expect.poll(async () => tree.getByRole('treeitem').filter({ hasText: 'S12' }).count()).toBe(0);
  expect((await seen.boundingBox())?.y).toBe(before?.y);
});
