import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openTab } from '../support/browser.ts';
import { serve, serveShared, serveWith } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, getSharedFolder, writeBelow } from '../support/tempFolder.ts';
import { openViewer } from '../support/viewerPage.ts';

const UID = '1.2.826.0.1.3680043.10.68';
/** The list of so many files arrives in several pages. */
const MANY_FILES = 4_000;

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

/** Names of the tree lines at this level. */
async function linesOf(page: Page, level: number): Promise<string[]> {
  const lines = page.locator(`nav [role=treeitem][aria-level="${level}"]`);
  return lines.evaluateAll((items) => items.map((item) => item.textContent ?? ''));
}

function line(page: Page, name: string | RegExp) {
  return page.getByRole('navigation').getByRole('treeitem', { name });
}

/**
 * Expands a line. Waits until the line is known to have children, because before that a click on its arrow opens its
 * images.
 */
async function unfold(page: Page, name: RegExp): Promise<void> {
  const folded = line(page, name).and(page.locator('[aria-expanded=false]'));
  await folded.locator('span').first().click();
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
    'Findings SR · Basic Text SR 1 file',
    'Findings SR · Basic Text SR 1 file',
  ]);
  await page.getByText('5 files open').waitFor();
  expect(complaints).toEqual([]);
});

test('a click opens a series in the active cell, and its line is marked', async () => {
  const server = await serveShared(writeSlice({ number: 0 }), writeSlice({ number: 5, series: 2 }));
  const { page } = await openViewer(server);

  await line(page, /^2 · Series 2/).click();

  await page.locator('nav [aria-selected=true]', { hasText: 'Series 2' }).waitFor();
  await page.getByRole('figure', { name: 'CT Series 2' }).waitFor();
  expect(await page.locator('nav [aria-selected=true]').count()).toBe(1);
});

