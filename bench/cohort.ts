// A table of thousands of files: elements read from the headers beside pydicom, questions to the table beside DuckDB on the
// Parquet of the same table, a million files, and the gallery of 2,000 series in Chromium.
// Run from the root of the repository: npm run bench -- cohort [--files 20000] [--million 1000000] [--series 2000] [--rounds 3]
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ColumnsResponse } from '../src/shared/contract/tables.ts';
import { type BenchBrowser, launchBrowser } from './support/browser.ts';
import { HARVESTED, writeCohort } from './support/cohortTree.ts';
import { withFolder } from './support/folder.ts';
import { interleave, median, timeWork } from './support/measure.ts';
import { mb, ms, perSecond, type Report, runBenchmark, SUITE_OPTIONS, target, times } from './support/report.ts';
import { type BenchServer, startServer } from './support/server.ts';

/** Targets of the study of cohorts. */
const LEAST_OF_PYDICOM = 10;
const MOST_PARQUET_MS = 1_000;
const MOST_MILLION_MB = 1_024;
const MOST_FIRST_PAGE_MS = 2_000;
const MOST_BLOCK_MS = 50;
/** pydicom reads this many of the files; its time for all of them is in proportion. */
const PYDICOM_FILES = 1_000;
/** Images of a series in the gallery. */
const GALLERY_IMAGES = 5;

declare const NEGATO_ROOT: string;

/** The same questions in both languages, for the first 100 rows. */
const QUESTIONS = [
  {
    name: 'condition and groups',
    query: { where: "KVP >= 100 and ConvolutionKernel = 'B50f'", group: 'ProtocolName' },
    sql: `select ProtocolName, count(*) from t where KVP >= 100 and ConvolutionKernel = 'B50f' group by 1`,
  },
  {
    name: 'sorted by two columns',
    query: { sort: '-XRayTubeCurrent,SliceLocation' },
    sql: 'select path, XRayTubeCurrent, SliceLocation from t order by 2 desc, 3 limit 100',
  },
  {
    name: 'part of a text',
    query: { where: "path like '%IM1%99%'" },
    sql: `select path from t where path like '%IM1%99%' limit 100`,
  },
] as const;

/** With the columns of the list, there are 60. */
const MILLION_COLUMNS = [
  ...HARVESTED,
  'SliceThickness',
  'Manufacturer',
  'ManufacturerModelName',
  'StationName',
  'BodyPartExamined',
  'PatientPosition',
  'RescaleIntercept',
  'PixelRepresentation',
];

const TILES = '[role=grid][aria-label=Gallery] [role=gridcell]';

const PYDICOM = (read: string) => `
import sys, time, pydicom
paths, keywords = open(sys.argv[1]).read().split('\\0'), sys.argv[2].split(',')
begun = time.perf_counter()
rows = []
for path in paths:
    data = ${read}
    rows.append([data.get(keyword) for keyword in keywords])
print((time.perf_counter() - begun) * 1000)
`;
const PYDICOM_NAMED = PYDICOM('pydicom.dcmread(path, stop_before_pixels=True, specific_tags=keywords)');
/** As tables of tags are written: every element becomes a value. */
const PYDICOM_ALL = PYDICOM(
  'pydicom.dcmread(path, stop_before_pixels=True); [element.value for element in data.iterall()]',
);

/** The median of seven. */
const DUCKDB = `
import sys, time, duckdb
duckdb.sql(f"create view t as select * from read_parquet('{sys.argv[1]}')")
took = []
for _ in range(7):
    begun = time.perf_counter()
    duckdb.sql(sys.argv[2]).fetchall()
    took.append((time.perf_counter() - begun) * 1000)
print(sorted(took)[3])
`;

const { values: options } = parseArgs({
  options: {
    ...SUITE_OPTIONS,
    files: { type: 'string', default: '20000' },
    million: { type: 'string', default: '1000000' },
    series: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
  },
});
const rounds = Number(options.rounds);

await runBenchmark('cohort', async (report) => {
  await withFolder((folder) => measureTable(folder, report));
  await withFolder((folder) => measureMillion(folder, report));
  await withFolder((folder) => measureGallery(folder, report));
});

