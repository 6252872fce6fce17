// How long /series takes for 100,000 files, and how long it blocks the event loop: `npm run bench -- series`. The
// files exist only as records, as the scan would produce them. Its peer is JSON.stringify of the same response, which
// only writes. See README.md beside this file.
import { parseArgs } from 'node:util';
import type { CatalogProgress } from '../src/server/images/catalog/catalog.ts';
import type { DicomFile, FileDescription } from '../src/server/images/catalog/dicomFile.ts';
import { PackedFile } from '../src/server/images/catalog/packedFile.ts';
import { packFiles } from '../src/server/images/catalog/fileColumns.ts';
import { createSeriesList, type SeriesList } from '../src/server/images/series/seriesList.ts';
import { createFileDescription } from '../test/support/createFileDescription.ts';
import { watchBlocks } from './support/blocks.ts';
import { target, mb, ms, runBenchmark, SUITE_OPTIONS, type Table, times } from './support/report.ts';
import { watchTurns } from './support/turns.ts';

const FILES = 100_000;
/** Number of files in one result of a scan thread. */
const BATCH = 125;

const LONGEST_BLOCK_MS = 10;

parseArgs({ options: SUITE_OPTIONS });

await runBenchmark('series', async (report) => {
  const table = report.table('/series of 100,000 files');
  // Warm-up: the first thread of a process takes longer to start; in a server that is a thread of the scan.
  const first = createList([]);
  await first.read();
  await first.close();
  for (const [name, imagesInSeries] of [
    ['one series of 100,000 images', FILES],
    ['400 series of 250 images', 250],
    ['100,000 series of one image', 1],
  ] as const) {
    await measure(table, name, imagesInSeries);
  }
});

async function measure(table: Table, name: string, imagesInSeries: number): Promise<void> {
  const list = createList(createFiles(imagesInSeries));
  const before = usedBytes();
  await new Promise((resume) => setTimeout(resume, 50));
  const blocks = watchBlocks();
  const turns = watchTurns();
  const started = performance.now();
  const processor = process.cpuUsage();
  const answer = await (await list.read()).write();
  const builtMs = performance.now() - started;
  for await (const piece of answer) piece.fill(0);
  const totalMs = performance.now() - started;
  const { user, system } = process.cpuUsage(processor);
  const { longestMs, sumMs } = turns.end();
  const blockMs = blocks.end();
  const again = performance.now();
  const second = await (await list.read()).write();
  const unchangedMs = performance.now() - again;
  const heldMb = (usedBytes() - before) / 2 ** 20;
  const plainMs = await timeStringify(second);
  await list.close();
  table.row(name, {
    built: ms(builtMs),
    written: ms(totalMs),
    'processor time': ms((user + system) / 1000),
    'on the main thread': ms(sumMs),
    'JSON.stringify': ms(plainMs),
    ratio: times(plainMs, totalMs),
    'second response': ms(unchangedMs),
    'longest block': ms(blockMs),
    'own work': ms(longestMs),
    target: target(ms(LONGEST_BLOCK_MS), blockMs <= LONGEST_BLOCK_MS),
    memory: mb(heldMb),
  });
}

function createList(files: readonly PackedFile[]): SeriesList {
  return createSeriesList({
    catalog: {
      files,
      gone: { files: new Set(), changes: 0 },
      readLater: [],
      whenRead: () => undefined,
      rowsFrom: (index) => PackedFile.rowsFrom(files, index),
      progress: progressOf(files),
      subscribe: () => () => undefined,
    },
    tasks: { run: () => Promise.reject(new Error('no file here has frames to place')) },
  });
}

async function timeStringify(answer: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<number> {
  const pieces: Uint8Array[] = [];
  for await (const piece of answer) pieces.push(piece);
  const parsed: unknown = JSON.parse(Buffer.concat(pieces).toString());
  const began = performance.now();
  JSON.stringify(parsed);
  return performance.now() - began;
}

/**
 * Memory of the whole process, because much of it is in the thread, after a garbage collection, which the runner
 * exposes.
 */
function usedBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

function progressOf(files: readonly DicomFile[]): CatalogProgress {
  return { revision: files.length, scanned: files.length, skipped: 0, filtered: 0, gone: 0, scanComplete: true };
}

/** Records as they come from the scan. The order of the names differs from that of the positions. */
function createFiles(imagesInSeries: number): PackedFile[] {
  const files: PackedFile[] = [];
  while (files.length < FILES) {
    const batch = Array.from({ length: BATCH }, (_, at) => createImage(files.length + at, imagesInSeries));
    files.push(...PackedFile.ofRows({ columns: packFiles(batch), first: 0, count: BATCH }, files.length));
  }
  return files;
}

function createImage(index: number, imagesInSeries: number): FileDescription {
  return createFileDescription({
    path: `/data/${index}.dcm`,
    seriesInstanceUid: `2.25.1.${Math.floor(index / imagesInSeries)}`,
    sopInstanceUid: `2.25.2.${index}`,
    instanceNumber: String(index + 1),
    frameOfReferenceUid: '2.25.3',
    placement: {
      imageType: 'ORIGINAL\\PRIMARY\\AXIAL',
      echoNumber: undefined,
      bValue: undefined,
      time: undefined,
      position: [-175, -175, ((index * 7919) % FILES) + 0.5],
      orientation: [1, 0, 0, 0, 1, 0],
      sliceThicknessMm: 1,
      sliceSpacingMm: undefined,
      hasFrameGeometry: false,
      concatenation: undefined,
      slide: undefined,
    },
  });
}
