import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from '../support/axe.ts';
import { readPng } from '../support/readPng.ts';
import { serve } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { drag, openViewer, projectionOf, settle } from '../support/viewerPage.ts';

const IMAGE = { rows: SLICE_ROWS, columns: SLICE_COLUMNS };

async function downloadBy(page: Page, act: () => Promise<unknown>): Promise<{ name: string; bytes: Uint8Array }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), bytes: new Uint8Array(await readFile(await download.path())) };
}

test('windows are typed or drawn, images saved, files downloaded, links copied', async () => {
  const slices = [0, 1, 2].map((number) => writeSlice({ number }));
  const server = await serve(...slices);
  const { page, cell, complaints } = await openViewer(server);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());

  // The window is typed after a click on its text or after a key. Invalid input is rejected with a reason.
  await cell.getByRole('button', { name: /^W \d/ }).click();
  await page.getByRole('textbox', { name: 'Center' }).fill('70');
  await page.getByRole('textbox', { name: 'Width' }).fill('none');
  await page.keyboard.press('Enter');
  await page.getByText('“none” is not a number.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Width' }).getAttribute('aria-invalid')).toBe('true');
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'Width' }).fill('300');
  await page.keyboard.press('Enter');
  await cell.getByText('W 300 L 70').waitFor();
  await page.keyboard.press('Shift+L');
  await page.getByRole('textbox', { name: 'Center' }).fill('1');
  await page.keyboard.press('Escape');
  await settle(page);
  expect(await cell.getByText('W 300 L 70').count()).toBe(1);

  // The image alone, saved at 1:1, equals the picture that the server draws with the same window.
  await page.keyboard.press('Control+s');
  await page.getByLabel('Entire image, 1:1').check();
  await page.getByLabel('Include text, ROIs, measurements and segmentations').uncheck();
  expect(await findViolations(page)).toEqual([]);
  const saved = await downloadBy(page, () => page.getByRole('button', { name: 'Save', exact: true }).click());
  const picture = readPng(saved.bytes);
  const answer = await server.request('/api/file/0/frame/0?wc=70&ww=300');
  const expected = readPng(new Uint8Array(await answer.arrayBuffer()));
  expect([picture.rows, picture.columns]).toEqual([expected.rows, expected.columns]);
  const levels = expected.pixels.map((_, i) => picture.pixels[i * picture.channels] ?? -1);
  expect(Buffer.compare(levels, expected.pixels)).toBe(0);
  expect(saved.name).toMatch(/^CT-.*image1\.png$/);

  // With text and marks the size is the same, but the picture differs. Saving does not change the view.
  await page.keyboard.press('Control+s');
  await page.getByLabel('Entire image, 1:1').check();
  const marked = readPng((await downloadBy(page, () => page.keyboard.press('Enter'))).bytes);
  expect([marked.rows, marked.columns]).toEqual([expected.rows, expected.columns]);
  expect(Buffer.compare(marked.pixels, picture.pixels)).not.toBe(0);
  await expect.poll(() => page.url()).toMatch(/,70w300$/);

  const file = await downloadBy(page, () => page.keyboard.press('d'));
  expect(Buffer.compare(file.bytes, slices[0]!)).toBe(0);
  expect(file.name).toMatch(/\.dcm$/);

  await page.keyboard.press('Shift+Y');
  await page.getByText('Link copied.').waitFor();
  expect(await clipboard()).toMatch(/#cell=[\d.]+,1,70w300$/);

  await page.keyboard.press('Shift+C');
  await page.getByText('Image copied.').waitFor();

  // A box around columns 2 to 4 of rows 1 and 2.
  const at = await projectionOf(cell, IMAGE, {});
  await page.getByRole('button', { name: 'Window presets' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Window from box U' }).click();
  await drag(page, at(2.5, 1.5), at(4.5, 2.5));
  await expect.poll(() => cell.getByText('W 300 L 70').count()).toBe(0);
  await page.getByRole('button', { name: 'Window presets' }).click();
  await page.getByRole('menuitem', { name: /^Enter window center and width/ }).click();
  await page.getByRole('textbox', { name: 'Center' }).waitFor();
  await page.keyboard.press('Escape');

  // The lens is visible only while its key is held.
  await page.mouse.move(...at(3.5, 2.5));
  await page.keyboard.down('x');
  const lens = cell.locator('[data-lens]');
  await lens.getByText(/^\(3, 2\)/).waitFor();
  // The lens is never cut off at the edges of its cell.
  const frame = await cell.boundingBox();
  for (const [x, y] of [
    [12, 12],
    [(frame?.width ?? 0) - 40, (frame?.height ?? 0) - 60],
  ] as const) {
    await page.mouse.move((frame?.x ?? 0) + x, (frame?.y ?? 0) + y);
    await settle(page);
    const edges = await lens.boundingBox();
    expect(edges?.x).toBeGreaterThanOrEqual(frame?.x ?? Infinity);
    expect(edges?.y).toBeGreaterThanOrEqual(frame?.y ?? Infinity);
    expect((edges?.x ?? 0) + (edges?.width ?? 0)).toBeLessThanOrEqual((frame?.x ?? 0) + (frame?.width ?? 0));
    expect((edges?.y ?? 0) + (edges?.height ?? 0)).toBeLessThanOrEqual((frame?.y ?? 0) + (frame?.height ?? 0));
  }
  await page.keyboard.up('x');
  await lens.waitFor({ state: 'detached' });

  // The context menu of a tag.
  const tag = page.getByRole('treeitem', { name: /Patient ID/ }).first();
  await tag.scrollIntoViewIfNeeded();
  await tag.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy tag' }).click();
  expect(await clipboard()).toBe('(0010,0020)');
  expect(complaints).toEqual([]);
}, 180_000);