async function measureTable(folder: string, report: Report): Promise<void> {
  const count = Number(options.files);
  if (count === 0) return;
  const [files, parquet] = [join(folder, 'files'), join(folder, 'table.parquet')];
  writeCohort(files, count, { hasPixels: true });
  const sample = listFiles(files).slice(0, PYDICOM_FILES);
  writeFileSync(join(folder, 'sample'), sample.join('\0'));
  const toAll = (time: number | undefined) => time && (time * count) / sample.length;
  const server = await startServer(files);
  try {
    const found = await interleave(rounds, {
      columns: () => harvest(server, HARVESTED),
      named: async () => toAll(await timePython(PYDICOM_NAMED, [join(folder, 'sample'), HARVESTED.join()])),
      all: async () => toAll(await timePython(PYDICOM_ALL, [join(folder, 'sample'), HARVESTED.join()])),
      index: () => timeIndex(files, join(folder, 'index.parquet')),
    });
    const table = report.table(`${HARVESTED.length} columns of ${count} files`);
    const [own, all] = [found['columns']!.p50, found['all']?.p50];
    for (const [name, took] of [
      ['columns of the table', own],
      ['negato index, with the scan', found['index']?.p50 ?? Number.NaN],
    ] as const) {
      table.row(name, {
        negato: ms(took),
        'files per second': perSecond(count, took),
        'pydicom, all tags': all === undefined ? 'absent' : ms(all),
        'pydicom, these tags': found['named'] === undefined ? 'absent' : ms(found['named'].p50),
        ratio: all === undefined ? '' : times(all, took),
        target: all === undefined ? '' : target(`at least ${LEAST_OF_PYDICOM} times`, all >= LEAST_OF_PYDICOM * took),
      });
    }
    const before = server.cpuMs();
    const took = await download(server, parquet);
    const cpuMs = server.cpuMs() - before;
    report.table('Download').row('Parquet with all columns', {
      took: ms(took),
      'processor time': ms(cpuMs),
      target: target(ms(MOST_PARQUET_MS), cpuMs <= MOST_PARQUET_MS),
    });
    await measureQuestions(server, parquet, report.table(`Questions about ${count} files`));
  } finally {
    await server.stop();
  }
}

async function measureQuestions(
  server: BenchServer,
  parquet: string,
  table: ReturnType<Report['table']>,
): Promise<void> {
  for (const { name, query, sql } of QUESTIONS) {
    const columns = 'path,XRayTubeCurrent,SliceLocation,ProtocolName';
    const url = `${server.url}/api/table?${new URLSearchParams({ ...query, columns })}`;
    const own = await timeWork(7, async () => requireBody(await fetch(url)));
    const peer = await timePython(DUCKDB, [parquet, sql]);
    table.row(name, {
      negato: ms(own.p50),
      'DuckDB on the Parquet': peer === undefined ? 'absent' : ms(peer),
      ratio: peer === undefined ? '' : times(peer, own.p50),
    });
  }
}

async function measureMillion(folder: string, report: Report): Promise<void> {
  const count = Number(options.million);
  if (count === 0) return;
  const [files, parquet] = [join(folder, 'files'), join(folder, 'table.parquet')];
  writeCohort(files, count, { hasPixels: false });
  const server = await startServer(files);
  try {
    const table = report.table(`${count} files`);
    const row = (name: string, took: number, more = {}) =>
      table.row(name, { took: ms(took), 'memory of the server': mb(server.memoryMb().now), ...more });
    row('scan', server.scanMs);
    row(`${MILLION_COLUMNS.length} elements of all headers`, await harvest(server, MILLION_COLUMNS));
    const { columns }: ColumnsResponse = await (await fetch(`${server.url}/api/columns`)).json();
    const shown = columns.filter(({ state }) => state === 'ready').map(({ name }) => `"${name}"`);
    const begun = performance.now();
    await requireBody(await fetch(`${server.url}/api/table?${new URLSearchParams({ columns: shown.join() })}`));
    row(`first rows of ${shown.length} columns`, performance.now() - begun);
    for (const { name, query } of QUESTIONS) {
      const url = `${server.url}/api/table?${new URLSearchParams({ ...query, columns: 'path' })}`;
      row(name, (await timeWork(3, async () => requireBody(await fetch(url)))).p50);
    }
    const took = await download(server, parquet);
    const { peak } = server.memoryMb();
    row('Parquet with all columns', took, {
      'at its peak': mb(peak),
      target: target(mb(MOST_MILLION_MB), peak <= MOST_MILLION_MB),
    });
    await measureQuestions(server, parquet, report.table(`Questions about ${count} files`));
  } finally {
    await server.stop();
  }
}

