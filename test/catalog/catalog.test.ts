import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join, relative } from 'node:path';
import type { Worker } from 'node:worker_threads';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Catalog, type CatalogOptions, createCatalog } from '../../src/server/images/catalog/catalog.ts';
import { parseFilters } from '../../src/shared/fileFilter.ts';
import { PackedFile } from '../../src/server/images/catalog/packedFile.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { ctElements } from '../support/ctElements.ts';
import { lendThread } from '../support/lendThread.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { until } from '../support/until.ts';
import { placeOf } from '../../src/server/bytes/origins/origins.ts';
import { needs } from '../support/needs.ts';

/** A folder of images that differ in instance number and UID. */
function writeImages(count: number, folder = createTempFolder()): string {
  for (let number = 1; number <= count; number += 1) {
    const uid = `1.2.826.0.1.3680043.8.498.${number}`;
    writeBelow(
      folder,
      `series/IM${number}`,
      writeDicom(ctElements({ InstanceNumber: String(number), SOPInstanceUID: uid })),
    );
  }
  return folder;
}

function open(options: CatalogOptions): Catalog {
  const catalog = createCatalog(options);
  onTestFinished(() => catalog.cancel());
  catalog.start();
  return catalog;
}

async function openWhole(options: CatalogOptions): Promise<Catalog> {
  const catalog = open(options);
  expect(await catalog.scanComplete).toBe('complete');
  return catalog;
}

const ONE_THREAD = { first: 1, usual: 1, waiting: 1, most: 1 };
/** For a walk that counts as short on a busy machine as well. */
const LONG_MS = 60_000;

test('the list, the counters and the ledger account for every path', async () => {
  const folder = writeImages(3);
  writeBelow(folder, 'notes.txt', 'not an image '.repeat(50));
  writeBelow(folder, 'MR', writeDicom(ctElements({ Modality: 'MR' })));
  writeBelow(
    folder,
    'DICOMDIR',
    writeDicom({ '00020002': { vr: 'UI', value: '1.2.840.10008.1.3.10' }, FileSetID: 'X' }),
  );
  symlinkSync(join(folder, 'series'), join(folder, 'again'));
  symlinkSync(join(folder, 'nowhere'), join(folder, 'broken'));
  const filters = parseFilters(['Modality=CT']);

  const catalog = await openWhole({
    inputs: [folder, join(folder, 'missing')],
    filters: filters.ok ? filters.filters : [],
  });

  // "again" sorts before "series", so the folder is entered through its link.
  const { files, discovery, ...rest } = catalog.snapshot();
  expect(files.map(({ path }) => relative(folder, path))).toEqual(['again/IM1', 'again/IM2', 'again/IM3']);
  expect(files.map(({ source }) => relative(folder, placeOf(source)))).toEqual([
    'series/IM1',
    'series/IM2',
    'series/IM3',
  ]);
  expect(files.map(({ index, revision, instanceNumber }) => [index, revision, instanceNumber])).toEqual([
    [0, 1, '1'],
    [1, 2, '2'],
    [2, 3, '3'],
  ]);
  expect(discovery.map(({ path, disposition, reason }) => [relative(folder, path), disposition, reason])).toEqual([
    ['DICOMDIR', 'skipped', 'media_directory'],
    ['MR', 'filtered', 'filter_mismatch'],
    ['broken', 'skipped', 'directory_entry_unreadable'],
    ['notes.txt', 'skipped', 'not_dicom'],
    ['missing', 'skipped', 'input_path_unavailable'],
  ]);
  expect(rest).toEqual({
    scanned: 3,
    skipped: 4,
    filtered: 1,
    gone: 0,
    goneFiles: [],
    revision: 3,
    scanComplete: true,
    more: false,
    reset: false,
  });
  expect(Object.fromEntries(catalog.skippedByReason())).toEqual({
    media_directory: 1,
    filter_mismatch: 1,
    directory_entry_unreadable: 1,
    not_dicom: 1,
    input_path_unavailable: 1,
  });
});

