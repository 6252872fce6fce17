import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createTempFolder } from '../../../../test/support/tempFolder.ts';
import { createJournal } from './journal.ts';
import { LONGEST_LINE } from './journalFile.ts';
import { packRois } from '../annotations/packedRois.ts';
import { ROI_FORMAT, type RoiRecord } from '../annotations/roiFormat.ts';
import { needs } from '../../../../test/support/needs.ts';

/** Longer than a busy disk takes, so that only a disk that hangs exceeds it. */
const PATIENCE_MS = 3_000;
/** More than Node's default number of threads for file access (UV_THREADPOOL_SIZE). */
const THREADS = 8;

function record(name: string, size = 1): RoiRecord {
  const file = { path: `/scans/${name}`, realPath: `/scans/${name}`, sopInstanceUid: '1.2', size: 1, mtimeMs: 1 };
  const boxes = Array.from({ length: size }, (): [number, number, number, number] => [0, 0, 1, 1]);
  const rois = packRois([{ num_roi: size, roi_coords: boxes, roi_frames: [] }]);
  return { file: { ...file, rows: 8, columns: 8, frameCount: 1 }, savedAtMs: 1, rois };
}

/**
 * Blocks all of Node's threads for file access, as a network disk that has disappeared does: each opens a pipe that
 * nothing writes to. Returns a function that ends this.
 */
function hangDisk(): () => Promise<void> {
  const folder = createTempFolder();
  const pipes = Array.from({ length: THREADS }, (_, i) => join(folder, `pipe${i}`));
  execFileSync('mkfifo', pipes);
  const opening = pipes.map((pipe) => open(pipe, constants.O_RDONLY));
  let isHanging = true;
  const answer = async () => {
    if (!isHanging) return;
    isHanging = false;
    const ends = pipes.map((pipe) => openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK));
    for (const handle of await Promise.all(opening)) await handle.close();
    for (const end of ends) closeSync(end);
  };
  onTestFinished(answer);
  return answer;
}

/** Paths of the files whose ROIs are on disk, according to the lines of the only journal. */
function listWritten(folder: string): string[] {
  const [name = ''] = readdirSync(folder);
  const lines = readFileSync(join(folder, name), 'utf8').split('\n').slice(1, -1);
  return lines.flatMap((line) => /"\/scans\/(\w+)".*\t/.exec(line)?.[1] ?? []);
}

