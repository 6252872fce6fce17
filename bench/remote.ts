// The page over a slow link with high latency: our own proxy limits it to 20 Mbit/s and a round trip of 50 ms.
// Measures the time from navigation to the first image; 60 CT slices step by step, and at a fixed scroll rate; the
// bytes of each, and of a window; a mammogram. `npm run bench -- remote [--runs 3]`. See README.md beside this file.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { type BenchBrowser, launchBrowser } from './support/browser.ts';
import { withFolder } from './support/folder.ts';
import { writeGrayImages } from './support/frameFiles.ts';
import { interleave, median } from './support/measure.ts';
import { launchPlainBrowser } from './support/plainBrowser.ts';
import { type Cells, mb, ms, runBenchmark, SUITE_OPTIONS, times } from './support/report.ts';
import { startServer } from './support/server.ts';
import { type Link, type ShapingProxy, startShapingProxy } from './support/shapingProxy.ts';
import { timeVisit } from './support/timeVisit.ts';

const LINK: Link = { latencyMs: 50, megabits: 20 };
const SLICES = 60;
const SLICE_BYTES = 512 * 512 * 2;
const NOTCHES_A_SECOND = 30;

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, runs: { type: 'string', default: '3' } } });

await runBenchmark('remote', (report) =>
  withFolder(async (folder) => {
    const [ct, mammogram] = [join(folder, 'ct'), join(folder, 'mg')];
    writeGrayImages(ct, SLICES, [512, 512]);
    writeGrayImages(mammogram, 1, [4000, 3000], { Modality: 'MG', SOPClassUID: '1.2.840.10008.5.1.4.1.1.1.2' });
    const browser = await launchBrowser({ gpu: false });
    const table = report.table(`${LINK.megabits} Mbit/s and ${LINK.latencyMs} ms`);
    try {
      table.row('first image', await measureFirstImage(ct));
      table.row('slice by slice', await overTheLine(ct, (proxy) => measureSteps(browser, proxy)));
      const hand = `scrolling at ${NOTCHES_A_SECOND} notches per second`;
      table.row(hand, await measureHands(browser, ct));
      table.row('mammogram', await overTheLine(mammogram, (proxy) => measureMammogram(browser, proxy)));
    } finally {
      await browser.close();
    }
  }),
);

/** Measures with a server that has not served these files before, and adds its peak memory as a cell. */
async function overTheLine<Result extends object>(path: string, measure: (proxy: ShapingProxy) => Promise<Result>) {
  const server = await startServer(path);
  const proxy = await startShapingProxy(server.url, LINK);
  try {
    return { ...(await measure(proxy)), 'memory of the server': mb(server.memoryMb().peak) };
  } finally {
    await proxy.close();
    await server.stop();
  }
}

/** The peer is the same frame as a bare PNG in the same browser: no page, only a picture. */
async function measureFirstImage(files: string): Promise<Cells> {
  const browser = await launchPlainBrowser({ gpu: false });
  try {
    const { page, picture } = await interleave(Number(options.runs), {
      page: () => timeVisit(browser, files, { of: 'page', link: LINK }),
      picture: () => timeVisit(browser, files, { of: 'picture', link: LINK }),
    });
    const [first, bare] = [page?.p50 ?? Number.NaN, picture?.p50 ?? Number.NaN];
    return { negato: ms(first), against: `${times(bare, first)} a bare picture, ${ms(bare)}` };
  } finally {
    await browser.close();
  }
}

/**
 * Turns the wheel by one notch when the previous slice is shown. The peer is the transfer time of uncompressed
 * samples.
 */