async function measureGallery(folder: string, report: Report): Promise<void> {
  const count = Number(options.series);
  if (count === 0) return;
  const files = join(folder, 'files');
  writeCohort(files, count * GALLERY_IMAGES, { hasPixels: true, seriesImages: GALLERY_IMAGES });
  const server = await startServer(files);
  const browser = await launchBrowser({ gpu: false });
  try {
    const table = report.table(`Gallery of ${count} series`);
    const shown: number[] = [];
    for (let round = 0; round < rounds; round += 1) shown.push(await timeFirstPage(browser, server.url));
    const firstPage = median(shown);
    const isMet = firstPage <= MOST_FIRST_PAGE_MS;
    table.row('first page, with the start of the page', {
      took: ms(firstPage),
      target: target(ms(MOST_FIRST_PAGE_MS), isMet),
    });
    const blocked = await measureScrolling(browser, server.url);
    table.row('longest turn of the page while it scrolls, processor time', {
      took: ms(blocked),
      target: target(ms(MOST_BLOCK_MS), blocked <= MOST_BLOCK_MS),
    });
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function openGallery(browser: BenchBrowser, url: string) {
  const page = await browser.newPage();
  await page.goto(`${url}/#cohort=gallery.series`);
  await page.waitForFunction((tiles) => {
    const found = [...document.querySelectorAll(tiles)].filter((tile) => {
      const { top, bottom } = tile.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    return found.length > 0 && found.every((tile) => (tile.querySelector('img')?.naturalWidth ?? 0) > 0);
  }, TILES);
  return page;
}

async function timeFirstPage(browser: BenchBrowser, url: string): Promise<number> {
  const begun = performance.now();
  const page = await openGallery(browser, url);
  const took = performance.now() - begun;
  await page.close();
  return took;
}

async function measureScrolling(browser: BenchBrowser, url: string): Promise<number> {
  const page = await openGallery(browser, url);
  await page.locator('[role=grid][aria-label=Gallery]').hover();
  const longest = await browser.longestTurnMs(page, async () => {
    for (let step = 0; step < 60; step += 1) {
      await page.mouse.wheel(0, 400);
      await page.waitForTimeout(50);
    }
  });
  await page.close();
  return longest;
}

/** Columns anew, until all of them are ready; in milliseconds. */
async function harvest(server: BenchServer, paths: readonly string[]): Promise<number> {
  await put(server, []);
  const begun = performance.now();
  await put(server, paths);
  for (;;) {
    const { columns }: ColumnsResponse = await (await fetch(`${server.url}/api/columns`)).json();
    const failed = columns.find(({ state }) => state === 'failed');
    if (failed !== undefined) throw new Error(`${failed.name}: ${failed.problem}`);
    if (columns.every(({ state }) => state === 'ready')) return performance.now() - begun;
    await new Promise((next) => setTimeout(next, 50));
  }
}

async function put({ url }: BenchServer, paths: readonly string[]): Promise<void> {
  const body = JSON.stringify({ paths });
  const headers = { 'Content-Type': 'application/json' };
  await requireBody(await fetch(`${url}/api/columns`, { method: 'PUT', headers, body }));
}

async function download({ url }: BenchServer, path: string): Promise<number> {
  const begun = performance.now();
  const body = await requireBody(await fetch(`${url}/api/table.parquet?columns=*`));
  const took = performance.now() - begun;
  writeFileSync(path, body);
  return took;
}

async function requireBody(response: Response): Promise<Uint8Array> {
  const body = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${Buffer.from(body).toString()}`);
  return body;
}

async function timeIndex(files: string, out: string): Promise<number | undefined> {
  rmSync(out, { force: true });
  const begun = performance.now();
  const words = [join(NEGATO_ROOT, 'dist/negato.js'), 'index', files, '--columns', HARVESTED.join(), '--out', out];
  const { status } = spawnSync(process.execPath, words, { stdio: 'ignore' });
  const took = performance.now() - begun;
  await noticeClosed();
  return status === 0 ? took : undefined;
}

/** The server closes idle connections, which is noticed when no other program is waited for. */
async function noticeClosed(): Promise<void> {
  await new Promise((next) => setTimeout(next, 100));
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** What a script prints; undefined if a package is missing. */
async function timePython(script: string, words: readonly string[]): Promise<number | undefined> {
  const { status, stdout } = spawnSync('python3', ['-W', 'ignore', '-c', script, ...words], { encoding: 'utf8' });
  await noticeClosed();
  return status === 0 ? Number(stdout) : undefined;
}
