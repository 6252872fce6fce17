// How long /series takes for 100,000 files, and how long it keeps the event loop to itself: `npm run bench -- series`. The
// files exist only as records, as the scan would leave them. Its peer is JSON.stringify of the same answer, which does
// nothing but write. See README.md beside this file.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { CatalogProgress } from '../src/server/catalog/catalog.ts';
import type { DicomFile, FileDescription } from '../src/server/catalog/dicomFile.ts';
import { writeSeriesList } from '../src/server/http/routes/series.ts';
import { createSeriesList } from '../src/server/series/seriesList.ts';
import { packResults, unpackResults } from '../src/server/catalog/scanColumns.ts';
import { createFileDescription } from '../test/support/createFileDescription.ts';
import { mark, mb, ms, runBenchmark, SUITE_OPTIONS, type Table, times } from './support/report.ts';

const FILES = 100_000;

const LONGEST_BLOCK_MS = 10;

parseArgs({ options: SUITE_OPTIONS });

await runBenchmark('series', async (report) => {
  const table = report.table('/series of 100,000 files');
  for (const [name, imagesInSeries] of [
    ['one series of 100,000 images', FILES],
    ['400 series of 250 images', 250],
    ['100,000 series of one image', 1],
  ] as const) {
    await measure(table, name, imagesInSeries);
  }
});

async function measure(table: Table, name: string, imagesInSeries: number): Promise<void> {
  const files = createFiles(imagesInSeries);
  const list = createSeriesList({
    catalog: { files, progress: progressOf(files), subscribe: () => () => undefined },
    tasks: { run: () => Promise.reject(new Error('no file here has frames to place')) },
  });
  const before = heapUsed();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await new Promise((resume) => setTimeout(resume, 50));
  delay.enable();
  const started = performance.now();
  const processor = process.cpuUsage();
  const snapshot = await list.read();
  const builtMs = performance.now() - started;
  let longestPieceMs = 0;
  const pieces = writeSeriesList(snapshot, files);
  for (;;) {
    await new Promise((resume) => setImmediate(resume));
    const begun = performance.now();
    const piece = pieces.next();
    longestPieceMs = Math.max(longestPieceMs, performance.now() - begun);
    if (piece.done === true) break;
  }
  const totalMs = performance.now() - started;
  const { user, system } = process.cpuUsage(processor);
  const again = performance.now();
  await list.read();
  const unchangedMs = performance.now() - again;
  delay.disable();
  const heldMb = (heapUsed() - before) / 2 ** 20;
  const plainMs = timeStringify([...writeSeriesList(snapshot, files)]);
  table.row(name, {
    built: ms(builtMs),
    'and written': ms(totalMs),
    'processor time': ms((user + system) / 1000),
    'JSON.stringify': ms(plainMs),
    ratio: times(plainMs, totalMs),
    'second time': ms(unchangedMs),
    'longest piece': ms(longestPieceMs),
    'longest block': ms(delay.max / 1e6),
    mark: mark(ms(LONGEST_BLOCK_MS), delay.max / 1e6 <= LONGEST_BLOCK_MS),
    memory: mb(heldMb),
  });
}

function timeStringify(answer: readonly (string | Uint8Array)[]): number {
  const parsed: unknown = JSON.parse(answer.map((piece) => Buffer.from(piece).toString()).join(''));
  const began = performance.now();
  JSON.stringify(parsed);
  return performance.now() - began;
}

/** After a collection, which the runner lets us ask for. */
function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function progressOf(files: readonly DicomFile[]): CatalogProgress {
  return { revision: files.length, scanned: files.length, skipped: 0, filtered: 0, scanComplete: true };
}

/** As they come from the scan. Images whose names are in another order than their positions. */
function createFiles(imagesInSeries: number): DicomFile[] {
  const files: DicomFile[] = [];
  for (let first = 0; first < FILES; first += 250) {
    const batch = Array.from({ length: 250 }, (_, at) => ({
      disposition: 'selected' as const,
      file: createImage(first + at, imagesInSeries),
    }));
    for (const result of unpackResults(packResults(batch))) {
      if (result.disposition !== 'selected') continue;
      result.file.index = files.length;
      files.push(result.file);
    }
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
      time: undefined,
      position: [-175, -175, ((index * 7919) % FILES) + 0.5],
      orientation: [1, 0, 0, 0, 1, 0],
      hasFrameGeometry: false,
      concatenation: undefined,
      slide: undefined,
    },
  });
}
