import { EventEmitter, once } from 'node:events';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { borrowThreads } from '../../../../test/support/borrowThreads.ts';
import { encodeRle } from '../../../../test/support/encodeRle.ts';
import { sliceSamples, straight, writeSeries } from '../../../../test/support/volumeFiles.ts';
import { createTempFolder } from '../../../../test/support/tempFolder.ts';
import { type Catalog, createCatalog } from '../catalog/catalog.ts';
import { createMemoryAccount, type MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { TaskPool } from '../../machine/memory/taskPool.ts';
import { createFrames } from '../pixels/frames.ts';
import { createSeriesList } from '../series/seriesList.ts';
import type { PlaneQuery } from './planeQuery.ts';
import { createVolumes, type Volumes } from './volumes.ts';
import { type LoadSlicesInput, loadSlicesTask, packLayerTask } from './volumeTasks.ts';
import { NOBODY } from '../../../../test/support/nobody.ts';

const MIB = 2 ** 20;

type Opened = {
  readonly volumes: Volumes;
  readonly catalog: Catalog;
  readonly memory: MemoryAccount;
  readonly folder: string;
  /** Places of all slices that threads were told to load, in order. */
  readonly loads: readonly number[];
  /** Whether a user waited for them, for each task. */
  readonly awaited: readonly (boolean | undefined)[];
  /** While it is set, no slice is loaded. */
  readonly gate: { promise: Promise<unknown> | undefined; started: number; cancelled: number };
};

/** Volumes of the files, on real threads; the loading of slices is counted and can be held up. */
async function open(files: readonly Uint8Array[], memoryBytes?: number): Promise<Opened> {
  const folder = createTempFolder();
  for (const [i, file] of files.entries()) await writeFile(join(folder, `${i}.dcm`), file);
  const memory = createMemoryAccount(memoryBytes);
  const threads = borrowThreads(memory);
  const loads: number[] = [];
  const awaited: (boolean | undefined)[] = [];
  const gate: Opened['gate'] = { promise: undefined, started: 0, cancelled: 0 };
  const tasks: TaskPool = {
    ...threads,
    async run(task, input, options) {
      const isLoading = task.name === loadSlicesTask.name || task.name === packLayerTask.name;
      if (!isLoading) return threads.run(task, input, options);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the inputs of both tasks have slices
      for (const { place } of (input as LoadSlicesInput).slices) loads.push(place);
      awaited.push(options.isAwaited);
      gate.started += 1;
      options.signal?.addEventListener('abort', () => (gate.cancelled += 1), { once: true });
      await gate.promise;
      return threads.run(task, input, options);
    },
  };
  const catalog = createCatalog({ inputs: [folder], memory });
  const series = createSeriesList({ catalog, tasks: threads });
  const volumes = createVolumes({ catalog, series, frames: createFrames({ tasks: threads, memory }), tasks, memory });
  catalog.start();
  await catalog.scanComplete;
  onTestFinished(async () => {
    volumes.close();
    await Promise.all([catalog.cancel(), series.close(), threads.close()]);
  });
  return { volumes, catalog, memory, folder, loads, awaited, gate };
}

function createDoor() {
  const door = new EventEmitter();
  return { passed: once(door, 'open'), open: () => door.emit('open') };
}

const CORONAL: PlaneQuery = {
  position: [0, 1, 0],
  orientation: [1, 0, 0, 0, 0, 1],
  spacing: [2, 1],
  rows: 20,
  columns: 5,
};

function raw(volumes: Volumes, query: Partial<PlaneQuery> = {}, signal?: AbortSignal) {
  const options = { signal };
  return volumes.raw({ fileIndex: 0 }, { ...CORONAL, ...query, isPacked: false }, options);
}

test('forty clients of one volume have each slice decoded once', async () => {
  const { volumes, loads } = await open(writeSeries(1, straight(20)));
  const planes = Array.from({ length: 40 }, (_, at) => raw(volumes, { position: [0, (at % 7) / 2, 0] }));
  const all = await Promise.all(planes);
  expect(all.every(({ places }) => places.used === 20)).toBe(true);
  expect(loads.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, place) => place));
});

