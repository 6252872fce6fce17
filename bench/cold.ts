// The first second of a new process: from the command to a server that listens, to all files found and to the first
// picture, in turn with dcmview (`DCMVIEW` or PATH) and with bare Node; and a timeline of all threads in that time:
// `npm run bench -- cold [--runs 7] [--corpus FOLDER]`. See README.md beside this file.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { FileRecord } from '../src/shared/contract/files.ts';
import { findDcmview } from './support/dcmview.ts';
import { withFolder } from './support/folder.ts';
import { writeGrayImages } from './support/frameFiles.ts';
import { median } from './support/measure.ts';
import { cpuMsOf, memoryMbOf } from './support/processes.ts';
import { KINDS, profilingArguments, readProfiles } from './support/profileThreads.ts';
import { mb, ms, type Report, runBenchmark, SUITE_OPTIONS, target } from './support/report.ts';

declare const NEGATO_DIST: string;
declare const NEGATO_ROOT: string;

const BARE_SERVER = `
import { createServer } from 'node:http';
const server = createServer((request, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port + '/'));
`;
const CT = [512, 512] as const;
/** Targets, in addition to the start of bare Node. */
const PICTURE_MS = 150;
const MIXED_SCAN_MS = 450;
const DEMO_RECORD_MS = 400;
const PICTURE_CPU_MS = 350;
const WHOLE_DEMO_MS = 4_000;
const IDLE_MB = 60;
/** Processor time of 100 display frames, in relation to dcmview. */
const MOST_OF_PEER = 1.5;
/** Like the connections of a browser. */
const AT_A_TIME = 6;

const { values: options } = parseArgs({
  options: { ...SUITE_OPTIONS, runs: { type: 'string', default: '7' }, corpus: { type: 'string' } },
});
const runs = Number(options.runs);
const negato = [process.execPath, join(NEGATO_DIST, 'negato.js'), '--no-browser', '--port', '0', '--startup-json'];

await runBenchmark('cold', (report) =>
  withFolder(async (folder) => {
    const dcmview = findDcmview();
    if (dcmview === undefined) report.note('dcmview is absent: set DCMVIEW, or put it on PATH');
    const bare = join(folder, 'bare.mjs');
    writeFileSync(bare, BARE_SERVER);
    const contenders: Contenders = {
      negato: { command: negato, until: 'picture' },
      ...(dcmview && { dcmview: { command: [dcmview, '--no-browser', '--no-token'], until: 'picture' } }),
      'bare node:http': { command: [process.execPath, bare], until: 'listening' },
    };
    const images = writeGrayImages(join(folder, 'series'), 28, CT);
    const corpus = options.corpus ?? process.env.NEGATO_CORPUS ?? join(NEGATO_ROOT, '../shared/corpus');
    const inputs = { 'one file': images[0]!, 'a series of 28': join(folder, 'series') };
    let bareMs = Number.NaN;
    for (const [name, input] of Object.entries({ ...inputs, ...(existsSync(corpus) && { 'mixed files': corpus }) })) {
      bareMs = await compare(name, input, { contenders, report });
    }
    const { 'bare node:http': _, ...viewers } = contenders;
    writeGrayImages(join(folder, 'hundred'), 100, CT);
    await timeHundred(join(folder, 'hundred'), { contenders: viewers, report });
    await timeDemo(bareMs, report);
    await drawTimeline(images[0]!, folder, report);
  }),
);

type Contenders = Readonly<Record<string, { readonly command: readonly string[] } & Until>>;

