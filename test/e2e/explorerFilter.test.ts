import { expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { findViolations } from '../support/axe.ts';
import { openTab } from '../support/browser.ts';
import { serve } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { openViewer } from '../support/viewerPage.ts';

test('the filter takes conditions, offers names and values by keys, and says which condition excludes all files', async () => {
  const server = await serve(
    writeSlice({ number: 0 }),
    writeSlice({ number: 1 }),
    writeSlice({ number: 0, series: 2 }, { Modality: 'PT' }),
  );
  const { page, complaints } = await openViewer(server);
  const nav = page.getByRole('navigation');
  const filter = page.getByRole('combobox', { name: 'Filter files' });
  const options = page.getByRole('listbox', { name: 'Names and values' }).getByRole('option');

  await filter.focus();
  await page.keyboard.type('mod');
  await expect.poll(() => options.allTextContents()).toEqual(['Modalitytext']);
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await filter.inputValue()).toBe('Modality=');
  await expect.poll(() => options.allTextContents()).toEqual(['CT2 files', 'PT1 file']);
  await page.keyboard.press('ArrowUp');
  expect(await options.last().getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Enter');
  expect(await filter.inputValue()).toBe("Modality='PT'");
  await nav.getByText('1 of 3 files').waitFor();

  await page.keyboard.type(' ');
  await expect.poll(() => options.allTextContents()).toEqual(['and', 'or']);
  await page.keyboard.press('Escape');
  await expect.poll(() => options.count()).toBe(0);
  expect(await filter.inputValue()).toBe("Modality='PT' ");
  await page.keyboard.type('and Rows>=4096');
  await nav.getByText('0 of 3 files').waitFor();
  await nav.getByText(/^No file with Rows>=4096: Rows is \d+\.$/).waitFor();
  expect(await findViolations(page)).toEqual([]);

  await filter.fill('modality=pt');
  await nav.getByText('1 of 3 files').waitFor();
  await filter.fill("Modalty='PT'");
  await nav.getByText(/did you mean Modality\?/).waitFor();
  await nav.getByText('3 of 3 files').waitFor();
  await filter.fill('series');
  await nav.getByText('3 of 3 files').waitFor();
  await expect.poll(() => nav.getByText(/did you mean/).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('the PET images are listed by a click into the field and one on the list, or by the word', async () => {
  const server = await serve(
    writeSlice({ number: 0 }, { PatientName: 'Doe^Peter' }),
    writeSlice({ number: 1 }, { PatientName: 'Doe^Peter' }),
    writeSlice({ number: 0, series: 2 }, { Modality: 'PT', PatientName: 'Doe^Peter' }),
  );
  const { page, complaints } = await openViewer(server);
  const nav = page.getByRole('navigation');
  const filter = page.getByRole('combobox', { name: 'Filter files' });
  const list = page.getByRole('listbox', { name: 'Names and values' });
  const options = list.getByRole('option');

  await filter.click();
  await expect
    .poll(() => options.allTextContents())
    .toEqual(["Modality='CT'CT · 2 files", "Modality='PT'PET · 1 file"]);
  expect(await findViolations(page)).toEqual([]);
  await options.last().click();
  expect(await filter.inputValue()).toBe("Modality='PT'");
  await nav.getByText('1 of 3 files').waitFor();
  expect(await options.count()).toBe(0);

  // The word itself is searched for, and what it means is offered below the number of files found.
  await filter.fill('pet');
  const found = nav.getByText('3 of 3 files');
  await found.waitFor();
  await expect.poll(() => options.allTextContents()).toEqual(["Modality='PT'PET · 1 file"]);
  const [said, listed] = [await found.boundingBox(), await list.boundingBox()];
  expect(listed?.y).toBeGreaterThanOrEqual((said?.y ?? Infinity) + (said?.height ?? 0));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await filter.inputValue()).toBe("Modality='PT'");
  await nav.getByText('1 of 3 files').waitFor();
  expect(complaints).toEqual([]);
});

test('beside the number of files that were found is whether the list is still being read', async () => {
  const server = await serve(writeSlice({ number: 0 }), writeSlice({ number: 1 }));
  const { page } = await openTab(server);
  let isHeld = true;
  await page.route(/\/api\/files\b/, async (route) => {
    const response = await route.fetch();
    const body: FilesResponse = await response.json();
    await route.fulfill({ response, json: isHeld ? { ...body, scan_complete: false } : body });
  });
  await page.goto(server.baseUrl);
  const filter = page.getByRole('combobox', { name: 'Filter files' });
  const said = page.getByRole('navigation').getByRole('status');
  await filter.fill('Modality=CT');
  await expect.poll(() => said.textContent()).toBe('2 of 2 files; the list is still being read');

  isHeld = false;
  await page.reload();
  await filter.fill('Modality=CT');
  await expect.poll(() => said.textContent()).toBe('2 of 2 files');
});
