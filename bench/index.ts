// Indexes of millions of rows: opening a part of them, merging shards, and updating an index of files that are there.
// Run from the root of the repository: npm run bench -- index [--rows 5000000] [--shards 16] [--merged 4] [--files 20000] [--rounds 3]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parquetReadObjects } from 'hyparquet';
import { listIndexColumns, USUAL_TAGS } from '../src/server/images/catalog/indexColumns.ts';
import { columnOfPath } from '../src/server/images/catalog/elementColumns.ts';
import { parseElementPath } from '../src/server/standard/dicom/elementPath.ts';
import { createParquetFile, type FileRow, GROUP_ROWS } from '../src/server/images/tables/writeTableFile.ts';
import { writeCtTree } from './support/ctTree.ts';
import { withFolder } from './support/folder.ts';
import { median } from './support/measure.ts';
import { cpuMsOf, memoryMbOf } from './support/processes.ts';
import { mb, ms, perSecond, type Report, runBenchmark, SUITE_OPTIONS, target } from './support/report.ts';
import { startServer } from './support/server.ts';

declare const NEGATO_DIST: string;

/** An archive of one folder for each patient: series of 250 images, four in a study, two studies of a patient. */
const [IMAGES, SERIES, STUDIES] = [250, 4, 2];
const MOST_OPEN_MS = 3_000;
const MOST_OPEN_MB = 400;
/** Rows of the table whose opening was measured for long: 12,000 of 200,000. */
const PART = { rows: 200_000, mostCpuMs: 1_000 };

const { values: options } = parseArgs({
  options: {
    ...SUITE_OPTIONS,
    rows: { type: 'string', default: '5000000' },
    shards: { type: 'string', default: '16' },
    merged: { type: 'string', default: '4' },
    files: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
  },
});
const rounds = Number(options.rounds);

await runBenchmark('index', async (report) => {
  await withFolder((folder) => measurePart(folder, report));
  await withFolder((folder) => measureShards(folder, report));
  await withFolder((folder) => measureUpdate(folder, report));
});

async function measurePart(folder: string, report: Report): Promise<void> {
  const index = join(folder, 'index.parquet');
  writeShard(index, await readTemplate(folder), { first: 0, count: PART.rows });
  const patients = 6;
  // 2,000 files of each patient.
  const where = `PatientID < '${patientOf(patients * IMAGES * SERIES * STUDIES)}'`;
  const table = report.table(
    `${(patients * IMAGES * SERIES * STUDIES).toLocaleString('en')} of ${PART.rows.toLocaleString('en')} rows`,
  );
  const one = join(folder, 'one.dcm');
  const idle = await openRounds([one]);
  table.row('one file without an index', { 'processor time': ms(idle.cpuMs), memory: mb(idle.mb) });
  const found = await openRounds(['--index', index, '--where', where]);
  const cpu = target(`${ms(found.cpuMs)}, target ${ms(PART.mostCpuMs)}`, found.cpuMs <= PART.mostCpuMs);
  table.row(where, { took: ms(found.tookMs), 'processor time': cpu, memory: mb(found.mb) });
}

async function measureShards(folder: string, report: Report): Promise<void> {
  const rows = Number(options.rows);
  const shards = Number(options.shards);
  if (rows === 0) return;
  const template = await readTemplate(folder);
  const each = Math.floor(rows / shards);
  const paths: string[] = [];
  for (let at = 0; at < shards; at += 1) {
    const path = join(folder, `index-${at}.parquet`);
    writeShard(path, template, { first: at * each, count: each });
    paths.push(path);
  }
  const table = report.table(`${(each * shards).toLocaleString('en')} rows in ${shards} shards`);
  const number = Math.floor(each * shards * 0.6);
  const questions = [`PatientID = '${patientOf(number)}'`, `StudyInstanceUID = '${studyOf(number)}'`];
  for (const where of questions) {
    const found = await openRounds([...paths.flatMap((path) => ['--index', path]), '--where', where]);
    table.row(where, {
      took: target(`${ms(found.tookMs)}, target ${ms(MOST_OPEN_MS)}`, found.tookMs <= MOST_OPEN_MS),
      'processor time': ms(found.cpuMs),
      memory: target(`${mb(found.mb)}, target ${MOST_OPEN_MB}`, found.mb <= MOST_OPEN_MB),
    });
  }
  const merged = paths.slice(0, Number(options.merged));
  const out = join(folder, 'merged.parquet');
  const run = await watchProcess(['index', '--merge', ...merged, '--out', out]);
  table.row(`--merge of ${merged.length} shards`, {
    took: ms(run.tookMs),
    'processor time': ms(run.cpuMs),
    memory: mb(run.mb),
    'rows per second': perSecond(each * merged.length, run.tookMs),
  });
  for (const path of paths) rmSync(path);
}

