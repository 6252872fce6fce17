import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openTab } from '../support/browser.ts';
import { holdRequests } from '../support/holdRequests.ts';
import { serveShared } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { openViewer, showsImage } from '../support/viewerPage.ts';

const FRAMES = 12;
const [ROWS, COLUMNS] = [16, 16];
const PATIENT = { timeout: 60_000 };

function writeFilm(frameTimeMs?: number, frames = FRAMES): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.3.1',
    SOPInstanceUID: '1.2.826.0.1.3680043.10.68.1',
    StudyInstanceUID: '1.2.826.0.1.3680043.10.68.2',
    SeriesInstanceUID: '1.2.826.0.1.3680043.10.68.3',
    Modality: 'US',
    NumberOfFrames: String(frames),
    FrameTime: frameTimeMs === undefined ? undefined : String(frameTimeMs),
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: ROWS,
    Columns: COLUMNS,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    PixelData: Uint8Array.from({ length: ROWS * COLUMNS * frames }, (_, i) => Math.floor(i / (ROWS * COLUMNS))),
  });
}

/** Records every position that is on screen from now on, in order. */
async function recordPositions(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const cell = document.querySelector('[data-cell="0"]');
    const seen: string[] = [];
    if (cell === null) throw new Error('no cell');
    const note = () => {
      const shown = cell.getAttribute('data-shown') ?? '';
      if (shown !== seen.at(-1)) seen.push(shown);
    };
    note();
    new MutationObserver(note).observe(cell, { attributeFilter: ['data-shown'] });
    Object.assign(globalThis, { seenPositions: seen });
  });
  return async () => {
    const seen: unknown = await page.evaluate('seenPositions');
    return Array.isArray(seen) ? seen.map(Number) : [];
  };
}

test('the position in the bar can be typed, and a number beyond the last image is the last one', async () => {
  const server = await serveShared(writeFilm());
  const { page } = await openViewer(server);
  const place = page.getByRole('button', { name: `/ ${FRAMES}` });
  const go = async (number: string) => {
    await place.click();
    await page.getByRole('spinbutton', { name: 'Number of the image' }).fill(number);
    await page.keyboard.press('Enter');
  };
  await go('7');
  await showsImage(page, 6);
  await expect.poll(() => place.textContent()).toBe(`7 / ${FRAMES}`);
  await go('99');
  await showsImage(page, FRAMES - 1);
  // The focus is on the image again, so that keys scroll it.
  await page.keyboard.press('ArrowUp');
  await showsImage(page, FRAMES - 2);
  await place.click();
  await page.keyboard.press('Escape');
  await showsImage(page, FRAMES - 2);
});

describe('cine playback', () => {
  test('runs at the declared frame time, in order, and loops', async () => {
    const server = await serveShared(writeFilm(50));
    const { page } = await openViewer(server);
    const rate = page.getByRole('spinbutton', { name: 'Frames per second' });
    // 1000 ms / 50 ms.
    await expect.poll(() => rate.inputValue(), PATIENT).toBe('20');
    const positions = await recordPositions(page);

    await page.keyboard.press('Space');
    await expect.poll(async () => (await positions()).length, PATIENT).toBeGreaterThan(2 * FRAMES);
    await page.keyboard.press('Space');

    const seen = await positions();
    expect(seen).toEqual(seen.map((_, i) => i % FRAMES));
    await page.getByRole('button', { name: 'Play' }).waitFor();
  });

  test('that starts before its rate is known adopts the rate while it plays', async () => {
    const server = await serveShared(writeFilm(50));
    const { page } = await openTab(server);
    const letInfoGo = await holdRequests(page, '**/info');
    await page.goto(server.baseUrl);
    await showsImage(page);

    await page.keyboard.press('Space');
    const pause = page.getByRole('button', { name: 'Pause' });
    await pause.waitFor();
    letInfoGo();

    const rate = page.getByRole('spinbutton', { name: 'Frames per second' });
    await expect.poll(() => rate.inputValue(), PATIENT).toBe('20');
    expect(await pause.isVisible()).toBe(true);
  });

  test('that is requested before the series is known starts when it is known', async () => {
    const server = await serveShared(...Array.from({ length: 8 }, (_, number) => writeSlice({ number })));
    const { page } = await openTab(server);
    const letSeriesGo = await holdRequests(page, '**/api/series');
    await page.goto(server.baseUrl);
    await showsImage(page);
    const pause = page.getByRole('button', { name: 'Pause' });

    await page.keyboard.press('Space');
    expect(await pause.isVisible()).toBe(false);
    letSeriesGo();

    await pause.waitFor();
    await showsImage(page, 3);
  });

  test('runs at 10 frames per second without a frame time, and its rate has limits', async () => {
    const server = await serveShared(writeFilm());
    const { page } = await openViewer(server);
    const rate = page.getByRole('spinbutton', { name: 'Frames per second' });
    await expect.poll(() => rate.inputValue(), PATIENT).toBe('10');

    for (let i = 0; i < 30; i++) await page.keyboard.press(']');
    expect(await rate.inputValue()).toBe('60');
    for (let i = 0; i < 60; i++) await page.keyboard.press('[');
    expect(await rate.inputValue()).toBe('1');
  });

  test('sweeps back and forth', async () => {
    const server = await serveShared(writeFilm(20));
    const { page } = await openViewer(server);
    await page.getByRole('button', { name: 'Loop' }).click();
    const positions = await recordPositions(page);

    await page.getByRole('button', { name: 'Play' }).click();
    await expect.poll(async () => (await positions()).length, PATIENT).toBeGreaterThan(2 * FRAMES);

    // 0 to 11 and back to 1, repeatedly.
    const period = 2 * FRAMES - 2;
    const seen = await positions();
    expect(seen).toEqual(seen.map((_, i) => (i % period < FRAMES ? i % period : period - (i % period))));
  });

  test('that cannot keep up skips no frame, and shows the rate it reaches', async () => {
    const frames = 100;
    const server = await serveShared(writeFilm(20, frames));
    const { page } = await openViewer(server);
    await page.route('**/raw*', async (route) => {
      await new Promise((later) => setTimeout(later, 300));
      await route.continue();
    });
    await page.reload();
    await showsImage(page);
    const positions = await recordPositions(page);

    await page.keyboard.press('Space');
    await page.getByText(/^\d+ of 50$/).waitFor();
    await expect.poll(async () => (await positions()).length, PATIENT).toBeGreaterThan(30);

    const seen = await positions();
    expect(seen).toEqual(seen.map((_, i) => i % frames));
  });
});