test('slices that a user waits for are loaded by all threads, and those that a page fetches in advance are not', async () => {
  const { volumes, awaited } = await open(writeSeries(7, straight(20)));
  const axial = { position: [0, 0, 0], orientation: [1, 0, 0, 0, 1, 0], spacing: [1, 1], rows: 4, columns: 5 };
  await volumes.raw({ fileIndex: 0 }, { ...axial, isPacked: false }, { ...NOBODY, priority: 'prefetch' });
  expect(awaited).toEqual([false]);
  await raw(volumes);
  expect(awaited.slice(1).every((isAwaited) => isAwaited === true)).toBe(true);
  expect(awaited.length).toBeGreaterThan(1);
});

test('slices come coarse to fine, from the middle of the plane outwards', async () => {
  const { volumes, loads } = await open(writeSeries(2, straight(20)));
  await raw(volumes);
  expect(loads.slice(0, 5)).toEqual([8, 16, 0, 12, 4]);
});

test('a client that leaves ends the loading that nobody else waits for', async () => {
  const { volumes, gate, loads } = await open(writeSeries(3, straight(40)));
  const door = createDoor();
  gate.promise = door.passed;
  const [first, second] = [new AbortController(), new AbortController()];
  const planes = [
    raw(volumes, { rows: 40 }, first.signal),
    raw(volumes, { rows: 40, position: [0, 2, 0] }, second.signal),
  ];
  await expect.poll(() => gate.started).toBeGreaterThan(0);
  first.abort(new Error('left'));
  await expect(planes[0]).rejects.toThrow('left');
  expect(gate.cancelled).toBe(0);
  second.abort(new Error('left too'));
  await expect(planes[1]).rejects.toThrow('left too');
  await expect.poll(() => gate.cancelled).toBe(gate.started);

  const asked = loads.length;
  door.open();
  gate.promise = undefined;
  expect((await raw(volumes, { rows: 40 })).places).toEqual({ used: 40, needed: 40 });
  expect(loads.length).toBeGreaterThan(asked);
});

test('slices that do not fit into the memory are packed as long as somebody waits for them, and what is packed stays', async () => {
  const SIDE = 256;
  const fragments = [encodeRle(new Uint8Array(2 * SIDE * SIDE), 2, 1)];
  const files = writeSeries(
    13,
    straight(100),
    { Rows: SIDE, Columns: SIDE, PixelData: { fragments } },
    { transferSyntaxUid: '1.2.840.10008.1.2.5' },
  );
  // 100 slices of 128 KiB are 12.5 MiB, and volumes may use 9.6: 60 % of the half of 32.
  const { volumes, gate, loads } = await open(files, 64 * MIB);
  const sagittal = { rows: 100, columns: SIDE };
  const packed = () => volumes.progress().map(({ storage, placesLoaded }) => [storage, placesLoaded]);
  const leaving = new AbortController();
  const door = createDoor();
  gate.promise = door.passed;
  const plane = raw(volumes, sagittal, leaving.signal);
  await expect.poll(() => gate.started).toBe(2);
  // Two layers of 16 slices: an eighth of 16 MiB each.
  expect([loads.length, packed()]).toEqual([32, []]);
  leaving.abort(new Error('left'));
  await expect(plane).rejects.toThrow('left');
  door.open();
  gate.promise = undefined;
  expect(gate.cancelled).toBe(2);
  expect([loads.length, packed()]).toEqual([32, []]);

  await raw(volumes, sagittal);
  expect([loads.length, packed()]).toEqual([132, [['packed', 100]]]);
  await raw(volumes, { ...sagittal, position: [0, 9, 0] });
  expect([loads.length, packed()]).toEqual([132, [['packed', 100]]]);
});

test('a partial plane comes at once from the slices that are there, and the others are loaded meanwhile', async () => {
  const { volumes, gate } = await open(writeSeries(4, straight(20)));
  const door = createDoor();
  gate.promise = door.passed;
  const early = await raw(volumes, { partial: true });
  expect(early.places).toEqual({ used: 0, needed: 20 });
  expect([...new Int16Array(early.bytes.buffer)].every((sample) => sample === -32768)).toBe(true);
  door.open();
  gate.promise = undefined;
  await expect.poll(async () => (await raw(volumes, { partial: true })).places.used, { timeout: 20_000 }).toBe(20);
});

