import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openTab } from '../support/browser.ts';
import { holdRequests } from '../support/holdRequests.ts';
import { serveShared } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { openViewer, showsImage } from '../support/viewerPage.ts';

function tags(page: Page) {
  return page.getByRole('tree', { name: 'Tags' }).getByRole('treeitem');
}

function search(page: Page) {
  return page.getByRole('searchbox', { name: 'Find a tag' });
}

/** A sequence of codes, with a nested sequence in each. */
function writeCodes(count: number): Uint8Array {
  return writeSlice(
    { number: 0 },
    {
      AcquisitionContextSequence: Array.from({ length: count }, (_, i) => ({
        TextValue: `Text ${i}`,
        ConceptNameCodeSequence: [{ CodeMeaning: `Meaning ${i}` }],
      })),
    },
  );
}

test('tags are found by tag, keyword, name and value', async () => {
  const server = await serveShared(writeSlice({ number: 0 }));
  const { page, complaints } = await openViewer(server);
  await tags(page).first().waitFor();

  for (const words of ['(0010,0010)', '00100010', 'PatientName', "patient's name", 'doe^jane']) {
    await search(page).fill(words);
    await expect
      .poll(() => tags(page).allTextContents(), { message: words })
      .toEqual(["(0010,0010)Patient's NameDoe^Jane"]);
  }
  await search(page).fill('nothing like it');
  await page.getByText('No matching tags.').waitFor();
  expect(complaints).toEqual([]);
});

test('sequences open item by item, and items missing from the preview are loaded on demand', async () => {
  const server = await serveShared(writeCodes(100));
  const { page, requests } = await openViewer(server);
  const scrollToEnd = () => page.getByRole('tree', { name: 'Tags' }).evaluate((tree) => tree.scrollTo(0, 1e6));
  await tags(page).first().waitFor();
  await scrollToEnd();
  await tags(page).filter({ hasText: 'Acquisition Context Sequence' }).click();
  await tags(page).filter({ hasText: 'Item 2' }).click();
  await tags(page).filter({ hasText: 'Text 1' }).waitFor();

  await scrollToEnd();
  const more = tags(page).filter({ hasText: 'Show more (16 of 100 items)' });
  expect(requests.filter((url) => url.includes('tags/select'))).toEqual([]);
  await more.click();
  await tags(page).filter({ hasText: 'Item 17' }).waitFor();
  await scrollToEnd();
  await tags(page).filter({ hasText: 'Item 80' }).waitFor();
  await tags(page).filter({ hasText: 'Show more (80 of 100 items)' }).waitFor();

  expect(requests.filter((url) => url.includes('tags/select')).map((url) => new URL(url).search)).toEqual([
    '?path=%280040%2C0555%29&offset=16&limit=64',
  ]);
});

test('value, path and JSON of a tag can be copied', async () => {
  const server = await serveShared(writeCodes(1));
  const { page } = await openViewer(server);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await search(page).fill('Meaning 0');
  await tags(page).filter({ hasText: 'Code Meaning' }).click();
  const copied = async (button: string) => {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('button', { name: button }).waitFor();
    return text;
  };

  expect(await copied('Copy value')).toBe('Meaning 0');
  expect(await copied('Copy path')).toBe('(0040,0555)/0/(0040,A043)/0/(0008,0104)');
  expect(JSON.parse(await copied('Copy JSON'))).toEqual({
    tag: '(0008,0104)',
    vr: 'LO',
    keyword: 'CodeMeaning',
    name: 'Code Meaning',
    value: { type: 'string', value: 'Meaning 0' },
  });
});

test('a long value is truncated, and shown in full on request', async () => {
  const server = await serveShared(writeSlice({ number: 0 }, { ImageComments: 'x'.repeat(5000) }));
  const { page } = await openViewer(server);
  await search(page).fill('ImageComments');
  await tags(page).filter({ hasText: 'Image Comments' }).click();

  await page.getByRole('button', { name: 'Show full value (5,000)' }).click();

  await expect.poll(async () => (await page.locator('pre').textContent())?.length).toBe(5000);
});