test('the ledger keeps the last 256 entries while the counters stay exact', async () => {
  const folder = createTempFolder();
  for (let number = 0; number < 300; number += 1) writeBelow(folder, `note${number}.txt`, 'text');

  const snapshot = (await openWhole({ inputs: [folder] })).snapshot();

  expect(snapshot.skipped).toBe(300);
  expect(snapshot.discovery.map(({ path }) => relative(folder, path))).toEqual(
    Array.from({ length: 256 }, (_, index) => `note${index + 44}.txt`),
  );
});

test('records are served while the scan is still going', async () => {
  const catalog = open({ inputs: [writeImages(300)] });

  const first = await new Promise<ReturnType<Catalog['snapshot']>>((resolve) => {
    catalog.subscribe(() => resolve(catalog.snapshot()));
  });

  expect(first.scanComplete).toBe(false);
  expect(first.files.length).toBeGreaterThan(0);
  expect(first.files.length).toBeLessThan(300);
  expect(await catalog.scanComplete).toBe('complete');
  expect(catalog.snapshot()).toMatchObject({ scanComplete: true, scanned: 300 });
  // Records that were already served have not changed.
  expect(catalog.files.slice(0, first.files.length)).toEqual(first.files);
});

test.each([
  { threads: ONE_THREAD },
  { threads: { first: 4, usual: 4, waiting: 4, most: 4 }, largestBatch: 1 },
  { threads: { first: 3, usual: 3, waiting: 3, most: 3 }, largestBatch: 7 },
])('indices are the same with $threads.first threads and batches of $largestBatch', async (scan) => {
  const folder = createTempFolder();
  for (let number = 0; number < 120; number += 1) {
    // Every seventh file is larger, so that threads overtake each other.
    const ImageComments = 'x'.repeat(number % 7 === 0 ? 9_000 : 1);
    writeBelow(
      folder,
      `${number % 5}/${number}`,
      number % 3 === 0 ? 'text' : writeDicom(ctElements({ ImageComments })),
    );
  }
  // Natural order: folder 0 has 0, 5, 10 …, and every third number is a text file.
  const expected = [0, 1, 2, 3, 4].flatMap((rest) =>
    Array.from({ length: 24 }, (_, step) => step * 5 + rest)
      .filter((number) => number % 3 !== 0)
      .map((number) => `${rest}/${number}`),
  );

  const catalog = await openWhole({ inputs: [folder], scan });

  expect(catalog.files.map(({ path }) => relative(folder, path))).toEqual(expected);
  expect(catalog.files.map(({ index }) => index)).toEqual(expected.map((_, index) => index));
  expect(catalog.progress).toMatchObject({ scanned: expected.length, skipped: 120 - expected.length });
});

test('further threads read where there are many files, and one alone where there are few', async () => {
  const threads = watchThreads();
  const few = await openWhole({ inputs: [writeImages(300)], scan: { shortWalkMs: LONG_MS } });
  expect(few.files).toHaveLength(300);
  // The thread that has walked the folders reads the files.
  expect(threads).toHaveLength(1);

  const many = await openWhole({
    inputs: [writeImages(3_000)],
    scan: { threads: { first: 1, usual: 3, waiting: 3, most: 3 } },
  });

  expect(threads).toHaveLength(1 + 1 + 3);
  expect(many.files.map(({ instanceNumber }) => Number(instanceNumber))).toEqual(
    Array.from({ length: 3_000 }, (_, index) => index + 1),
  );
});

test.each([
  { where: 'come from a disk', blocksPerAnswer: 8 * 32, readers: 4 },
  { where: 'are in memory already', blocksPerAnswer: 0, readers: 2 },
])('where files $where $readers threads read them', async ({ blocksPerAnswer, readers }) => {
  const threads = watchThreads();
  let blocks = 1_000;
  const scan = {
    // `most` is the expected number, so that a slow machine does not add threads.
    threads: { first: 1, usual: 2, waiting: 4, most: readers },
    largestBatch: 32,
    blocksRead: () => (blocks += blocksPerAnswer),
  };

  const catalog = await openWhole({ inputs: [writeImages(3_000)], scan });

  expect(catalog.files).toHaveLength(3_000);
  // One more thread walks the folders.
  expect(threads).toHaveLength(1 + readers);
});

