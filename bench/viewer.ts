// The page in a real browser: the time from navigation to the first image, on loopback and over an emulated slow link;
// the rate of scrolling and windowing over 60 and 600 slices of 512 x 512; the processor time of the browser per
// drawing, and its memory after much scrolling. The peer of the first image is the browser showing the same frame as a
// bare PNG.
// Run it with `npm run bench -- viewer [--runs 5] [--slices 2000]`. See README.md beside this file.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { type BenchBrowser, launchBrowser } from './support/browser.ts';
import { withFolder } from './support/folder.ts';
import { interleave } from './support/measure.ts';
import { launchPlainBrowser } from './support/plainBrowser.ts';
import { target, mb, ms, runBenchmark, SUITE_OPTIONS, type Cells, times } from './support/report.ts';
import { startServer } from './support/server.ts';
import type { Link } from './support/shapingProxy.ts';
import { writeSlices } from './support/slices.ts';
import { timeVisit } from './support/timeVisit.ts';

const FIRST_IMAGE_MS = 400;
const RATE = 60;
/** A 60 Hz screen misses a tick now and then. */
const RATE_TOLERANCE = 0.95;
const DRAWINGS = 300;
const SLOW: Link = { latencyMs: 50, megabits: 20 };

const { values: options } = parseArgs({
  options: {
    ...SUITE_OPTIONS,
    runs: { type: 'string', default: '5' },
    /** An hour of reading at five per second has 18,000. */
    slices: { type: 'string', default: '2000' },
  },
});

await runBenchmark('viewer', (report) =>
  withFolder(async (folder) => {
    const table = report.table('Slices and graphics');
    for (const count of [60, 600]) {
      const slices = join(folder, String(count));
      writeSlices(slices, count);
      const server = await startServer(slices);
      try {
        for (const gpu of [false, true]) {
          const name = `${count}, ${gpu ? 'browser default' : 'without a GPU'}`;
          table.row(name, await measure(server.url, { files: slices, count, gpu }));
        }
      } finally {
        await server.stop();
      }
    }
  }),
);

type Case = { readonly files: string; readonly count: number; readonly gpu: boolean };

async function measure(url: string, { files, count, gpu }: Case): Promise<Cells> {
  return { ...(await firstImages(files, gpu)), ...(await inBrowser(gpu, (browser) => rates(browser, url, count))) };
}

async function firstImages(files: string, gpu: boolean): Promise<Cells> {
  const browser = await launchPlainBrowser({ gpu });
  try {
    const { loopback, picture, slow } = await interleave(Number(options.runs), {
      loopback: () => timeVisit(browser, files, { of: 'page' }),
      picture: () => timeVisit(browser, files, { of: 'picture' }),
      slow: () => timeVisit(browser, files, { of: 'page', link: SLOW }),
    });
    const first = loopback?.p50 ?? Number.NaN;
    const bare = picture?.p50 ?? Number.NaN;
    return {
      'first image': target(`${ms(first)}, target ${FIRST_IMAGE_MS}`, first <= FIRST_IMAGE_MS),
      'a bare PNG': ms(bare),
      ratio: times(bare, first),
      [`at ${SLOW.latencyMs} ms, ${SLOW.megabits} Mbit/s`]: ms(slow?.p50 ?? Number.NaN),
    };
  } finally {
    await browser.close();
  }
}

async function inBrowser(gpu: boolean, use: (browser: BenchBrowser) => Promise<Cells>): Promise<Cells> {
  const browser = await launchBrowser({ gpu });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

async function rates(browser: BenchBrowser, url: string, count: number): Promise<Cells> {
  const page = await browser.newPage();
  await page.goto(url);
  await page.locator(`[data-status="ready"]`).waitFor();
  await page.getByText(`/ ${count}`).first().waitFor();
  await page.locator('[data-cell="0"]').hover();
  // Scroll through all slices once, so that they are loaded.
  await scroll(page, count, { waits: true });
  await delay(1_000);
  const weigh = async (draw: () => Promise<Rate>): Promise<string> => {
    const spentBefore = browser.cpuMs();
    const { fps, drawings } = await draw();
    const spent = (browser.cpuMs() - spentBefore) / drawings;
    return target(`${fps.toFixed(0)} fps of ${ms(spent)}, target ${RATE}`, fps >= RATE * RATE_TOLERANCE);
  };
  const cells = {
    scroll: await weigh(() => scroll(page, DRAWINGS, { waits: false })),
    window: await weigh(() => dragWindow(page, DRAWINGS)),
  };
  const before = browser.memoryMb();
  await scroll(page, Number(options.slices), { waits: false });
  const memory = `${mb(before)}, then ${mb(browser.memoryMb())}`;
  await page.close();
  return { ...cells, memory };
}

type Rate = { readonly fps: number; readonly drawings: number };

/** One notch of the wheel per animation frame; down, and up again at the end of the stack. */
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

/** A real mouse presses the button; its moves are synthetic, one per animation frame. */
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
