// A slide of 100,000 x 80,000 pixels in a real browser: from navigation to the whole slide, the next field after a step,
// and whether anything is blank while it is dragged. Run from the root of the repository: node bench/run.mjs slide [STEPS]
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { deflateTile, halvings, writeSlideLevel } from '../test/support/slidePyramid.ts';
import { writeDicom } from '../src/server/dicom/writeDicom.ts';
import { slideElements } from '../test/support/slideElements.ts';
import { drawPhantom } from './frameFiles.ts';
import { launchBrowser } from './viewerBrowser.ts';
import { startServer } from './viewerServer.ts';

/** Mark: a field, and a blank, may last as long. */
const LONGEST_MS = 250;
const MOST_REQUESTS = 40;
const TILE = 512;
const LARGEST_UID = '1.2.826.0.1.3680043.8.498.80.1';

const steps = Number(process.argv[2] ?? 30);
const folder = await mkdtemp(join(tmpdir(), 'negato-bench-'));
try {
  writeSlide();
  const server = await startServer(folder);
  const browser = await launchBrowser({ gpu: false });
  try {
    await measure(await browser.newPage(), server.url);
  } finally {
    await browser.close();
    await server.stop();
  }
} finally {
  await rm(folder, { recursive: true });
}

/** All tiles are the same JPEG image, or, without cjpeg, of one color. */
function writeSlide(): void {
  const jpeg = compressTile();
  const tile = jpeg ?? deflateTile([200, 170, 190], TILE);
  console.log(`tiles of ${TILE} x ${TILE}, ${jpeg === undefined ? 'deflated' : 'JPEG'}, ${tile.length} bytes each`);
  for (const [level, { width, height }] of halvings(100_000, 80_000, TILE).entries()) {
    const count = Math.ceil(width / TILE) * Math.ceil(height / TILE);
    const elements = {
      SOPInstanceUID: LARGEST_UID.replace(/1$/, String(level + 1)),
      TotalPixelMatrixColumns: width,
      TotalPixelMatrixRows: height,
      NumberOfFrames: count,
      Rows: TILE,
      Columns: TILE,
      PixelData: { fragments: Array.from({ length: count }, () => tile), offsetTable: 'extended' },
    } as const;
    const color = { SamplesPerPixel: 3, PhotometricInterpretation: 'YBR_FULL_422', PlanarConfiguration: 0 };
    const bytes =
      jpeg === undefined
        ? writeSlideLevel(level, elements)
        : writeDicom(slideElements({ ...elements, ...color }), { transferSyntaxUid: '1.2.840.10008.1.2.4.50' });
    writeFileSync(join(folder, `level-${level}.dcm`), bytes);
  }
}

function compressTile(): Uint8Array | undefined {
  const texture = drawPhantom(TILE, TILE, 5);
  const pixels = Buffer.alloc(TILE * TILE * 3);
  for (let i = 0; i < pixels.length; i += 1) pixels[i] = 200 - (texture[Math.floor(i / 3)]! >> 5) + (i % 3) * 12;
  const image = join(folder, 'tile.ppm');
  writeFileSync(image, Buffer.concat([Buffer.from(`P6 ${TILE} ${TILE} 255\n`), pixels]));
  const { status, stdout } = spawnSync('cjpeg', ['-quality', '40', image], { maxBuffer: 2 ** 24 });
  rmSync(image);
  if (status !== 0) return undefined;
  return new Uint8Array(stdout.length % 2 === 0 ? stdout : Buffer.concat([stdout, Buffer.alloc(1)]));
}

async function measure(page: Page, url: string): Promise<void> {
  let requests = 0;
  let tiles = 0;
  page.on('request', () => (requests += 1));
  page.on('requestfinished', (request) => (tiles += /\/frame\/\d+(\?|$)/.test(request.url()) ? 1 : 0));
  const began = performance.now();
  await page.goto(url);
  await isSharp(page);
  console.log(`whole slide: ${(performance.now() - began).toFixed(0)} ms`);
  await delay(3_000);
  report('requests of the first view', requests, '', MOST_REQUESTS - 1);

  await page.goto(`${url}/?near#cell=${LARGEST_UID},1,,50000_40000_1`);
  await isSharp(page);
  const fields: number[] = [];
  for (let step = 0; step < steps; step += 1) fields.push(await nextField(page, step));
  const sorted = fields.toSorted((a, b) => a - b);
  report('next field, median', sorted[Math.floor(steps / 2)] ?? NaN, ' ms', LONGEST_MS);
  console.log(`  longest ${sorted.at(-1)?.toFixed(0)} ms`);

  tiles = 0;
  const dragBegan = performance.now();
  const { blankMs, softMs, drawings } = await dragAround(page);
  const seconds = (performance.now() - dragBegan) / 1000;
  report('longest blank while dragging', blankMs, ' ms', LONGEST_MS);
  console.log(`  longest until sharp ${softMs.toFixed(0)} ms`);
  console.log(`  ${(tiles / seconds).toFixed(0)} tiles and ${(drawings / seconds).toFixed(0)} drawings a second`);
}