test('who walks and who reads stand back behind the main thread', needs('Linux'), async () => {
  // On Linux a higher nice value means a lower priority; 19 is the lowest.
  const behind = Math.min(getPriority() + 3, 19);
  const countBehind = () => listNiceValues().filter((nice) => nice === behind).length;
  // Threads that other tests have left for later tests.
  const before = countBehind();
  const catalog = open({ inputs: [writeImages(2_000)] });
  let standBack = 0;
  catalog.subscribe(() => {
    standBack = Math.max(standBack, countBehind() - before);
  });

  expect(await catalog.scanComplete).toBe('complete');

  expect(standBack).toBeGreaterThanOrEqual(2);
});

/** The nice values of all threads of this process: field 19 of proc(5), the 17th after the name in parentheses. */
function listNiceValues(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    try {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    } catch {
      // The thread has ended in the meantime.
      return Number.NaN;
    }
  });
}

test('a further thread that cannot start costs nothing, and is not tried again', async () => {
  const threads = watchThreads();
  const refuse = () => {
    // Ends every thread after the one that walks the folders and the first that reads.
    if (threads.length > 2) void threads.at(-1)?.worker.terminate();
  };
  process.on('worker', refuse);
  onTestFinished(() => void process.off('worker', refuse));
  const scan = { threads: { first: 1, usual: 4, waiting: 4, most: 4 }, largestBatch: 32 };

  const catalog = await openWhole({ inputs: [writeImages(3_000)], scan });

  expect(catalog.files).toHaveLength(3_000);
  // Threads are started one by one, and the second attempt may begin before the first has failed.
  expect(threads.length).toBeGreaterThan(2);
  expect(threads.length).toBeLessThan(2 + 4);
});

function record(fileId: string[]): DataSetInput {
  return { ReferencedFileID: fileId, DirectoryRecordType: 'IMAGE' };
}

test('a DICOMDIR as the input opens what it refers to', async () => {
  const folder = writeImages(3);
  const dicomdir = writeDicom({
    '00020002': { vr: 'UI', value: '1.2.840.10008.1.3.10' },
    DirectoryRecordSequence: [record(['SERIES', 'IM3']), record(['SERIES', 'IM1']), record(['SERIES', 'IM9'])],
  });
  const catalog = await openWhole({ inputs: [writeBelow(folder, 'DICOMDIR', dicomdir)] });

  expect(catalog.files.map(({ instanceNumber }) => instanceNumber)).toEqual(['3', '1']);
  expect(Object.fromEntries(catalog.skippedByReason())).toEqual({ media_directory: 1, media_file_missing: 1 });
});

test('a file named on the command line is tried whatever its name and place', async () => {
  const folder = writeImages(1);
  const note = writeBelow(folder, 'note.txt', 'text');

  const catalog = await openWhole({ inputs: [join(folder, 'series/IM1'), note], recursive: false });

  expect(catalog.progress).toMatchObject({ scanned: 1, skipped: 1 });
});

test('files beyond the maximum are counted, and named as over the limit', async () => {
  const catalog = await openWhole({ inputs: [writeImages(5)], maximumFiles: 3 });

  expect(catalog.progress).toMatchObject({ scanned: 3, skipped: 2 });
  expect(catalog.skippedByReason().get('limit_exceeded')).toBe(2);
});

