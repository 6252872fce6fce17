import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TableResponse } from '../../src/shared/contract/tables.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolations, findViolationsInBoth } from '../support/axe.ts';
import { serveShared } from '../support/serve.ts';
import { SLICE_UID, writeSlice } from '../support/sliceFiles.ts';
import { drag, openViewer, showsImage } from '../support/viewerPage.ts';

/** Three series in two studies: CT, MR whose echo times differ, and PET. */
const FILES = [
  ...[0, 1, 2].map((number) => writeSlice({ number, series: 1 }, { EchoTime: '9', SeriesDescription: 'Thorax' })),
  ...['1.2', '5', '3'].map((EchoTime, number) => writeSlice({ number, series: 2 }, { Modality: 'MR', EchoTime })),
  writeSlice({ number: 0, series: 3 }, { Modality: 'PT', PatientID: 'P2', StudyInstanceUID: `${SLICE_UID}.200` }),
];

const COLUMNS = 'columns=Modality,SeriesNumber,SeriesDescription,EchoTime,Rows';

async function openTable(address = `#cohort=table.series;${COLUMNS}`) {
  const server = await serveShared(...FILES);
  const opened = await openViewer(server, { address });
  const { page } = opened;
  await rowsOf(page).first().waitFor();
  return { ...opened, server };
}

const gridOf = (page: Page) => page.getByRole('grid', { name: 'Table' });
const rowsOf = (page: Page) => gridOf(page).locator('[data-row]');
const headingOf = (page: Page, name: string) => gridOf(page).getByRole('columnheader', { name });
const fieldOf = (page: Page) => page.getByRole('combobox', { name: 'Condition' });

/** The texts of the cells of one column, from the first row on the screen. */
async function columnOf(page: Page, name: string): Promise<string[]> {
  const at = await headingOf(page, name).getAttribute('aria-colindex');
  const cells = rowsOf(page).locator(`[aria-colindex="${at}"]`);
  const texts = await cells.evaluateAll((found) =>
    found
      .map((cell) => [Number(cell.parentElement?.dataset['line']), cell.textContent ?? ''] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, text]) => text),
  );
  return texts;
}

const focusedCell = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    const line = activeElement?.closest<HTMLElement>('[data-line]')?.dataset['line'];
    return `${line}/${activeElement?.getAttribute('aria-colindex')}`;
  });