async function isSharp(page: Page): Promise<void> {
  await page.locator('[data-cell="0"] canvas[data-slide]').waitFor();
  await page.locator('[data-cell="0"][data-status="ready"]').waitFor();
}

/** A step of a whole cell sideways or down, to where no tile is; until all of it is as sharp as the screen. */
async function nextField(page: Page, step: number): Promise<number> {
  // What lies around has time to come, as it has while somebody looks.
  await delay(150);
  await page.locator('[data-cell="0"]').focus();
  return page.evaluate(
    ({ key }) =>
      new Promise<number>((settle) => {
        const cell = document.querySelector('[data-cell="0"]');
        const pressed = performance.now();
        for (let quarter = 0; quarter < 4; quarter += 1) {
          cell?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        }
        let drawings = 0;
        const look = () => {
          drawings += 1;
          const isReady = cell instanceof HTMLElement && cell.dataset['status'] === 'ready';
          // The first drawing is that of the step itself.
          if (drawings > 2 && isReady) settle(performance.now() - pressed);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    { key: step % 2 === 0 ? 'ArrowRight' : 'ArrowDown' },
  );
}

type Watched = { readonly blankMs: number; readonly softMs: number; readonly drawings: number };

/** Thirty long and fast drags; at each drawing the canvas is looked at in 20 places. A blank is as white as the page draws it. */
async function dragAround(page: Page): Promise<Watched> {
  const watching = page.evaluate(
    () =>
      new Promise<Watched>((settle) => {
        const cell = document.querySelector('[data-cell="0"]');
        const canvas = cell?.querySelector('canvas[data-slide]');
        if (!(canvas instanceof HTMLCanvasElement) || !(cell instanceof HTMLElement)) throw new Error('no slide');
        const context = canvas.getContext('2d');
        const since = new Map<number, number>();
        let [blankMs, softMs, drawings, softSince] = [0, 0, 0, NaN];
        document.addEventListener('bench-end', () => settle({ blankMs, softMs, drawings }));
        const look = (now: number) => {
          drawings += 1;
          for (let place = 0; place < 20; place += 1) {
            const [x, y] = [((place % 5) + 0.5) / 5, (Math.floor(place / 5) + 0.5) / 4];
            const at = [Math.floor(x * canvas.width), Math.floor(y * canvas.height)] as const;
            const [red, green, blue] = context?.getImageData(...at, 1, 1).data ?? [];
            const isBlank = (red === 255 && green === 255 && blue === 255) || (red === 0 && green === 0 && blue === 0);
            if (!isBlank) since.delete(place);
            else if (!since.has(place)) since.set(place, now);
            if (isBlank) blankMs = Math.max(blankMs, now - (since.get(place) ?? now));
          }
          if (cell.dataset['status'] === 'ready') softSince = NaN;
          else if (Number.isNaN(softSince)) softSince = now;
          if (!Number.isNaN(softSince)) softMs = Math.max(softMs, now - softSince);
          requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
  );
  const box = await page.locator('[data-cell="0"]').boundingBox();
  if (box === null) throw new Error('the cell is not on the page');
  const [right, left] = [box.x + box.width - 40, box.x + 40];
  for (let turn = 0; turn < 30; turn += 1) {
    await page.mouse.move(right, box.y + 60);
    await page.mouse.down();
    for (let step = 1; step <= 10; step += 1) {
      await page.mouse.move(right + ((left - right) * step) / 10, box.y + 60 + step * 30);
      await delay(16);
    }
    await page.mouse.up();
  }
  await page.evaluate(() => document.dispatchEvent(new Event('bench-end')));
  return watching;
}

function report(what: string, value: number, unit: string, mark: number): void {
  console.log(`${what}: ${value.toFixed(0)}${unit} (mark: ${mark}): ${value <= mark ? 'met' : 'MISSED'}`);
}
