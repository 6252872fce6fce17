import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from '../support/axe.ts';
import { serve, serveShared } from '../support/serve.ts';
import { writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { drag, openViewer, settle } from '../support/viewerPage.ts';

/** Two series of one study. */
const twoSeries = () => [1, 2].flatMap((series) => [0, 1, 2].map((number) => writeSlice({ number, series })));

function row(page: Page, text: string): Locator {
  return page.getByRole('navigation', { name: 'Explorer' }).getByRole('treeitem').filter({ hasText: text }).last();
}

test('a second series is compared by one click after the task, and without one the task takes its room back', async () => {
  const { page, cell, complaints } = await openViewer(await serveShared(...twoSeries()));
  const cells = page.locator('[data-cell]');
  const other = page.locator('[data-cell="1"]');
  // Until the series are known, each image is by itself.
  await page.getByText('1 / 3').first().waitFor();
  await row(page, 'Series 2').waitFor();
  await page.keyboard.press('Alt+4');
  await other.getByText('Click a series in the list to compare it, or drop one here').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Alt+1');
  await expect.poll(() => cells.count()).toBe(1);

  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await row(page, 'Series 2').click();
  await other.and(page.locator('[data-status="ready"]')).waitFor();
  await other
    .getByText(/#2|Series 2/)
    .first()
    .waitFor();
  expect(await cell.getByText(/#2|Series 2/).count()).toBe(0);
  // Both cells stay, and a series that is opened now replaces that of the active cell.
  await page.keyboard.press('Alt+1');
  await page.keyboard.press('Alt+4');
  expect(await cells.count()).toBe(2);
  await row(page, 'Series 1').click();
  await expect.poll(() => other.getByText(/#2|Series 2/).count()).toBe(0);
  expect(complaints).toEqual([]);
});

/** Whether all of an element is on the screen, under nothing else and not cut. */
async function isSeenWhole(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const [inset, middle] = [5, (top + bottom) / 2];
    return [left + inset, (left + right) / 2, right - inset].every((x) => {
      const seen = document.elementFromPoint(x, middle);
      return seen !== null && (element.contains(seen) || seen.contains(element));
    });
  });
}

test('a new class can be added at every width, also beside many, and its field is not cut', async () => {
  const server = await serve(writeSlice({ number: 0 }));
  const classes = ['Nodule', 'Cyst', 'Vessel', 'Calcification'].map((title, n) => ({
    key: title.toLowerCase(),
    title,
    color: '#ff9900',
    digit: n + 1,
  }));
  await server.request('/api/labels', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ classes }),
  });
  const { page } = await openViewer(server, { width: 1920 });
  await page.keyboard.press('Alt+3');
  const bar = page.getByRole('toolbar', { name: 'Tools' });
  const add = bar.getByRole('button', { name: 'Class', exact: true });
  const field = bar.getByRole('textbox', { name: 'Title of a new class' });
  for (const width of [1920, 1366, 1024, 800]) {
    await page.setViewportSize({ width, height: 700 });
    await add.waitFor();
    await settle(page);
    expect(await isSeenWhole(add), `the button at ${width} px`).toBe(true);
    await add.click();
    await field.waitFor();
    await settle(page);
    expect(await isSeenWhole(field), `the field at ${width} px`).toBe(true);
    expect((await field.boundingBox())?.width).toBeGreaterThanOrEqual(120);
    await page.keyboard.press('Escape');
  }
  expect(await findViolations(page)).toEqual([]);
});

test('what was saved is said above a notice, not over it', async () => {
  const server = await serve(...twoSeries());
  const { page, cell } = await openViewer(server);
  const box = await cell.boundingBox();
  const [x, y] = [(box?.x ?? 0) + 200, (box?.y ?? 0) + 200];
  await page.keyboard.press('l');
  await drag(page, [x, y], [x + 100, y + 50]);
  await page.keyboard.press('Alt+3');
  await drag(page, [x, y + 100], [x + 80, y + 160]);
  // Begun before, because the message is there for seconds only.
  const apart = page.waitForFunction(() => {
    const texts = [...document.querySelectorAll('output span, p')];
    const said = texts.find((one) => one.textContent === 'Marks saved');
    const kept = texts.find((one) => one.textContent?.includes('The format cannot hold'));
    if (said === undefined || kept === undefined) return false;
    return said.getBoundingClientRect().bottom <= kept.getBoundingClientRect().top;
  });
  await page.getByRole('toolbar', { name: 'Tools' }).getByRole('button', { name: 'Save marks' }).click();
  await page.getByRole('menuitem', { name: /^COCO/ }).click();
  expect(await (await apart).jsonValue()).toBe(true);
});

test('a layer that has nothing on the shown image says so, and the explorer marks the series of planes', async () => {
  const patches = [{ slice: 4, segment: 1, top: 4, left: 4, rows: 6, columns: 8 }];
  const server = await serveShared(...writeSlices(6), writeSegmentation({ uid: '2.25.900', name: 'Organs', patches }));
  const { page, cell } = await openViewer(server);
  const badge = cell.locator('summary', { hasText: 'segmentation' });
  await badge.waitFor();
  await page.keyboard.press('m');
  await badge.filter({ hasText: '1 of 1 segmentation · not on this image' }).waitFor();
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowDown');
  await expect.poll(async () => (await badge.textContent())?.trim()).toBe('1 of 1 segmentation');

  await page.keyboard.press('y');
  await expect.poll(() => page.locator('[data-cell]').count()).toBe(4);
  await expect.poll(() => row(page, 'Slices').getAttribute('aria-selected')).toBe('true');
});
