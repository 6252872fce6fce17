import { gzipSync } from 'node:zlib';
import type { Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { openPage } from '../support/browser.ts';
import { serve } from '../support/serve.ts';
import { moveBehindThinLink } from '../support/thinLink.ts';
import { drag, openViewer, projectionOf, showsImage } from '../support/viewerPage.ts';
import { expectBoxes } from '../support/roiFiles.ts';

const SIZE = { rows: 256, columns: 256 };

function writeSlice(number: number): Uint8Array {
  return writeDicom(
    ctElements({
      SOPInstanceUID: `1.2.826.0.1.3680043.10.68.${number}`,
      FrameOfReferenceUID: '1.2.826.0.1.3680043.10.68.1000',
      InstanceNumber: String(number),
      ImagePositionPatient: ['0', '0', String(number)],
      ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
      WindowCenter: '2000',
      WindowWidth: '4000',
      Rows: SIZE.rows,
      Columns: SIZE.columns,
      // Noise, which does not compress.
      PixelData: Uint16Array.from({ length: SIZE.rows * SIZE.columns }, (_, i) => (i * 2_654_435_761) % 4093),
    }),
  );
}

test('nothing else of a cine series is requested before its first image is on screen', async () => {
  const frames = 8;
  const film = ctElements({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.3.1',
    NumberOfFrames: String(frames),
    // Without a window, some frames would be sampled in parallel with the first image to find one.
    WindowCenter: '2000',
    WindowWidth: '4000',
    Rows: 16,
    Columns: 16,
    PixelData: new Uint16Array(frames * 16 * 16),
  });
  const server = await serve(writeDicom(film));
  const { page } = await openPage();
  const nextFrame = page.waitForResponse(/frame\/1\/raw/);
  await page.goto(server.baseUrl);
  await (await nextFrame).finished();
  await showsImage(page);

  const times = await page.evaluate(() => ({
    shown: performance.getEntriesByName('first-image').map(({ startTime }) => startTime),
    asked: performance
      .getEntriesByType('resource')
      .filter(({ name }) => /frame\/[1-9]/.test(name))
      .map(({ startTime }) => startTime),
  }));
  expect(times.shown).toHaveLength(1);
  expect(times.asked.length).toBeGreaterThan(0);
  expect(Math.min(...times.asked)).toBeGreaterThanOrEqual(times.shown[0]!);
});

test('the first image is requested before the page is built', async () => {
  const server = await serve(writeSlice(1));
  const { page } = await openPage();
  // The page is never built without its root element.
  await page.route(`${server.baseUrl}/`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace('id="root"', '') });
  });
  const firstFrame = page.waitForResponse(/frame\/0\/raw/);

  await page.goto(server.baseUrl);

  expect((await firstFrame).status()).toBe(200);
  expect(await page.getByRole('figure').count()).toBe(0);
});

test('the first image needs at most 5 requests and 120 KB of compressed JavaScript, all from this server', async () => {
  const server = await serve(...[1, 2, 3].map(writeSlice));
  const { page, complaints } = await openPage();
  const answers: Response[] = [];
  page.on('response', (response) => {
    if (!response.url().startsWith('data:')) answers.push(response);
  });

  // The image counts as loaded when the samples of its first frame arrive.
  const firstFrame = page.waitForResponse((response) => response.url().includes('/frame/'));
  await page.goto(server.baseUrl);
  await firstFrame;
  const before = [...answers];

  // The list of files is requested with the page, so its response may arrive before that of the code.
  expect(before.map((answer) => new URL(answer.url()).pathname).toSorted()).toEqual([
    '/',
    expect.stringMatching(/^\/api\/file\/\d+\/frame\/0\/raw$/),
    '/api/files',
    expect.stringMatching(/^\/assets\/.*\.js$/),
    expect.stringMatching(/^\/assets\/.*\.css$/),
  ]);
  const scripts = before.filter((answer) => answer.url().endsWith('.js'));
  const sizes = await Promise.all(scripts.map(async (script) => gzipSync(await script.body(), { level: 9 }).length));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(120_000);
  await showsImage(page);
  expect(answers.map((answer) => new URL(answer.url()).origin).filter((origin) => origin !== server.baseUrl)).toEqual(
    [],
  );
  expect(complaints).toEqual([]);
});

test('over a slow link the image on screen loads before prefetched images, and ROIs arrive', async () => {
  const server = await serve(...Array.from({ length: 30 }, (_, i) => writeSlice(i + 1)));
  const { page, cell, requests } = await openViewer(server);
  // A frame of 128 KiB takes about one round trip.
  await moveBehindThinLink(page);
  await page.reload();
  await showsImage(page);
  await page.getByText('1 / 30').first().waitFor();

  await cell.focus();
  const asked = requests.length;
  await page.keyboard.press('End');
  await showsImage(page, 29);
  const frames = requests.slice(asked).filter((url) => url.includes('/frame/'));
  // One batch may already have been requested when the key was pressed.
  expect(frames.findIndex((url) => url.includes('/file/29/frame/0/raw'))).toBeLessThan(6);
  expect(frames.some((url) => url.includes('/file/29/frame/0/raw'))).toBe(true);
  for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowUp');
  await showsImage(page, 17);
  await page.keyboard.press('r');
  const at = await projectionOf(cell, SIZE, {});
  await drag(page, at(100, 50), at(200, 150));

  await expectBoxes(server, [[50, 100, 150, 200]], 17);
});

test('markup in names, descriptions and ids is shown as text everywhere', async () => {
  const attack = '<img src=x onerror=alert(1)><script>alert(2)</script>';
  const server = await serve(
    writeDicom(
      ctElements({
        PatientName: attack,
        PatientID: attack,
        StudyDescription: attack,
        SeriesDescription: attack,
        StationName: '<b>bold</b>',
        WindowCenter: '1',
        WindowWidth: '4',
        WindowCenterWidthExplanation: attack,
      }),
    ),
  );
  const { page, complaints } = await openViewer(server);

  await page.getByText(attack).first().waitFor();
  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.getByRole('tab', { name: 'Tags' }).click();
  await page.getByText('<b>bold</b>').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('img');
  await page.getByRole('dialog').getByText(attack).first().waitFor();

  expect(await page.locator('img[src=x], #root script, #root b').count()).toBe(0);
  expect(complaints).toEqual([]);
});
