// What an open page costs with many files: how long it is blocked by a letter typed into the filter, and how much
// longer the scan takes. `npm run bench -- explorer [--rounds 3] [--files 20000,100000]`. See README.md beside this
// file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { type BenchBrowser, launchBrowser } from './support/browser.ts';
import { writeCtTree } from './support/ctTree.ts';
import { findDcmview } from './support/dcmview.ts';
import { withFolder } from './support/folder.ts';
import { interleave, median, toTimes } from './support/measure.ts';
import { ms, runBenchmark, SUITE_OPTIONS, type Table, target, times } from './support/report.ts';
import { startServer } from './support/server.ts';

const LONGEST_BLOCK_MS = 16;
const MOST_SLOWER = 1.2;
/** The first letter matches every file, the last few. */
const LETTERS = 'ct ser 1'.split('');

const { values: options } = parseArgs({
  options: {
    ...SUITE_OPTIONS,
    rounds: { type: 'string', default: '3' },
    files: { type: 'string', default: '20000,100000' },
  },
});

await runBenchmark('explorer', (report) =>
  withFolder(async (folder) => {
    const letters = report.table('A letter typed into the filter');
    const scans = report.table('Scan');
    const browser = await launchBrowser({ gpu: false });
    try {
      for (const count of options.files.split(',').map(Number)) {
        const files = join(folder, String(count));
        writeCtTree(files, count);
        await measureLetters(letters, browser, files, count);
        await measureScan(scans, browser, files, count);
      }
    } finally {
      await browser.close();
    }
  }),
);

async function measureLetters(table: Table, browser: BenchBrowser, files: string, count: number): Promise<void> {
  const server = await startServer(files);
  const page = await browser.newPage();
  await page.goto(server.url);
  await page.locator('[data-shown]').first().waitFor();
  const filter = page.getByLabel('Filter files');
  for (const view of ['Patients and studies', 'Folders']) {
    await page.getByRole('button', { name: view }).click();
    const blocks: number[] = [];
    const results: number[] = [];
    for (let round = 0; round < Number(options.rounds); round += 1) {
      await filter.fill('');
      await page.waitForTimeout(1_000);
      await filter.focus();
      for (const letter of LETTERS) {
        await page.evaluate(watchBlocks);
        await page.keyboard.press(letter === ' ' ? 'Space' : letter);
        await page.waitForTimeout(600);
        const { longestMs, settledMs } = await page.evaluate(readBlocks);
        blocks.push(longestMs);
        // A letter that every file matches changes nothing.
        if (settledMs > 0) results.push(settledMs);
      }
    }
    const turns = await measureTurns(browser, page, filter);
    const { p50 } = toTimes(blocks);
    const longest = Math.max(...blocks);
    table.row(`${count} files, ${view.toLowerCase()}`, {
      'blocked page, median': ms(p50),
      longest: ms(longest),
      'longest turn, processor time': `${ms(median(turns))}, at most ${ms(Math.max(...turns))}`,
      'result after': results.length === 0 ? 'no change' : ms(median(results)),
      target: target(ms(LONGEST_BLOCK_MS), p50 <= LONGEST_BLOCK_MS),
    });
  }
  await page.close();
  await server.stop();
}

/** The longest turn of the page's event loop for each letter. Not in the other rounds, because tracing takes time. */
async function measureTurns(browser: BenchBrowser, page: Page, filter: Locator): Promise<number[]> {
  await filter.fill('');
  await page.waitForTimeout(1_000);
  await filter.focus();
  const turns: number[] = [];
  for (const letter of LETTERS) {
    turns.push(
      await browser.longestTurnMs(page, async () => {
        await page.keyboard.press(letter === ' ' ? 'Space' : letter);
        await page.waitForTimeout(600);
      }),
    );
  }
  return turns;
}

/** Runs in the page: measures the time between two turns of its event loop, until `readBlocks`. */
function watchBlocks(): void {
  const watch = { longestMs: 0, settledMs: 0, isOver: false };
  Object.assign(globalThis, { watch });
  const beganMs = performance.now();
  const { port1, port2 } = new MessageChannel();
  let lastMs = beganMs;
  port1.addEventListener('message', () => {
    const nowMs = performance.now();
    watch.longestMs = Math.max(watch.longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!watch.isOver) port2.postMessage(undefined);
  });
  port1.start();
  port2.postMessage(undefined);
  const seen = new MutationObserver(() => (watch.settledMs = performance.now() - beganMs));
  const tree = document.querySelector('[role=tree]');
  if (tree !== null) seen.observe(tree, { childList: true, subtree: true, characterData: true });
}

function readBlocks(): { longestMs: number; settledMs: number } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `watchBlocks` has set it
  const { watch } = globalThis as unknown as { watch: { longestMs: number; settledMs: number; isOver: boolean } };
  watch.isOver = true;
  return watch;
}

async function measureScan(table: Table, browser: BenchBrowser, files: string, count: number): Promise<void> {
  const dcmview = findDcmview();
  const { alone, withPage, peer } = await interleave(Number(options.rounds), {
    alone: async () => scan(files),
    withPage: async () => {
      const page = await browser.newPage();
      const took = await scan(files, (url) => page.goto(url));
      await page.close();
      return took;
    },
    peer: () => (dcmview === undefined ? undefined : scanByPeer(dcmview, files)),
  });
  const [aloneMs, withPageMs] = [alone?.p50 ?? Number.NaN, withPage?.p50 ?? Number.NaN];
  table.row(`${count} files`, {
    'no page': ms(aloneMs),
    'with the page open': ms(withPageMs),
    slower: `${(withPageMs / aloneMs).toFixed(2)} times`,
    dcmview: peer === undefined ? 'absent' : ms(peer.p50),
    ratio: peer === undefined ? '' : times(peer.p50, aloneMs),
    target: target(`at most ${MOST_SLOWER} times`, withPageMs <= MOST_SLOWER * aloneMs),
  });
}

/** From the command until the server says that all files are found. */
async function scan(files: string, onListening: (url: string) => unknown = () => undefined): Promise<number> {
  const beganMs = performance.now();
  const server = await startServer(files, { until: 'listening' });
  onListening(server.url);
  for (;;) {
    const response = await fetch(`${server.url}/api/health`);
    const { scan_complete: isComplete }: { scan_complete: boolean } = await response.json();
    if (isComplete) break;
    await new Promise((resume) => setTimeout(resume, 20));
  }
  const took = performance.now() - beganMs;
  await server.stop();
  return took;
}

async function scanByPeer(command: string, files: string): Promise<number> {
  const beganMs = performance.now();
  const child = spawn(command, ['--no-browser', '--no-token', files], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  for await (const piece of child.stdout) {
    text += String(piece);
    if (/loaded \d+ DICOM/.test(text)) break;
  }
  const took = performance.now() - beganMs;
  child.kill('SIGTERM');
  await once(child, 'close');
  return took;
}
