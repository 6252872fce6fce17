// How fast headers are read, against DCMTK and pydicom on the same files in the same run, and what a scan of many
// files costs: `npm run bench -- discovery [--files 6000] [--large 100000]`. See README.md beside this file.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createCatalog } from '../src/server/images/catalog/catalog.ts';
import { LARGEST_BATCH, THREAD_COUNTS } from '../src/server/images/catalog/scan.ts';
import { unpackResults } from '../src/server/images/catalog/scanResult.ts';
import { createFileScanner } from '../src/server/images/catalog/scanFile.ts';
import type { Batch, ScanAnswer } from '../src/server/images/catalog/scanMessages.ts';
import { startScanThread, type ScanThread } from '../src/server/images/catalog/scanThreads.ts';
import { listInputs, type ListedEntry } from '../src/server/bytes/origins/origins.ts';
import { createMemoryAccount } from '../src/server/machine/memory/memoryAccount.ts';
import { besideIdleLoop, watchBlocks } from './support/blocks.ts';
import { writeCtTree } from './support/ctTree.ts';
import { dropCaches, withFolder } from './support/folder.ts';
import { FOLDER_KINDS } from './support/folderKinds.ts';
import { type Cost, measureDcmtk, measurePydicom } from './support/headerPeers.ts';
import { interleave, median, type Times } from './support/measure.ts';
import { target, mb, ms, perSecond, runBenchmark, SUITE_OPTIONS, type Table, times } from './support/report.ts';
import { watchTurns } from './support/turns.ts';
import { readMediaDirectory } from '../src/server/images/catalog/mediaDirectory.ts';

declare const NEGATO_ROOT: string;

const { values: options } = parseArgs({
  options: {
    ...SUITE_OPTIONS,
    files: { type: 'string', default: '6000' },
    large: { type: 'string', default: '100000' },
    corpus: { type: 'string', default: process.env['NEGATO_CORPUS'] ?? join(NEGATO_ROOT, '../shared/corpus') },
    /** Used internally, in separate processes: one scan, and a thread that reads headers on request. */
    scan: { type: 'string' },
    headers: { type: 'string' },
  },
});

/**
 * Warm-up of each thread: the JIT compiler needs this many mixed files to settle. The peers are compiled in advance.
 */
const WARM_UP_FILES = 30_000;

/** Number of files of each kind of folder; some kinds take longer and have only a share of it. */
const KIND_FILES = 2_000;
const SCANS = 5;

function run(): Promise<void> {
  const [files, large] = [Number(options.files), Number(options.large)];
  return runBenchmark('discovery', (report) =>
    withFolder(async (folder) => {
      const headers = report.table('Headers per second');
      const tree = join(folder, 'ct');
      writeCtTree(tree, files);
      await compare(headers, `CT tree of ${files}`, { folder: tree, dcmtk: 10, pydicom: 25 });
      if (existsSync(options.corpus)) {
        await compare(headers, 'mixed real files', { folder: options.corpus, dcmtk: 2.5, pydicom: 14 });
      } else report.note('mixed real files: absent');
      for (const { name, share, write } of FOLDER_KINDS) {
        const kind = join(folder, name);
        write(kind, Math.ceil(KIND_FILES * share));
        await compare(headers, name, { folder: kind });
      }

      const scans = report.table(`Scan of ${large} files`);
      const many = join(folder, 'many');
      writeCtTree(many, large);
      for (const temperature of ['warm', 'cold'] as const) {
        const rounds: ScanRound[] = [];
        for (let round = 0; round < SCANS; round += 1) {
          if (temperature === 'cold' && !dropCaches()) break;
          rounds.push(await besideIdleLoop(() => scanApart(many)));
        }
        if (rounds.length > 0) reportScan(scans, temperature, rounds);
      }
    }),
  );
}

/** A folder of files, and the target speed relative to each peer. Without targets only the warm figure is measured. */
type Comparison = { readonly folder: string; readonly dcmtk?: number; readonly pydicom?: number };

