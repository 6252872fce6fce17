// Files elsewhere: objects behind a delay, archives, watched folders, DICOMweb and an index of many files.
// `npm run bench -- origins [--objects 4000] [--large 100000] [--only objects,zip,watch,dicomweb,index]`. See README.md beside this file.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readMediaDirectory } from '../src/server/images/catalog/mediaDirectory.ts';
import { createFileScanner } from '../src/server/images/catalog/scanFile.ts';
import { listInputs } from '../src/server/bytes/origins/origins.ts';
import { writeZip } from '../test/support/writeArchive.ts';
import { writeCtTree } from './support/ctTree.ts';
import { withFolder } from './support/folder.ts';
import { writeGrayImages } from './support/frameFiles.ts';
import { measurePydicom } from './support/headerPeers.ts';
import { createClient, interleave, median, type Times } from './support/measure.ts';
import { type Orthanc, startOrthanc } from '../test/support/orthanc.ts';
import { cpuMsOf, type Memory, memoryMbOf } from './support/processes.ts';
import { mb, ms, perSecond, type Report, runBenchmark, SUITE_OPTIONS, target, times } from './support/report.ts';
import { type BenchServer, startServer } from './support/server.ts';

declare const NEGATO_ROOT: string;
declare const NEGATO_DIST: string;

const { values: options } = parseArgs({
  options: {
    ...SUITE_OPTIONS,
    objects: { type: 'string', default: '4000' },
    large: { type: 'string', default: '100000' },
    /** Names of parts, with commas between them. */
    only: { type: 'string' },
    /** Used internally, in separate processes. */
    serve: { type: 'string' },
    'delay-ms': { type: 'string', default: '0' },
    zip: { type: 'string' },
    yauzl: { type: 'string' },
  },
});

const PYDICOM_FILES = 2_000;
const WATCHED = 10_000;
const NEW_FILES = 10;
const ROUNDS = 5;

const PARTS: Readonly<Record<string, (report: Report, folder: string) => Promise<void>>> = {
  objects: measureObjects,
  zip: measureZip,
  watch: measureWatch,
  dicomweb: measureDicomweb,
  index: measureIndex,
};

function run(): Promise<void> {
  return runBenchmark('origins', (report) =>
    withFolder(async (folder) => {
      for (const [name, measure] of Object.entries(PARTS)) {
        const isWanted = options.only === undefined || options.only.split(',').includes(name);
        if (isWanted) await measure(report, join(folder, name));
      }
    }),
  );
}

/** A bucket on another machine, 64 requests at a time. The server is a process of its own that delays each answer. */
async function measureObjects(report: Report, folder: string): Promise<void> {
  const count = Number(options.objects);
  writeCtTree(folder, count);
  const table = report.table(`Scan of ${count} objects`);
  for (const [delayMs, wanted] of [[30, 1_000] as const, [100, 400] as const]) {
    const bucket = fork(fileURLToPath(import.meta.url), ['--serve', folder, '--delay-ms', String(delayMs)]);
    const [port]: number[] = await once(bucket, 'message');
    const args = ['--anonymous', '--endpoint', `http://127.0.0.1:${port}`];
    const scans: number[] = [];
    let last: BenchServer | undefined;
    try {
      for (let round = 0; round < 3; round += 1) {
        last = await startServer('s3://bucket/', { args });
        scans.push(last.scanMs);
        await last.stop();
      }
    } finally {
      bucket.disconnect();
    }
    const scanMs = median(scans);
    table.row(`a delay of ${delayMs} ms`, {
      'files per second': target(
        `${perSecond(count, scanMs)}, target ${wanted.toLocaleString('en')}`,
        (count / scanMs) * 1000 >= wanted,
      ),
      // Each file takes one request, and a listing of 1,000 takes another.
      'of what 64 requests at a time allow': `${Math.round(((count / 64) * delayMs * 100) / scanMs)} %`,
    });
  }
}