test('a series that is dropped on a cell opens there', async () => {
  const server = await serveShared(writeSlice({ number: 0 }), writeSlice({ number: 5, series: 2 }));
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
  await page.locator('[data-cell="0"]').getByRole('heading', { name: 'Basic Text SR' }).waitFor();
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

test('a closed folder is marked while it contains the image on screen', async () => {
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

test('the filter searches names, ids, descriptions, modality, kind and path, and all its words must match', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'scans/a.dcm', writeSlice({ number: 0 }));
  writeBelow(folder, 'notes/b.dcm', writeReport(1, { SeriesDescription: 'Liver findings' }));
  const server = await serve(folder);
  const { page } = await openViewer(server);
  const filter = page.getByRole('combobox', { name: 'Filter files' });

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

test('files that are not shown are listed by reason', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a.dcm', writeReport(1));
  writeBelow(folder, 'notes.txt', 'no DICOM');
  const server = await serve(folder);
  const { page } = await openTab(server);
  await page.goto(server.baseUrl);

  await page.getByText('Not shown', { exact: false }).and(page.locator('summary')).click();
  await page.getByText('Not a DICOM file').click();

  await page.getByText(`${folder}/notes.txt`).waitFor();
  await expect.poll(() => page.getByRole('status').first().textContent()).toBe('1 file open · 1 file not shown');
});

test('of many files that are not shown, all can be listed', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a.dcm', writeReport(1));
  for (let number = 0; number < 450; number += 1) writeBelow(folder, `${number}.txt`, 'no DICOM');
  const server = await serve(folder);
  const { page } = await openTab(server);
  await page.goto(server.baseUrl);
  const section = page.getByRole('region', { name: 'Files not shown' });

  await section.locator('summary').first().click();
  await section.getByText('Not a DICOM file').click();
  await expect.poll(() => section.getByText(/\.txt$/).count()).toBe(200);
  await section.getByRole('button', { name: 'Show more of 250 paths' }).click();
  await expect.poll(() => section.getByText(/\.txt$/).count()).toBe(400);
  await section.getByRole('button', { name: 'Show more of 50 paths' }).click();
  await expect.poll(() => section.getByText(/\.txt$/).count()).toBe(450);
});

function middle(page: Page) {
  return page.getByRole('region', { name: 'Scan result' });
}

test('a folder without a file says so in the middle of the page', async () => {
  const server = await serve(createTempFolder());
  const { page, complaints } = await openTab(server);
  await page.goto(server.baseUrl);

  await middle(page).getByText('The opened folders contain no files.').waitFor();

  expect(await middle(page).textContent()).toContain('No DICOM files found.');
  expect(complaints).toEqual([]);
});

test('a folder without DICOM says in the middle of the page what was found instead, by reason', async () => {
  const folder = createTempFolder();
  for (let i = 0; i < 5; i++) writeBelow(folder, `notes${i}.txt`, 'no DICOM');
  const server = await serve(folder, `${folder}/absent`);
  const { page } = await openTab(server);
  await page.goto(server.baseUrl);

  await middle(page).getByText('Not a DICOM file: 5 files').waitFor();
  await middle(page).getByText('Path does not exist or cannot be accessed: 1 path').waitFor();

  const named = await middle(page).getByRole('listitem').allTextContents();
  expect(named).toContain(`${folder}/absent`);
  // Three of the five names are listed, followed by an ellipsis.
  expect(named.filter((path) => path.endsWith('.txt'))).toHaveLength(3);
  expect(named).toContain('…');
});

const NO_FILE = [{ field: 'modality', text: 'no such' }] as const;

test('if --filter excludes every file, the middle of the page says so', async () => {
  const server = await serveWith({ inputs: [writeSlice({ number: 0 })], catalog: { filters: NO_FILE } });
  const { page } = await openTab(server);
  await page.goto(server.baseUrl);

  await middle(page).getByText('Excluded by --filter: 1 file').waitFor();

  expect(await middle(page).textContent()).toContain('All DICOM files are excluded by --filter.');
});

test('thousands of files draw only the lines that can be seen, and all of them are counted', async () => {
  const folder = createTempFolder();
  for (let i = 0; i < MANY_FILES; i++) {
    const series = { SeriesInstanceUID: `${UID}.102.${i}`, SeriesDescription: `Findings ${i}` };
    writeBelow(folder, `${i}.dcm`, writeReport(i, series));
  }
  const server = await serve(folder);
  const { page } = await openTab(server);
  await page.goto(server.baseUrl);
  await page.getByText('4,000 files open').waitFor();
  await line(page, /^Findings 0 /).waitFor();

  const tree = page.getByRole('tree', { name: 'Patients and studies' });
  // The last file of the last patient: 3996 = 7 x 570 + 6. The list arrives in pages, so its end moves for a while.
  await expect
    .poll(
      async () => {
        await tree.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return line(page, /^Findings 3996 /).count();
      },
      { timeout: 60_000 },
    )
    .toBe(1);
  expect(await page.getByRole('navigation').getByRole('treeitem').count()).toBeLessThan(100);

  const filter = page.getByRole('combobox', { name: 'Filter files' });
  let total = 0;
  for (let patient = 0; patient < 7; patient++) {
    await filter.fill(`R${patient}`);
    // The list follows the filter with a delay: only the line of this patient is counted.
    const own = new RegExp(` R${patient} ([\\d,]+) files$`);
    await expect.poll(() => linesOf(page, 1)).toEqual([expect.stringMatching(own)]);
    total += Number(own.exec((await linesOf(page, 1))[0] ?? '')?.[1]?.replace(',', ''));
  }
  expect(total).toBe(MANY_FILES);
}, 180_000);

test('a filter that is typed quickly shows no count but its own, and announces the last one', async () => {
  const folder = getSharedFolder('numbered reports', (empty) => {
    for (let i = 0; i < MANY_FILES; i++) writeBelow(empty, `${i}.dcm`, writeReport(i));
  });
  const { page } = await openTab(await serveShared(folder));
  await page.goto((await serveShared(folder)).baseUrl);
  const tree = page.getByRole('tree', { name: 'Patients and studies' });
  const status = page.getByRole('navigation').getByRole('status');
  const filter = page.getByRole('combobox', { name: 'Filter files' });
  // The list arrives in pages, so the number of files grows for a while.
  await filter.fill('nothing');
  await expect.poll(() => status.textContent(), { timeout: 60_000 }).toBe('0 of 4,000 files');
  await filter.fill('');
  await status.waitFor({ state: 'detached' });
  await page.evaluate(() => {
    const nav = document.querySelector('nav');
    const { dataset } = document.body;
    const note = () => {
      const text = nav?.querySelector('output')?.textContent ?? '';
      dataset.seen = `${dataset.seen ?? ''}${text}\n`;
    };
    if (nav) new MutationObserver(note).observe(nav, { childList: true, subtree: true, characterData: true });
  });

  await filter.pressSequentially('r3 roe x');

  await expect.poll(() => status.textContent()).toBe('0 of 4,000 files');
  await expect.poll(() => tree.getAttribute('aria-busy')).toBe('false');
  expect(await tree.getByRole('treeitem').count()).toBe(0);
  const seen = await page.evaluate(() => (document.body.dataset.seen ?? '').trimEnd().split('\n'));
  // `r` and `roe` begin the name of every file, `r3` the id of one patient in seven: 4000 = 7 x 571 + 3, and the
  // patients 0, 1 and 2 have one more. No description has an `x`.
  const right = ['', '4,000 of 4,000 files', '571 of 4,000 files', '0 of 4,000 files'];
  expect(seen.filter((text) => !right.includes(text))).toEqual([]);
  expect(seen.at(-1)).toBe('0 of 4,000 files');
}, 180_000);

test('rows stay under the pointer while others are added above them', async () => {
  const folder = createTempFolder();
  for (let i = 0; i < 60; i++)
    writeBelow(folder, `b${i}.dcm`, writeReport(i, { PatientID: `P${i}`, SeriesDescription: `S${i}` }));
  const server = await serve(folder);
  const { page } = await openTab(server);
  await page.goto(server.baseUrl);
  await line(page, /^Roe, Ann P0 /).waitFor();
  const tree = page.getByRole('tree', { name: 'Patients and studies' });
  await tree.evaluate((element) => element.scrollTo(0, 1500));
  const seen = tree.getByRole('treeitem').filter({ hasText: 'P20' });
  const before = await seen.boundingBox();

  // Collapsing a patient above the visible part removes lines there.
  await tree.evaluate((element) => {
    const above = [...element.querySelectorAll('[role=treeitem]')].find((item) => item.textContent?.includes('P12'));
    above?.querySelector('span')?.click();
  });

  await expect.poll(async () => tree.getByRole('treeitem').filter({ hasText: 'S12' }).count()).toBe(0);
  expect((await seen.boundingBox())?.y).toBe(before?.y);
});

/** Two series of several files in two folders, and eight copies of a report that belongs to no series. */
async function serveCopies() {
  const folder = getSharedFolder('copies', (empty) => {
    for (let number = 0; number < 3; number++) writeBelow(empty, `ct/${number}.dcm`, writeSlice({ number }));
    for (let number = 0; number < 2; number++) writeBelow(empty, `mr/${number}.dcm`, writeSlice({ number, series: 2 }));
    for (let copy = 0; copy < 8; copy++) {
      const report = writeReport(1, { SeriesInstanceUID: '', StudyInstanceUID: '', StudyDescription: `copy ${copy}` });
      writeBelow(empty, `sr/copy${copy}.dcm`, report);
    }
  });
  return { folder, server: await serveShared(folder) };
}

test('copies that share a UID are opened, highlighted and addressed separately', async () => {
  const { server } = await serveCopies();
  const { page } = await openViewer(server);
  await page.getByRole('button', { name: 'Folders' }).click();
  const marked = page.locator('nav [aria-selected=true]');
  await line(page, /^sr/).click();

  for (const copy of [5, 2, 7]) {
    await line(page, new RegExp(`^copy${copy}`)).click();
    await expect.poll(() => marked.allTextContents()).toEqual([expect.stringContaining(`copy${copy}.dcm`)]);
    await page.getByRole('tab', { name: 'Tags' }).click();
    await page.getByRole('treeitem', { name: `copy ${copy}` }).waitFor();
    await expect.poll(() => page.url()).toContain(`#cell=${UID}.1~copy${copy}.dcm,1`);
  }
  await page.reload();
  await expect.poll(() => marked.allTextContents()).toEqual([expect.stringContaining('copy7.dcm')]);
  await page.getByRole('treeitem', { name: 'copy 7' }).waitFor();
});

test('the folder tree highlights the file of the image on screen, and follows scrolling', async () => {
  const { server } = await serveCopies();
  const { page } = await openViewer(server);
  await page.getByRole('slider').waitFor();
  await page.getByRole('button', { name: 'Folders' }).click();
  const marked = page.locator('nav [aria-selected=true]');

  await expect.poll(() => marked.allTextContents()).toEqual([expect.stringContaining('0.dcm')]);
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => marked.allTextContents()).toEqual([expect.stringContaining('1.dcm')]);
});

test('after a click in the explorer keys still act on the image; after Tab they act on the tree', async () => {
  const { server } = await serveCopies();
  const { page } = await openViewer(server);
  await line(page, /^2 · Series 2/).click();
  await page.getByRole('figure', { name: 'CT Series 2' }).waitFor();
  await page.locator('[data-cell="0"][data-shown="0"]').waitFor();

  await page.keyboard.press('ArrowDown');
  await page.locator('[data-cell="0"][data-shown="1"]').waitFor();
  await page.keyboard.press('PageUp');
  await page.getByRole('figure', { name: 'CT Series 1' }).waitFor();

  // The tree comes after the buttons above it in the tab order.
  await page.getByRole('combobox', { name: 'Filter files' }).focus();
  const tree = page.getByRole('tree', { name: 'Patients and studies' });
  await expect
    .poll(async () => {
      await page.keyboard.press('Tab');
      return tree.evaluate((element) => element === document.activeElement);
    })
    .toBe(true);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('document', { name: 'Basic Text SR' }).waitFor();
});

test('dragging the edge of the explorer resizes it and opens nothing', async () => {
  const { server } = await serveCopies();
  const { page } = await openViewer(server);
  await line(page, /^2 · Series 2/).waitFor();
  const nav = page.getByRole('navigation');
  const row = await line(page, /^2 · Series 2/).boundingBox();
  const before = await nav.boundingBox();
  const [x, y] = [(before?.width ?? 0) - 1, (row?.y ?? 0) + 10];

  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y, { steps: 8 });
  await page.mouse.move(x + 100, y, { steps: 8 });
  await page.mouse.up();

  expect((await nav.boundingBox())?.width).toBe((before?.width ?? 0) + 100);
  expect(await page.locator('[data-cell="0"]').getAttribute('aria-label')).toBe('CT Series 1');
  await page.reload();
  await line(page, /^2 · Series 2/).waitFor();
  expect((await nav.boundingBox())?.width).toBe((before?.width ?? 0) + 100);
});

