// A segmentation of 100 segments and 10,000 frames in a real browser: from the click on it to its masks over the
// source, how long the page was blocked, and how many mask requests it sent while all slices were shown.
// Run from the root of the repository: npm run bench -- segmentation [--size 256]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeDicom } from '../src/server/standard/dicom/writeDicom.ts';
import { AXIAL, placedImage, segmentationElements } from '../test/support/placedElements.ts';
import { withFolder } from './support/folder.ts';
import { toTimes } from './support/measure.ts';
import { type BenchViewer, waitUntilComplete, withViewer } from './support/page.ts';
import { target, mb, ms, type Report, runBenchmark, SUITE_OPTIONS } from './support/report.ts';

const SLICES = 100;
const SEGMENTS = 100;
/** Target: the page responds to the user within this time, whatever it does. */
const LONGEST_TASK_MS = 100;

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, size: { type: 'string', default: '256' } } });
const size = Number(options.size);

await runBenchmark('segmentation', (report) =>
  withFolder(async (folder) => {
    writeFiles(folder);
    await withViewer(folder, (viewer) => measure(viewer, report));
  }),
);

/** Each segment is a disc on every slice, at its own position in a grid of 10 by 10. */
function writeFiles(folder: string): void {
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

async function measure({ page, server }: BenchViewer, report: Report): Promise<void> {
  const table = report.table(`${SEGMENTS} segments, ${SLICES * SEGMENTS} frames of ${size} x ${size}`);
  const longest = async () => {
    const took = await page.evaluate(longestTask);
    return took === 0
      ? { 'longest task': 'below 50 ms', target: target(`${LONGEST_TASK_MS} ms`, true) }
      : { 'longest task': ms(took), target: target(`${LONGEST_TASK_MS} ms`, took <= LONGEST_TASK_MS) };
  };
  let masks = 0;
  page.on('request', (request) => (masks += /\/api\/layer\/\d+\/frame/.test(request.url()) ? 1 : 0));
  await page.goto(server.url);
  await waitUntilComplete(page);
  await page.getByText(`/ ${SLICES}`).first().waitFor();
  await page.evaluate(watchTasks);

  const began = performance.now();
  await page.getByRole('treeitem', { name: /Discs/ }).click();
  await page.locator('[data-layer="segmentations"][data-masks="1"]').waitFor();
  table.row('from the click to the masks', { p50: ms(performance.now() - began), ...(await longest()) });

  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('Home');
  const values: number[] = [];
  for (let slice = 0; slice < SLICES; slice += 1) {
    const pressed = performance.now();
    if (slice > 0) await page.keyboard.press('ArrowDown');
    await page.locator(`[data-cell="0"][data-shown="${slice}"] [data-layer="segmentations"][data-masks="1"]`).waitFor();
    values.push(performance.now() - pressed);
  }
  const { p50, p99 } = toTimes(values);
  table.row('next slice with all masks', { p50: ms(p50), p99: ms(p99), ...(await longest()) });

  await page.keyboard.press('c');
  const counting = performance.now();
  await page
    .locator('li[data-segment="1"]')
    .getByText(/voxels/)
    .waitFor({ timeout: 120_000 });
  table.row('counting all voxels', { p50: ms(performance.now() - counting), ...(await longest()) });
  table.row(`requests for masks of ${SLICES} slices`, {
    p50: String(masks),
    target: target(String(SLICES), masks <= SLICES),
  });
  table.row('peak memory of the server', { p50: mb(server.memoryMb().peak) });
}

function watchTasks(): void {
  const longest = { ms: 0 };
  Object.assign(window, { longest });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest.ms = Math.max(longest.ms, duration);
  }).observe({ type: 'longtask', buffered: false });
}

/** The longest task since the last call; 0 if none was longer than 50 ms. */
function longestTask(): number {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by watchTasks
  const { longest } = window as unknown as { longest: { ms: number } };
  const longestMs = longest.ms;
  longest.ms = 0;
  return longestMs;
}
