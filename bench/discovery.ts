// How fast headers are read, against DCMTK and pydicom on the same files in the same run, and what a scan of many files
// costs: `npm run bench -- discovery [--files 2000] [--large 100000]`. See README.md beside this file.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createCatalog } from '../src/server/catalog/catalog.ts';
import { createFileScanner } from '../src/server/catalog/scanFile.ts';
import { walk, type WalkEntry } from '../src/server/catalog/walk.ts';
import { writeCtTree } from './support/ctTree.ts';
import { dropCaches, withFolder } from './support/folder.ts';
import { FOLDER_KINDS } from './support/folderKinds.ts';
import { type Cost, measureDcmtk, measurePydicom } from './support/headerPeers.ts';
import { interleave, type Times } from './support/measure.ts';
import { mark, mb, ms, perSecond, runBenchmark, SUITE_OPTIONS, type Table, times } from './support/report.ts';
import { watchTurns } from './support/turns.ts';

declare const NEGATO_ROOT: string;

const { values: options } = parseArgs({
  options: {
    ...SUITE_OPTIONS,
    files: { type: 'string', default: '2000' },
    large: { type: 'string', default: '100000' },
    corpus: { type: 'string', default: process.env['NEGATO_CORPUS'] ?? join(NEGATO_ROOT, '../shared/corpus') },
    /** Used by the bench itself: one scan in a process of its own. */
    scan: { type: 'string' },
  },
});

/** Read before the warm figures, for the compiler needs as many mixed files to settle; the peers were compiled before. */
const WARM_UP_FILES = 30_000;

function run(): Promise<void> {
  const [files, large] = [Number(options.files), Number(options.large)];
  return runBenchmark('discovery', (report) =>
    withFolder(async (folder) => {
      const headers = report.table('Headers each second');
      const tree = join(folder, 'ct');
      writeCtTree(tree, files);
      await compare(headers, `CT tree of ${files}`, { folder: tree, dcmtk: 10, pydicom: 25 });
      if (existsSync(options.corpus)) {
        await compare(headers, 'mixed real files', { folder: options.corpus, dcmtk: 2.5, pydicom: 14 });
      } else report.note('mixed real files: absent');
      for (const { name, share, write } of FOLDER_KINDS) {
        const kind = join(folder, name);
        write(kind, Math.ceil(files * share));
        await compare(headers, name, { folder: kind });
      }

      const scans = report.table(`Scan of ${large} files`);
      const many = join(folder, 'many');
      writeCtTree(many, large);
      reportScan(scans, 'warm', scanApart(many));
      if (dropCaches()) reportScan(scans, 'cold', scanApart(many));
    }),
  );
}

/** A folder of files, and how many times faster than each peer negato is to be; without marks it is measured warm only. */
type Comparison = { readonly folder: string; readonly dcmtk?: number; readonly pydicom?: number };

/**
 * Warm it is processor time, which a busy machine leaves alone; cold it is the clock's, for there one waits for the disk.
 */
async function compare(table: Table, name: string, { folder, ...marks }: Comparison): Promise<void> {
  const entries = [...walk({ inputs: [folder], recursive: true })];
  const paths = entries.map(({ path }) => path);
  for (const temperature of ['warm', 'cold'] as const) {
    if (temperature === 'warm') for (let done = 0; done < WARM_UP_FILES; done += entries.length) measureOurs(entries);
    else if (marks.dcmtk === undefined || !dropCaches()) return;
    const cost = (measure: () => Cost | undefined) => () => {
      if (temperature === 'cold') dropCaches();
      const { wallMs, processorMs } = measure() ?? {};
      return temperature === 'cold' ? wallMs : processorMs;
    };
    const { negato, dcmtk, pydicom } = await interleave(temperature === 'warm' ? 5 : 3, {
      negato: cost(() => measureOurs(entries)),
      dcmtk: cost(() => measureDcmtk(folder)),
      pydicom: cost(() => measurePydicom(paths)),
    });
    const rate = (took: Times | undefined) => (took === undefined ? 'absent' : perSecond(paths.length, took.p50));
    const against = (took: Times | undefined, wanted: number | undefined) => {
      if (took === undefined || negato === undefined) return 'absent';
      if (wanted === undefined) return times(took.p50, negato.p50);
      return mark(`${times(took.p50, negato.p50)}, mark ${wanted}`, took.p50 / negato.p50 >= wanted);
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

function measureOurs(entries: readonly WalkEntry[]): Cost {
  const scanFile = createFileScanner([]);
  const started = performance.now();
  const before = process.cpuUsage();
  for (const entry of entries) scanFile(entry);
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - started, processorMs: (user + system) / 1000 };
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

/** In a process of its own, so that memory is that of the scan alone. */
function scanApart(folder: string): ScanReport {
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--scan', folder], {
    encoding: 'utf8',
  });
  const report: ScanReport = JSON.parse(stdout);
  return report;
}

async function scanOnce(folder: string): Promise<ScanReport> {
  // The program has told its address before it scans: what Node loads for its output is no part of the scan.
  process.stdout.write('\n');
  await nextTurn();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const catalog = createCatalog({ inputs: [folder] });
  let firstRecordMs = Infinity;
  const turns = watchTurns();
  delay.enable();
  const started = performance.now();
  catalog.subscribe(({ scanned }) => {
    if (scanned > 0) firstRecordMs = Math.min(firstRecordMs, performance.now() - started);
  });
  catalog.start();
  await catalog.scanComplete;
  const totalMs = performance.now() - started;
  delay.disable();
  const { longestMs: longestTurnMs } = turns.end();
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  return {
    files: catalog.files.length,
    firstRecordMs,
    totalMs,
    peakRssMb,
    longestBlockMs: delay.max / 1e6,
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

/** The times are the clock's: this is what a user waits for. */
function reportScan(table: Table, name: string, report: ScanReport): void {
  table.row(name, {
    'files each second': perSecond(report.files, report.totalMs),
    'first record': mark(`${ms(report.firstRecordMs)}, mark 500`, report.firstRecordMs <= 500),
    'memory at its peak': mark(`${mb(report.peakRssMb)}, mark 350`, report.peakRssMb <= 350),
    'longest block': mark(`${ms(report.longestBlockMs)}, mark 10`, report.longestBlockMs <= 10),
    'its own work': ms(report.longestTurnMs),
    cancel: mark(`${ms(report.cancelMs)}, mark 1000`, report.cancelMs <= 1000),
  });
}

// At the end, when the constants above have their values.
if (options.scan !== undefined) console.log(JSON.stringify(await scanOnce(options.scan)));
else await run();
