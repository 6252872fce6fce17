import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { WireMark } from '../../src/shared/contract/marks.ts';
import { nameJournal } from '../../src/server/work/journal/journalFile.ts';
import { MARK_FORMAT, readMarkJournal } from '../../src/server/work/marks/markFormat.ts';
import { createMarks, type MarkStore } from '../../src/server/work/marks/marks.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import type { Task, TaskRunner } from '../../src/server/machine/workers/task.ts';
import { parseMark } from '../../src/server/work/marks/parseMark.ts';
import { parseMarkTask } from '../../src/server/work/marks/markTasks.ts';
import { createImage, createOpenFiles } from '../support/annotatedFiles.ts';
import { createTempFolder } from '../support/tempFolder.ts';

const SIDE = 512;
const FRAMES = 40;

/** Runs tasks on this thread, with the same code as in a worker. */
const runHere: TaskRunner = {
  async run<Input, Output, Of>(task: Task<Input, Output, Of>, input: Input): Promise<Output> {
    const context = { isCancelled: () => false, throwIfCancelled: () => {}, transfer: <View>(view: View) => view };
    const result: unknown =
      task.name === parseMarkTask.name
        ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the name of the task determines its input
          await parseMark(input as Parameters<typeof parseMark>[0])
        : // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- and here too
          await readMarkJournal(input as { path: string }, context);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- and its output
    return result as Output;
  },
};

async function start(folder: string): Promise<MarkStore> {
  const files = createOpenFiles(
    ['1.2.3', '1.2.4'].map((sopInstanceUid) =>
      createImage(`/data/${sopInstanceUid}.dcm`, { sopInstanceUid, rows: SIDE, columns: SIDE, frameCount: FRAMES }),
    ),
  );
  const marks = createMarks({
    files,
    tasks: runHere,
    instance: 'test',
    journal: { folder, kept: 'restore' },
    memory: createMemoryAccount(2 ** 30),
    rois: async () => [],
  });
  files.endScan();
  await marks.recovered;
  onTestFinished(async () => {
    marks.close();
    await marks.closeJournal();
  });
  return marks;
}

/** What the next run finds after a crash at this moment. */
function crash(folder: string, change = (bytes: Buffer) => bytes): string {
  const next = join(createTempFolder(), 'state');
  mkdirSync(next, { mode: 0o700 });
  const [name = ''] = readdirSync(folder);
  const copy = join(next, nameJournal('nobody', MARK_FORMAT));
  copyFileSync(join(folder, name), copy);
  writeFileSync(copy, change(readFileSync(copy)));
  return next;
}

async function read(marks: MarkStore): Promise<readonly Partial<WireMark>[]> {
  const { marks: listed }: { marks: readonly WireMark[] } = JSON.parse([...(await marks.list({}))].join(''));
  return listed.map(({ uid, kind, place, label, slices }) => ({ uid, kind, place, label, slices }));
}

/** Two runs in each row: 1,024 runs. `seed` moves them. */
function slice(file: number, frame: number, seed: number) {
  const runs = Array.from({ length: SIDE }, (_, row) => [100 + ((row * 7 + seed) % 50), 300]).flat();
  const rows = runs.flatMap((run, n) => (n % 2 === 0 ? [n === 0 ? run : run + rest(runs, n)] : [run]));
  rows.push(SIDE * SIDE - rows.reduce((sum, run) => sum + run, 0));
  const mask = { left: 0, top: 0, width: SIDE, height: SIDE, runs: rows };
  return { file_index: file, frame_index: frame, points: [], mask };
}

/** What is left of the row before. */
function rest(runs: readonly number[], n: number): number {
  return SIDE - (runs[n - 2] ?? 0) - (runs[n - 1] ?? 0);
}

const toBytes = (body: object) => new TextEncoder().encode(JSON.stringify(body));
const place = {
  type: 'stack',
  from: { file_index: 0, frame_index: 0 },
  to: { file_index: 1, frame_index: FRAMES - 1 },
};

