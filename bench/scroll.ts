// A scroll through 600 slices of 512 x 512 at 30 per second, on a page that has just loaded: is each slice shown in
// time? Also slices per second over HTTP, six at a time, against Orthanc's rendered pictures: `npm run bench --
// scroll`. See README.md beside this file.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withFolder } from './support/folder.ts';
import { interleave, timeAtOnce, type Times } from './support/measure.ts';
import { type Orthanc, startOrthanc } from '../test/support/orthanc.ts';
import { waitUntilReady, withViewer } from './support/page.ts';
import { target, mb, ms, perSecond, type Report, runBenchmark, SUITE_OPTIONS, times } from './support/report.ts';
import { scrollPage } from './support/scrollPage.ts';
import { type BenchServer, readAddresses } from './support/server.ts';
import { writeSlices } from './support/slices.ts';

const SLICES = 600;
const RATE = 30;
const CONNECTIONS = 6;
const [ROUNDS, BATCH] = [4, 30];
/** Target: the share of slices shown before the next one is wanted. A 60 Hz screen misses a tick now and then. */
const IN_TIME = 0.95;

parseArgs({ options: SUITE_OPTIONS });

await runBenchmark('scroll', (report) =>
  withFolder(async (folder) => {
    const files = join(folder, 'slices');
    writeSlices(files, SLICES);
    await withViewer(files, async ({ page, server, browser }) => {
      const table = report.table(`Scroll through ${SLICES} slices at ${RATE} per second`);
      await page.goto(server.url);
      await waitUntilReady(page);
      await page.getByText(`/ ${SLICES}`).first().waitFor();
      const { inTime, tookMs, longestLagMs } = await scrollPage(page, SLICES - 1, RATE);
      const share = `${inTime} of ${SLICES - 1}`;
      table.row('slices in time', {
        negato: share,
        target: target(`${IN_TIME * 100} %`, inTime >= (SLICES - 1) * IN_TIME),
      });
      table.row('slices per second until the last one is shown', { negato: perSecond(SLICES - 1, tookMs) });
      table.row('longest time without a new slice', { negato: ms(longestLagMs) });
      const { now, peak } = server.memoryMb();
      table.row('memory of the server, now and peak', { negato: `${mb(now)}, ${mb(peak)}` });
      table.row('memory of the browser', { negato: mb(browser.memoryMb()) });
      const orthanc = await startOrthanc(folder);
      try {
        await compareRates(files, { server, orthanc }, report);
      } finally {
        await orthanc?.close();
      }
    });
  }),
);

type Servers = { readonly server: BenchServer; readonly orthanc: Orthanc | undefined };

async function compareRates(files: string, { server, orthanc }: Servers, report: Report): Promise<void> {
  const paths = readdirSync(files)
    .toSorted()
    .slice(0, ROUNDS * BATCH)
    .map((name) => join(files, name));
  const addresses = await readAddresses(server.url);
  const theirs: string[] = [];
  for (const path of orthanc === undefined ? [] : paths) theirs.push(await orthanc!.store(path));
  const batch = (urls: readonly string[], round: number) =>
    timeAtOnce(urls.slice(round * BATCH, (round + 1) * BATCH), CONNECTIONS);
  const ours = (rest: string) => paths.map((path) => `${addresses.get(path)}/frame/0${rest}`);
  const [displays, raws] = [ours('?wc=50&ww=350'), ours('/raw')];
  const { display, raw, peer } = await interleave(ROUNDS, {
    display: (round) => batch(displays, round),
    raw: (round) => batch(raws, round),
    peer: (round) => (theirs.length === 0 ? undefined : batch(theirs, round)),
  });
  const table = report.table(`Slices per second, ${CONNECTIONS} at a time`);
  for (const [name, took] of [
    ['display, MISS', display],
    ['raw, as the page requested them before', raw],
  ] as const) {
    const rate = (value: Times | undefined) => (value === undefined ? 'absent' : perSecond(BATCH, value.p50));
    const ratio = took === undefined || peer === undefined ? '' : times(peer.p50, took.p50);
    table.row(name, { negato: rate(took), "Orthanc's /rendered": rate(peer), ratio });
  }
}
