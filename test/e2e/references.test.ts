import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { corpus } from '../support/corpus.ts';
import { holdRequests } from '../support/holdRequests.ts';
import { openTab } from '../support/browser.ts';
import { reference } from '../support/placedElements.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { showsImage } from '../support/viewerPage.ts';
import { CORPUS, needs } from '../support/needs.ts';

const SLICE = '1.2.826.0.1.3680043.10.67.1';
const SELECTION = '2.25.700';

/** A key object selection with a content item for each reference. */
function writeSelection(...references: DataSetInput[]): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.59',
    SOPInstanceUID: SELECTION,
    Modality: 'KO',
    SeriesInstanceUID: '2.25.701',
    StudyInstanceUID: '2.25.702',
    SeriesNumber: '8',
    SeriesDescription: 'Selection',
    ContentSequence: references.map((item) => ({ ValueType: 'IMAGE', ReferencedSOPSequence: [item] })),
  });
}

/** Five frames, each filled with its number. */
function writeFrames(uid: string): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7.2',
    SOPInstanceUID: uid,
    SeriesInstanceUID: `${uid}.1`,
    StudyInstanceUID: '2.25.702',
    Modality: 'OT',
    NumberOfFrames: 5,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 2,
    Columns: 2,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    PixelData: Uint8Array.from({ length: 20 }, (_, i) => i >> 2),
  });
}

async function openReferences(server: SharedServer, instance: string) {
  const opened = await openTab(server);
  await opened.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await opened.page.goto(`${server.baseUrl}/#cell=${instance},1&tab=references`);
  await opened.page.getByRole('tree', { name: 'References' }).waitFor();
  return opened;
}

/** The lines of the panel, indented by level, with ` | ` between texts. */
function listRows(page: Page): Promise<string[]> {
  return page
    .getByRole('tree', { name: 'References' })
    .getByRole('treeitem')
    .evaluateAll((lines) =>
      lines.map((line) => {
        const texts = [...line.querySelectorAll(':scope > span')].map((part) => part.textContent?.trim() ?? '');
        const indent = '  '.repeat(Number(line.getAttribute('aria-level')) - 1);
        return indent + texts.filter((text) => text !== '').join(' | ');
      }),
    );
}

async function expectRows(page: Page, expected: readonly string[]): Promise<void> {
  await row(page, 'Referenced by').waitFor();
  await expect.poll(() => listRows(page)).toEqual(expected);
}

function row(page: Page, text: string | RegExp) {
  return page.getByRole('tree', { name: 'References' }).getByRole('treeitem').filter({ hasText: text });
}

test('a link opens its target', async () => {
  const server = await serveShared(
    writeSlice({ number: 0 }),
    writeSlice({ number: 1 }),
    writeSelection(reference(`${SLICE}.2`)),
  );
  const { page, complaints } = await openReferences(server, SELECTION);
  await expectRows(page, ['Refers to 1', '  Source images 1', '    CT · 1 · Series 1 · #2 | 1.dcm', 'Referenced by 0']);

  await row(page, '#2').click();

  await showsImage(page, 1);
  expect(complaints).toEqual([]);
});

test('a file lists the objects that refer to it', async () => {
  const server = await serveShared(writeSlice({ number: 0 }), writeSelection(reference(`${SLICE}.1`)));
  const { page } = await openReferences(server, `${SLICE}.1`);
  await expectRows(page, [
    'Refers to 0',
    'Referenced by 1',
    '  Objects that describe it or are derived from it 1',
    '    KO · 8 · Selection | 1.dcm',
  ]);

  await row(page, 'Selection').click();

  await expect.poll(() => page.url()).toContain(`cell=${SELECTION},1&tab=references`);
});

test('references of a file are never listed together with referrers of another', async () => {
  const server = await serveShared(writeSlice({ number: 0 }), writeSelection(reference(`${SLICE}.1`)));
  const { page } = await openReferences(server, SELECTION);
  await row(page, 'Referenced by').waitFor();
  const release = await holdRequests(page, '**/referenced-by*');

  await row(page, '#1').click();

  await expect.poll(() => listRows(page)).toEqual(['Refers to 0']);
  release();
  await expectRows(page, [
    'Refers to 0',
    'Referenced by 1',
    '  Objects that describe it or are derived from it 1',
    '    KO · 8 · Selection | 1.dcm',
  ]);
});

test('during cine playback the panel shows the references of an image that was played', async () => {
  const slices = Array.from({ length: 8 }, (_, number) => number + 1);
  const selection = writeSelection(...slices.map((number) => reference(`${SLICE}.${number}`)));
  const server = await serveShared(...slices.map((number) => writeSlice({ number: number - 1 })), selection);
  const { page } = await openTab(server);
  await page.goto(`${server.baseUrl}/#cell=${SLICE}.1,1`);
  await showsImage(page);
  await page.keyboard.press('Space');
  const pause = page.getByRole('button', { name: 'Pause' });
  await pause.waitFor();

  await page.keyboard.press('g');

  await row(page, 'Selection').waitFor();
  expect(await pause.isVisible()).toBe(true);
});

