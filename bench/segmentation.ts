// A segmentation of 100 segments and 10,000 frames in a real browser: from the click on it to its masks over the source,
// how long the page was blocked, and how often it asked for masks while all slices were looked at.
// Run from the root of the repository: node bench/run.mjs segmentation [SIZE]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { writeDicom } from '../src/server/dicom/writeDicom.ts';
import { AXIAL, placedImage, segmentationElements } from '../test/support/placedElements.ts';
import { toTimes } from './measure.ts';
import { launchBrowser } from './viewerBrowser.ts';
import { startServer } from './viewerServer.ts';

const SLICES = 100;
const SEGMENTS = 100;
/** Mark: the page answers a hand within this time, whatever it does. */
const LONGEST_TASK_MS = 100;

const size = Number(process.argv[2] ?? 256);
const folder = mkdtempSync(join(tmpdir(), 'negato-bench-'));
try {
  writeFiles();
  const server = await startServer(folder);
  const browser = await launchBrowser({ gpu: false });
  try {
    await measure(await browser.newPage(), server.url);
  } finally {
    await browser.close();
    await server.stop();
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Each segment is a disc on every slice, at a place of its own in a grid of 10 by 10. */
function writeFiles(): void {
  for (let slice = 0; slice < SLICES; slice += 1) {
    const image = placedImage({ uid: uidOf(slice), rows: size, columns: size, plane: planeOf(slice) });
    writeFileSync(join(folder, `${slice}.dcm`), writeDicom({ ...image, SeriesDescription: 'Source' }));
  }
  const numbers = Array.from({ length: SEGMENTS }, (_, i) => i + 1);
  const frames = numbers.flatMap((segmentNumber) =>
    Array.from({ length: SLICES }, (_, slice) => ({
      samples: [],
      segmentNumber,
      plane: planeOf(slice),
      source: { uid: uidOf(slice) },
    })),
  );
  const elements = segmentationElements({ rows: size, columns: size, type: 'BINARY', frames, segmentNumbers: numbers });
  const bytesPerFrame = (size * size) / 8;
  const pixels = new Uint8Array(bytesPerFrame * frames.length);
  for (const [i, { segmentNumber }] of frames.entries()) drawDisc(pixels, i * size * size, segmentNumber - 1);
  const PixelData = { vr: 'OB', value: pixels } as const;
  writeFileSync(join(folder, 'seg.dcm'), writeDicom({ ...elements, SeriesDescription: 'Discs', PixelData }));
  console.log(`${frames.length} frames of ${size} x ${size}, ${(pixels.length / 1e6).toFixed(0)} MB`);
}

function planeOf(slice: number) {
  return { ...AXIAL, position: [0, 0, slice] };
}

function uidOf(slice: number): string {
  return `2.25.1${slice}`;
}

function drawDisc(pixels: Uint8Array, firstBit: number, place: number): void {
  const pitch = size / 10;
  const [x, y] = [((place % 10) + 0.5) * pitch, (Math.floor(place / 10) + 0.5) * pitch];
  const radius = pitch * 0.6;
  for (let row = Math.max(0, Math.ceil(y - radius)); row < Math.min(size, y + radius); row += 1) {
    for (let column = Math.max(0, Math.ceil(x - radius)); column < Math.min(size, x + radius); column += 1) {
      if (Math.hypot(row - y, column - x) > radius) continue;
      const bit = firstBit + row * size + column;
      pixels[bit >>> 3]! |= 1 << (bit & 7);
    }
  }
}

async function measure(page: Page, url: string): Promise<void> {
  let masks = 0;
  page.on('request', (request) => (masks += request.url().includes('/source-masks') ? 1 : 0));
  await page.goto(url);
  await page.locator('[data-cell="0"][data-status="ready"]').waitFor();
  await page.getByText(`/ ${SLICES}`).first().waitFor();
  await page.evaluate(watchTasks);

  const began = performance.now();
  await page.getByRole('treeitem', { name: /Discs/ }).click();
  await page.locator('[data-layer="segmentations"][data-masks="1"]').waitFor();
  console.log(`open: ${(performance.now() - began).toFixed(0)} ms from the click to the masks`);
  report('longest task while opening', await page.evaluate(longestTask), ' ms', LONGEST_TASK_MS);

  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('Home');
  const times: number[] = [];
  for (let slice = 0; slice < SLICES; slice += 1) {
    const pressed = performance.now();
    if (slice > 0) await page.keyboard.press('ArrowDown');
    await page.locator(`[data-cell="0"][data-shown="${slice}"] [data-layer="segmentations"][data-masks="1"]`).waitFor();
    times.push(performance.now() - pressed);
  }
  const { p50, p99 } = toTimes(times);
  console.log(`next slice with its ${SEGMENTS} masks: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`);
  report('longest task while scrolling', await page.evaluate(longestTask), ' ms', LONGEST_TASK_MS);
  report('requests for masks, of shown slices', masks, '', SLICES);

  await page.keyboard.press('c');
  const counting = performance.now();
  await page
    .locator('li[data-segment="1"]')
    .getByText(/voxels/)
    .waitFor({ timeout: 120_000 });
  console.log(`counting all voxels: ${(performance.now() - counting).toFixed(0)} ms`);
  report('longest task meanwhile', await page.evaluate(longestTask), ' ms', LONGEST_TASK_MS);
}

function watchTasks(): void {
  const longest = { ms: 0 };
  Object.assign(window, { longest });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest.ms = Math.max(longest.ms, duration);
  }).observe({ type: 'longtask', buffered: false });
}

/** Since it was last asked for; 0 where none was longer than 50 ms. */
function longestTask(): number {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by watchTasks
  const { longest } = window as unknown as { longest: { ms: number } };
  const { ms } = longest;
  longest.ms = 0;
  return ms;
}

function report(what: string, value: number, unit: string, mark: number): void {
  console.log(`${what}: ${value.toFixed(0)}${unit} (mark: ${mark}): ${value <= mark ? 'met' : 'MISSED'}`);
}