/** Returns the start of bare Node. */
async function compare(
  name: string,
  input: string,
  { contenders, report }: { readonly contenders: Contenders; readonly report: Report },
): Promise<number> {
  const starts = new Map(Object.keys(contenders).map((contender): [string, ColdStart[]] => [contender, []]));
  for (let run = 0; run < runs; run += 1) {
    for (const [contender, { command, until }] of Object.entries(contenders)) {
      starts.get(contender)?.push(await startCold([...command, input], { until }));
    }
  }
  const bareMs = medianOf(starts.get('bare node:http') ?? [], 'listeningMs');
  const table = report.table(`From the command, ${name}`);
  for (const [contender, list] of starts) {
    const figures: [string, keyof ColdStart, (value: number) => string][] = [
      ['listening', 'listeningMs', ms],
      ['scanned', 'scannedMs', ms],
      ['first picture', 'pictureMs', ms],
      ['processor time until then', 'cpuMs', ms],
      ['memory', 'memoryMb', mb],
    ];
    const known = figures.filter(([, key]) => !Number.isNaN(medianOf(list, key)));
    table.row(contender, {
      ...Object.fromEntries(known.map(([title, key, write]) => [title, write(medianOf(list, key))])),
      ...(contender === 'negato' && { target: targetsOf(name, list, bareMs).join('; ') }),
    });
  }
  return bareMs;
}

function targetsOf(name: string, starts: readonly ColdStart[], bareMs: number): string[] {
  const of = (key: keyof ColdStart) => medianOf(starts, key);
  if (name === 'mixed files') {
    return [target(`scanned ${MIXED_SCAN_MS} ms after bare Node`, of('scannedMs') <= bareMs + MIXED_SCAN_MS)];
  }
  const picture = target(`picture ${PICTURE_MS} ms after bare Node`, of('pictureMs') <= bareMs + PICTURE_MS);
  if (name !== 'one file') return [picture];
  const processor = target(`processor ${PICTURE_CPU_MS} ms`, of('cpuMs') <= PICTURE_CPU_MS);
  return [picture, processor, target(`memory ${mb(IDLE_MB)}`, of('memoryMb') <= IDLE_MB)];
}

/** Display frames of 100 files, requested from a new process like by a browser. */
async function timeHundred(
  input: string,
  { contenders, report }: { readonly contenders: Contenders; readonly report: Report },
): Promise<void> {
  const starts = new Map(Object.keys(contenders).map((contender): [string, ColdStart[]] => [contender, []]));
  for (let run = 0; run < runs; run += 1) {
    for (const [contender, { command }] of Object.entries(contenders)) {
      starts.get(contender)?.push(await startCold([...command, input], { until: 'all pictures' }));
    }
  }
  const table = report.table('From the command, 100 display frames');
  const peerMs = medianOf(starts.get('dcmview') ?? [], 'cpuMs');
  for (const [contender, list] of starts) {
    const cpuMs = medianOf(list, 'cpuMs');
    table.row(contender, {
      scanned: ms(medianOf(list, 'scannedMs')),
      'all pictures': ms(medianOf(list, 'pictureMs')),
      'processor time until then': ms(cpuMs),
      ...(contender === 'negato' &&
        !Number.isNaN(peerMs) && { target: target(`processor ${MOST_OF_PEER} times`, cpuMs <= MOST_OF_PEER * peerMs) }),
    });
  }
}

async function timeDemo(bareMs: number, report: Report): Promise<void> {
  const starts: ColdStart[] = [];
  for (let run = 0; run < Math.min(runs, 3); run += 1) starts.push(await startCold(negato, { until: 'scanned' }));
  const recordMs = medianOf(starts, 'recordMs');
  const allMs = medianOf(starts, 'scannedMs');
  report.table('From the command, the demo').row('negato', {
    'first record': ms(recordMs),
    'all files': ms(allMs),
    target: [
      target(`first record ${DEMO_RECORD_MS} ms after bare Node`, recordMs <= bareMs + DEMO_RECORD_MS),
      target(`all files ${WHOLE_DEMO_MS} ms`, allMs <= WHOLE_DEMO_MS),
    ].join('; '),
  });
}