test('text where a number should be is shown, with what is wrong with it', async () => {
  const file = Buffer.from(writeSlice({ number: 0 }, { SliceThickness: '1.2345' }));
  file.write('medium', file.indexOf('1.2345'), 'latin1');
  const server = await serveShared(new Uint8Array(file));
  const { page } = await openViewer(server);

  await search(page).fill('SliceThickness');
  await expect.poll(() => tags(page).allTextContents()).toEqual(['(0018,0050)Slice Thicknessmedium']);
  await tags(page).first().click();

  await page.getByText('value 1, "medium", is not a number').waitFor();
});

test('a comparison with another file lists differences only', async () => {
  const server = await serveShared(writeSlice({ number: 0 }), writeSlice({ number: 1 }));
  const { page } = await openViewer(server);
  await page.getByRole('button', { name: 'Compare with another file' }).click();

  await page.getByRole('button', { name: /^1\.dcm/ }).click();

  const rows = page.getByRole('region', { name: 'Differences' }).getByRole('row');
  await expect
    .poll(() => rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent))))
    .toEqual([
      ['Tag', '0.dcm', '1.dcm'],
      ['Media Storage SOP Instance UID(0002,0003)', '1.2.826.0.1.3680043.10.67.1.1', '1.2.826.0.1.3680043.10.67.1.2'],
      ['SOP Instance UID(0008,0018)', '1.2.826.0.1.3680043.10.67.1.1', '1.2.826.0.1.3680043.10.67.1.2'],
      ['Instance Number(0020,0013)', '1', '2'],
      ['Image Position (Patient)(0020,0032)', '0\\0\\0', '0\\0\\2'],
    ]);
});

test('the tags follow the image through the stack', async () => {
  const server = await serveShared(writeSlice({ number: 0 }), writeSlice({ number: 1 }), writeSlice({ number: 2 }));
  const { page } = await openViewer(server);
  await search(page).fill('InstanceNumber');
  await expect.poll(() => tags(page).allTextContents()).toEqual(['(0020,0013)Instance Number1']);

  await page.getByRole('slider').fill('2');

  await expect.poll(() => tags(page).allTextContents()).toEqual(['(0020,0013)Instance Number3']);
});

test('cine that starts at once shows the tags of its first image until others are loaded', async () => {
  const server = await serveShared(...Array.from({ length: 8 }, (_, number) => writeSlice({ number })));
  const { page } = await openTab(server);
  // On a busy machine a later image may stay long enough for the page to request its tags too.
  const letOthersGo = await holdRequests(page, '**/tags?*');
  const letFirstGo = await holdRequests(page, '**/file/0/tags?*');
  const first = page.waitForRequest('**/file/0/tags?*');
  await page.goto(server.baseUrl);
  await showsImage(page);
  await first;
  await page.keyboard.press('Space');
  const pause = page.getByRole('button', { name: 'Pause' });
  await pause.waitFor();
  await page.locator('[data-cell="0"]:not([data-shown="0"])').waitFor();
  letFirstGo();

  await tags(page).filter({ hasText: 'Instance Number1' }).waitFor();
  expect(await pause.isVisible()).toBe(true);

  letOthersGo();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Play' }).waitFor();
  const position = await page.getByRole('slider').inputValue();
  await tags(page)
    .filter({ hasText: `Instance Number${Number(position) + 1}` })
    .waitFor();
});

test('a file without a picture opens as a document with its tags beside it', async () => {
  const report = writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11',
    SOPInstanceUID: '1.2.826.0.1.3680043.10.69.1',
    Modality: 'SR',
    PatientName: 'Doe^Jane',
  });
  const server = await serveShared(report);
  const { page } = await openTab(server);
  await page.goto(server.baseUrl);

  await page.getByRole('figure').getByRole('document', { name: 'Basic Text SR' }).waitFor();
  await page.keyboard.press('t');
  await tags(page).filter({ hasText: 'Doe^Jane' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});