test('clearing the filter keeps the row of the image on screen in view', async () => {
  const folder = createTempFolder();
  for (let i = 0; i < 60; i++) writeBelow(folder, `a/${i}.dcm`, writeReport(i));
  writeBelow(folder, 'b/1.dcm', writeSlice({ number: 0, series: 2 }));
  const { page } = await openViewer(await serve(folder));
  const marked = page.locator('nav [aria-selected=true]');
  await marked.getByText('Series 2').waitFor();
  const filter = page.getByRole('combobox', { name: 'Filter files' });

  await filter.fill('Findings');
  await expect.poll(() => marked.count()).toBe(0);
  await filter.fill('');

  await marked.getByText('Series 2').waitFor();
  const [box, tree] = [await marked.boundingBox(), await page.getByRole('tree').first().boundingBox()];
  expect(box?.y).toBeGreaterThanOrEqual(tree?.y ?? 0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual((tree?.y ?? 0) + (tree?.height ?? 0));
});

test('all lines can be collapsed and opened again, and sorted by name or date', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a.dcm', writeReport(1, { PatientName: 'Young^Zoe', StudyDate: '20200101' }));
  writeBelow(folder, 'b.dcm', writeReport(2, { PatientName: 'Abel^Kim', StudyDate: '20190101' }));
  const server = await serve(folder);
  const { page } = await openTab(server);
  await page.goto(server.baseUrl);
  await line(page, /^Findings/)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'Collapse all' }).click();
  expect(await linesOf(page, 1)).toEqual(['Young, Zoe R1 1 file', 'Abel, Kim R2 1 file']);
  expect(await linesOf(page, 2)).toEqual([]);
  await page.getByRole('button', { name: 'Sort' }).click();
  await page.getByRole('menuitemradio', { name: 'Name' }).click();
  await expect.poll(() => linesOf(page, 1)).toEqual(['Abel, Kim R2 1 file', 'Young, Zoe R1 1 file']);
  await page.getByRole('button', { name: 'Sort' }).click();
  await page.getByRole('menuitemradio', { name: 'Newest first' }).click();
  await expect.poll(() => linesOf(page, 1)).toEqual(['Young, Zoe R1 1 file', 'Abel, Kim R2 1 file']);
  await page.getByRole('button', { name: 'Expand all' }).click();
  await expect.poll(() => linesOf(page, 3)).toHaveLength(2);
});