/** Lists and sends the files of a folder as Amazon S3 does, each answer after a delay. */
function serveBucket(folder: string, delayMs: number): void {
  const keys = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://host');
    const key = url.pathname.replace(/^\/bucket\/?/, '');
    const answer = () => {
      if (key === '') {
        const after = url.searchParams.get('continuation-token') ?? '';
        const first = keys.findIndex((one) => one > after);
        const page = first < 0 ? [] : keys.slice(first, first + 1_000);
        const isTruncated = page.length > 0 && page.at(-1) !== keys.at(-1);
        const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
        const contents = page.map((one) => `<Contents><Key>${one}</Key></Contents>`).join('');
        response.end(
          `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents}</ListBucketResult>`,
        );
        return;
      }
      const path = join(folder, key);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) return void response.writeHead(404).end();
      const [, from = '0', to = '0'] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const end = Math.min(Number(to), stats.size - 1);
      response.writeHead(206, {
        ETag: `"${stats.ino}"`,
        'Content-Range': `bytes ${from}-${end}/${stats.size}`,
        'Content-Length': end - Number(from) + 1,
      });
      // The machine that this process stands for has processors of its own, so the process uses as little as possible.
      const bytes = Buffer.alloc(end - Number(from) + 1);
      const file = openSync(path, 'r');
      readSync(file, bytes, 0, bytes.length, Number(from));
      closeSync(file);
      response.end(bytes);
    };
    setTimeout(answer, delayMs);
  });
  server.listen(0, '127.0.0.1', () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    process.send?.((server.address() as AddressInfo).port);
  });
  process.on('disconnect', () => process.exit());
}

/** The headers of all members of a zip, in processor time. The peer brings the first piece of each member. */
async function measureZip(report: Report, folder: string): Promise<void> {
  writeGrayImages(folder, 2_000, [180, 180]);
  const files = readdirSync(folder).map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
  const table = report.table('Headers of 2,000 files in a zip, processor time');
  for (const isStored of [false, true]) {
    const path = join(folder, `${isStored ? 'stored' : 'deflated'}.zip`);
    writeFileSync(path, writeZip(files.map((file) => ({ ...file, isStored }))));
    const { negato, yauzl } = await interleave(ROUNDS, {
      negato: () => measureApart('--zip', path),
      yauzl: () => measureApart('--yauzl', path),
    });
    if (negato === undefined) throw new Error('the zip was not read');
    table.row(isStored ? 'stored' : 'deflated', {
      negato: ms(negato.p50),
      yauzl: yauzl === undefined ? 'absent' : ms(yauzl.p50),
      ratio:
        yauzl === undefined
          ? 'absent'
          : target(`${times(yauzl.p50, negato.p50)}, target 3`, yauzl.p50 / negato.p50 >= 3),
    });
  }
}

/** Runs this program again, which prints the processor time in ms, or nothing if it cannot measure. */
function measureApart(...args: readonly string[]): number | undefined {
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...args], { encoding: 'utf8' });
  const took = Number.parseFloat(stdout);
  return Number.isNaN(took) ? undefined : took;
}

function startProcessorTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

/** The second pass counts: the peer is compiled by then, too. */
function readZip(path: string): void {
  const scanFile = createFileScanner([]);
  const pass = () => {
    let count = 0;
    for (const entry of listInputs({ inputs: [path], recursive: true, readMediaDirectory })) {
      if (scanFile(entry).disposition === 'selected') count += 1;
    }
    return count;
  };
  pass();
  const took = startProcessorTime();
  if (pass() !== 2_000) throw new Error('not all members were read');
  console.log(took());
}

type YauzlEntry = object;
type YauzlZip = {
  readEntry(): void;
  on(event: 'entry', listener: (entry: YauzlEntry) => void): void;
  on(event: 'end', listener: () => void): void;
  openReadStream(
    entry: YauzlEntry,
    callback: (
      error: Error | null,
      stream: { once(event: 'data', listener: () => void): void; destroy(): void },
    ) => void,
  ): void;
};
type Yauzl = {
  open(path: string, options: object, callback: (error: Error | null, zip: YauzlZip) => void): void;
};