async function measureSteps(browser: BenchBrowser, { url, downBytes }: ShapingProxy): Promise<Cells> {
  const page = await browser.newPage();
  await openStack(page, url);
  const before = downBytes();
  const began = performance.now();
  for (let slice = 1; slice < SLICES; slice++) {
    await page.locator('[data-cell="0"]').dispatchEvent('wheel', { deltaY: 100, bubbles: true, cancelable: true });
    await page.evaluate(untilExact, slice);
  }
  const perSlice = (performance.now() - began) / (SLICES - 1);
  const bytes = (downBytes() - before) / (SLICES - 1);
  const rawMs = (SLICE_BYTES * 8) / (LINK.megabits * 1000);
  const windowBytes = await dragWindow(page, downBytes);
  await page.close();
  return {
    negato: `${ms(perSlice)} per slice`,
    against: `${times(rawMs, perSlice)} the bare samples, ${ms(rawMs)}`,
    bytes: `${(bytes / 1000).toFixed(0)} KB per slice, ${windowBytes} per window`,
  };
}

async function dragWindow(page: Page, downBytes: () => number): Promise<number> {
  // Prefetching at the end of the stack has finished.
  await page.waitForLoadState('networkidle');
  const before = downBytes();
  await page.mouse.move(640, 400);
  await page.mouse.down();
  await page.mouse.move(700, 430, { steps: 30 });
  await page.mouse.up();
  return downBytes() - before;
}

/** Scrolls at a fixed rate, whether or not slices arrive, several times. */
async function measureHands(browser: BenchBrowser, files: string): Promise<Cells> {
  const seen: number[] = [];
  const settledMs: number[] = [];
  let last: Cells = {};
  for (let run = 0; run < Number(options.runs); run += 1) {
    const {
      seen: seenNow,
      settledMs: settledNow,
      ...memory
    } = await overTheLine(files, (proxy) => turnByHand(browser, proxy));
    seen.push(seenNow);
    settledMs.push(settledNow);
    last = memory;
  }
  const negato = `${median(seen)} of ${SLICES - 1} slices shown, the last ${ms(median(settledMs))} after scrolling`;
  return { negato, ...last };
}

async function turnByHand(browser: BenchBrowser, { url }: ShapingProxy) {
  const page = await browser.newPage();
  await openStack(page, url);
  const hand = await page.evaluate(
    async ([notches, everyMs]) => {
      const cell = document.querySelector<HTMLElement>('[data-cell="0"]');
      if (cell === null) throw new Error('no cell');
      const slices = new Set<string | undefined>();
      const watch = new MutationObserver(() => slices.add(cell.dataset['shown']));
      watch.observe(cell, { attributeFilter: ['data-shown'] });
      for (let notch = 0; notch < notches; notch++) {
        cell.dispatchEvent(new WheelEvent('wheel', { deltaY: 100, bubbles: true, cancelable: true }));
        await new Promise((next) => setTimeout(next, everyMs));
      }
      watch.disconnect();
      return { seen: slices.size, restedMs: performance.now() };
    },
    [SLICES - 1, 1000 / NOTCHES_A_SECOND] as const,
  );
  const settledMs = (await page.evaluate(untilExact, SLICES - 1)) - hand.restedMs;
  await page.close();
  return { seen: hand.seen, settledMs };
}

async function measureMammogram(browser: BenchBrowser, { url, downBytes }: ShapingProxy): Promise<Cells> {
  const page = await browser.newPage();
  const before = downBytes();
  await page.goto(url);
  const exactMs = await page.evaluate(untilExact, 0);
  const seenMs = await page.evaluate(() => performance.getEntriesByName('first-image')[0]?.startTime ?? Number.NaN);
  await page.close();
  return { negato: `visible after ${ms(seenMs)}, exact after ${ms(exactMs)}`, bytes: mb((downBytes() - before) / 1e6) };
}

async function openStack(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.evaluate(untilExact, 0);
  // The slices after the first become known a moment later.
  await page.getByText(`/ ${SLICES}`).first().waitFor();
}

/**
 * Time since the page began until a slice is shown. Runs in the page, because waiting from outside ends up polling
 * every half second.
 */
async function untilExact(slice: number): Promise<number> {
  const selector = `[data-cell="0"][data-status="ready"][data-quality="exact"][data-shown="${slice}"]`;
  while (document.querySelector(selector) === null) await new Promise(requestAnimationFrame);
  return performance.now();
}
