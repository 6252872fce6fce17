import { expect, onTestFinished, test } from 'vitest';
import { createRankedGeometry } from '../../../../test/support/createFrameGeometry.ts';
import { createStackImage } from '../../../../test/support/createStackImage.ts';
import { lendThread } from '../../../../test/support/lendThread.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { SeriesResponse } from '../../../shared/contract/series.ts';
import type { CatalogProgress } from '../catalog/catalog.ts';
import type { FileDescription } from '../catalog/dicomFile.ts';
import type { FileColumns } from '../catalog/fileColumns.ts';
import { PackedFile } from '../catalog/packedFile.ts';
import { packFiles } from '../catalog/fileColumns.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { createSeriesList, type SeriesListContext } from './seriesList.ts';

/** The list of a catalog that grows on demand, one batch at a time. */
function createGrowingList(context: Omit<SeriesListContext, 'catalog'> = { tasks: noTasks }) {
  const files: PackedFile[] = [];
  let listener: ((progress: CatalogProgress) => void) | undefined;
  const progress = { revision: 0, scanned: 0, skipped: 0, filtered: 0, gone: 0, scanComplete: false };
  const catalog = {
    files,
    gone: { files: new Set<number>(), changes: 0 },
    readLater: [],
    whenRead: () => undefined,
    rowsFrom: (index: number) => PackedFile.rowsFrom(files, index),
    progress,
    subscribe(added: (progress: CatalogProgress) => void) {
      listener = added;
      return () => undefined;
    },
  };
  const list = createSeriesList({ catalog, ...context });
  onTestFinished(() => list.close());
  return {
    list,
    catalog,
    add: (...batch: readonly FileDescription[]) => {
      const rows = { columns: packFiles(batch), first: 0, count: batch.length };
      files.push(...PackedFile.ofRows(rows, files.length));
      listener?.(progress);
    },
    read: async () => toResponse(await (await list.read()).write()),
  };
}

async function toResponse(answer: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<SeriesResponse> {
  const pieces: Uint8Array[] = [];
  for await (const piece of answer) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString());
}

const noTasks: TaskRunner = { run: () => Promise.reject(new Error('nothing to read')) };

function lengthsOf({ series }: SeriesResponse): number[] {
  return series.flatMap(({ stacks }) => stacks.map(({ frames }) => frames.length));
}

test('a file that is gone leaves its stack, and a series without files is not listed', async () => {
  const { add, catalog, list, read } = createGrowingList();
  add(createStackImage(0), createStackImage(1), createStackImage(2));
  expect(lengthsOf(await read())).toEqual([3]);
  const versions = [list.version()];
  const setGone = (...files: readonly number[]) => {
    catalog.gone = { files: new Set(files), changes: catalog.gone.changes + 1 };
    versions.push(list.version());
  };

  setGone(1);
  expect(lengthsOf(await read())).toEqual([2]);
  expect(await list.findStack(1)).toBeUndefined();
  setGone(0, 1, 2);
  expect((await read()).series).toEqual([]);
  setGone(2);
  expect(lengthsOf(await read())).toEqual([2]);
  expect(new Set(versions).size).toBe(4);
});

test('a request during the preparation of an answer sees the files found since', async () => {
  const { add, read } = createGrowingList();
  add(createStackImage(0));
  const first = read();
  add(createStackImage(1), createStackImage(2));
  const second = read();
  expect(lengthsOf(await first)[0]).toBeGreaterThan(0);
  expect(lengthsOf(await second)).toEqual([3]);
});

test('an answer that has begun describes the moment of its beginning, however slowly it is read', async () => {
  const { list, add, read } = createGrowingList();
  add(...Array.from({ length: 5000 }, (_, index) => createStackImage(index)));
  const answer = await (await list.read()).write();
  add(createStackImage(5000));
  expect(lengthsOf(await read())).toEqual([5001]);
  expect(lengthsOf(await toResponse(answer))).toEqual([5000]);
});

test('an answer that is not read to its end delays no other', async () => {
  const { list, add, read } = createGrowingList();
  add(...Array.from({ length: 5000 }, (_, index) => createStackImage(index)));
  const left = await (await list.read()).write();
  await left.next();
  await left.return();
  expect(lengthsOf(await read())).toEqual([5000]);
});

test('a thread that begins anew has no files of its last list', async () => {
  const first = createGrowingList({ tasks: noTasks, startThread: lendThread });
  first.add(createStackImage(0), createStackImage(1), createStackImage(2));
  expect(lengthsOf(await first.read())).toEqual([3]);
  await first.list.close();

  const second = createGrowingList({ tasks: noTasks, startThread: lendThread });
  second.add(createStackImage(0));
  expect(lengthsOf(await second.read())).toEqual([1]);
});

