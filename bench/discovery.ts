// How fast headers are read, against DCMTK and pydicom on the same files in the same run, and what a scan of many files
// costs: `node bench/run.mjs discovery [--files 4000] [--large 100000]`. See README.md beside this file.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createCatalog } from '../src/server/catalog/catalog.ts';
import { createFileScanner } from '../src/server/catalog/scanFile.ts';
import { walk, type WalkEntry } from '../src/server/catalog/walk.ts';
import { writeCtTree } from './ctTree.ts';

declare const NEGATO_ROOT: string;

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '4000' },
    large: { type: 'string', default: '100000' },
    corpus: { type: 'string', default: process.env['NEGATO_CORPUS'] ?? join(NEGATO_ROOT, '../shared/corpus') },
    /** Used by the bench itself: one scan in a process of its own. */
    scan: { type: 'string' },
  },
});

async function run(files: number, large: number): Promise<void> {
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} threads, Node ${process.version}`);
  const folder = mkdtempSync(join(tmpdir(), 'negato-bench-'));
  try {
    const tree = join(folder, 'ct');
    writeCtTree(tree, files);
    compare(`CT tree of ${files}`, tree, { dcmtk: 10, pydicom: 25 });
    compare('mixed real files', options.corpus, { dcmtk: 2.5, pydicom: 14 });

    const many = join(folder, 'many');
    writeCtTree(many, large);
    console.log(`\nscan of ${large} files, walk to catalog:`);
    console.log(reportScan(scanApart(many)));
    if (dropCaches()) console.log(`the same, cold:\n${reportScan(scanApart(many))}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const WARM_UP_PASSES = 10;

type Marks = { readonly dcmtk: number; readonly pydicom: number };

/** A measurement in milliseconds; absent peers take for ever. */
type Cost = { readonly wallMs: number; readonly processorMs: number };

const ABSENT: Cost = { wallMs: Infinity, processorMs: Infinity };

/**
 * Rounds of all three one after the other; the best round of each counts. Warm it is processor time, which a busy
 * machine leaves alone; cold it is the clock's, for there one waits for the disk.
 */
function compare(name: string, folder: string, marks: Marks): void {
  const entries = [...walk({ inputs: [folder], recursive: true })];
  const paths = entries.map(({ path }) => path);
  for (const temperature of ['warm', 'cold'] as const) {
    const rounds = temperature === 'warm' ? 5 : 3;
    const best = { ours: Infinity, dcmtk: Infinity, pydicom: Infinity };
    // The compiler needs some thousands of files to settle; the peers were compiled before.
    if (temperature === 'warm') for (let pass = 0; pass < WARM_UP_PASSES; pass += 1) measureOurs(entries);
    else if (!dropCaches()) {
      console.log(`${name}, cold: not measured, for only root can drop the page cache`);
      return;
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const [who, measure] of measures(entries, paths, folder)) {
        if (temperature === 'cold') dropCaches();
        const { wallMs, processorMs } = measure();
        best[who] = Math.min(best[who], temperature === 'cold' ? wallMs : processorMs);
      }
    }
    const rate = (ms: number): string =>
      Number.isFinite(ms) ? Math.round((paths.length / ms) * 1000).toString() : 'absent';
    const times = (ms: number, mark: number): string => `${(ms / best.ours).toFixed(1)}x (mark ${mark}x)`;
    console.log(
      `\n${name}, ${temperature}: ${paths.length} headers, each second\n` +
        `  negato  ${rate(best.ours)}\n` +
        `  DCMTK   ${rate(best.dcmtk)}   ${times(best.dcmtk, marks.dcmtk)}\n` +
        `  pydicom ${rate(best.pydicom)}   ${times(best.pydicom, marks.pydicom)}`,
    );
  }
}

function measures(
  entries: readonly WalkEntry[],
  paths: readonly string[],
  folder: string,
): readonly (readonly ['ours' | 'dcmtk' | 'pydicom', () => Cost])[] {
  return [
    ['ours', () => measureOurs(entries)],
    ['dcmtk', () => measureDcmtk(folder)],
    ['pydicom', () => measurePydicom(paths)],
  ];
}

function measureOurs(entries: readonly WalkEntry[]): Cost {
  const scanFile = createFileScanner([]);
  const started = performance.now();
  const before = process.cpuUsage();
  for (const entry of entries) scanFile(entry);
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - started, processorMs: (user + system) / 1000 };
}

