// Our decoders in this process against the command line tool of the same or the nearest library, whose time includes
// starting and writing a file; the time to find a frame; and compressed frames over HTTP beside dcmview: `npm run bench
// -- codecs [--only served]`. See README.md beside this file.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sourceOf } from '../test/support/sources.ts';
import { decodeFrame } from '../src/server/images/pixels/decodeFrame.ts';
import { createImageFiles } from '../src/server/images/pixels/imageFiles.ts';
import { createBareClient } from './support/bareClient.ts';
import { findDcmview, startDcmview } from './support/dcmview.ts';
import { withFolder } from './support/folder.ts';
import {
  type Compressed,
  compressedImages,
  compressHtj2k,
  compressImage,
  LOSSLESS_SYNTAXES,
  writeGrayImages,
  writeLargeFile,
  writeSlide,
} from './support/frameFiles.ts';
import { interleave, timeWork } from './support/measure.ts';
import { target, ms, type Report, runBenchmark, SUITE_OPTIONS, times } from './support/report.ts';
import { readAddresses, startServer } from './support/server.ts';

const SIZE = [4000, 3000] as const;
const ROUNDS = 5;
const SLIDE_TILES = 20_000;
/** Target: at most this many times as long as the native tool. */
const SLOWEST = 2;

const CT = [512, 512] as const;
const SERVED_IMAGES = 72;
const WARM_UP_IMAGES = 24;
const SERVED_ROUNDS = 6;
/** Target: at most this many times as long as dcmview. */
const SLOWEST_SERVED = 1.2;

/** The native tool of each syntax: its name and arguments. */
const NATIVE: Readonly<Record<string, (file: Compressed) => readonly [string, ...string[]]>> = {
  RLE: ({ path, stream }) => ['dcmdrle', path, `${stream}.dcm`],
  'JPEG lossless': ({ path, stream }) => ['dcmdjpeg', path, `${stream}.dcm`],
  'JPEG-LS': ({ path, stream }) => ['dcmdjpls', path, `${stream}.dcm`],
  'JPEG 2000': ({ stream }) => ['opj_decompress', '-threads', '1', '-i', stream, '-o', `${stream}.pgm`],
  HTJ2K: ({ stream }) => ['opj_decompress', '-threads', '1', '-i', stream, '-o', `${stream}.pgm`],
};

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, only: { type: 'string' } } });

await runBenchmark('codecs', (report) =>
  withFolder(async (folder) => {
    if (options.only !== 'served') {
      await measureDecoders(folder, report);
      await measureFrameIndex(folder, report);
    }
    await measureServed(folder, report);
  }),
);

async function measureDecoders(folder: string, report: Report): Promise<void> {
  const table = report.table(`Decoding ${SIZE.join(' x ')} of 12 bits, p50`);
  const [source = ''] = writeGrayImages(join(folder, 'mg'), 1, SIZE);
  const candidates = new Map([['HTJ2K', await compressHtj2k(source, SIZE)]]);
  for (const syntax of LOSSLESS_SYNTAXES) candidates.set(syntax.name, await compressImage(source, SIZE, syntax));
  const images = createImageFiles();
  for (const [name, file] of candidates) {
    const decode = () => {
      const { encoded, pixel, codec } = images.use(sourceOf(file.path), (image) => ({
        encoded: image.readEncoded(0),
        pixel: image.pixel,
        codec: image.codec,
      }));
      return decodeFrame(encoded, { pixel, codec, frame: 0 });
    };
    await decode();
    const [tool = '', ...args] = NATIVE[name]?.(file) ?? [];
    const isThere = spawnSync(tool, args).status === 0;
    const { negato, native } = await interleave(ROUNDS, {
      negato: () => timeOne(decode),
      native: () => (isThere ? timeOne(() => spawnSync(tool, args)) : undefined),
    });
    if (negato === undefined) continue;
    const peer =
      native === undefined
        ? { native: `${tool}: absent` }
        : {
            native: `${tool}: ${ms(native.p50)}`,
            ratio: times(native.p50, negato.p50),
            target: target(`at most ${SLOWEST} times as long`, negato.p50 / native.p50 <= SLOWEST),
          };
    table.row(name, { negato: ms(negato.p50), ...peer });
  }
}

