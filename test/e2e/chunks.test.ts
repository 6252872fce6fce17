import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { holdRequests } from '../support/holdRequests.ts';
import { expectBoxes } from '../support/roiFiles.ts';
import { serve } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { drag, projectionOf, showsFirstImage, showsImage } from '../support/viewerPage.ts';

const SIZE = { rows: SLICE_ROWS, columns: SLICE_COLUMNS };
const SLICES = [0, 1, 2].map((number) => writeSlice({ number }));
const LATER = '**/assets/later-*.js';
const DIALOG = '**/assets/PageDialog-*.js';

/** Opens the viewer with an image, but holds the code that loads after it until `release` is called. */
async function openWithoutLater() {
  const server = await serve(...SLICES);
  const { page, complaints } = await openPage();
  const release = await holdRequests(page, LATER);
  await page.goto(server.baseUrl);
  await showsFirstImage(page);
  return { server, page, complaints, release, cell: page.locator('[data-cell="0"]') };
}

/** The viewer after the user has opened the command palette, whose code failed to load. */
async function openWithoutOverlay() {
  const server = await serve(...SLICES);
  const { page, complaints } = await openPage();
  await page.route(DIALOG, abort);
  await page.goto(server.baseUrl);
  await toolbar(page).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByText('A part of the page could not be loaded').waitFor();
  return { server, page, complaints, cell: page.locator('[data-cell="0"]') };
}

async function canOpenPalette(page: Page): Promise<boolean> {
  if ((await page.getByRole('dialog').count()) === 0) await page.keyboard.press('Control+k');
  return (await page.getByRole('dialog').count()) === 1;
}

function toolbar(page: Page) {
  return page.getByRole('toolbar', { name: 'Tools' });
}

/** The button of the notice about missing code; the notice about a lost connection has another one. */
function retryButton(page: Page) {
  return page.locator('section').filter({ hasText: 'could not be loaded' }).getByRole('button', { name: 'Retry' });
}

const abort = (route: Route) => route.abort();

test('keys that are pressed before their code is loaded take effect when it is, in order', async () => {
  const { page, complaints, release } = await openWithoutLater();

  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Control+k');
  expect(await toolbar(page).count()).toBe(0);
  release();

  await showsImage(page, 1);
  await page.getByRole('dialog').waitFor();
  expect(complaints).toEqual([]);
});

test('what is typed for the palette before its code is loaded is in its field, and runs no command', async () => {
  const server = await serve(...SLICES);
  const { page, complaints } = await openPage();
  const release = await holdRequests(page, DIALOG);
  await page.goto(server.baseUrl);
  await showsImage(page);
  await page.keyboard.press('Control+k');
  // As commands, these would choose tools and play the stack.
  await page.keyboard.type('play lx');
  await page.keyboard.press('Backspace');
  const address = page.url();
  release();

  const field = page.getByRole('combobox', { name: 'Find a series, tag or command' });
  await expect.poll(() => field.inputValue()).toBe('play l');
  await page.keyboard.type('o');
  expect(await field.inputValue()).toBe('play lo');
  expect(page.url()).toBe(address);
  expect(complaints).toEqual([]);
});

test('turning the wheel before the series are known scrolls when they are, and does not zoom the single image', async () => {
  const server = await serve(...SLICES);
  const { page } = await openPage();
  const release = await holdRequests(page, '**/api/series');
  await page.goto(server.baseUrl);
  await showsFirstImage(page);
  const cell = page.locator('[data-cell="0"]');
  const zoom = async () => /Zoom [\d.]+ %/.exec((await cell.textContent()) ?? '')?.[0];
  await expect.poll(zoom).toBeDefined();
  const before = await zoom();

  await cell.hover();
  await page.mouse.wheel(0, 100);
  await page.mouse.wheel(0, 100);
  release();

  await showsImage(page, 2);
  expect(await zoom()).toBe(before);
});

test('a ROI that is drawn before the code of ROIs is loaded appears when it is', async () => {
  const { server, page, complaints, release, cell } = await openWithoutLater();
  const at = await projectionOf(cell, SIZE, {});

  await page.keyboard.press('r');
  await drag(page, at(3, 4), at(20, 15));
  expect(await toolbar(page).count()).toBe(0);
  release();

  await expectBoxes(server, [[4, 3, 15, 20]]);
  expect(complaints).toEqual([]);
});

test('a drag before any key uses the default tool, and waits for nothing', async () => {
  const { page, release, cell } = await openWithoutLater();
  const at = await projectionOf(cell, SIZE, {});
  const pictureOf = () => page.locator('canvas').first().screenshot();
  const before = await pictureOf();

  await drag(page, at(3, 10), at(20, 10));

  await expect.poll(async () => (await pictureOf()).equals(before)).toBe(false);
  release();
  await toolbar(page).waitFor();
});

test('code that loads after the first image does not move it', async () => {
  const { page, release, cell } = await openWithoutLater();
  const before = await cell.locator('canvas').first().boundingBox();

  release();
  await toolbar(page).waitFor();
  await page.getByText('1 / 3').first().waitFor();

  expect(await cell.locator('canvas').first().boundingBox()).toEqual(before);
});

test('code that fails to load is requested again on retry, and the image can be used meanwhile', async () => {
  const server = await serve(...SLICES);
  const { page, complaints } = await openPage();
  await page.route(LATER, abort);
  await page.goto(server.baseUrl);
  await showsFirstImage(page);
  const notice = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
  await notice.waitFor();
  await page.locator('[data-cell="0"]').hover();
  await page.mouse.wheel(0, 100);
  // A key that was pressed before its code was loaded has no effect afterwards.
  await page.keyboard.press('End');

  await retryButton(page).click();
  await notice.waitFor();
  await page.unroute(LATER, abort);
  await retryButton(page).click();

  await toolbar(page).waitFor();
  expect(await notice.count()).toBe(0);
  await page.keyboard.press('i');
  await page.getByText('inverted').waitFor();
  // The browser logs each failed request.
  expect(complaints.filter((text) => !text.includes('net::ERR_FAILED'))).toEqual([]);
});

test('a part that is loaded on demand is requested again, too', async () => {
  const { page, complaints } = await openWithoutOverlay();
  await page.unroute(DIALOG, abort);
  await retryButton(page).click();

  // A browser that does not request a failed module again has reloaded the page by now.
  await expect.poll(() => canOpenPalette(page)).toBe(true);
  expect(complaints.filter((text) => !text.includes('net::ERR_FAILED'))).toEqual([]);
});

test('while the server does not respond the page stays, and missing code is loaded when it responds', async () => {
  const { server, page, cell } = await openWithoutOverlay();
  // A reload would remove this mark.
  await page.evaluate(() => Object.assign(globalThis, { isFirstPage: true }));
  const isFirstPage = () => page.evaluate(() => 'isFirstPage' in globalThis);

  await page.route(`${server.baseUrl}**`, abort);
  const unanswered = page.waitForEvent('requestfailed', (request) => request.method() === 'HEAD');
  await retryButton(page).click();
  await unanswered;
  await page.getByText('A part of the page could not be loaded').waitFor();
  expect(await isFirstPage()).toBe(true);
  await cell.hover();
  await page.keyboard.press('i');
  await page.getByText('inverted').waitFor();

  await page.unroute(`${server.baseUrl}**`, abort);
  await page.unroute(DIALOG, abort);
  await retryButton(page).click();
  await expect.poll(() => canOpenPalette(page)).toBe(true);
});