test(
  'where the disk hangs, one edit waits for it and is told that it is not kept, the next ones are told at once, and all are written when it answers',
  needs('a system with POSIX paths and permissions'),
  async () => {
    const folder = join(createTempFolder(), 'state');
    const troubles: (string | undefined)[] = [];
    const journal = createJournal({
      format: ROI_FORMAT,
      folder,
      patienceMs: PATIENCE_MS,
      retryMs: 10,
      onTrouble: (t) => troubles.push(t),
    });
    expect(await journal.keep(0, record('a'))).toBe(true);
    const answer = hangDisk();

    expect(await journal.keep(1, record('b'))).toBe(false);
    expect(journal.trouble()).toBe('the disk does not respond');
    // The result comes at once: before a timer that was started earlier and is much shorter than the patience.
    const order: string[] = [];
    const timer = new Promise<void>((fire) =>
      setTimeout(() => {
        order.push('timer');
        fire();
      }, PATIENCE_MS / 4),
    );
    const later = [2, 3].map(async (index) => {
      expect(await journal.keep(index, record(index === 2 ? 'c' : 'd'))).toBe(false);
      order.push('edit');
    });
    await Promise.all([timer, ...later]);
    expect(order).toEqual(['edit', 'edit', 'timer']);
    expect(journal.countKept()).toEqual({ records: 4, items: 4 });

    await answer();
    await expect.poll(() => journal.trouble()).toBeUndefined();
    await expect.poll(() => listWritten(folder).toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(troubles).toEqual(['the disk does not respond', undefined]);

    // The patience applies again: a later edit waits for the disk and is kept.
    expect(await journal.keep(4, record('e'))).toBe(true);
    const answerAgain = hangDisk();
    const waited = journal.keep(5, record('f'));
    await answerAgain();
    expect(await waited).toBe(true);
    await journal.close();
  },
);

test('a journal that is closed has written what it was writing, and lets go of its folder', async () => {
  const folder = join(createTempFolder(), 'state');
  const journal = createJournal({ format: ROI_FORMAT, folder });
  expect(await journal.keep(0, record('a'))).toBe(true);
  const results = [journal.keep(1, record('b'))];
  await journal.close();
  expect(listWritten(folder)).toEqual(['a', 'b']);

  const another = createJournal({ format: ROI_FORMAT, folder: join(createTempFolder(), 'state') });
  results.push(another.keep(0, record('c')), another.remove(0));
  await another.close();
  // Without any record there is no journal, and without one no folder.
  expect(existsSync(another.folder)).toBe(false);
  expect(await Promise.all(results)).toEqual([true, true, true]);
});

/** Temporarily limits the size of files: writes are cut short and then fail, as on a full disk. */
function limitFiles(bytes: number): () => void {
  setFileLimit(String(bytes));
  const lift = () => setFileLimit('unlimited');
  onTestFinished(lift);
  return lift;
}

function setFileLimit(limit: string): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${limit}:unlimited`]);
}

test(
  'where the disk is full, an edit is told that it is not kept; what was kept stays, and the rest is written when there is room',
  needs('Linux'),
  async () => {
    const folder = join(createTempFolder(), 'state');
    const troubles: (string | undefined)[] = [];
    const journal = createJournal({
      format: ROI_FORMAT,
      folder,
      retryMs: 10,
      onTrouble: (reason) => troubles.push(reason),
    });
    expect(await journal.keep(0, record('a'))).toBe(true);
    const lift = limitFiles(2_000);

    // 1,000 boxes of ten characters do not fit.
    expect(await journal.keep(1, record('b', 1_000))).toBe(false);
    expect(troubles).toEqual(['the file has reached its maximum size']);
    expect(listWritten(folder)).toContain('a');
    lift();

    await expect.poll(() => journal.trouble()).toBeUndefined();
    expect(listWritten(folder)).toEqual(['a', 'b']);
    expect(await journal.keep(2, record('c'))).toBe(true);
    expect(listWritten(folder)).toEqual(['a', 'b', 'c']);
    expect(troubles).toEqual(['the file has reached its maximum size', undefined]);
    await journal.close();
  },
);

test('what a failed attempt has left in the file is gone when the next one succeeds', needs('Linux'), async () => {
  const folder = join(createTempFolder(), 'state');
  const journal = createJournal({ format: ROI_FORMAT, folder, retryMs: 60_000 });
  expect(await journal.keep(0, record('a'))).toBe(true);
  const lift = limitFiles(4_000);
  // The first of the two fits, so that there is a whole line of it.
  const [first, second] = [journal.keep(1, record('b', 100)), journal.keep(2, record('c', 1_000))];
  expect([await first, await second]).toContain(false);
  lift();

  void journal.keep(1, record('b'));
  expect(await journal.keep(2, record('c'))).toBe(true);

  const [name = ''] = readdirSync(folder);
  const lines = readFileSync(join(folder, name), 'utf8').split('\n');
  expect(lines.at(-1)).toBe('');
  expect(lines.slice(1, -1).filter((line) => !/^{.*}\t[0-9a-f]{8}$/.test(line))).toEqual([]);
  expect(new Set(listWritten(folder))).toEqual(new Set(['a', 'b', 'c']));
  await journal.close();
});

test('closing waits for what is being written, and nothing is written afterwards', async () => {
  const folder = join(createTempFolder(), 'state');
  const journal = createJournal({ format: ROI_FORMAT, folder });
  const edits = [journal.keep(0, record('a')), journal.keep(1, record('b'))];
  await nextTurn();

  await journal.close();

  expect(new Set(listWritten(folder))).toEqual(new Set(['a', 'b']));
  const written = listWritten(folder);
  expect(await Promise.all(edits)).toEqual([true, true]);
  expect(await journal.keep(2, record('c'))).toBe(false);
  await journal.release([0, 1]);
  expect(listWritten(folder)).toEqual(written);
});

test('an edit that is longer than a line may be is told that it is not kept, and others are kept', async () => {
  const folder = join(createTempFolder(), 'state');
  const format = { ...ROI_FORMAT, write: (one: RoiRecord) => [...ROI_FORMAT.write(one), ' '.repeat(one.savedAtMs)] };
  const journal = createJournal({ format, folder, retryMs: 60_000 });
  const long = { ...record('b'), savedAtMs: LONGEST_LINE };
  expect(await journal.keep(0, record('a'))).toBe(true);

  const [first, second] = [journal.keep(1, long), journal.keep(2, record('c'))];

  expect([await first, await second]).toEqual([false, true]);
  expect(journal.trouble()).toBe('an edit is longer than a line of the journal may be');
  expect(new Set(listWritten(folder))).toEqual(new Set(['a', 'c']));
  expect(await journal.keep(3, record('d'))).toBe(true);
  // It is short enough, or gone, later.
  expect(await journal.keep(1, record('b'))).toBe(true);
  expect(journal.trouble()).toBeUndefined();
  expect(new Set(listWritten(folder))).toEqual(new Set(['a', 'b', 'c', 'd']));
  await journal.close();
});