async function timeOne(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function measureFrameIndex(folder: string, report: Report): Promise<void> {
  const table = report.table('Finding a frame, p50');
  const large = writeLargeFile(join(folder, 'large.dcm'));
  const images = createImageFiles();
  const file = sourceOf(large.path);
  const readFrame = (round: number) => {
    const frame = (Math.abs(round) * 997) % large.frames;
    return images.use(file, (image) => image.readEncoded(frame));
  };
  // A hole in a file is not in the page cache until it has been read once.
  for (let round = 0; round < 200; round += 1) readFrame(round);
  const one = await timeWork(200, readFrame);
  const gib = (statSync(large.path).size / 2 ** 30).toFixed(1);
  table.row(`a frame in a file of ${gib} GiB`, { negato: ms(one.p50), target: target('1 ms', one.p50 <= 1) });
  const slide = writeSlide(join(folder, 'slide.dcm'), SLIDE_TILES);
  if (slide === undefined) return;
  const known = sourceOf(slide);
  // Read completely, so that it is in the page cache.
  readFileSync(slide);
  const index = await timeWork(10, () => createImageFiles().use(known, (image) => image.readEncoded(SLIDE_TILES - 1)));
  table.row(`the index of ${SLIDE_TILES} fragments`, {
    negato: ms(index.p50),
    target: target('120 ms', index.p50 <= 120),
  });
}

/** The first display frame of each image, by servers that have decoded a number of such images before. */
async function measureServed(folder: string, report: Report): Promise<void> {
  const command = findDcmview();
  if (command === undefined) return report.note('dcmview is absent: set DCMVIEW, or put it on PATH');
  const table = report.table(`Display frames of ${CT.join(' x ')}, MISS, p50`);
  const files = join(folder, 'ct');
  const compressed = await compressedImages(writeGrayImages(files, SERVED_IMAGES, CT), CT);
  const servers = { negato: await startServer(files), dcmview: await startDcmview(command, files) };
  const client = createBareClient();
  try {
    const [ours, theirs] = [await readAddresses(servers.negato.url), await readAddresses(servers.dcmview.url)];
    for (const [name, paths] of compressed) {
      // The encoder of HTJ2K gives one image only.
      if (name.endsWith('HTJ2K')) continue;
      const asking = (addresses: ReadonlyMap<string, string>, of: keyof typeof servers) => {
        const ask = async (some: readonly string[]) => {
          const took: number[] = [];
          for (const path of some) took.push((await client.ask(`${addresses.get(path)}/frame/0`)).tookMs);
          return took;
        };
        const cpu = { ms: 0 };
        const share = (paths.length - WARM_UP_IMAGES) / SERVED_ROUNDS;
        const measure = async (round: number) => {
          const before = servers[of].cpuMs();
          const first = WARM_UP_IMAGES + round * share;
          const took = await ask(paths.slice(first, first + share));
          cpu.ms += servers[of].cpuMs() - before;
          return took;
        };
        return { warmUp: () => ask(paths.slice(0, WARM_UP_IMAGES)), measure, cpu };
      };
      const contenders = { negato: asking(ours, 'negato'), dcmview: asking(theirs, 'dcmview') };
      for (const { warmUp } of Object.values(contenders)) await warmUp();
      const { negato, dcmview } = await interleave(SERVED_ROUNDS, {
        negato: contenders.negato.measure,
        dcmview: contenders.dcmview.measure,
      });
      if (negato === undefined || dcmview === undefined) throw new Error('nothing was measured');
      table.row(name, {
        negato: ms(negato.p50),
        dcmview: ms(dcmview.p50),
        ratio: times(dcmview.p50, negato.p50),
        'processor time of each': ms(contenders.negato.cpu.ms / negato.count),
        'of dcmview': ms(contenders.dcmview.cpu.ms / dcmview.count),
        target: target(`at most ${SLOWEST_SERVED} times as long`, negato.p50 <= SLOWEST_SERVED * dcmview.p50),
      });
    }
  } finally {
    client.close();
    for (const server of Object.values(servers)) await server.stop();
  }
}
