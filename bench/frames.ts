// How fast frames come, against Orthanc's rendered frames, the one-shot tools of DCMTK and GDCM, and the native codecs, on
// the same files in the same run: `node bench/run.mjs frames [--images 200]`. See README.md beside this file.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { decodeFrame } from '../src/server/pixels/decodeFrame.ts';
import { createImageFiles } from '../src/server/pixels/imageFiles.ts';
import {
  compressHtj2k,
  compressJpeg2000,
  compressJpegLs,
  type Compressed,
  writeGrayImages,
  writeLargeFile,
  writeSlide,
} from './frameFiles.ts';
import { timeRequests, timeWork, type Times } from './measure.ts';
import { type Orthanc, startOrthanc } from './orthanc.ts';

declare const NEGATO_DIST: string;

const CT = [512, 512] as const;
const MAMMOGRAM = [4000, 3000] as const;
const SLIDE_TILES = 20_000;

const { values: options } = parseArgs({ options: { images: { type: 'string', default: '200' } } });

async function run(images: number): Promise<void> {
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} threads, Node ${process.version}`);
  console.log(`load ${loadavg()[0]?.toFixed(1)}: what else runs makes every figure here larger`);
  const folder = mkdtempSync(join(tmpdir(), 'negato-bench-'));
  try {
    const files = join(folder, 'files');
    const ct = writeGrayImages(join(files, 'ct'), images, CT);
    // As mammograms come: one window over most of the detector's range.
    const window = { Modality: 'MG', WindowCenter: '1024', WindowWidth: '2048', RescaleIntercept: '0' };
    const mammograms = writeGrayImages(join(files, 'mg'), 6, MAMMOGRAM, window);
    const slide = writeSlide(join(files, 'slide.dcm'), SLIDE_TILES);
    const compressed = {
      'JPEG 2000': compressJpeg2000(mammograms[0]!),
      'JPEG-LS': compressJpegLs(mammograms[0]!),
      HTJ2K: await compressHtj2k(mammograms[0]!, MAMMOGRAM),
    };
    const orthanc = await startOrthanc(folder);
    try {
      await measureServer({ files, ct, mammograms, slide, orthanc });
    } finally {
      await orthanc?.close();
    }
    await measureCodecs(compressed);
    await measureFrameIndex(folder, slide);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Prepared = {
  readonly files: string;
  readonly ct: readonly string[];
  readonly mammograms: readonly string[];
  readonly slide: string | undefined;
  readonly orthanc: Orthanc | undefined;
};

async function measureServer({ files, ct, mammograms, slide, orthanc }: Prepared): Promise<void> {
  const server = await startNegato(files);
  try {
    const addresses = await server.addresses();
    const framesOf = (paths: readonly string[], rest: string) => paths.map((path) => addresses.get(path)! + rest);
    // Threads and compiled code as they are after the first minute of use.
    await timeRequests(framesOf(ct, '/frame/0?wc=0&ww=2000'));

    console.log(`\n${CT.join(' x ')} CT of 16 bits, ${ct.length} images`);
    const miss = await timeRequests(framesOf(ct, '/frame/0'), 'MISS');
    const hit = await timeRequests(framesOf(ct, '/frame/0'), 'HIT');
    report('display MISS', miss, { most: 3 });
    report('display HIT', hit, { most: 0.15 });
    report('raw MISS', await timeRequests(framesOf(ct, '/frame/0/raw'), 'MISS'));
    report('raw HIT', await timeRequests(framesOf(ct, '/frame/0/raw'), 'HIT'));
    report('thumbnail MISS', await timeRequests(framesOf(ct, '/frame/0/thumbnail'), 'MISS'));
    await comparePeers('CT', ct.slice(0, 60), { ours: miss, orthanc, factor: 6 });

    console.log(`\n${MAMMOGRAM.join(' x ')} mammogram of 16 bits, ${mammograms.length} images`);
    const large = await timeRequests(framesOf(mammograms, '/frame/0'), 'MISS');
    report('display MISS', large);
    report('display HIT', await timeRequests(framesOf(mammograms, '/frame/0'), 'HIT'));
    report('raw MISS', await timeRequests(framesOf(mammograms, '/frame/0/raw'), 'MISS'));
    await comparePeers('mammogram', mammograms, { ours: large, orthanc, factor: 25 });

    if (slide !== undefined) {
      console.log(`\na slide of ${SLIDE_TILES} tiles without offset table`);
      const tile = (number: number) => `${addresses.get(slide)}/frame/${number}`;
      report('last tile, the first one asked for', await timeRequests([tile(SLIDE_TILES - 1)], 'MISS'));
      const tiles = Array.from({ length: 100 }, (_, i) => tile((i * 7_919) % (SLIDE_TILES - 1)));
      report('other tiles MISS', await timeRequests(tiles, 'MISS'));
      report('other tiles HIT', await timeRequests(tiles, 'HIT'));
    }
    console.log(`\nserver's memory at its peak: ${server.peakMegabytes().toFixed(0)} MB`);
  } finally {
    await server.close();
  }
}

type Comparison = { readonly ours: Times; readonly orthanc: Orthanc | undefined; readonly factor: number };