test('a partial plane is made for one request only, and the exact one has all slices', async () => {
  const { volumes, gate } = await open(writeSeries(8, straight(20)));
  const door = createDoor();
  gate.promise = door.passed;
  const waiting = raw(volumes);
  await expect.poll(() => gate.started).toBeGreaterThan(0);
  expect((await raw(volumes, { partial: true })).places).toEqual({ used: 0, needed: 20 });
  door.open();
  gate.promise = undefined;
  const { bytes, places } = await waiting;
  expect(places).toEqual({ used: 20, needed: 20 });
  // Row 1 of slice k has 100 k + 10 + column.
  const expected = Array.from({ length: 100 }, (_, i) => 100 * Math.floor(i / 5) + 10 + (i % 5));
  expect([...new Int16Array(bytes.buffer, bytes.byteOffset, 100)]).toEqual(expected);
  const again = await raw(volumes, { partial: true });
  expect([again.cached, again.places.used]).toEqual([true, 20]);
  expect(again.bytes).toEqual(bytes);
});

test('a plane of a few slices does not wait for those that other planes need', async () => {
  const { volumes, gate, loads } = await open(writeSeries(9, straight(200)));
  const door = createDoor();
  gate.promise = door.passed;
  const coronal = raw(volumes, { rows: 200 });
  await expect.poll(() => gate.started).toBeGreaterThan(0);
  const begun = loads.length;
  // Slice 1 is the last but one in the order from coarse to fine.
  const axial = { position: [0, 0, 2], orientation: [1, 0, 0, 0, 1, 0], spacing: [1, 1], rows: 4, columns: 5 };
  const early = raw(volumes, axial);
  await delay(100);
  door.open();
  gate.promise = undefined;
  expect((await early).places).toEqual({ used: 1, needed: 1 });
  await coronal;
  expect(loads.indexOf(1)).toBe(begun);
});

test('a file that changes ends the volume with file_gone, also when it is in memory', async () => {
  const files = writeSeries(5, straight(20));
  const { volumes, folder } = await open(files);
  await raw(volumes);
  await writeFile(join(folder, '7.dcm'), files[6]!);
  await utimes(join(folder, '7.dcm'), new Date(), new Date(Date.now() + 60_000));
  await delay(1_100);
  await expect(raw(volumes)).rejects.toMatchObject({ code: 'file_gone' });
  await expect(raw(volumes, { position: [0, 3, 0] })).rejects.toMatchObject({ code: 'file_gone' });
});

test('a slice that cannot be decoded fails the planes that need it, by its name, and no others', async () => {
  // Four bytes that are no JPEG stream.
  const PixelData = { fragments: [Uint8Array.of(0, 0, 1, 0xb3)] };
  const good = { PixelData: { fragments: [encodeRle(new Uint8Array(sliceSamples(1).buffer), 2, 1)] } };
  const slices = straight(4).map((slice, k) => ({ ...slice, more: k === 2 ? { PixelData } : good }));
  const files = writeSeries(6, slices, {}, { transferSyntaxUid: '1.2.840.10008.1.2.5' });
  const { volumes } = await open(files);
  await expect(raw(volumes)).rejects.toMatchObject({
    code: 'pixel_decode_failed',
    message: expect.stringMatching(/2\.dcm: frame 0/),
  });
  const axial = { position: [0, 0, 0], orientation: [1, 0, 0, 0, 1, 0], spacing: [1, 1], rows: 4, columns: 5 };
  expect((await raw(volumes, axial)).places).toEqual({ used: 1, needed: 1 });
});