test('the menu of a row opens it here or to the side, and copies its link and path', async () => {
  const { folder, server } = await serveCopies();
  const { page } = await openViewer(server);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const paste = () => page.evaluate(() => navigator.clipboard.readText());
  const choose = async (name: string) => {
    await line(page, /^2 · Series 2/).click({ button: 'right' });
    await page.getByRole('menuitem', { name }).click();
  };

  await choose('Copy path');
  await expect.poll(paste).toBe(`${folder}/mr/0.dcm`);
  await choose('Copy link');
  await expect.poll(paste).toBe(`${server.baseUrl}/#cell=1.2.826.0.1.3680043.10.67.2.1,1`);
  await choose('Copy command for copies without identifiers');
  await expect.poll(paste).toMatch(/^negato deidentify \S.* --out COPIES --where 'SeriesInstanceUID = /);
  await choose('Open to the side');
  await page.locator('[data-cell="1"][aria-label="CT Series 2"][data-status="ready"]').waitFor();
  expect(await page.locator('[data-cell="0"]').getAttribute('aria-label')).toBe('CT Series 1');
  await line(page, /^1 · Series 1/).click({ button: 'right' });
  expect(await page.getByRole('menuitem').first().textContent()).toContain('Open');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('menuitem').count()).toBe(0);
});