async function comparePeers(name: string, paths: readonly string[], { ours, orthanc, factor }: Comparison) {
  if (orthanc === undefined) console.log(`  Orthanc, ${name}: absent`);
  else {
    const urls: string[] = [];
    for (const path of paths) urls.push(await orthanc.store(path));
    await timeRequests(urls.slice(0, 3));
    const times = await timeRequests(urls);
    reportRatio("Orthanc's rendered", times, ours, factor);
  }
  const picture = join(tmpdir(), `negato-bench-${process.pid}`);
  const tools: readonly (readonly [string, readonly string[]])[] = [
    ['dcm2pnm', ['--write-png', '+Wi', '1']],
    ['gdcmraw', ['-i']],
  ];
  for (const [tool, args] of tools) {
    const output = tool === 'gdcmraw' ? ['-o', picture] : [picture];
    const isThere = spawnSync(tool, ['--version']).error === undefined;
    if (!isThere) console.log(`  ${tool}: absent`);
    else {
      const runTool = (round: number) =>
        spawnSync(tool, [...args, paths[Math.max(0, round) % paths.length]!, ...output]);
      reportRatio(`${tool}, one process a frame`, await timeWork(10, runTool), ours);
    }
  }
  rmSync(picture, { force: true });
}

/** Our decoders in this process against the command line tool of the same library, which starts and writes a file. */
async function measureCodecs(compressed: Readonly<Record<string, Compressed | undefined>>): Promise<void> {
  console.log(`\ndecoders on a ${MAMMOGRAM.join(' x ')} image of 12 bits (mark: 2 times native)`);
  const images = createImageFiles();
  for (const [name, file] of Object.entries(compressed)) {
    if (file === undefined) {
      console.log(`  ${name}: no encoder here`);
      continue;
    }
    const ours = await timeWork(5, async () => {
      const { encoded, pixel, codec } = images.use(toKnownFile(file.path), (image) => ({
        encoded: image.readEncoded(0),
        pixel: image.pixel,
        codec: image.codec,
      }));
      return decodeFrame(encoded, { pixel, codec, frame: 0 });
    });
    report(name, ours);
    const output = `${file.stream}.pgm`;
    const native: readonly [string, readonly string[]] =
      name === 'JPEG-LS'
        ? ['dcmdjpls', [file.path, output]]
        : ['opj_decompress', ['-threads', '1', '-i', file.stream, '-o', output]];
    const [tool, args] = native;
    if (spawnSync(tool, args).status !== 0) console.log(`  ${tool}: absent`);
    else reportRatio(tool, await timeWork(3, () => spawnSync(tool, args)), ours, 0.5);
  }
}

async function measureFrameIndex(folder: string, slide: string | undefined): Promise<void> {
  console.log('\nfinding a frame, in one process');
  const large = writeLargeFile(join(folder, 'large.dcm'));
  const images = createImageFiles();
  const file = toKnownFile(large.path);
  const readFrame = (round: number) => {
    const frame = (Math.abs(round) * 997) % large.frames;
    return images.use(file, (image) => image.readEncoded(frame));
  };
  // A hole of a file is not in the page cache until it was read once.
  for (let round = 0; round < 200; round += 1) readFrame(round);
  report(
    `a frame of a file of ${(statSync(large.path).size / 2 ** 30).toFixed(1)} GiB`,
    await timeWork(200, readFrame),
    {
      most: 1,
    },
  );
  if (slide === undefined) return;
  const known = toKnownFile(slide);
  // Read whole, so that it is in the page cache.
  readFileSync(slide);
  const index = () => createImageFiles().use(known, (image) => image.readEncoded(SLIDE_TILES - 1));
  report(`the index of ${SLIDE_TILES} fragments`, await timeWork(10, index), { most: 120 });
}

function toKnownFile(path: string) {
  const { dev, ino, size, mtimeMs } = statSync(path);
  return { path: realpathSync(path), identity: { dev, ino, size, mtimeMs } };
}

async function startNegato(folder: string) {
  const command = join(NEGATO_DIST, 'negato.js');
  const child = spawn(process.execPath, [command, '--startup-json', '--no-browser', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let baseUrl = '';
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /"base_url":"([^"]+)"/.exec(line)?.[1];
    if (url !== undefined) baseUrl = url;
    if (line.includes('scan_complete')) break;
  }
  return {
    /** By path. */
    async addresses(): Promise<ReadonlyMap<string, string>> {
      const response = await fetch(`${baseUrl}/api/files`);
      const { files }: { files: { index: number; path: string }[] } = await response.json();
      return new Map(files.map(({ index, path }) => [path, `${baseUrl}/api/file/${index}`]));
    },
    peakMegabytes: () =>
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024,
    async close() {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

function report(what: string, { p50, p99, best }: Times, { most }: { most?: number } = {}): void {
  const mark = most === undefined ? '' : `  mark ${most} ms: ${p50 <= most ? 'met' : 'MISSED'}`;
  console.log(`  ${what.padEnd(36)} p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)}, best ${best.toFixed(2)}${mark}`);
}

function reportRatio(peer: string, times: Times, ours: Times, mark?: number): void {
  const ratio = times.p50 / ours.p50;
  const bestRatio = times.best / ours.best;
  const verdict = mark === undefined ? '' : `  mark ${mark}: ${ratio >= mark ? 'met' : 'MISSED'}`;
  console.log(
    `  ${peer.padEnd(36)} p50 ${times.p50.toFixed(2)} ms, ${ratio.toFixed(2)} times ours (best ${times.best.toFixed(2)}, ${bestRatio.toFixed(2)} times)${verdict}`,
  );
}

await run(Number(options.images));
