// A slide of 100,000 x 80,000 pixels: tiles per second over HTTP, against Orthanc's frames of the same file; and in a
// real browser the whole slide, the next field after a step at each zoom, and whether anything is blank during a drag.
// Run it with `npm run bench -- slide [--steps 8]`. See README.md beside this file.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { deflateTile, halvings, writeSlideLevel } from '../test/support/slidePyramid.ts';
import { writeDicom } from '../src/server/standard/dicom/writeDicom.ts';
import { slideElements } from '../test/support/slideElements.ts';
import { withFolder } from './support/folder.ts';
import { drawPhantom } from './support/frameFiles.ts';
import { interleave, timeAtOnce, toTimes } from './support/measure.ts';
import { startOrthanc } from '../test/support/orthanc.ts';
import { type BenchViewer, waitUntilComplete, withViewer } from './support/page.ts';
import { target, mb, ms, perSecond, type Report, runBenchmark, SUITE_OPTIONS, times } from './support/report.ts';
import { type BenchServer, readAddresses } from './support/server.ts';

/** Target: maximum time until the next field is sharp, and maximum duration of a blank. */
const LONGEST_MS = 250;
const MOST_REQUESTS = 39;
const TILE = 512;
const LARGEST_UID = '1.2.826.0.1.3680043.8.498.80.1';
/** Screen pixels per pixel of the largest level. */
const ZOOMS = [1, 0.4, 0.15, 0.06];
/** The level that is small enough to import into another server: 25 x 20 tiles. */
const SHARED_LEVEL = 3;
const TILES_AT_ONCE = 6;

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, steps: { type: 'string', default: '8' } } });
const steps = Number(options.steps);

await runBenchmark('slide', (report) =>
  withFolder(async (folder) => {
    const files = join(folder, 'slide');
    mkdirSync(files);
    report.note(writeSlide(files));
    await withViewer(files, async (viewer) => {
      await measureTiles({ folder, files, server: viewer.server }, report);
      await measurePage(viewer, report);
    });
  }),
);

/** All tiles are the same JPEG image, or, without cjpeg, have one color. Returns which of the two. */
function writeSlide(folder: string): string {
  const jpeg = compressTile(folder);
  const tile = jpeg ?? deflateTile([200, 170, 190], TILE);
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
  return `tiles of ${TILE} x ${TILE}, ${jpeg === undefined ? 'deflated' : 'JPEG'}, ${tile.length} bytes each`;
}

function compressTile(folder: string): Uint8Array | undefined {
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

type Prepared = { readonly folder: string; readonly files: string; readonly server: BenchServer };

/** Requests tiles of one level, several at a time like a browser; each only once, so that none comes from a cache. */
async function measureTiles({ folder, files, server }: Prepared, report: Report): Promise<void> {
  const table = report.table(`Tiles of ${TILE} x ${TILE}, ${TILES_AT_ONCE} at a time`);
  const path = join(files, `level-${SHARED_LEVEL}.dcm`);
  const ours = (await readAddresses(server.url)).get(path);
  const orthanc = await startOrthanc(folder);
  try {
    const theirs = (await orthanc?.store(path))?.replace(/\/rendered$/, '');
    const batch = 60;
    const fetchTiles = (round: number, toUrl: (tile: number) => string) =>
      timeAtOnce(
        Array.from({ length: batch }, (_, i) => toUrl(round * batch + i)),
        TILES_AT_ONCE,
      );
    const { stored, png, peer } = await interleave(5, {
      stored: (round) => fetchTiles(round, (tile) => `${ours}/frame/${tile}?format=source`),
      png: (round) => fetchTiles(round, (tile) => `${ours}/frame/${tile}`),
      peer: (round) =>
        theirs === undefined ? undefined : fetchTiles(round, (tile) => `${theirs}/frames/${tile}/rendered`),
    });
    const rate = (took: typeof peer) => (took === undefined ? 'absent' : perSecond(batch, took.p50));
    for (const [name, took] of [
      ['stored JPEG, as the page requests them', stored],
      ['decoded, as PNG', png],
    ] as const) {
      const ratio = took === undefined || peer === undefined ? '' : times(peer.p50, took.p50);
      table.row(name, { 'negato, per second': rate(took), 'Orthanc /rendered': rate(peer), ratio });
    }
  } finally {
    await orthanc?.close();
  }
}

async function measurePage({ page, server, browser }: BenchViewer, report: Report): Promise<void> {
  const table = report.table('The slide in the browser');
  let requests = 0;
  let tiles = 0;
  page.on('request', () => (requests += 1));
  page.on('requestfinished', (request) => (tiles += /\/frame\/\d+(\?|$)/.test(request.url()) ? 1 : 0));
  const began = performance.now();
  await page.goto(server.url);
  await waitUntilSharp(page);
  table.row('whole slide', { p50: ms(performance.now() - began) });
  await delay(3_000);
  const isFrugal = requests <= MOST_REQUESTS;
  table.row('requests of the first view', { p50: String(requests), target: target(String(MOST_REQUESTS), isFrugal) });

  for (const zoom of ZOOMS) {
    await page.goto(`${server.url}/?zoom=${zoom}#cell=${LARGEST_UID},1,,8000_8000_${zoom}`);
    await waitUntilSharp(page);
    const fields: number[] = [];
    for (let step = 0; step < steps; step += 1) fields.push(await nextField(page, step));
    const { p50, p99 } = toTimes(fields);
    const isMet = p50 <= LONGEST_MS;
    table.row(`next field at ${zoom}:1`, { p50: ms(p50), longest: ms(p99), target: target(`${LONGEST_MS} ms`, isMet) });
  }

  await page.goto(`${server.url}/?drag#cell=${LARGEST_UID},1,,50000_40000_1`);
  await waitUntilSharp(page);
  tiles = 0;
  const dragBegan = performance.now();
  const { blankMs, softMs, drawings } = await dragAround(page);
  const took = performance.now() - dragBegan;
  table.row('blank while dragging', {
    longest: ms(blankMs),
    target: target(`${LONGEST_MS} ms`, blankMs <= LONGEST_MS),
  });
  table.row('not sharp while dragging', { longest: ms(softMs) });
  table.row('tiles per second while dragging', { p50: perSecond(tiles, took) });
  table.row('redraws per second while dragging', { p50: perSecond(drawings, took) });
  table.row('memory of the server', { p50: mb(server.memoryMb().now), longest: mb(server.memoryMb().peak) });
  table.row('memory of the browser', { p50: mb(browser.memoryMb()) });
}

async function waitUntilSharp(page: Page): Promise<void> {
  await page.locator('[data-cell="0"] canvas[data-slide]').waitFor();
  await waitUntilComplete(page);
}

/**
 * Moves by a whole cell sideways or down, to where no tile is loaded; returns the time until the view is as sharp as
 * the screen.
 */
async function nextField(page: Page, step: number): Promise<number> {
  // Gives the tiles around the view time to load, as when a user looks at it.
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
          // The first drawing is the step itself.
          if (drawings > 2 && isReady) settle(performance.now() - pressed);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    { key: step % 2 === 0 ? 'ArrowRight' : 'ArrowDown' },
  );
}

type Watched = { readonly blankMs: number; readonly softMs: number; readonly drawings: number };

/** Thirty long and fast drags; at each drawing the canvas is sampled in 20 places. A blank is white or black. */
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