test('volumes never hold more than their part, and the one used least recently leaves first', async () => {
  // 512 x 512 x 24 samples of 2 bytes are 12 MiB, and volumes may use 60 % of the half of 100 MiB: Node has 64 MiB.
  const image = { Rows: 512, Columns: 512, PixelData: new Int16Array(512 * 512) };
  const series = [10, 11, 12].map((number) => writeSeries(number, straight(24), image));
  const { volumes, memory } = await open(series.flat(), 164 * MIB);
  const at = (number: number) =>
    volumes.raw({ fileIndex: 24 * number }, { ...CORONAL, rows: 24, isPacked: false }, NOBODY);
  const loadedOf = async (number: number) => {
    const described = await volumes.describe({ fileIndex: 24 * number }, NOBODY);
    return described.volume === undefined ? undefined : [described.storage, described.placesLoaded];
  };
  for (const number of [0, 1, 0, 2]) {
    await at(number);
    expect(memory.tasks.heldBytes()).toBeLessThanOrEqual(24 * MIB);
  }
  expect(await Promise.all([0, 1, 2].map(loadedOf))).toEqual([
    ['memory', 24],
    ['none', 0],
    ['memory', 24],
  ]);
  // A frame that needs more than what is left takes the memory of the volumes, and they come back when they are used.
  await memory.tasks.reserve({ bytes: 49 * MIB }, async () => expect(memory.tasks.heldBytes()).toBe(49 * MIB));
  expect(await Promise.all([0, 1, 2].map(loadedOf))).toEqual([
    ['none', 0],
    ['none', 0],
    ['none', 0],
  ]);
  expect(memory.tasks.heldBytes()).toBe(0);
  expect((await at(0)).places.used).toBe(24);
  expect(memory.tasks.mostHeldBytes()).toBeLessThanOrEqual(50 * MIB);
});

test('a volume that its user fills is filled once for all planes, and again after nobody waited for it', async () => {
  const { volumes, memory } = await open(writeSeries(1, straight(4)));
  const { volume: stack } = await volumes.describe({ fileIndex: 0 }, NOBODY);
  const { rows, columns, positionsMm } = stack!.table;
  const calls: AbortSignal[] = [];
  let gate: Promise<unknown> = Promise.resolve();
  const sample = { ...stack!.sample, storage: 'float32' as const, rescale: { slope: 1, intercept: 0 } };
  const filled = {
    ...stack!,
    sample,
    key: 'filled',
    fileIndices: new Uint32Array(),
    frameIndices: new Uint32Array(),
    async fill(buffer: SharedArrayBuffer, signal: AbortSignal) {
      calls.push(signal);
      await gate;
      signal.throwIfAborted();
      const samples = new Float32Array(buffer);
      for (const at of samples.keys()) samples[at] = at;
    },
  };
  const query = { ...CORONAL, rows: 4, position: [0, 1, 0], isPacked: false };
  const read = async (signal?: AbortSignal) => {
    const { bytes } = await volumes.raw(filled, query, { signal });
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  };

  const door = createDoor();
  gate = door.passed;
  const given = new AbortController();
  const left = read(given.signal);
  await expect.poll(() => calls.length).toBe(1);
  given.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(calls[0]!.aborted).toBe(true);
  door.open();
  gate = Promise.resolve();

  const [first, second] = await Promise.all([read(), read()]);
  expect(second).toEqual(first);
  // Row 1 of each slice, whose samples are numbered.
  expect(first[1 * columns + 2]).toBe(1 * rows * columns + 1 * columns + 2);
  expect(calls).toHaveLength(2);
  await volumes.raw(filled, { ...query, position: [0, 2, 0] }, NOBODY);
  expect(calls).toHaveLength(2);
  // Its samples are part of the account, and it is no volume that a page could show the progress of.
  expect(memory.tasks.heldBytes()).toBeGreaterThanOrEqual(4 * rows * columns * positionsMm.length);
  expect(volumes.progress().map(({ fileIndex }) => fileIndex)).not.toContain(undefined);
});

test('a volume whose slices take long to read is answered as busy', async () => {
  const { catalog } = await open(writeSeries(1, straight(2)));
  const volumes = createVolumes({
    catalog,
    memory: createMemoryAccount(),
    frames: { percentiles: never },
    tasks: { run: never, collectGarbage: () => undefined },
    series: { version: () => '', findStack: never, findJointStack: never },
    // The time has passed at once.
    clock: { nowMs: () => 0, after: (_, call) => (queueMicrotask(call), () => undefined) },
  });
  await expect(volumes.describe({ fileIndex: 0, frame: 0 }, NOBODY)).rejects.toMatchObject({ code: 'decode_busy' });
});

async function never(): Promise<never> {
  return new Promise(() => undefined);
}
