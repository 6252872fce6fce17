import { expect, test } from 'vitest';
import { createStackImage } from '../../../test/support/createStackImage.ts';
import type { CatalogProgress } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { TaskRunner } from '../workers/task.ts';
import type { FrameGeometry } from './frameGeometry.ts';
import { createSeriesList } from './seriesList.ts';

/** A list of files that grows when the test says so. */
function createGrowingFiles() {
  const files: DicomFile[] = [];
  let listener: ((progress: CatalogProgress) => void) | undefined;
  const catalog = {
    files,
    progress: { revision: 0, scanned: 0, skipped: 0, filtered: 0, scanComplete: false },
    subscribe(added: (progress: CatalogProgress) => void) {
      listener = added;
      return () => undefined;
    },
  };
  return {
    catalog,
    add: (...added: readonly DicomFile[]) => {
      files.push(...added);
      listener?.(catalog.progress);
    },
  };
}

function inSeries(index: number, seriesInstanceUid: string, different: Partial<DicomFile> = {}): DicomFile {
  return { ...createStackImage(index), seriesInstanceUid, ...different };
}

const noTasks: TaskRunner = { run: () => Promise.reject(new Error('nothing to read')) };

test('series come by study and series UID, and a series that did not change is not built again', async () => {
  const { catalog, add } = createGrowingFiles();
  const list = createSeriesList({ catalog, tasks: noTasks });
  add(inSeries(0, '2.2'), inSeries(1, '2.10'), inSeries(2, '2.1', { studyInstanceUid: '1.1' }));
  const before = await list.read();

  add(inSeries(3, '2.2'));
  const after = await list.read();

  expect(before.series.map(({ seriesInstanceUid }) => seriesInstanceUid)).toEqual(['2.1', '2.10', '2.2']);
  expect(after.series[0]).toBe(before.series[0]);
  expect(after.series[1]).toBe(before.series[1]);
  expect(after.series[2]?.stacks[0]?.frames.length).toBe(2);
});

test('an answer that has been given does not change while files are added', async () => {
  const { catalog, add } = createGrowingFiles();
  const list = createSeriesList({ catalog, tasks: noTasks });
  add(inSeries(0, '2.2'));
  const { series } = await list.read();
  add(inSeries(1, '2.2'), inSeries(2, '2.3'));
  await list.read();
  expect(series.map(({ stacks }) => stacks[0]?.frames.length)).toEqual([1]);
});

test('who asks while an answer is prepared sees the files that have come since', async () => {
  const { catalog, add } = createGrowingFiles();
  const list = createSeriesList({ catalog, tasks: noTasks });
  add(inSeries(0, '2.2'));
  const first = list.read();
  add(inSeries(1, '2.2'));
  const second = list.read();
  await first;
  expect((await second).series[0]?.stacks[0]?.frames.length).toBe(2);
});

/** Two frames, the second of them below the first. */
function createGeometry(): FrameGeometry {
  return {
    points: Float64Array.of(0, 0, 5, 0, 0, 1),
    orientations: [[1, 0, 0, 0, 1, 0]],
    orientationOf: Int32Array.of(0, 0),
    ranks: Float64Array.of(NaN, NaN),
    isSpatial: true,
  };
}

function createTwoFrames(index: number): DicomFile {
  const image = createStackImage(index);
  return { ...image, frameCount: 2, placement: { ...image.placement!, hasFrameGeometry: true } };
}

/** Answers each task when the test says so. */
function createHeldTasks() {
  const waiting: (() => void)[] = [];
  const tasks: TaskRunner = {
    run: () =>
      new Promise((resolve) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only task that is asked for
        waiting.push(() => resolve(createGeometry() as never));
      }),
  };
  return { tasks, waiting };
}

test('the answer waits for the places of frames, a few files at a time, each read once', async () => {
  const { catalog, add } = createGrowingFiles();
  const { tasks, waiting } = createHeldTasks();
  const list = createSeriesList({ catalog, tasks, geometryWaitMs: 60_000 });
  add(...Array.from({ length: 10 }, (_, index) => createTwoFrames(index)));

  const answer = list.read();
  const inFlight: number[] = [];
  for (let read = 0; read < 10; read += 1) {
    await new Promise((resume) => setImmediate(resume));
    inFlight.push(waiting.length);
    waiting.shift()?.();
  }
  const { series, geometryComplete } = await answer;
  await list.read();

  expect(Math.max(...inFlight)).toBe(4);
  expect(waiting).toEqual([]);
  expect(geometryComplete).toBe(true);
  expect(series[0]?.stacks.map(({ frames }) => Array.from(frames.frameIndices))).toEqual(
    Array.from({ length: 10 }, () => [1, 0]),
  );
});

test('after a while the answer comes without them and says so; the next one has them', async () => {
  const { catalog, add } = createGrowingFiles();
  const { tasks, waiting } = createHeldTasks();
  const list = createSeriesList({ catalog, tasks, geometryWaitMs: 1 });
  add(createTwoFrames(0));

  const early = await list.read();
  waiting.shift()?.();
  await new Promise((resume) => setImmediate(resume));
  const late = await list.read();

  expect(early.geometryComplete).toBe(false);
  expect(Array.from(early.series[0]!.stacks[0]!.frames.frameIndices)).toEqual([0, 1]);
  expect(late.geometryComplete).toBe(true);
  expect(Array.from(late.series[0]!.stacks[0]!.frames.frameIndices)).toEqual([1, 0]);
});

test('a file whose frames cannot be placed keeps their order and says why', async () => {
  const { catalog, add } = createGrowingFiles();
  const list = createSeriesList({ catalog, tasks: noTasks });
  add(createTwoFrames(0));

  const { series, geometryComplete } = await list.read();

  expect(geometryComplete).toBe(true);
  expect(Array.from(series[0]!.stacks[0]!.frames.frameIndices)).toEqual([0, 1]);
  expect(series[0]?.stacks[0]?.warnings).toMatchObject([{ code: 'missing_positions', fileIndices: [0] }]);
});