/** What a record of the list is made from. The peers are asked for the same; negato derives more from it. */
const FIELDS = (
  'SOPClassUID SOPInstanceUID StudyDate Modality StudyDescription SeriesDescription PatientName ' +
  'PatientID StudyInstanceUID SeriesInstanceUID SeriesNumber InstanceNumber FrameOfReferenceUID SamplesPerPixel ' +
  'PhotometricInterpretation NumberOfFrames Rows Columns PixelSpacing BitsAllocated BitsStored ' +
  'WindowCenter WindowWidth'
).split(' ');

/** One process over the folder that leaves long values on disk. The shell says what processor time it took. */
function measureDcmtk(folder: string): Cost {
  const search = FIELDS.flatMap((field) => ['+P', field]);
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>/dev/null';
  const command = ['dcmdump', '-q', '-M', '+sd', '+r', ...search, folder];
  if (spawnSync(command[0] ?? '', ['--version'], { stdio: 'ignore' }).error !== undefined) return ABSENT;
  const started = performance.now();
  const { stderr, error } = spawnSync('bash', ['-c', script, 'bash', ...command], { encoding: 'utf8' });
  if (error !== undefined) return ABSENT;
  const wallMs = performance.now() - started;
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return { wallMs, processorMs: (user + system) * 1000 };
}

const PYDICOM = `
import sys, time, warnings
from pydicom import dcmread
warnings.simplefilter('ignore')
paths = open(sys.argv[1]).read().split('\\0')
fields = sys.argv[2:]
started, begun = time.perf_counter(), time.process_time()
for path in paths:
    try:
        dataset = dcmread(path, stop_before_pixels=True)
        for field in fields:
            dataset.get(field)
    except Exception:
        pass
print((time.perf_counter() - started) * 1000, (time.process_time() - begun) * 1000)
`;

function measurePydicom(paths: readonly string[]): Cost {
  const folder = mkdtempSync(join(tmpdir(), 'negato-bench-'));
  try {
    writeFileSync(join(folder, 'paths'), paths.join('\0'));
    const { stdout, status } = spawnSync('python3', ['-c', PYDICOM, join(folder, 'paths'), ...FIELDS], {
      encoding: 'utf8',
    });
    if (status !== 0) return ABSENT;
    const [wallMs = Infinity, processorMs = Infinity] = stdout.trim().split(' ').map(Number);
    return { wallMs, processorMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function dropCaches(): boolean {
  spawnSync('sync');
  try {
    writeFileSync('/proc/sys/vm/drop_caches', '3');
    return true;
  } catch {
    return false;
  }
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
  const longestTurnMs = turns.end();
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

/**
 * The most processor time that the main thread takes between two timers, which other processes on the machine cannot
 * make longer. Only Linux tells it; elsewhere NaN.
 */
function watchTurns(): { end(): number } {
  const path = `/proc/self/task/${process.pid}/schedstat`;
  const processorMs = (): number => Number(readFileSync(path, 'latin1').split(' ')[0]) / 1e6;
  if (!existsSync(path)) return { end: () => Number.NaN };
  let longest = 0;
  let last = processorMs();
  const timer = setInterval(() => {
    longest = Math.max(longest, processorMs() - last);
    last = processorMs();
  });
  return {
    end() {
      clearInterval(timer);
      return longest;
    },
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

function reportScan(report: ScanReport): string {
  return [
    `  ${report.files} files in ${(report.totalMs / 1000).toFixed(1)} s (${Math.round((report.files / report.totalMs) * 1000)} a second)`,
    `  first record after ${report.firstRecordMs.toFixed(0)} ms (mark 500)`,
    `  memory at its peak ${report.peakRssMb.toFixed(0)} MB (mark 350)`,
    `  event loop blocked for ${report.longestBlockMs.toFixed(1)} ms at the longest (mark 10), of which its own work is at most ${report.longestTurnMs.toFixed(1)} ms`,
    `  cancelled within ${report.cancelMs.toFixed(0)} ms (mark 1000)`,
  ].join('\n');
}

// At the end, when the constants above have their values.
if (options.scan !== undefined) console.log(JSON.stringify(await scanOnce(options.scan)));
else await run(Number(options.files), Number(options.large));
