import type { Locator, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { serveShared } from '../support/serve.ts';
import { writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { openViewer, projectionOf, settle, showsImage } from '../support/viewerPage.ts';

const IMAGE = { rows: SLICE_ROWS, columns: SLICE_COLUMNS };
/** In the order of the explorer: three axial slices of one patient, then two sagittal ones of another. */
const JANE = [0, 1, 2].map((number) => writeSlice({ number }));
const JOHN = [0, 1].map((number) =>
  writeSlice(
    { number: number + 50, series: 2 },
    {
      PatientID: 'P2',
      PatientName: 'Roe^John',
      StudyInstanceUID: '1.2.826.0.1.3680043.10.67.200',
      FrameOfReferenceUID: '1.2.826.0.1.3680043.10.67.202',
      ImageOrientationPatient: ['0', '1', '0', '0', '0', '-1'],
      ImagePositionPatient: [String(-number), '0', '0'],
      PixelSpacing: ['3', '3'],
    },
  ),
);

/** Holds matching requests of the page until the test lets them through. */
async function holdBack(page: Page, isHeld: (url: URL) => boolean) {
  const held: Route[] = [];
  let isOpen = false;
  await page.route(isHeld, (route) => {
    if (isOpen) return route.continue();
    held.push(route);
    return undefined;
  });
  return {
    count: () => held.length,
    async letThrough() {
      isOpen = true;
      // A request that the page has aborted meanwhile cannot continue.
      for (const route of held.splice(0)) await route.continue().catch(() => undefined);
    },
  };
}

/** Pictures of the other patient in any form. */
function isJohnsFrame({ pathname }: URL): boolean {
  return /\/api\/file\/[34]\/frame\/\d+(\/raw|\/thumbnail)?$/.test(pathname);
}

/** Whether any pixel of the canvas is not black. */
function hasPicture(cell: Locator): Promise<boolean> {
  return cell
    .locator('canvas')
    .first()
    .evaluate((canvas) => {
      if (!(canvas instanceof HTMLCanvasElement)) throw new Error('not a canvas');
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
      return data.some((level, i) => i % 4 !== 3 && level > 0);
    });
}

/** All texts over the image. */
async function textsOf(cell: Locator): Promise<string> {
  return (await cell.locator('p:not([hidden]), div[aria-hidden]:not([hidden])').allInnerTexts()).join('\n');
}

async function openStudies() {
  const server = await serveShared(...JANE, ...JOHN);
  const viewer = await openViewer(server);
  const { page, cell } = viewer;
  await page.getByText('1 / 3').first().waitFor();
  const open = (name: RegExp) => page.getByRole('treeitem', { name }).first().click();
  const toMiddle = async () => page.mouse.move(...(await projectionOf(cell, IMAGE, {}))(12.5, 7.5));
  return { ...viewer, open, toMiddle };
}

test('images are never shown with the name, letters, values or scale of another patient', async () => {
  const { page, cell, open, toMiddle, complaints } = await openStudies();
  await cell.getByText('Doe, Jane').waitFor();
  const frames = await holdBack(page, isJohnsFrame);

  await open(/Series 2/);
  await expect.poll(frames.count).toBeGreaterThan(0);
  await toMiddle();
  await page.locator('[data-cell="0"][data-status="loading"][data-shown=""]').waitFor();
  await settle(page);

  expect(await hasPicture(cell)).toBe(false);
  const texts = await textsOf(cell);
  for (const foreign of ['Doe', 'Jane', 'P1', 'Series 1', 'HU', 'mm', ' / ', 'Zoom', 'W 300']) {
    expect(texts).not.toContain(foreign);
  }
  // Orientation letters are alone on their line.
  expect(texts).not.toMatch(/^[RLAPHF]+$/m);

  await frames.letThrough();
  await showsImage(page);
  await cell.getByText('Roe, John').waitFor();
  // 10 times the slice, and 12 + 2 * 7 = 26.
  await cell.getByText('(12, 7)  526').waitFor();
  await cell.getByText('1 / 2').waitFor();
  // The rows run posteriorly and the columns towards the feet.
  await expect.poll(() => textsOf(cell)).toMatch(/^A$/m);
  expect(complaints).toEqual([]);
});

test('while a slice is shown in place of the next one of its stack, all text describes the slice on screen', async () => {
  const { page, cell, toMiddle } = await openStudies();
  await toMiddle();
  await cell.getByText('(12, 7)  26').waitFor();
  // The neighbours are loaded by now, but not after a reload.
  const last = await holdBack(page, ({ pathname }) => pathname === '/api/file/2/frame/0/raw');
  const middle = await holdBack(page, ({ pathname }) => pathname === '/api/file/1/frame/0/raw');
  await page.reload();
  await showsImage(page);
  await page.getByText('1 / 3').first().waitFor();
  await toMiddle();

  await cell.focus();
  await page.keyboard.press('End');
  await page.locator('[data-cell="0"][data-status="loading"][data-shown="0"]').waitFor();
  await settle(page);
  expect(await hasPicture(cell)).toBe(true);
  const texts = await textsOf(cell);
  expect(texts).toContain('1 / 3');
  expect(texts).toContain('0.0 mm');
  expect(texts).toContain('(12, 7) 26 HU');

  await middle.letThrough();
  await last.letThrough();
  await showsImage(page, 2);
  await cell.getByText('3 / 3').waitFor();
  await cell.getByText('4.0 mm').waitFor();
  await cell.getByText('(12, 7)  46').waitFor();
});

test('a preset is named when the picture on screen has it', async () => {
  // The server draws overlay planes, so that each window needs another picture.
  const bits = new Uint8Array(Math.ceil((SLICE_ROWS * SLICE_COLUMNS) / 8 / 2) * 2).fill(0xff, 0, 4);
  const withOverlay = writeSlice(
    { number: 0 },
    {
      OverlayRows: SLICE_ROWS,
      OverlayColumns: SLICE_COLUMNS,
      OverlayType: 'G',
      OverlayOrigin: Int16Array.of(1, 1),
      OverlayBitsAllocated: 1,
      OverlayBitPosition: 0,
      OverlayData: bits,
    },
  );
  const { page, cell } = await openViewer(await serveShared(withOverlay));
  await cell.getByText('W 300 L 50 HU').waitFor();
  const pictures = await holdBack(page, ({ search }) => search.includes('wc='));

  await cell.focus();
  await page.keyboard.press('2');
  await expect.poll(pictures.count).toBe(1);
  await settle(page);
  const texts = await textsOf(cell);
  expect(texts).toContain('W 300 L 50');
  expect(texts).not.toContain('Lung');

  await pictures.letThrough();
  await cell.getByText('W 1500 L -600 HU  Lung').waitFor();
});

test('masks of one patient are never drawn over another patient', async () => {
  const patch = { slice: 0, segment: 1, top: 4, left: 4, rows: 20, columns: 20 };
  const organs = writeSegmentation({ patches: [patch], uid: '2.25.900', name: 'Organs' });
  const { page, cell } = await openViewer(await serveShared(...writeSlices(1), organs, ...JOHN));
  const masks = cell.locator('[data-layer="layers"]');
  await page.getByRole('treeitem', { name: /Organs/ }).click();
  await page.locator('[data-layer="layers"][data-masks="1"]').waitFor();
  const frames = await holdBack(page, ({ pathname }) => /\/api\/file\/[23]\/frame/.test(pathname));

  await page
    .getByRole('treeitem', { name: /Series 2/ })
    .first()
    .click();
  await page.locator('[data-cell="0"][data-status="loading"][data-shown=""]').waitFor();
  await settle(page);

  expect(await masks.getAttribute('data-image')).toBe('');
  expect(await masks.getAttribute('data-masks')).toBe('0');
  expect(await hasPicture(cell)).toBe(false);
  await frames.letThrough();
  await showsImage(page);
  expect(await masks.getAttribute('data-masks')).toBe('0');
});

test('the inspector shows nothing about a file that is no longer open, and names the file that it describes', async () => {
  const { page, open } = await openStudies();
  const inspector = page.getByRole('tabpanel');
  const answers = await holdBack(page, ({ pathname }) =>
    /\/api\/file\/[1-4]\/(tags|semantic-context|info|references|referenced-by)$/.test(pathname),
  );
  for (const [tab, heading, foreign] of [
    ['Tags', /^0\.dcm$/, ['Doe^Jane', '0.dcm']],
    ['Layers', /^0\.dcm$/, ['Series 1', '0.dcm']],
    ['References', /^0\.dcm$/, ['0.dcm']],
  ] as const) {
    await open(/Series 1/);
    await showsImage(page);
    await page.getByRole('tab', { name: tab }).click();
    await inspector.getByText(heading).waitFor();
    await inspector.locator('[aria-busy="true"]').waitFor({ state: 'detached' });

    // Within the stack, the data of the previous slice stays on screen, labelled with its own file name.
    await page.locator('[data-cell="0"]').focus();
    await page.keyboard.press('ArrowDown');
    await showsImage(page, 1);
    await expect.poll(() => inspector.innerText(), { message: tab }).toContain('0.dcm');
    expect(await inspector.innerText()).not.toContain('1.dcm');

    await open(/Series 2/);
    await showsImage(page);
    await settle(page);
    const told = await inspector.innerText();
    expect(told).toContain('3.dcm');
    for (const text of foreign) expect(told).not.toContain(text);
  }
  await answers.letThrough();
});