/** In the folder NEGATO_PEERS or beside our own packages; prints nothing if it is not there. */
async function readZipWithYauzl(path: string): Promise<void> {
  let yauzl: Yauzl;
  try {
    yauzl = createRequire(join(process.env['NEGATO_PEERS'] ?? NEGATO_ROOT, 'package.json'))('yauzl');
  } catch {
    return;
  }
  const pass = () =>
    new Promise<void>((resolve, reject) => {
      yauzl.open(path, { lazyEntries: true }, (error, zip) => {
        if (error !== null) return reject(error);
        zip.on('end', resolve);
        zip.on('entry', (entry) => {
          zip.openReadStream(entry, (failure, stream) => {
            if (failure !== null) return reject(failure);
            stream.once('data', () => {
              stream.destroy();
              zip.readEntry();
            });
          });
        });
        zip.readEntry();
      });
    });
  await pass();
  const took = startProcessorTime();
  await pass();
  console.log(took());
}

/** What `--watch` adds to a server, and how soon a file that appears is in the list that the page reads. */
async function measureWatch(report: Report, folder: string): Promise<void> {
  for (let number = 0; number < 100; number += 1) writeCtTree(join(folder, String(number)), WATCHED / 100);
  const table = report.table(`${WATCHED.toLocaleString('en')} watched files in 200 folders`);
  const plain: Cost[] = [];
  const watching: Cost[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(await costOfServer(folder, []));
    watching.push(await costOfServer(folder, ['--watch']));
  }
  const more = (value: (cost: Cost) => number) => median(watching.map(value)) - median(plain.map(value));
  const [cpuMs, memoryMb] = [more((cost) => cost.cpuMs), more((cost) => cost.memoryMb)];
  table.row('what watching takes', {
    'processor time': target(`${ms(cpuMs)}, target 100`, cpuMs <= 100),
    memory: target(`${mb(memoryMb)}, target 20`, memoryMb <= 20),
  });

  const server = await startServer(folder, { args: ['--watch'] });
  const header = readFileSync(join(folder, '0/series0/IM0.dcm'));
  const delaysMs: number[] = [];
  try {
    for (let number = 0; number < NEW_FILES; number += 1) {
      const began = performance.now();
      writeFileSync(join(folder, `${number}/series0/new${number}.dcm`), header);
      while ((await countFiles(server)) <= WATCHED + number) await delay(10);
      delaysMs.push(performance.now() - began);
    }
  } finally {
    await server.stop();
  }
  const longest = Math.max(...delaysMs);
  table.row('a new file is listed', {
    median: ms(median(delaysMs)),
    longest: target(`${ms(longest)}, target 2,000`, longest <= 2_000),
  });
}

type Cost = { readonly cpuMs: number; readonly memoryMb: number };

/** Of a server two seconds after its scan. */
async function costOfServer(folder: string, args: readonly string[]): Promise<Cost> {
  const server = await startServer(folder, { args });
  await delay(2_000);
  const cost = { cpuMs: server.cpuMs(), memoryMb: server.memoryMb().now };
  await server.stop();
  return cost;
}

async function countFiles({ url }: BenchServer): Promise<number> {
  const { scanned }: { scanned: number } = await (await fetch(`${url}/api/files?since=1000000&limit=1`)).json();
  return scanned;
}

const INSTANCES = 100;

/** WADO-RS, one request after the other. */
async function measureDicomweb(report: Report, folder: string): Promise<void> {
  const files = join(folder, 'dicomweb');
  writeCtTree(files, INSTANCES);
  const table = report.table(`WADO-RS, ${INSTANCES} CT images`);
  const orthanc = await startOrthanc(folder, { dicomweb: true });
  const server = await startServer(files, { args: ['--dicomweb'] });
  try {
    if (orthanc !== undefined) await storeAll(orthanc, files);
    const roots = { negato: `${server.url}/dicomweb`, orthanc: orthanc && `${orthanc.baseUrl}/dicom-web` };
    const [series, ...instances] = await findInstances(roots.negato);
    const compare = async (name: string, paths: readonly string[]) => {
      const measure = (root: string | undefined) => async () =>
        root === undefined ? undefined : askAll(paths.map((path) => root + path));
      const took: Readonly<Record<string, Times>> = await interleave(ROUNDS, {
        negato: measure(roots.negato),
        orthanc: measure(roots.orthanc),
      });
      const { negato, orthanc: other } = took;
      if (negato === undefined) throw new Error('negato does not answer');
      const isMet = other !== undefined && other.p50 / negato.p50 >= 5;
      table.row(name, {
        negato: ms(negato.p50),
        Orthanc: other === undefined ? 'absent' : ms(other.p50),
        ratio: other === undefined ? 'absent' : target(`${times(other.p50, negato.p50)}, target 5`, isMet),
      });
    };
    await compare('metadata of the series', [`${series}/metadata`]);
    await compare(
      'a frame',
      instances.map((path) => `${path}/frames/1`),
    );
  } finally {
    await server.stop();
    await orthanc?.close();
  }
}