test('a reference to frames opens the first of them, and unfolds into all that exist', async () => {
  const server = await serveShared(
    writeFrames('2.25.50'),
    writeSelection({ ...reference('2.25.50'), ReferencedFrameNumber: [4, 2, 9] }),
  );
  const { page } = await openReferences(server, SELECTION);
  const link = row(page, 'frames 2, 4, 9');
  await link.click();
  await showsImage(page, 1);
  await expect.poll(() => page.url()).toContain('2.25.50,2');
  await page.goBack();

  await link.waitFor();
  await expect.poll(() => link.getAttribute('aria-expanded')).toBe('true');
  expect((await listRows(page)).filter((text) => text.includes('Frame'))).toEqual(['      Frame 2', '      Frame 4']);
  await row(page, /^Frame 4$/).click();

  await showsImage(page, 3);
});

test('an object that is not open is listed as such, and its UID can be copied', async () => {
  const server = await serveShared(writeSlice({ number: 0 }), writeSelection(reference('1.2.3.4567890123')));
  const { page } = await openReferences(server, SELECTION);
  await expectRows(page, [
    'Refers to 1',
    '  Source images 1',
    '    CT Image | not open · …67890123',
    'Referenced by 0',
  ]);

  await row(page, 'not open').click();
  const selected = page.getByRole('region', { name: 'Selected reference' });
  await selected.getByText('Not among the open files.').waitFor();
  await selected.getByRole('button', { name: 'Copy UID' }).click();

  await selected.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('1.2.3.4567890123');
});

test('the tree is walked and its links are opened with the keyboard', async () => {
  const server = await serveShared(
    writeSlice({ number: 0 }),
    writeSlice({ number: 1 }),
    writeSelection(reference(`${SLICE}.1`), reference(`${SLICE}.2`)),
  );
  const { page } = await openReferences(server, SELECTION);
  await row(page, '#2').waitFor();

  await page.getByRole('tree', { name: 'References' }).focus();
  for (const key of ['Home', 'ArrowDown', 'ArrowLeft']) await page.keyboard.press(key);
  await expect.poll(() => row(page, 'Source images').getAttribute('aria-expanded')).toBe('false');
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);

  await showsImage(page, 1);
  await expect.poll(() => page.url()).toContain(`cell=${SLICE}.2,1`);
});

test('a thousand references form a closed group, of which only the visible rows are drawn', async () => {
  const missing = Array.from({ length: 1_000 }, (_, i) => reference(`1.2.3.${i + 1}`));
  const server = await serveShared(writeSlice({ number: 0 }), writeSelection(...missing));
  const { page } = await openReferences(server, SELECTION);
  const group = row(page, 'Source images 1,000');
  await group.waitFor();
  expect(await group.getAttribute('aria-expanded')).toBe('false');

  await group.click();
  await row(page, 'not open').first().waitFor();
  expect(await page.getByRole('treeitem').count()).toBeLessThan(150);
  await page.getByRole('tree', { name: 'References' }).focus();
  await page.keyboard.press('End');

  await row(page, 'Referenced by').waitFor();
  expect(await page.getByRole('treeitem').count()).toBeLessThan(150);
});

test('a failure shows the reason and can be retried', async () => {
  const server = await serveShared(writeSlice({ number: 0 }), writeSelection(reference(`${SLICE}.1`)));
  const { page } = await openTab(server);
  const body = JSON.stringify({ code: 'file_read_failed', error: 'the disk is tired' });
  await page.route('**/references', (route) => route.fulfill({ status: 500, body, contentType: 'application/json' }));
  await page.goto(`${server.baseUrl}/#cell=${SELECTION},1&tab=references`);
  const alert = page.getByRole('alert').filter({ hasText: 'the disk is tired' });
  await alert.waitFor();

  await page.unroute('**/references');
  await alert.getByRole('button', { name: 'Retry' }).click();

  await row(page, 'Series 1').waitFor();
  await expect.poll(() => alert.count()).toBe(0);
  await expectRows(page, ['Refers to 1', '  Source images 1', '    CT · 1 · Series 1 · #1 | 0.dcm', 'Referenced by 0']);
});

test('G shows the references of what is open', async () => {
  const server = await serveShared(writeSlice({ number: 0 }));
  const { page } = await openTab(server);
  await page.goto(server.baseUrl);
  await showsImage(page);
  await page.getByRole('tab', { name: 'References' }).waitFor();

  await page.keyboard.press('g');

  await expectRows(page, ['Refers to 0', 'Referenced by 0']);
  await expect.poll(() => page.url()).toContain('tab=references');
});

describe('the corpus', needs(CORPUS), () => {
  test(
    'has a slice with ten segmentations, one of which is laid over it by a click',
    { timeout: 180_000 },
    async () => {
      const server = await serveShared(join(corpus ?? '', 'seg/dcmqi-liver'));
      const slices = server.catalog.files
        .filter(({ modality }) => modality === 'CT')
        .map((file) => file.sopInstanceUid);
      const { page } = await openReferences(server, slices[0] ?? '');

      await row(page, 'Segmentations 10').waitFor();
      await row(page, 'partial_overlaps.dcm').click();

      await page.getByText('1 of 10 segmentations').waitFor();
      await expect.poll(() => slices.filter((uid) => page.url().includes(`cell=${uid},1`)).length).toBe(1);
    },
  );
});