test('a thread that dies fails the waiting requests, and the next answer comes from a new thread', async () => {
  const { catalog, add, read } = createGrowingList();
  add(createStackImage(0));
  await read();
  const { rowsFrom } = catalog;
  // A row without columns, which makes the thread fail.
  catalog.rowsFrom = (index) => (index === 1 ? { columns: NO_COLUMNS, first: 0, count: 1 } : undefined);
  await expect(read()).rejects.toThrow('the thread series.worker failed');
  catalog.rowsFrom = rowsFrom;

  add(createStackImage(1));
  expect(lengthsOf(await read())).toEqual([2]);
});

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- deliberately invalid
const NO_COLUMNS = undefined as unknown as FileColumns;

/** The second frame is below the first: see `createHeldTasks`. */
function createTwoFrames(index: number): FileDescription {
  return createStackImage(index, { frameCount: 2, placement: { hasFrameGeometry: true } });
}

/** Holds each task until the test releases it. */
function createHeldTasks() {
  const waiting: (() => void)[] = [];
  const tasks: TaskRunner = {
    run: () =>
      new Promise((resolve) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only task that is requested
        waiting.push(() => resolve(createRankedGeometry([5, 1]) as never));
      }),
  };
  return { tasks, waiting };
}

function frameOrdersOf({ series }: SeriesResponse): number[][] {
  return series.flatMap(({ stacks }) => stacks.map(({ frames }) => frames.map(({ frame_index }) => frame_index)));
}

test('the answer waits for the frame positions, which are read once, a few files at a time', async () => {
  const { tasks, waiting } = createHeldTasks();
  const { add, read } = createGrowingList({ tasks, geometryWaitMs: 60_000 });
  add(...Array.from({ length: 10 }, (_, index) => createTwoFrames(index)));

  const answer = read();
  const inFlight: number[] = [];
  for (let done = 0; done < 10; done += 1) {
    await new Promise((resume) => setImmediate(resume));
    inFlight.push(waiting.length);
    waiting.shift()?.();
  }
  const response = await answer;
  await read();

  expect(Math.max(...inFlight)).toBe(4);
  expect(waiting).toEqual([]);
  expect(response.geometry_complete).toBe(true);
  expect(frameOrdersOf(response)).toEqual(Array.from({ length: 10 }, () => [1, 0]));
});

test('after a time limit the answer comes without frame positions and says so; the next one has them', async () => {
  const { tasks, waiting } = createHeldTasks();
  const { add, read } = createGrowingList({ tasks, geometryWaitMs: 1 });
  add(createTwoFrames(0));

  const early = await read();
  waiting.shift()?.();
  await new Promise((resume) => setImmediate(resume));
  const late = await read();

  expect(early.geometry_complete).toBe(false);
  expect(frameOrdersOf(early)).toEqual([[0, 1]]);
  expect(late.geometry_complete).toBe(true);
  expect(frameOrdersOf(late)).toEqual([[1, 0]]);
});

test('a file of a machine that fails for a while is tried again', async () => {
  let failures = 0;
  const tasks: TaskRunner = {
    run: async () => {
      failures += 1;
      if (failures <= 2) throw new ViewerError('origin_unavailable', 'the server is away');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only task that is requested
      return createRankedGeometry([5, 1]) as never;
    },
  };
  const { add, read } = createGrowingList({ tasks, retryMs: 0 });
  add(createTwoFrames(0));

  const answers = [await read(), await read(), await read()];

  expect(answers.map(({ geometry_complete }) => geometry_complete)).toEqual([false, false, true]);
  expect(answers.map(frameOrdersOf)).toEqual([[[0, 1]], [[0, 1]], [[1, 0]]]);
  expect(answers[0]?.series[0]?.stacks[0]?.warnings).toMatchObject([{ code: 'missing_positions', file_indices: [0] }]);
  expect(answers[2]?.series[0]?.stacks[0]?.warnings).toEqual([]);
});

test('a machine that stays away does not keep the list incomplete for ever', async () => {
  const tasks: TaskRunner = { run: () => Promise.reject(new ViewerError('origin_timeout', 'no answer')) };
  const { add, read } = createGrowingList({ tasks, retryMs: 0 });
  add(createTwoFrames(0));

  const complete: boolean[] = [];
  for (let count = 0; count < 8; count += 1) complete.push((await read()).geometry_complete);

  expect(complete).toEqual([false, false, false, false, false, false, true, true]);
});

test('a file whose frames cannot be placed keeps their order and gives the reason', async () => {
  const { add, read } = createGrowingList();
  add(createTwoFrames(0));

  const response = await read();

  expect(response.geometry_complete).toBe(true);
  expect(frameOrdersOf(response)).toEqual([[0, 1]]);
  expect(response.series[0]?.stacks[0]?.warnings).toMatchObject([{ code: 'missing_positions', file_indices: [0] }]);
});
