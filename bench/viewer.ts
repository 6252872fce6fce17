// The page in a real browser: from navigation to the first image, on loopback and over an emulated slow link; the rate
// of scrolling and windowing over 60 and 600 slices of 512 x 512; what the browser's processes spend on each drawing, and
// their memory after much scrolling. Run from the root of the repository: node bench/run.mjs viewer [RUNS]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type BenchBrowser, launchBrowser } from './viewerBrowser.ts';
import { startServer } from './viewerServer.ts';
import { writeSlices } from './viewerSlices.ts';

const FIRST_IMAGE_MS = 400;
const RATE = 60;
/** A screen of 60 Hz misses a tick now and then. */
const RATE_TOLERANCE = 0.95;
const DRAWINGS = 300;
const MORE_SLICES = 2_000;

const runs = Number(process.argv[2] ?? 5);
const folder = await mkdtemp(join(tmpdir(), 'negato-bench-'));
try {
  for (const count of [60, 600]) {
    const slices = join(folder, String(count));
    writeSlices(slices, count);
    const server = await startServer(slices);
    try {
      for (const gpu of [false, true]) await measure(server.url, { count, gpu });
    } finally {
      await server.stop();
    }
  }
} finally {
  await rm(folder, { recursive: true });
}

async function measure(url: string, { count, gpu }: { count: number; gpu: boolean }): Promise<void> {
  console.log(`\n${count} slices, ${gpu ? 'with the browser’s own choice of graphics' : 'without a GPU'}`);
  const browser = await launchBrowser({ gpu });
  try {
    const first = await repeat(runs, () => firstImageMs(browser, url));
    report('first image', median(first), 'ms', FIRST_IMAGE_MS, (value, mark) => value <= mark);
    const slow = await repeat(2, () => firstImageMs(browser, url, { latencyMs: 50, megabits: 20 }));
    console.log(`  first image at 50 ms and 20 Mbit/s: ${median(slow).toFixed(0)} ms`);
    await rates(browser, url, count);
  } finally {
    await browser.close();
  }
}

async function rates(browser: BenchBrowser, url: string, count: number): Promise<void> {
  const page = await browser.newPage();
  await page.goto(url);
  await page.locator(`[data-status="ready"]`).waitFor();
  await page.getByText(`/ ${count}`).first().waitFor();
  await page.locator('[data-cell="0"]').hover();
  // Once through, so that the slices are there.
  await scroll(page, count, { waits: true });
  await delay(1_000);
  for (const [name, draw] of [
    ['scroll', () => scroll(page, DRAWINGS, { waits: false })],
    ['window', () => dragWindow(page, DRAWINGS)],
  ] as const) {
    const spentBefore = browser.cpuMs();
    const { fps, drawings } = await draw();
    const spent = (browser.cpuMs() - spentBefore) / drawings;
    report(name, fps, 'drawings a second', RATE, (value, mark) => value >= mark * RATE_TOLERANCE);
    console.log(`    ${spent.toFixed(1)} ms of all processes for each`);
  }
  const before = browser.memoryMb();
  await scroll(page, MORE_SLICES, { waits: false });
  console.log(
    `  memory of all processes: ${before.toFixed(0)} MB, after more scrolling ${browser.memoryMb().toFixed(0)} MB`,
  );
  await page.close();
}

type Rate = { readonly fps: number; readonly drawings: number };

/** A notch of the wheel for every animation frame; down, and up again at the end of the stack. */
function scroll(page: Page, notches: number, { waits }: { readonly waits: boolean }): Promise<Rate> {
  return page.evaluate(
    async ([count, waitsForImage]) => {
      const cell = document.querySelector<HTMLElement>('[data-cell="0"]');
      if (cell === null) throw new Error('no cell');
      // oxlint-disable-next-line unicorn/consistent-function-scoping -- it must come along into the page
      const tick = () => new Promise((next) => requestAnimationFrame(next));
      const mostTicks = waitsForImage ? 200 : 0;
      const began = performance.now();
      let direction = 1;
      let drawings = 0;
      for (let notch = 0; notch < count; notch++) {
        const before = cell.dataset['shown'];
        cell.dispatchEvent(new WheelEvent('wheel', { deltaY: 100 * direction, bubbles: true, cancelable: true }));
        await tick();
        for (let i = 0; i < mostTicks && cell.dataset['status'] !== 'ready'; i++) await tick();
        if (cell.dataset['shown'] === before) direction = -direction;
        else drawings += 1;
      }
      return { fps: (drawings * 1000) / (performance.now() - began), drawings };
    },
    [notches, waits] as const,
  );
}

/** The button is pressed by a real mouse; its moves come with the animation frames. */
async function dragWindow(page: Page, moves: number): Promise<Rate> {
  const box = await page.locator('[data-cell="0"]').boundingBox();
  if (box === null) throw new Error('the cell is not on the page');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const rate = await page.evaluate(
    async ([count, startX, startY]) => {
      const cell = document.querySelector('[data-cell="0"]');
      // oxlint-disable-next-line unicorn/consistent-function-scoping -- it must come along into the page
      const tick = () => new Promise((next) => requestAnimationFrame(next));
      const began = performance.now();
      for (let move = 0; move < count; move++) {
        const [clientX, clientY] = [startX + (move % 100), startY + 40 * Math.sin(move / 20)];
        cell?.dispatchEvent(new PointerEvent('pointermove', { pointerId: 1, clientX, clientY, bubbles: true }));
        await tick();
      }
      return { fps: (count * 1000) / (performance.now() - began), drawings: count };
    },
    [moves, x, y] as const,
  );
  await page.mouse.up();
  return rate;
}

type Link = { readonly latencyMs: number; readonly megabits: number };

async function firstImageMs(browser: BenchBrowser, url: string, link?: Link): Promise<number> {
  const page = await browser.newPage();
  if (link !== undefined) {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    const throughput = (link.megabits * 1e6) / 8;
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: link.latencyMs,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    });
  }
  // Told by the page itself: asking it would take longer than a picture.
  await page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      if (document.querySelector('[data-status="ready"]') === null) return;
      watch.disconnect();
      Object.assign(globalThis, { firstImageMs: performance.now() });
    });
    watch.observe(document, { subtree: true, childList: true, attributeFilter: ['data-status'] });
  });
  await page.goto(url);
  await page.locator('[data-status="ready"]').waitFor();
  const took = Number(await page.evaluate('firstImageMs'));
  await page.close();
  return took;
}

async function repeat(times: number, run: () => Promise<number>): Promise<number[]> {
  const results = [];
  for (let i = 0; i < times; i++) results.push(await run());
  return results;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function report(
  name: string,
  value: number,
  unit: string,
  mark: number,
  isMet: (value: number, mark: number) => boolean,
): void {
  console.log(`  ${name}: ${value.toFixed(0)} ${unit} (mark: ${mark}): ${isMet(value, mark) ? 'met' : 'MISSED'}`);
}
