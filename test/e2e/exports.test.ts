import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import type { Download, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { listZipMembers } from '../../src/server/images/attachments/zipMembers.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import { findViolations } from '../support/axe.ts';
import { readPng } from '../support/readPng.ts';
import { serveShared } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { openViewer } from '../support/viewerPage.ts';

const SLICES = [0, 1, 2].map((number) => writeSlice({ number }));

async function saved(download: Download): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }> {
  return { name: download.suggestedFilename(), bytes: new Uint8Array(await readFile(await download.path())) };
}

async function downloadBy(page: Page, act: () => Promise<unknown>) {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return saved(download);
}

/** The size of a film, its number of pictures and its length in seconds. */
async function describeFilm(bytes: Uint8Array<ArrayBuffer>) {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new Error('the film has no pictures');
  let pictures = 0;
  for await (const _ of new EncodedPacketSink(track).packets()) pictures += 1;
  return { width: track.displayWidth, height: track.displayHeight, pictures, seconds: await track.computeDuration() };
}

test('a cell is saved as SVG: its picture pixel by pixel, its texts as texts', async () => {
  const { page, complaints } = await openViewer(await serveShared(...SLICES));
  await page.keyboard.press('Control+s');
  await page.getByLabel('Include text, ROIs, measurements and segmentations').uncheck();
  const plain = await downloadBy(page, () => page.getByRole('button', { name: 'Save', exact: true }).click());
  await page.keyboard.press('Control+s');
  const drawing = await downloadBy(page, () => page.getByRole('button', { name: 'Save as SVG' }).click());

  expect(drawing.name).toBe(plain.name.replace('.png', '.svg'));
  const svg = new TextDecoder().decode(drawing.bytes);
  // Opened as a file of its own. One that is no XML would be shown with an error and no texts.
  const opened = await page.context().newPage();
  await opened.goto(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
  const texts = await opened.locator('text').allTextContents();
  await opened.close();
  expect(texts).toEqual(expect.arrayContaining(['Doe, Jane', '1 / 3', 'A', 'P', 'L', 'R']));
  const [, packed = ''] = /href="data:image\/png;base64,([^"]+)"/.exec(svg) ?? [];
  const [inside, outside] = [readPng(Buffer.from(packed, 'base64')), readPng(plain.bytes)];
  const levels = (png: typeof inside) => png.pixels.filter((_, at) => at % png.channels === 0);
  expect([inside.rows, inside.columns]).toEqual([outside.rows, outside.columns]);
  expect(Buffer.compare(levels(inside), levels(outside))).toBe(0);
  expect(complaints).toEqual([]);
});

test('a film has every image of the cell once, at the rate that the user chose', async () => {
  const { page, cell, complaints } = await openViewer(await serveShared(...SLICES));
  const save = async () => {
    await cell.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Save film…' }).click();
    await page.getByLabel('Images a second').fill('5');
  };
  await save();
  expect(await findViolations(page)).toEqual([]);
  const film = await downloadBy(page, () => page.getByRole('button', { name: 'Save', exact: true }).click());
  expect(film.name).toMatch(/^CT-series1-Series_1\.(mp4|webm)$/);
  const { width = 0, height = 0 } = (await cell.boundingBox()) ?? {};
  const described = await describeFilm(film.bytes);
  expect(described).toMatchObject({ pictures: 3 });
  expect(described.seconds).toBeCloseTo(0.6, 2);
  expect(Math.abs(described.width - width)).toBeLessThan(2);
  expect(Math.abs(described.height - height)).toBeLessThan(2);
  // The cell is where it was.
  await cell.getByText('1 / 3').waitFor();

  // A browser that makes no films saves the images.
  await page.evaluate(() => Reflect.deleteProperty(window, 'VideoEncoder'));
  await save();
  const zip = await downloadBy(page, () => page.getByRole('button', { name: 'Save', exact: true }).click());
  expect(zip.name).toBe('CT-series1-Series_1.zip');
  const members = listZipMembers(bufferSource(zip.bytes));
  expect(members.map(({ name }) => name)).toEqual(['00001.png', '00002.png', '00003.png']);
  const pictures = members.map(({ start, length }) => readPng(zip.bytes.subarray(start, start + length)).pixels);
  expect(new Set(pictures.map((pixels) => Buffer.from(pixels).toString('base64'))).size).toBe(3);
  expect(complaints).toEqual([]);
});

test('the menu of an image saves its volume and the sidecar', async () => {
  const { page, cell, complaints } = await openViewer(await serveShared(...SLICES));
  const downloads: Download[] = [];
  page.on('download', (download) => downloads.push(download));
  await cell.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Download volume as NIfTI' }).click();
  await expect.poll(() => downloads.length).toBe(2);
  const [volume, sidecar] = await Promise.all(downloads.map(saved));
  expect(volume!.name).toBe('CT-series1-Series_1.nii.gz');
  expect(gunzipSync(volume!.bytes).length).toBe(352 + 3 * SLICE_ROWS * SLICE_COLUMNS * 2);
  expect(sidecar!.name).toBe('CT-series1-Series_1.json');
  expect(JSON.parse(new TextDecoder().decode(sidecar!.bytes))).toMatchObject({ Modality: 'CT', SliceThickness: 2 });
  expect(complaints).toEqual([]);
});