async function measureUpdate(folder: string, report: Report): Promise<void> {
  const files = Number(options.files);
  if (files === 0) return;
  writeCtTree(folder, files);
  const out = join(folder, 'index.parquet');
  const table = report.table(`Index of ${files.toLocaleString('en')} files`);
  const row = async (name: string, args: readonly string[]) => {
    const run = await watchProcess(['index', folder, ...args]);
    table.row(name, { took: ms(run.tookMs), 'processor time': ms(run.cpuMs), memory: mb(run.mb) });
  };
  await row('written', ['--out', out]);
  await row('updated, and nothing has changed', ['--update', out]);
  await writeOne(join(folder, 'new.dcm'));
  await row('updated, and one file is new', ['--update', out]);
}

/** From the command to the list of all chosen files; the median of some rounds. */
async function openRounds(args: readonly string[]) {
  const found: { tookMs: number; cpuMs: number; mb: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begunMs = performance.now();
    const server = await startServer(undefined, { args });
    found.push({ tookMs: performance.now() - begunMs, cpuMs: server.cpuMs(), mb: server.memoryMb().peak });
    await server.stop();
  }
  const middle = (name: 'tookMs' | 'cpuMs' | 'mb') => median(found.map((one) => one[name]));
  return { tookMs: middle('tookMs'), cpuMs: middle('cpuMs'), mb: middle('mb') };
}

async function watchProcess(args: readonly string[]) {
  const begunMs = performance.now();
  const child = spawn(process.execPath, [join(NEGATO_DIST, 'negato.js'), ...args], { stdio: 'ignore' });
  let [cpuMs, mbPeak] = [0, 0];
  const timer = setInterval(() => {
    cpuMs = Math.max(cpuMs, cpuMsOf(child.pid ?? 0));
    mbPeak = Math.max(mbPeak, memoryMbOf(child.pid ?? 0).peak || 0);
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`negato ${args[0]} ended with status ${code}`);
  return { tookMs: performance.now() - begunMs, cpuMs, mb: mbPeak };
}

type Template = Readonly<Record<string, FileRow[number]>>;

async function writeOne(path: string): Promise<void> {
  const { ctElements } = await import('../test/support/ctElements.ts');
  const { writeDicom } = await import('../src/server/standard/dicom/writeDicom.ts');
  const pose = { ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'], ImagePositionPatient: ['0', '0', '5.5'] };
  writeFileSync(path, writeDicom(ctElements({ ...pose, PixelSpacing: ['0.5', '0.7'] })));
}

/** The row of a file, from which the others are made. */
async function readTemplate(folder: string): Promise<Template> {
  const [one, out] = [join(folder, 'one.dcm'), join(folder, 'one.parquet')];
  await writeOne(one);
  await watchProcess(['index', one, '--out', out]);
  const { buffer, byteOffset, byteLength } = readFileSync(out);
  const [row = {}] = await parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + byteLength) });
  return row;
}

function patientOf(number: number): string {
  return `P${String(Math.floor(number / (IMAGES * SERIES * STUDIES))).padStart(6, '0')}`;
}

function studyOf(number: number): string {
  return `1.2.826.0.1.3680043.8.498.1.${Math.floor(number / (IMAGES * SERIES)) + 1_000_000}`;
}

function writeShard(path: string, template: Template, { first, count }: { first: number; count: number }): void {
  const elements = USUAL_TAGS.flatMap((name) => {
    const parsed = parseElementPath(name);
    return parsed.ok ? [parsed.path] : [];
  });
  const columns = listIndexColumns(elements).map((column) =>
    column.path === undefined ? column : columnOfPath(column.path),
  );
  const table = createParquetFile({ columns, createdBy: 'bench' });
  const file = openSync(path, 'w');
  for (let from = first; from < first + count; from += GROUP_ROWS) {
    const rows = Math.min(GROUP_ROWS, first + count - from);
    const numbers = Array.from({ length: rows }, (_, at) => from + at);
    const own: Readonly<Record<string, (number: number) => FileRow[number]>> = {
      path: (number) =>
        `/archive/${patientOf(number)}/${Math.floor(number / (IMAGES * SERIES))}/${Math.floor(number / IMAGES)}/IM${number % IMAGES}.dcm`,
      PatientID: patientOf,
      StudyInstanceUID: studyOf,
      SeriesInstanceUID: (number) => `${studyOf(number)}.${Math.floor(number / IMAGES) % SERIES}`,
      SOPInstanceUID: (number) => `${studyOf(number)}.${Math.floor(number / IMAGES) % SERIES}.${number % IMAGES}`,
      InstanceNumber: (number) => (number % IMAGES) + 1,
      instance_number: (number) => String((number % IMAGES) + 1),
      file_ino: (number) => 1_000_000 + number,
    };
    const group = columns.map(({ name }): FileRow => {
      const valueOf = own[name];
      return valueOf === undefined ? numbers.map(() => template[name] ?? null) : numbers.map(valueOf);
    });
    for (const piece of table.add(group, rows)) writeSync(file, piece);
  }
  for (const piece of table.finish(undefined)) writeSync(file, piece);
  closeSync(file);
}
