// A review by keys in Chromium: from a key to the next image on the screen, on loopback and over a slow link, and a review of
// thousands of units to its end.
// Run from the root of the repository: npm run bench -- review [--units 200] [--all 10000] [--rounds 3]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { moveBehindThinLink } from '../test/support/thinLink.ts';
import { type BenchBrowser, launchBrowser } from './support/browser.ts';
import { writeCohort } from './support/cohortTree.ts';
import { withFolder } from './support/folder.ts';
import { toTimes } from './support/measure.ts';
import { mb, ms, perSecond, type Report, runBenchmark, SUITE_OPTIONS, target } from './support/report.ts';
import { startServer } from './support/server.ts';

/** Targets of the study of cohorts. */
const MOST_LOOPBACK_MS = 150;
const MOST_THIN_LINK_MS = 400;
/** A user looks at an image for at least this long, in which the next ones are loaded. */
const LOOK_MS = 700;
/** Decisions in a row whose times are of one measurement. */
const STEPS = 40;

const { values: options } = parseArgs({
  options: {
    ...SUITE_OPTIONS,
    units: { type: 'string', default: '200' },
    all: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
  },
});

await runBenchmark('review', async (report) => {
  const browser = await launchBrowser({ gpu: false });
  try {
    await withFolder((folder) => measureSteps(browser, folder, report));
    await withFolder((folder) => measureAll(browser, folder, report));
  } finally {
    await browser.close();
  }
});

async function measureSteps(browser: BenchBrowser, folder: string, report: Report): Promise<void> {
  const units = Number(options.units);
  const files = join(folder, 'files');
  writeCohort(files, units * 2, { hasPixels: true, seriesImages: 2 });
  const table = report.table(`From a key to the next image, ${units} series of CT`);
  const found = new Map<string, number[]>();
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const verdicts = join(folder, `verdicts${round}.jsonl`);
    const server = await startServer(files, { args: ['--review', verdicts, '--reader', 'bench'] });
    try {
      for (const [name, isThin, look] of [
        ['loopback', false, LOOK_MS],
        ['loopback, as fast as images come', false, 0],
        ['20 Mbit/s and 50 ms', true, LOOK_MS],
      ] as const) {
        const page = await browser.newPage();
        if (isThin) await moveBehindThinLink(page);
        await page.goto(server.url);
        found.set(name, [...(found.get(name) ?? []), ...(await page.evaluate(decideInTurn, { steps: STEPS, look }))]);
        await page.close();
      }
    } finally {
      await server.stop();
    }
  }
  for (const [name, values] of found) {
    const { p50, p99 } = toTimes(values);
    const most = name.startsWith('loopback') ? MOST_LOOPBACK_MS : MOST_THIN_LINK_MS;
    table.row(name, { median: ms(p50), '99 of 100': ms(p99), target: target(ms(most), p50 <= most) });
  }
}

async function measureAll(browser: BenchBrowser, folder: string, report: Report): Promise<void> {
  const units = Number(options.all);
  if (units === 0) return;
  const files = join(folder, 'files');
  const verdicts = join(folder, 'verdicts.jsonl');
  writeCohort(files, units, { hasPixels: true, seriesImages: 1 });
  const server = await startServer(files, { args: ['--review', verdicts, '--reader', 'bench'] });
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    const begun = performance.now();
    const times = await page.evaluate(decideInTurn, { steps: units, look: 0 });
    const took = performance.now() - begun;
    await page.waitForFunction(
      (count) => document.querySelector('[aria-label=Decided]')?.textContent?.replaceAll(/[^\d/]/g, '') === count,
      `${units}/${units}`,
      { timeout: 60_000 },
    );
    const lines = readFileSync(verdicts, 'utf8').trimEnd().split('\n');
    const series = new Set(lines.map((line): unknown => JSON.parse(line).series));
    report.table(`${units} units by keys`).row('accepted one after the other', {
      'units per second': perSecond(units, took),
      'first hundred': ms(toTimes(times.slice(0, 100)).p50),
      'last hundred': ms(toTimes(times.slice(-100)).p50),
      'units in the file': `${series.size}, ${lines.length} lines`,
      'memory of the server': mb(server.memoryMb().now),
    });
  } finally {
    await server.stop();
  }
}

/** Runs in the page: accepts units one after the other, and returns for each the time until the next image was on the screen. */
async function decideInTurn({ steps, look }: { readonly steps: number; readonly look: number }): Promise<number[]> {
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- it must come along into the page
  const bar = () => document.querySelector<HTMLElement>('[aria-label=Review] [data-phase]');
  const shown = () => (bar()?.dataset['phase'] === 'shown' ? bar()!.querySelector('b')?.textContent : undefined);
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- it must come along into the page
  const drawn = () => new Promise((next) => requestAnimationFrame(next));
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- it must come along into the page
  const decided = () => document.querySelector('[aria-label=Decided]')?.textContent ?? '';
  const isAllDecided = () => {
    const [done, all] = decided().split('/');
    return done?.trim() === all?.trim();
  };
  const isThere = async (isDone: () => boolean) => {
    const begun = performance.now();
    while (!isDone()) {
      if (performance.now() - begun > 60_000) throw new Error(`nothing happens at ${shown()}, ${decided()}`);
      await drawn();
    }
  };
  const times: number[] = [];
  await isThere(() => shown()?.startsWith('#') === true);
  for (let step = 0; step < steps; step += 1) {
    await new Promise((next) => setTimeout(next, look));
    const before = shown();
    const begun = performance.now();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '1', code: 'Digit1', bubbles: true }));
    await isThere(() => (shown() !== undefined && shown() !== before) || isAllDecided());
    times.push(performance.now() - begun);
  }
  return times;
}