test('the table lies over the images, opens by button and key, closes with Esc, and is in the address', async () => {
  const server = await serveShared(...FILES);
  const { page, cell, complaints } = await openViewer(server);
  await page.getByRole('button', { name: /^Table and gallery/ }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(3);
  await expect.poll(() => page.url()).toContain('cohort=table.series');
  // What lies below cannot have the focus.
  expect(await page.locator('[inert] [data-cell="0"]').count()).toBe(1);
  expect(await findViolationsInBoth(page)).toEqual([]);

  await page.keyboard.press('Escape');
  await expect.poll(() => gridOf(page).count()).toBe(0);
  await expect.poll(() => page.url()).not.toContain('cohort');
  expect(await cell.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Alt+5');
  await rowsOf(page).first().waitFor();
  // Keys of the images do nothing to them now.
  await page.keyboard.press('i');
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(7);
  await expect.poll(() => page.url()).toContain('cohort=table.file');
  await page.getByRole('button', { name: 'Studies', exact: true }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  await expect.poll(() => page.url()).toContain('cohort=table.study');
  await page.goBack();
  await expect.poll(() => rowsOf(page).count()).toBe(7);
  await page.getByRole('button', { name: 'Back to the images', exact: true }).click();
  await showsImage(page);
  expect(complaints).toEqual([]);
});

test('a cell that varies says how, a click lists its files, Enter shows one, and Esc comes back to its row', async () => {
  const { page, complaints } = await openTable();
  await expect.poll(() => columnOf(page, 'EchoTime')).toEqual(['9', '1.2 to 5, 3 values', '']);
  await page.getByText('1.2 to 5, 3 values').click();
  await expect.poll(() => columnOf(page, 'EchoTime')).toEqual(['1.2', '3', '5']);
  expect(await page.getByRole('button', { name: 'Files', exact: true }).getAttribute('aria-pressed')).toBe('true');
  expect(await fieldOf(page).inputValue()).toContain(`SeriesInstanceUID = '${SLICE_UID}.101.2'`);

  // The last in the order of echo times is the second image.
  await rowsOf(page).last().getByText('5', { exact: true }).click();
  const before = await focusedCell(page);
  await page.keyboard.press('Enter');
  await expect.poll(() => gridOf(page).count()).toBe(0);
  await showsImage(page, 1);
  await page.getByRole('figure', { name: /Series 2/ }).waitFor();
  await expect.poll(() => page.url()).toContain('behind&cohort=table.file');
  await page.keyboard.press('Escape');
  await expect.poll(() => focusedCell(page)).toBe(before);
  expect(complaints).toEqual([]);
});

test('a row without any value has the name of its file', async () => {
  const palette = writeDicom({ SOPClassUID: '1.2.840.10008.5.1.4.39.1', SOPInstanceUID: `${SLICE_UID}.9` });
  const server = await serveShared(writeSlice({ number: 0 }), palette);
  const files: { files: { path: string }[] } = await (await server.request('/api/files')).json();
  const { page } = await openViewer(server, { address: '#cohort=table.series;columns=PatientID,Rows,marks' });
  await expect.poll(() => columnOf(page, 'PatientID')).toEqual(['P1', basename(files.files[1]!.path)]);
});

test('values and ranges become the condition, and the condition says what is wrong with it at its place', async () => {
  const { page, complaints } = await openTable();
  const facet = (name: string) =>
    page.getByRole('region', { name: 'Values' }).getByRole('region', { name, exact: true });
  await facet('Modality').getByRole('checkbox', { name: /^MR/ }).check();
  await expect.poll(() => fieldOf(page).inputValue()).toBe("Modality = 'MR'");
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  // The others are still counted, and can be added.
  await facet('Modality').getByRole('checkbox', { name: /^PT/ }).check();
  await expect.poll(() => fieldOf(page).inputValue()).toBe("Modality in ('MR', 'PT')");
  await expect.poll(() => columnOf(page, 'Modality')).toEqual(['MR', 'PT']);
  await facet('Modality').getByRole('button', { name: 'Any Modality' }).click();
  await expect.poll(() => fieldOf(page).inputValue()).toBe('');

  await fieldOf(page).focus();
  await page.keyboard.type('echot');
  const offered = page.getByRole('listbox', { name: 'Names and values' }).getByRole('option');
  await expect.poll(() => offered.allTextContents()).toEqual(['EchoTimenumber']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('> 4 andd');
  await page.keyboard.press('Enter');
  const error = page.getByRole('alert').filter({ hasText: 'andd' });
  await error.waitFor();
  expect(await fieldOf(page).getAttribute('aria-invalid')).toBe('true');
  expect(await findViolations(page)).toEqual([]);
  // The error begins below the word that it is about: its letters are as wide as those of the field.
  await fieldOf(page).fill('EchoTime > 4');
  await expect.poll(() => columnOf(page, 'Modality')).toEqual(['CT', 'MR']);
  expect(await error.count()).toBe(0);
  // From the field, Esc leads to the rows first.
  await page.keyboard.press('Escape');
  await expect.poll(() => focusedCell(page)).toBe('0/1');
  // Of a condition that is wrong nothing is known, also not that no rows meet it.
  await page.goto(`${page.url().split('#')[0]}#cohort=table.study;where=EchoTime%20andd`);
  await error.waitFor();
  expect(await page.getByText('meet this condition').count()).toBe(0);
  // The browser says that the server has refused the condition.
  expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
});

test('columns are chosen, read from the files, moved, widened, sorted and grouped', async () => {
  const { page, complaints } = await openTable();
  await headingOf(page, 'Modality').click();
  await expect.poll(() => columnOf(page, 'Modality')).toEqual(['CT', 'MR', 'PT']);
  await headingOf(page, 'Modality').click();
  await expect.poll(() => columnOf(page, 'Modality')).toEqual(['PT', 'MR', 'CT']);
  await headingOf(page, 'Rows').click();
  await headingOf(page, 'Modality').click({ modifiers: ['Shift'] });
  await expect.poll(() => page.url()).toContain('sort=Rows,Modality');

  // With keys: the heading moves, becomes wider, and is hidden.
  await headingOf(page, 'SeriesNumber').focus();
  await headingOf(page, 'SeriesNumber').click();
  await page.keyboard.press('Alt+ArrowLeft');
  await expect.poll(() => page.url()).toContain('columns=SeriesNumber,Modality');
  const wide = async () => (await headingOf(page, 'SeriesNumber').boundingBox())?.width ?? 0;
  const before = await wide();
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(wide).toBe(before + 16);
  await page.keyboard.press('Delete');
  await expect.poll(() => headingOf(page, 'SeriesNumber').count()).toBe(0);
  // With the pointer.
  const box = (await headingOf(page, 'EchoTime').boundingBox())!;
  await drag(page, [box.x + box.width - 1, box.y + 16], [box.x + box.width + 59, box.y + 16]);
  await expect.poll(async () => (await headingOf(page, 'EchoTime').boundingBox())?.width).toBe(box.width + 60);
  await headingOf(page, 'EchoTime').dragTo(headingOf(page, 'Modality'));
  await expect.poll(() => page.url()).toContain('columns=EchoTime:');

  await page.getByRole('button', { name: 'Columns', exact: true }).click();
  await page.keyboard.type('(0018,0050)');
  await page.keyboard.press('Enter');
  await expect.poll(() => columnOf(page, 'SliceThickness')).toEqual(['2', '2', '2']);
  await page.keyboard.type('NoSuchElement');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'NoSuchElement' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');

  await page.getByRole('combobox', { name: 'Group' }).selectOption('Modality');
  const heading = gridOf(page).getByRole('gridcell', { name: /^Modality: MR/ });
  await expect.poll(() => heading.getAttribute('aria-expanded')).toBe('true');
  await heading.click();
  await expect.poll(() => heading.getAttribute('aria-expanded')).toBe('false');
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  expect(await findViolations(page)).toEqual([]);
  // The browser says that the server has refused the element.
  expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
});

test('selected rows are opened together, downloaded, marked, and made the condition', async () => {
  const { page, complaints } = await openTable();
  const bar = page.getByRole('group', { name: 'Selected rows' });
  const selected = () => rowsOf(page).and(page.locator('[aria-selected="true"]')).count();
  await rowsOf(page).nth(0).click();
  await rowsOf(page)
    .nth(2)
    .click({ modifiers: ['Shift'] });
  expect(await selected()).toBe(3);
  await rowsOf(page)
    .nth(1)
    .click({ modifiers: ['ControlOrMeta'] });
  await bar.getByText('2 of 3 series selected').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('ControlOrMeta+a');
  await bar.getByText('3 of 3 series selected').waitFor();
  await page.keyboard.press('Space');
  await bar.getByText('2 of 3 series selected').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await bar.getByText('1 of 3 series selected').waitFor();
  await page.keyboard.press('Space');

  const saved = page.waitForEvent('download');
  await bar.getByRole('button', { name: 'Download selected' }).click();
  await page.getByRole('menuitem', { name: /CSV/ }).click();
  const file = await (await saved).createReadStream();
  let text = '';
  for await (const part of file) text += String(part);
  expect(text.trim().split(/\r?\n/)).toHaveLength(3);

  await bar.getByRole('button', { name: 'Copies without identifiers' }).click();
  // The page writes no files: it gives the command. All but one series are selected.
  await page.getByText(/^negato deidentify .+ --out COPIES --where '.*SeriesInstanceUID/).waitFor();
  await page.keyboard.press('Escape');

  await bar.getByRole('button', { name: 'Mark the images' }).click();
  await page.getByRole('textbox', { name: 'New class' }).fill('checked');
  await page.keyboard.press('Enter');
  await page.getByText('Marked 2 series as checked').waitFor();
  await page.goto(
    `${page.url().split('#')[0]}#cohort=table.series;columns=Modality,mark_classes;where=marks%20%3E%200`,
  );
  await expect.poll(() => columnOf(page, 'mark_classes')).toEqual(['checked', 'checked']);

  await rowsOf(page).first().click();
  await bar.getByRole('button', { name: 'Only these rows' }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  await fieldOf(page).fill('');
  await expect.poll(() => rowsOf(page).count()).toBe(3);
  await gridOf(page).getByRole('columnheader', { name: 'Select all' }).click();
  await bar.getByRole('button', { name: 'Open together' }).click();
  await expect.poll(() => page.locator('[data-cell][data-status="ready"]').count()).toBe(3);
  await page.keyboard.press('Escape');
  await bar.getByText('3 of 3 series selected').waitFor();
  expect(complaints).toEqual([]);
});

test('of a million rows only those in view are requested, and keys and the way back reach the last', async () => {
  const server = await serveShared(...FILES);
  const { page } = await openViewer(server);
  const offsets = new Set<number>();
  await page.route('**/api/table?*', async (route) => {
    const response = await route.fetch();
    const body: TableResponse = await response.json();
    const query = new URL(route.request().url()).searchParams;
    const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
    offsets.add(offset);
    const [model] = body.rows.length > 0 ? body.rows : rowsKnown;
    if (model !== undefined) rowsKnown = [model];
    const count = Math.min(limit, 1_000_000 - offset);
    const rows = Array.from({ length: count }, (_, n) => ({ ...model, id: String(offset + n), cells: [offset + n] }));
    await route.fulfill({ response, json: { ...body, total: 1_000_000, rows } });
  });
  let rowsKnown: TableResponse['rows'] = [];
  await page.goto(`${server.baseUrl}/#cohort=table.file;columns=Rows`);
  await rowsOf(page).first().waitFor();
  await gridOf(page).getByRole('gridcell').first().click();
  await page.keyboard.press('Control+End');
  await rowsOf(page).filter({ hasText: '999999' }).waitFor();
  await expect.poll(() => focusedCell(page)).toBe('999999/2');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Control+Home');
  await expect.poll(() => focusedCell(page)).toBe('0/1');
  await gridOf(page).hover();
  await page.mouse.wheel(0, 20_000_000);
  await rowsOf(page).filter({ hasText: '999999' }).waitFor();
  expect(await rowsOf(page).count()).toBeLessThan(100);
  expect(offsets.size).toBeLessThan(20);
  // The place is in the address, and is there again.
  await expect.poll(() => page.url()).toMatch(/at=0_9999\d\d/);
  await page.reload();
  await rowsOf(page).filter({ hasText: '999999' }).waitFor();
});
