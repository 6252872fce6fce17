// Our decoders in this process against the command line tool of the same or the nearest library, whose time includes
// starting and writing a file; and the time to find a frame: `npm run bench -- codecs`. See README.md beside this
// file.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sourceOf } from '../test/support/sources.ts';
import { decodeFrame } from '../src/server/pixels/decodeFrame.ts';
import { createImageFiles } from '../src/server/pixels/imageFiles.ts';
import { withFolder } from './support/folder.ts';
import {
  type Compressed,
  compressHtj2k,
  compressWithGdcm,
  GDCM_SYNTAXES,
  writeGrayImages,
  writeLargeFile,
  writeSlide,
} from './support/frameFiles.ts';
import { interleave, timeWork } from './support/measure.ts';
import { target, ms, type Report, runBenchmark, SUITE_OPTIONS, times } from './support/report.ts';

const SIZE = [4000, 3000] as const;
const ROUNDS = 5;
const SLIDE_TILES = 20_000;
/** Target: at most this many times as long as the native tool. */
const SLOWEST = 2;

/** The native tool of each syntax: its name and arguments. */
const NATIVE: Readonly<Record<string, (file: Compressed) => readonly [string, ...string[]]>> = {
  RLE: ({ path, stream }) => ['dcmdrle', path, `${stream}.dcm`],
  'JPEG lossless': ({ path, stream }) => ['dcmdjpeg', path, `${stream}.dcm`],
  'JPEG-LS': ({ path, stream }) => ['dcmdjpls', path, `${stream}.dcm`],
  'JPEG 2000': ({ stream }) => ['opj_decompress', '-threads', '1', '-i', stream, '-o', `${stream}.pgm`],
  HTJ2K: ({ stream }) => ['opj_decompress', '-threads', '1', '-i', stream, '-o', `${stream}.pgm`],
};

parseArgs({ options: SUITE_OPTIONS });

await runBenchmark('codecs', (report) =>
  withFolder(async (folder) => {
    await measureDecoders(folder, report);
    await measureFrameIndex(folder, report);
  }),
);

async function measureDecoders(folder: string, report: Report): Promise<void> {
  const table = report.table(`Decoding ${SIZE.join(' x ')} of 12 bits, p50`);
  const [source = ''] = writeGrayImages(join(folder, 'mg'), 1, SIZE);
  const candidates = [
    ...GDCM_SYNTAXES.map(([name, option]) => [name, compressWithGdcm(source, option)] as const),
    ['HTJ2K', await compressHtj2k(source, SIZE)] as const,
  ];
  const images = createImageFiles();
  for (const [name, file] of candidates) {
    if (file === undefined) {
      table.row(name, { negato: 'no encoder here' });
      continue;
    }
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