/**
 * The warm figure is the processor time of one thread, which does not depend on the load of the machine. The cold
 * figure is wall-clock time, because it is dominated by threads that wait for the disk in parallel.
 */
async function compare(table: Table, name: string, { folder, ...marks }: Comparison): Promise<void> {
  const entries = [...listInputs({ inputs: [folder], recursive: true, readMediaDirectory })];
  const paths = entries.map(({ path }) => path);
  for (const temperature of ['warm', 'cold'] as const) {
    if (temperature === 'cold' && (marks.dcmtk === undefined || !dropCaches())) return;
    const ours = temperature === 'warm' ? startOneThread(folder) : await startScanThreads(entries);
    for (let done = 0; done < WARM_UP_FILES * ours.threads; done += entries.length) await ours.read();
    const cost = (measure: () => Cost | undefined | Promise<Cost>) => async () => {
      if (temperature === 'cold') dropCaches();
      const { wallMs, processorMs } = (await measure()) ?? {};
      return temperature === 'cold' ? wallMs : processorMs;
    };
    const { negato, dcmtk, pydicom } = await interleave(5, {
      negato: cost(() => ours.read()),
      dcmtk: cost(() => measureDcmtk(folder)),
      pydicom: cost(() => measurePydicom(paths)),
    });
    ours.end();
    const rate = (took: Times | undefined) => (took === undefined ? 'absent' : perSecond(paths.length, took.p50));
    const against = (took: Times | undefined, wanted: number | undefined) => {
      if (took === undefined || negato === undefined) return 'absent';
      if (wanted === undefined) return times(took.p50, negato.p50);
      return target(`${times(took.p50, negato.p50)}, target ${wanted}`, took.p50 / negato.p50 >= wanted);
    };
    table.row(`${name}, ${temperature}`, {
      negato: rate(negato),
      DCMTK: rate(dcmtk),
      pydicom: rate(pydicom),
      'against DCMTK': against(dcmtk, marks.dcmtk),
      'against pydicom': against(pydicom, marks.pydicom),
    });
  }
}

/** Reads the headers of a folder once, and returns the time taken. */
type Reader = { readonly threads: number; read(): Promise<Cost>; end(): void };

/** Runs in a separate process, because garbage collection takes longer with data of other folders in memory. */
function startOneThread(folder: string): Reader {
  const child = fork(fileURLToPath(import.meta.url), ['--headers', folder]);
  return {
    threads: 1,
    async read() {
      child.send('read');
      const [cost]: Cost[] = await once(child, 'message');
      if (cost === undefined) throw new Error('no headers were read');
      return cost;
    },
    end: () => child.disconnect(),
  };
}

function readWhenTold(folder: string): void {
  const entries = [...listInputs({ inputs: [folder], recursive: true, readMediaDirectory })];
  const scanFile = createFileScanner([]);
  process.on('message', () => {
    const took = startTimes();
    for (const entry of entries) scanFile(entry);
    process.send?.(took());
  });
}

/** Starts as many threads as a scan of many files from a disk uses; they hand their results to the main thread. */
async function startScanThreads(entries: readonly ListedEntry[]): Promise<Reader> {
  const queue: Batch[] = [];
  const threads: ScanThread[] = [];
  const memory = createMemoryAccount();
  let unread = 0;
  let done: (() => void) | undefined;
  const give = (thread: ScanThread): void => {
    const batch = queue.shift();
    if (batch !== undefined) thread.give(batch);
  };
  const answer = (thread: ScanThread, { columns }: ScanAnswer): void => {
    unread -= unpackResults(columns).length;
    give(thread);
    if (unread === 0) done?.();
  };
  const death = (_: ScanThread, error: Error): void => {
    if (unread > 0) throw error;
  };
  while (threads.length < THREAD_COUNTS.waiting) {
    await new Promise<void>((ready) =>
      threads.push(startScanThread({ filters: [], memory }, { ready, answer, death })),
    );
  }
  return {
    threads: threads.length,
    async read() {
      for (let first = 0; first < entries.length; first += LARGEST_BATCH) {
        queue.push({ first, entries: entries.slice(first, first + LARGEST_BATCH) });
      }
      unread = entries.length;
      const took = startTimes();
      const all = new Promise<void>((resolve) => (done = resolve));
      for (const thread of [...threads, ...threads]) give(thread);
      await all;
      return took();
    },
    end() {
      for (const thread of threads) void thread.terminate();
    },
  };
}

