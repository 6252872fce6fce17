// From the command to the first image on the screen of a real browser, for one file, for a series of 600 slices and
// for 20,000 files, with and without the files in the page cache. Its peer is Orthanc: from its start through the
// import to the first rendered picture, without a page. Also the last byte of the first frame that the page requests,
// in turn with the page of dcmview. `npm run bench -- open [--rounds 3]`. See README.md beside
// this file.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeCtTree } from './support/ctTree.ts';
import { findDcmview, startDcmview } from './support/dcmview.ts';
import { withFolder } from './support/folder.ts';
import { interleave, type Measure } from './support/measure.ts';
import { startOrthanc } from '../test/support/orthanc.ts';
import { launchPlainBrowser, type PlainBrowser } from './support/plainBrowser.ts';
import type { Memory } from './support/processes.ts';
import { mb, ms, runBenchmark, SUITE_OPTIONS, type Table, target, times } from './support/report.ts';
import { startServer } from './support/server.ts';
import { writeSlices } from './support/slices.ts';

/** Orthanc is not measured with more files: it copies each of them, which takes minutes. */
const MOST_IMPORTED = 600;
/** Ratio from which on negato is level with dcmview. */
const LEVEL = 0.9;

const EVICT = `
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        file = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)
`;

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, rounds: { type: 'string', default: '3' } } });

await runBenchmark('open', (report) =>
  withFolder(async (folder) => {
    const table = report.table('From the command to the first image');
    const received = report.table('From the command to the last byte of the first frame');
    const dcmview = findDcmview();
    if (dcmview === undefined) report.note('dcmview is absent: set DCMVIEW, or put it on PATH');
    const browser = await launchPlainBrowser({ gpu: false });
    try {
      for (const [name, count, write] of [
        ['one file', 1, writeSlices],
        ['600 slices', 600, writeSlices],
        ['20,000 files', 20_000, writeCtTree],
      ] as const) {
        const files = join(folder, String(count));
        write(files, count);
        await measure(table, browser, { name, files, count });
        if (dcmview !== undefined) await measureBeside(received, browser, { name, files, dcmview });
      }
    } finally {
      await browser.close();
    }
  }),
);

type Case = { readonly name: string; readonly files: string; readonly count: number };

async function measure(table: Table, browser: PlainBrowser, { name, files, count }: Case): Promise<void> {
  let memory: Memory = { now: Number.NaN, peak: Number.NaN };
  let browserMb = Number.NaN;
  const open: Measure = async () => {
    const beganAtMs = Date.now();
    const server = await startServer(files, { until: 'listening' });
    const visit = await browser.visit(server.url, 'first image');
    memory = server.memoryMb();
    browserMb = visit.browserMb;
    await server.stop();
    return visit.endedAtMs - beganAtMs;
  };
  const { warm, evicted, peer } = await interleave(Number(options.rounds), {
    warm: open,
    evicted: (round) => (evict(files) ? open(round) : undefined),
    peer: () => (count > MOST_IMPORTED ? undefined : importMs(files)),
  });
  table.row(name, {
    warm: ms(warm?.p50 ?? Number.NaN),
    'evicted page cache': evicted === undefined ? 'not measured' : ms(evicted.p50),
    Orthanc: peer === undefined ? (count > MOST_IMPORTED ? 'not measured' : 'absent') : ms(peer.p50),
    ratio: peer === undefined || warm === undefined ? '' : times(peer.p50, warm.p50),
    'memory of the server, and peak': `${mb(memory.now)}, ${mb(memory.peak)}`,
    'memory of the browser': mb(browserMb),
  });
}

/** The same observer for both pages: the times of their requests, which the browser has kept. */
async function measureBeside(
  table: Table,
  browser: PlainBrowser,
  { name, files, dcmview }: Pick<Case, 'name' | 'files'> & { readonly dcmview: string },
): Promise<void> {
  const timeFrame =
    (start: () => Promise<{ readonly url: string; readonly stop: () => Promise<void> }>): Measure =>
    async () => {
      const beganAtMs = Date.now();
      const server = await start();
      const { endedAtMs } = await browser.visit(server.url, 'first frame');
      await server.stop();
      return endedAtMs - beganAtMs;
    };
  const { ours, theirs } = await interleave(Number(options.rounds), {
    ours: timeFrame(() => startServer(files, { until: 'listening' })),
    theirs: timeFrame(() => startDcmview(dcmview, files, { until: 'listening' })),
  });
  if (ours === undefined || theirs === undefined) return;
  table.row(name, {
    negato: ms(ours.p50),
    dcmview: ms(theirs.p50),
    ratio: times(theirs.p50, ours.p50),
    target: target(`at least ${LEVEL} times`, theirs.p50 >= LEVEL * ours.p50),
  });
}

async function importMs(files: string): Promise<number | undefined> {
  return withFolder(async (folder) => {
    const began = performance.now();
    const orthanc = await startOrthanc(folder);
    if (orthanc === undefined) return undefined;
    let picture: string | undefined;
    for (const name of readdirSync(files).toSorted()) {
      const stored = await orthanc.store(join(files, name));
      picture ??= stored;
    }
    if (picture !== undefined) await (await fetch(picture)).arrayBuffer();
    const took = performance.now() - began;
    await orthanc.close();
    return took;
  });
}

/** Evicts the files, and nothing else, from the page cache. Returns whether it could. */
function evict(files: string): boolean {
  return spawnSync('python3', ['-c', EVICT, files]).status === 0;
}