test('files beyond the maximum of frames are counted, and those between them go to other threads as they are', async () => {
  const folder = createTempFolder();
  for (const [at, frames] of [2, 9, 3, 4].entries()) {
    const own = { SOPInstanceUID: `1.2.${at}`, NumberOfFrames: String(frames), Rows: 1, Columns: 1 };
    writeBelow(folder, `${at}`, writeDicom(ctElements({ ...own, PixelData: new Uint16Array(frames) })));
  }
  const catalog = await openWhole({ inputs: [folder], maximumFrames: 10 });

  // 2 and 3 and 4 are 9.
  expect(catalog.files.map(({ frameCount }) => frameCount)).toEqual([2, 3, 4]);
  expect(catalog.skippedByReason().get('limit_exceeded')).toBe(1);
  const sent: number[] = [];
  for (let rows = catalog.rowsFrom(0); rows !== undefined; rows = catalog.rowsFrom(sent.length)) {
    sent.push(...PackedFile.ofRows(rows, sent.length).map(({ frameCount }) => frameCount));
  }
  expect(sent).toEqual([2, 3, 4]);
});

describe('pages', () => {
  test('of any size give every record once, in order', async () => {
    const catalog = await openWhole({ inputs: [writeImages(23)] });

    fc.assert(
      fc.property(fc.nat(23), fc.integer({ min: 1, max: 30 }), (begin, limit) => {
        const seen: number[] = [];
        let page = catalog.snapshot({ since: begin, limit });
        seen.push(...page.files.map(({ index }) => index));
        while (page.more) {
          expect(page.files).toHaveLength(limit);
          page = catalog.snapshot({ since: page.revision, limit });
          seen.push(...page.files.map(({ index }) => index));
        }

        // The revision of a record is its index plus one.
        expect(seen).toEqual(Array.from({ length: 23 - begin }, (_, offset) => begin + offset));
        expect(page).toMatchObject({ revision: 23, reset: false, scanned: 23 });
      }),
    );
  });

  test('since a revision of another run begin again', async () => {
    const catalog = await openWhole({ inputs: [writeImages(4)] });

    const page = catalog.snapshot({ since: 5, limit: 3 });

    expect(page).toMatchObject({ reset: true, more: true, revision: 3 });
    expect(page.files.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  test('since the current revision are empty', async () => {
    const catalog = await openWhole({ inputs: [writeImages(4)] });

    expect(catalog.snapshot({ since: 4 })).toMatchObject({ files: [], reset: false, more: false, revision: 4 });
  });
});

test('an index that is not there is not found, and the message says what is', async () => {
  const catalog = createCatalog({ inputs: [writeImages(2)] });
  expect(() => catalog.get(0)).toThrow(
    expect.objectContaining({ code: 'not_found', message: expect.stringContaining('no file is open') }),
  );

  catalog.start();
  await catalog.scanComplete;

  expect(catalog.get(1).instanceNumber).toBe('2');
  expect(() => catalog.get(2)).toThrow(
    expect.objectContaining({ code: 'not_found', message: expect.stringContaining('0 to 1') }),
  );
});

test('a cancelled scan ends where it stands, and its threads with it', async () => {
  const threads = watchThreads();
  const scan = { shortWalkMs: LONG_MS, threads: ONE_THREAD };
  const catalog = open({ inputs: [writeImages(400)], scan });
  await new Promise<void>((resolve) => {
    catalog.subscribe(() => resolve());
  });

  await catalog.cancel();

  expect(await catalog.scanComplete).toBe('cancelled');
  const { scanned, scanComplete } = catalog.progress;
  expect(scanComplete).toBe(false);
  expect(scanned).toBeLessThan(400);
  await Promise.all(threads.map(({ exited }) => exited));
  expect(threads).toHaveLength(1);
  expect(catalog.progress.scanned).toBe(scanned);
});

test('a scan that was never started can be cancelled', async () => {
  const catalog = createCatalog({ inputs: ['.'] });

  await catalog.cancel();

  expect(await catalog.scanComplete).toBe('cancelled');
});

// The first file of a scan is alone in its batch. If its thread dies, it is as little to blame as one file of many.
test.each([16, 1])('a thread that dies is replaced, and no file is lost, with %i in a batch', async (largestBatch) => {
  const threads = watchThreads();
  const folder = writeImages(200);
  const catalog = open({
    inputs: [folder],
    scan: { largestBatch, shortWalkMs: LONG_MS, threads: ONE_THREAD },
  });
  let killed = 0;
  catalog.subscribe(() => {
    // The first thread reads headers once it has walked the folders; each further one replaces it.
    const latest = threads.at(-1);
    if (killed < 3 && threads.length === killed + 1 && catalog.progress.scanned > killed * 40) {
      killed += 1;
      void latest?.worker.terminate();
    }
  });

  expect(await catalog.scanComplete).toBe('complete');

  expect(killed).toBe(3);
  expect(catalog.files.map(({ instanceNumber }) => Number(instanceNumber))).toEqual(
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
});

test('a file during which a thread has died twice is left out, and the others are accounted for', async () => {
  const folder = writeImages(6);
  const path = writeSlowFile(folder);
  const catalog = open({
    inputs: [folder],
    scan: { largestBatch: 1, shortWalkMs: LONG_MS, threads: ONE_THREAD },
  });
  // Simulates a slow file that kills every thread that reads it.
  const kill = (worker: Worker): void => {
    if (catalog.progress.scanned < 6) setTimeout(kill, 5, worker);
    else void worker.terminate();
  };
  const watch = (worker: Worker): void => {
    worker.once('message', () => void setTimeout(kill, 10, worker));
  };
  process.on('worker', watch);
  onTestFinished(() => void process.off('worker', watch));

  expect(await catalog.scanComplete).toBe('complete');

  expect(catalog.snapshot().discovery).toContainEqual(
    expect.objectContaining({ path, disposition: 'skipped', reason: 'dicom_parse_failed' }),
  );
  expect(catalog.files).toHaveLength(6);
});

test('a file that takes too long is given up, and the others are accounted for', async () => {
  const folder = writeImages(6);
  const path = writeSlowFile(folder);

  const catalog = await openWhole({ inputs: [folder], scan: { stuckAfterMs: 0 } });

  expect(catalog.snapshot().discovery).toContainEqual(
    expect.objectContaining({ path, disposition: 'skipped', reason: 'limit_exceeded' }),
  );
  expect(catalog.progress.scanned + catalog.progress.skipped).toBe(7);
  expect([...catalog.skippedByReason().keys()]).toEqual(['limit_exceeded']);
  const numbers = catalog.files.map(({ instanceNumber }) => Number(instanceNumber));
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
});

/** Megabytes of zeros must be inflated before the patient is reached, which is too slow for a time limit of zero. */
function writeSlowFile(folder: string): string {
  const zeros = { vr: 'OB', value: new Uint8Array(48 * 1024 * 1024) };
  const elements = ctElements({ '00090010': { vr: 'LO', value: 'TEST' }, '00091001': zeros });
  return writeBelow(folder, 'slow', writeDicom(elements, { transferSyntaxUid: '1.2.840.10008.1.2.1.99' }));
}

test('files that a slow walk has found are read by another thread in the meantime', async () => {
  const threads = watchThreads();
  const catalog = await openWhole({ inputs: [writeImages(500)], scan: { shortWalkMs: 0, threads: ONE_THREAD } });

  expect(catalog.files.map(({ instanceNumber }) => Number(instanceNumber))).toEqual(
    Array.from({ length: 500 }, (_, index) => index + 1),
  );
  // Unless the walk was over within the same millisecond.
  expect(threads.length).toBeLessThanOrEqual(2);
});

test('a thread that has finished a scan can begin another, of other files and by other filters', async () => {
  const threads = watchThreads();
  const scan = { startThread: lendThread, shortWalkMs: LONG_MS };
  const first = await openWhole({ inputs: [writeImages(3)], filters: [{ field: 'modality', text: 'ct' }], scan });
  const second = await openWhole({ inputs: [writeImages(2)], scan });
  const none = await openWhole({ inputs: [writeImages(4)], filters: [{ field: 'modality', text: 'mr' }], scan });

  expect([first, second, none].map(({ progress }) => [progress.scanned, progress.filtered])).toEqual([
    [3, 0],
    [2, 0],
    [0, 4],
  ]);
  // None if another test of this process has left one.
  expect(threads.length).toBeLessThanOrEqual(1);
});

/** Collects the threads that start from now on. */
function watchThreads(): { worker: Worker; exited: Promise<unknown> }[] {
  const threads: { worker: Worker; exited: Promise<unknown> }[] = [];
  const watch = (worker: Worker): void => {
    threads.push({ worker, exited: new Promise((resolve) => worker.once('exit', resolve)) });
  };
  process.on('worker', watch);
  onTestFinished(() => void process.off('worker', watch));
  return threads;
}

test('what the scan inflates is memory of the account, and comes back, also from threads that end', async () => {
  const folder = createTempFolder();
  const elements = ctElements({ '00091010': { vr: 'OB', value: new Uint8Array(8 * 2 ** 20) } });
  for (let number = 0; number < 12; number += 1) {
    const bytes = writeDicom(elements, { transferSyntaxUid: '1.2.840.10008.1.2.1.99' });
    writeBelow(folder, `${number}.dcm`, bytes);
  }
  // 256 MiB to share, beside the 64 MiB of Node.
  const memory = createMemoryAccount(320 * 2 ** 20);
  const scan = { threads: { first: 4, usual: 4, waiting: 4, most: 4 }, largestBatch: 1 };
  const catalog = await openWhole({ inputs: [folder], memory, scan });
  expect(catalog.files.map(({ hasPixels }) => hasPixels)).toEqual(Array.from({ length: 12 }, () => true));
  // A file may inflate to a fifth of the 128 MiB for tasks and needs 2.5 times as much meanwhile, of which nine
  // twentieths of the 128 MiB are reserved, so that two are read at a time.
  expect(memory.tasks.mostHeldBytes()).toBeGreaterThanOrEqual(Math.floor(0.45 * 128 * 2 ** 20));
  expect(memory.tasks.mostHeldBytes()).toBeLessThanOrEqual(128 * 2 ** 20);
  expect(memory.tasks.heldBytes()).toBe(0);

  const cancelled = open({ inputs: [folder], memory, scan });
  await until(() => memory.tasks.heldBytes() > 0);
  await cancelled.cancel();
  await until(() => memory.tasks.heldBytes() === 0);
});

test('no file of a small folder inflates beyond its part of the memory', async () => {
  const folder = createTempFolder();
  // 40 kB that inflate to 40 MB before the pixels.
  const elements = ctElements({ '00091010': { vr: 'OB', value: new Uint8Array(40 * 2 ** 20) } });
  writeBelow(folder, 'a.dcm', writeDicom(elements, { transferSyntaxUid: '1.2.840.10008.1.2.1.99' }));
  const hasPixels = async (memoryBytes: number) => {
    const { files } = await openWhole({ inputs: [folder], memory: createMemoryAccount(memoryBytes) });
    return files.map((file) => file.hasPixels);
  };
  // A tenth of --memory: 25 MiB are too little to reach the pixels, and 100 MiB are enough.
  expect(await hasPixels(256 * 2 ** 20)).toEqual([false]);
  expect(await hasPixels(2 ** 30)).toEqual([true]);
});

test('a scan thread that waits for memory is not taken for one that hangs', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a.dcm', writeDicom(ctElements(), { transferSyntaxUid: '1.2.840.10008.1.2.1.99' }));
  const memory = createMemoryAccount(256 * 2 ** 20);
  let finish: (() => void) | undefined;
  const others = memory.tasks.reserve(
    { bytes: memory.tasks.budgetBytes },
    () => new Promise<void>((end) => (finish = end)),
  );
  // Long enough for a new thread to compile its code and read the small file.
  const stuckAfterMs = 4_000;
  const catalog = open({ inputs: [folder], memory, scan: { stuckAfterMs } });
  await until(() => memory.tasks.waiting() > 0);
  // Threads are checked once a second, so by then the check has seen the thread wait for longer than a file may take.
  await new Promise((next) => setTimeout(next, stuckAfterMs + 2_000));
  finish?.();
  await others;
  await catalog.scanComplete;
  expect([catalog.files.length, catalog.skippedByReason().size]).toEqual([1, 0]);
});