/** Median time of a request. */
async function askAll(urls: readonly string[]): Promise<number> {
  const client = createClient();
  const took: number[] = [];
  try {
    for (const url of urls) {
      const { tookMs, status } = await client.ask(url);
      if (status !== 200) throw new Error(`${url} answered ${status}`);
      took.push(tookMs);
    }
  } finally {
    client.close();
  }
  return median(took);
}

async function storeAll(orthanc: Orthanc, folder: string): Promise<void> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await orthanc.store(join(entry.parentPath, entry.name));
  }
}

/** The path of the only series, and those of its instances. */
async function findInstances(root: string): Promise<string[]> {
  type Found = Readonly<Record<string, { readonly Value: readonly string[] }>>;
  const found: Found[] = await (await fetch(`${root}/instances`)).json();
  const uid = (one: Found, tag: string) => one[tag]?.Value[0] ?? '';
  const paths = found.map((one) => `/studies/${uid(one, '0020000D')}/series/${uid(one, '0020000E')}`);
  return [paths[0] ?? '', ...found.map((one, at) => `${paths[at]}/instances/${uid(one, '00080018')}`)];
}

/** An index of many files, in processor time, and a viewer that opens some of its rows. */
async function measureIndex(report: Report, folder: string): Promise<void> {
  const count = Number(options.large);
  writeCtTree(folder, count);
  const out = join(folder, 'index.parquet');
  const table = report.table(`Index of ${count.toLocaleString('en')} files`);
  const ours = await watchProcess([join(NEGATO_DIST, 'negato.js'), 'index', folder, '--out', out]);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.dcm'))
    .slice(0, PYDICOM_FILES)
    .map((name) => join(folder, name));
  const pydicom = measurePydicom(paths);
  const ratio = pydicom && pydicom.processorMs / paths.length / (ours.cpuMs / count);
  table.row('negato index', {
    'files per second of one core': perSecond(count, ours.cpuMs),
    pydicom: pydicom === undefined ? 'absent' : perSecond(paths.length, pydicom.processorMs),
    ratio: ratio === undefined ? 'absent' : target(`${ratio.toFixed(1)} times, target 10`, ratio >= 10),
    memory: target(`${mb(ours.memory.peak)}, target 250`, ours.memory.peak <= 250),
  });
  const where = `InstanceNumber > ${Math.floor(count / 2)} and Modality = 'CT'`;
  const server = await startServer(undefined, { args: ['--index', out, '--where', where] });
  const chosen = await countFiles(server);
  table.row(`--index with --where "${where}"`, {
    'rows chosen': target(chosen.toLocaleString('en'), chosen === count - Math.floor(count / 2)),
    'all listed after': ms(server.scanMs),
    memory: mb(server.memoryMb().peak),
  });
  await server.stop();
}

/** Processor time and memory of a program until it ends. */
async function watchProcess(args: readonly string[]): Promise<{ readonly cpuMs: number; readonly memory: Memory }> {
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  let cpuMs = 0;
  let memory: Memory = { now: 0, peak: 0 };
  const timer = setInterval(() => {
    const seen = memoryMbOf(pid);
    if (!(seen.peak > 0)) return;
    memory = seen;
    cpuMs = cpuMsOf(pid);
  }, 20);
  const [code]: number[] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`the program ended with ${code}`);
  return { cpuMs, memory };
}

// At the end of the file, so that the constants above are initialised.
if (options.serve !== undefined) serveBucket(options.serve, Number(options['delay-ms']));
else if (options.zip !== undefined) readZip(options.zip);
else if (options.yauzl !== undefined) await readZipWithYauzl(options.yauzl);
else await run();