function writeEcho(number: number, echo: number): Uint8Array {
  return writeSlice({ number }, { EchoNumbers: String(echo), SOPInstanceUID: `${UID}.7.${echo}.${number}` });
}

test('stacks of one series show what distinguishes them, in the tree, over the image and in the palette', async () => {
  const server = await serve(writeEcho(0, 1), writeEcho(1, 1), writeEcho(0, 2), writeEcho(1, 2));
  const { page } = await openViewer(server);
  await unfold(page, /^1 · Series 1/);

  await line(page, /^echo 2/).click();

  expect(await linesOf(page, 4)).toEqual(['echo 1 30 × 20 · 2 images 2 files', 'echo 2 30 × 20 · 2 images 2 files']);
  await page.locator('[data-cell="0"]').getByText('echo 2').waitFor();
  expect(await page.locator('nav [aria-selected=true]').allTextContents()).toEqual([expect.stringContaining('echo 2')]);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a series, tag or command' }).fill('series 1');
  await page.getByRole('option', { name: /Series 1 · echo 2/ }).waitFor();
});

test('no thumbnail is requested of a file that cannot be decoded, and the page logs no errors', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a.dcm', writeSlice({ number: 0 }));
  // The file has pixel data, but no rows.
  writeBelow(folder, 'b.dcm', writeSlice({ number: 1 }, { Rows: 0 }));
  const { page, complaints, requests } = await openViewer(await serve(folder));
  await unfold(page, /^1 · Series 1/);
  await expect.poll(() => linesOf(page, 4)).toHaveLength(2);
  await expect.poll(() => requests.filter((url) => url.includes('thumbnail')).length).toBeGreaterThan(0);

  expect(requests.filter((url) => url.includes('/file/1/frame'))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a frame that cannot be decoded is reported in its cell, and the console stays clean', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a.dcm', writeSlice({ number: 0 }));
  // The header describes an image, but the stream is not a JPEG.
  const broken = { PixelData: { fragments: [new Uint8Array(64).fill(7)] } };
  writeBelow(
    folder,
    'b.dcm',
    writeSlice({ number: 0, series: 2 }, broken, { transferSyntaxUid: '1.2.840.10008.1.2.4.70' }),
  );
  const { page, complaints, requests } = await openViewer(await serve(folder));
  await expect.poll(() => requests.filter((url) => /file\/1\/.*thumbnail/.test(url)).length).toBe(1);

  await line(page, /Series 2/).click();
  await page.locator('[data-cell="0"][data-status="failed"]').waitFor();

  expect(complaints).toEqual([]);
});