test('a stroke writes the slice that it changes, however large the mask is, and the next run has all of it', async () => {
  const folder = join(createTempFolder(), 'state');
  const marks = await start(folder);
  const sizeOfJournal = () => lstatSync(join(folder, readdirSync(folder)[0] ?? '')).size;
  const slices = Array.from({ length: FRAMES - 1 }, (_, frame) => slice(0, frame, frame));
  await marks.create(toBytes({ uid: '2.25.1', kind: 'brush', place, points: [], slices }));
  const whole = sizeOfJournal();
  const oneSlice = whole / slices.length;

  // A slice in place of another, a new one on a new file, one that is removed, and a word.
  for (const [change, most] of [
    [{ slices: [slice(0, 5, 999)] }, 2 * oneSlice],
    [{ slices: [slice(1, 3, 17)] }, 2 * oneSlice],
    [{ slices: [{ file_index: 0, frame_index: 7, points: [] }] }, 2_000],
    [{ label: 'liver' }, 2_000],
  ] as const) {
    const before = sizeOfJournal();
    expect(await marks.change(1, toBytes(change))).toMatchObject({ durability: 'kept' });
    expect(sizeOfJournal() - before).toBeGreaterThan(0);
    expect(sizeOfJournal() - before).toBeLessThan(most);
  }
  expect(await read(await start(crash(folder)))).toEqual(await read(marks));

  // The file is rewritten before it is much longer than what is in it.
  for (let stroke = 0; stroke < 36; stroke += 1) {
    const painted = Array.from({ length: 10 }, (_, n) => slice(0, (stroke + n) % FRAMES, stroke));
    await marks.change(1, toBytes({ slices: painted }));
  }
  expect(sizeOfJournal()).toBeLessThan(2 * (whole + 3 * oneSlice) + 2 ** 20 + 11 * oneSlice);
  const expected = await read(marks);
  expect(await read(await start(crash(folder)))).toEqual(expected);

  // The last stroke has not reached the disk: the slice is as it was before.
  await marks.change(1, toBytes({ slices: [slice(0, 5, 1)] }));
  const cut = crash(folder, (bytes) => bytes.subarray(0, -3));
  expect(await read(await start(cut))).toEqual(expected);
});

test('a mask that was deleted and made again is whole in the journal', async () => {
  const folder = join(createTempFolder(), 'state');
  const marks = await start(folder);
  const slices = [0, 1, 2, 3].map((frame) => slice(0, frame, 1));
  const [first, other] = ['2.25.1', '2.25.2'].map((uid) => toBytes({ uid, kind: 'brush', place, points: [], slices }));
  await marks.create(first!);
  await marks.create(other!);

  await marks.remove(1);
  await marks.create(first!);
  await marks.change(1, toBytes({ slices: [slice(0, 2, 9)] }));

  expect(await read(await start(crash(folder)))).toEqual(await read(marks));
  await marks.removeMany(toBytes({ marks: [{ id: 1 }] }));
  expect(await read(await start(crash(folder)))).toMatchObject([{ uid: '2.25.2' }]);
});

test('a journal of another version of negato is named, and left alone', async () => {
  const folder = join(createTempFolder(), 'state');
  const marks = await start(folder);
  await marks.create(toBytes({ uid: '2.25.1', kind: 'brush', place, points: [], slices: [slice(0, 0, 1)] }));

  const other = crash(folder, (bytes) =>
    Buffer.from(bytes.toString().replace(/^negato mark journal 2\n/, 'negato mark journal 3\n')),
  );
  const next = await start(other);

  expect(await read(next)).toEqual([]);
  expect(next.journal().unread).toMatchObject([{ reason: 'it is not a journal of this version of negato' }]);
  expect(readdirSync(other)).toEqual([next.journal().unread[0]?.name]);
});

test('classes that no mark has are in the next run after a crash, until they are exported', async () => {
  const folder = join(createTempFolder(), 'state');
  const marks = await start(folder);
  const nodule = { key: 'n', title: 'Nodule', color: '#ff8800', digit: 1 };
  const cyst = { key: 'c', title: 'Cyst', color: '#0088ff', digit: 2 };

  expect(await marks.replaceScheme(toBytes({ classes: [nodule] }))).toMatchObject({ durability: 'kept' });
  await marks.replaceScheme(toBytes({ title: 'Chest', classes: [{ ...nodule, color: '#00ff00' }, cyst] }));
  const restored = await start(crash(folder));
  expect(schemeOf(restored)).toEqual({ title: 'Chest', classes: [{ ...nodule, color: '#00ff00' }, cyst] });
  // They are no marks.
  expect([await read(restored), restored.countUnexported()]).toEqual([[], 0]);

  // Removed ones do not come back.
  await marks.replaceScheme(toBytes({ title: 'Chest', classes: [cyst] }));
  expect(schemeOf(await start(crash(folder)))).toEqual({ title: 'Chest', classes: [cyst] });

  const { texts, delivered } = await marks.exportJson();
  expect([...texts].join('')).toContain('Cyst');
  await delivered();
  expect(existsSync(folder)).toBe(false);

  // As at the start of the run: there is nothing to keep.
  await marks.replaceScheme(toBytes({ classes: [nodule] }));
  expect(existsSync(folder)).toBe(true);
  await marks.replaceScheme(toBytes({ classes: [] }));
  expect(existsSync(folder)).toBe(false);
});

function schemeOf(store: MarkStore) {
  return store.scheme().scheme;
}