/** One more run, with a profile of each thread: slower than the others, but it shows what the time is spent on. */
async function drawTimeline(input: string, folder: string, report: Report): Promise<void> {
  const profiles = join(folder, 'profiles');
  mkdirSync(profiles);
  const [node, ...rest] = negato;
  const command = [node!, ...profilingArguments(profiles), ...rest, input];
  const { pictureMs } = await startCold(command, { until: 'picture' });
  const threads = readProfiles(profiles, pictureMs);
  const table = report.table('Threads until the first picture, with a profiler');
  for (const { name, beganMs, endedMs, kinds } of threads) {
    const cells = KINDS.map((kind) => [kind, kinds.has(kind) ? ms(kinds.get(kind) ?? 0) : '']);
    table.row(name, { began: ms(beganMs), ended: ms(endedMs), ...Object.fromEntries(cells) });
  }
  for (const { name, functions } of threads) {
    report.note(`${name}: ${functions.map((called) => `${called.name} ${ms(called.ms)}`).join(', ')}`);
  }
}

/** Times since the command, NaN for what was not waited for. */
type ColdStart = {
  readonly listeningMs: number;
  readonly recordMs: number;
  readonly scannedMs: number;
  readonly pictureMs: number;
  readonly cpuMs: number;
  /** Resident, after the picture. */
  readonly memoryMb: number;
};

type Until = { readonly until: 'listening' | 'scanned' | 'picture' | 'all pictures' };

async function startCold([command = '', ...args]: readonly string[], wanted: Until): Promise<ColdStart> {
  const began = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = once(child, 'close');
  try {
    return await timeStart(child, { ...wanted, began });
  } finally {
    // With SIGKILL, no profile would be written.
    child.kill('SIGTERM');
    await closed;
  }
}

async function timeStart(
  { stdout, pid = 0, spawnfile }: ChildProcessByStdio<null, Readable, null>,
  { until, began }: Until & { readonly began: number },
): Promise<ColdStart> {
  const since = () => performance.now() - began;
  let [listeningMs, recordMs, scannedMs, pictureMs] = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  let url: string | undefined;
  let isScanned = false;
  let recorded: Promise<void> | undefined;
  for await (const line of createInterface({ input: stdout })) {
    const found = /(?:"base_url":"|running at |^)(http:\/\/[^"/\s]+)/.exec(line)?.[1];
    if (url === undefined && found !== undefined) {
      [url, listeningMs] = [found, since()];
      if (until === 'listening') break;
      if (until === 'scanned') recorded = firstRecord(url).then(() => void (recordMs = since()));
    }
    // The line of negato, or of dcmview, which may write it before the one with its address.
    isScanned ||= line.includes('scan_complete') || /loaded \d+ DICOM/.test(line);
    if (isScanned && url !== undefined) break;
  }
  if (url === undefined) throw new Error(`${spawnfile} did not say where it listens`);
  if (until !== 'listening') scannedMs = since();
  await recorded;
  if (until === 'picture' || until === 'all pictures') {
    await (until === 'picture' ? firstPicture(url) : allPictures(url));
    pictureMs = since();
  }
  const cpuMs = cpuMsOf(pid);
  const memoryMb = memoryMbOf(pid).now;
  return { listeningMs, recordMs, scannedMs, pictureMs, cpuMs, memoryMb };
}

async function firstRecord(url: string): Promise<void> {
  while ((await readFiles(url)).length === 0) await delay(5);
}

async function readFiles(url: string): Promise<readonly FileRecord[]> {
  const { files }: { files: FileRecord[] } = await (await fetch(`${url}/api/files`)).json();
  return files;
}

/** The picture of the first file that has one. */
async function firstPicture(url: string): Promise<void> {
  for (const { index } of await readFiles(url)) {
    const response = await fetch(`${url}/api/file/${index}/frame/0`);
    await response.arrayBuffer();
    if (response.ok) return;
  }
  throw new Error(`${url} has no picture`);
}

async function allPictures(url: string): Promise<void> {
  const waiting = (await readFiles(url)).values();
  const askNext = async () => {
    for (const { index } of waiting) await (await fetch(`${url}/api/file/${index}/frame/0`)).arrayBuffer();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, askNext));
}

function medianOf(starts: readonly ColdStart[], name: keyof ColdStart): number {
  return median(starts.map((start) => start[name]));
}