function startTimes(): () => Cost {
  const started = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { wallMs: performance.now() - started, processorMs: (user + system) / 1000 };
  };
}

type ScanReport = {
  readonly files: number;
  readonly firstRecordMs: number;
  readonly totalMs: number;
  readonly peakRssMb: number;
  readonly longestBlockMs: number;
  readonly longestTurnMs: number;
  readonly cancelMs: number;
};

/** Also has the longest block of an event loop that was idle meanwhile. */
type ScanRound = ScanReport & { readonly idleBlockMs: number };

/** Runs in a separate process, so that the memory is that of the scan alone. */
function scanApart(folder: string): ScanReport {
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--scan', folder], {
    encoding: 'utf8',
  });
  const report: ScanReport = JSON.parse(stdout);
  return report;
}

async function scanOnce(folder: string): Promise<ScanReport> {
  // The program prints its address before it scans, so what Node loads for output is not part of the scan.
  process.stdout.write('\n');
  await nextTurn();
  const catalog = createCatalog({ inputs: [folder] });
  let firstRecordMs = Infinity;
  const turns = watchTurns();
  const blocks = watchBlocks();
  const started = performance.now();
  catalog.subscribe(({ scanned }) => {
    if (scanned > 0) firstRecordMs = Math.min(firstRecordMs, performance.now() - started);
  });
  catalog.start();
  await catalog.scanComplete;
  const totalMs = performance.now() - started;
  const longestBlockMs = blocks.end();
  const { longestMs: longestTurnMs } = turns.end();
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  return {
    files: catalog.files.length,
    firstRecordMs,
    totalMs,
    peakRssMb,
    longestBlockMs,
    longestTurnMs,
    cancelMs: await measureCancel(folder),
  };
}

async function measureCancel(folder: string): Promise<number> {
  const catalog = createCatalog({ inputs: [folder] });
  const underWay = new Promise<void>((resolve) => {
    catalog.subscribe(({ scanned }) => {
      if (scanned > 1000) resolve();
    });
  });
  catalog.start();
  await Promise.race([underWay, catalog.scanComplete]);
  const started = performance.now();
  await catalog.cancel();
  return performance.now() - started;
}

/** These are wall-clock times, because that is how long a user waits. */
function reportScan(table: Table, name: string, reports: readonly ScanRound[]): void {
  const usual = (value: (report: ScanRound) => number): number => median(reports.map(value));
  table.row(name, {
    'files per second': perSecond(
      usual(({ files }) => files),
      usual(({ totalMs }) => totalMs),
    ),
    'first record': marked(
      usual(({ firstRecordMs }) => firstRecordMs),
      ms,
      500,
    ),
    'peak memory': marked(
      usual(({ peakRssMb }) => peakRssMb),
      mb,
      350,
    ),
    'longest block': marked(
      usual(({ longestBlockMs }) => longestBlockMs),
      ms,
      10,
    ),
    'longest block of all scans': ms(Math.max(...reports.map(({ longestBlockMs }) => longestBlockMs))),
    'idle process at the same time': ms(usual(({ idleBlockMs }) => idleBlockMs)),
    'own work': ms(usual(({ longestTurnMs }) => longestTurnMs)),
    cancel: marked(
      usual(({ cancelMs }) => cancelMs),
      ms,
      1000,
    ),
  });
}

function marked(value: number, unit: (value: number) => string, wanted: number): string {
  return target(`${unit(value)}, target ${wanted}`, value <= wanted);
}

// At the end of the file, so that the constants above are initialised.
if (options.headers !== undefined) readWhenTold(options.headers);
else if (options.scan !== undefined) console.log(JSON.stringify(await scanOnce(options.scan)));
else await run();
