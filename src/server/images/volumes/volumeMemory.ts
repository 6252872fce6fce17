import { setMaxListeners } from 'node:events';
import { basename } from 'node:path';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { combineFrameDamage, type FrameDamage } from '../../../shared/frameDamage.ts';
import type { StoredMapping } from '../../../shared/valueMapping.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { volumeBytesIn } from '../../machine/memory/memoryPlan.ts';
import { keyOfSource } from '../../bytes/origins/origins.ts';
import { isUncompressed } from '../../standard/dicom/readCost.ts';
import { decodeBytesOf, decodeCostOf } from '../pixels/decodeCost.ts';
import { MIB } from '../../machine/system/mib.ts';
import { explainTaskError } from '../pixels/explainTaskError.ts';
import type { TaskPriority, TaskRunner } from '../../machine/workers/task.ts';
import { bytesOfSample } from './sampleView.ts';
import { cropOf, type PlaceRange, type Volume } from './volume.ts';
import { type LoadedSlice, loadSlicesTask, type SliceToLoad } from './volumeTasks.ts';

/** A volume whose frames are known, and a key that is the same for the same frames. */
export type KnownVolume = Volume & {
  readonly key: string;
  /** Writes all samples, for a volume that consists of no frames, such as the array of a file. */
  readonly fill?: ((buffer: SharedArrayBuffer, signal: AbortSignal) => Promise<void>) | undefined;
  /** Its samples are real-world values, which its frames declare one by one. */
  readonly mappings?: MappedFrames | undefined;
};

/** Mappings of frames to the same quantity that are no common function of their modality values. */
export type MappedFrames = {
  /** The same for the same mappings of the same frames. */
  readonly key: string;
  readonly unit: string;
  /** By frame of the volume, at `time * places + place`. */
  readonly ofFrames: readonly StoredMapping[];
  /** What the slice in the middle makes of a modality value, in whose unit windows are declared. */
  readonly ofModality: (value: number) => number | undefined;
};

/** The slices of one time of a volume in shared memory. */
export interface LoadedTime {
  readonly buffer: SharedArrayBuffer;
  /** 1 for each place whose slice is there. */
  readonly present: Uint8Array;
  /** Waits until all places of a range are there. Loading stops when nobody waits for it any more. */
  load(range: PlaceRange, options: LoadOptions): Promise<void>;
  /** Loads the places of a range without waiting, for a short time after the last call. */
  loadMeanwhile(range: PlaceRange, options: Pick<LoadOptions, 'priority'>): void;
  /** The combined damage of the slices of a range. */
  damageOf(range: PlaceRange): FrameDamage | undefined;
  /** Runs work that reads the buffer. The memory is not given away before it ends. */
  use<Output>(work: () => Promise<Output>): Promise<Output>;
}

type LoadOptions = {
  readonly signal: AbortSignal | undefined;
  /** Default: interactive. What a user waits for is loaded by all threads. */
  readonly priority?: TaskPriority | undefined;
};

/** Volumes in memory, as many as fit; those used least recently leave first. */
export interface VolumeMemory {
  /** Throws `volume_memory_exceeded` if one time does not fit, and `decode_busy` if others are in use. */
  open(volume: KnownVolume, time: number, signal: AbortSignal | undefined): Promise<LoadedTime>;
  /** Why one time of a volume does not fit; undefined if it does. */
  explainSize(volume: KnownVolume): ViewerError | undefined;
  /** Counts as a use: the volume of a plane that comes from a cache will be needed for the next one. */
  touch(volume: KnownVolume, time: number): void;
  /** The number of slices in memory. */
  countLoaded(volume: KnownVolume, time: number): number | undefined;
  /** How much of each volume is in memory. */
  progress(): readonly VolumeProgress[];
  /** Calls back when `progress` may have changed, at most four times each second. Returns the end of it. */
  subscribe(listener: () => void): () => void;
  /** Tells subscribers about progress with memory that a caller fills. */
  tell(): void;
  /** Memory that a caller has filled for a volume counts with that of the volumes, and leaves like theirs. */
  readonly keep: {
    /** False if it does not fit beside what is in use. `onLeave` is called once. */
    add(key: string, bytes: number, onLeave: () => void): boolean;
    /** The same, but nothing else leaves for it. */
    addSpare(key: string, bytes: number, onLeave: () => void): boolean;
    remove(key: string): void;
    /** Counts as a use. */
    touch(key: string): void;
  };
  /** Forgets all times of a volume. */
  drop(volume: KnownVolume, reason: ViewerError): void;
  close(): void;
}

/** Where the slices of a volume are that is loaded. */
export type VolumeProgress = {
  readonly storage: 'memory' | 'packed';
  /** The file of the first place at the first time. */
  readonly fileIndex: number;
  readonly time: number;
  readonly places: number;
  readonly placesLoaded: number;
};

export function bytesOfTime({ table, sample }: Volume): number {
  return table.rows * table.columns * table.positionsMm.length * bytesOfSample(sample.storage);
}

/** Tasks of one volume that run or wait at the same time: enough to keep all threads busy. */
const MOST_BATCHES = 6;
/** Uncompressed slices are read several at a time, because a task costs as much as reading one. */
const BATCH_BYTES = 4 * MIB;
const MOST_IN_BATCH = 16;
/** A plane that needs no more slices does not wait until those of others are loaded. */
const FEW_PLACES = 8;
/** Interval between two reports of progress. */
const PROGRESS_MS = 250;
/** How long slices are loaded after a request that did not wait for them. */
const MEANWHILE_MS = 5_000;

type Context = {
  readonly files: readonly DicomFile[];
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly collectGarbage: () => void;
};

type Held = {
  readonly key: string;
  readonly bytes: number;
  /** Undefined if it is filled in one piece. */
  readonly of: Omit<VolumeProgress, 'placesLoaded'> | undefined;
  /** Undefined for memory that a caller fills. */
  readonly loaded: Promise<TimeLoader> | undefined;
  /** Set once the memory is there. */
  loader: TimeLoader | undefined;
  readonly isInUse: () => boolean;
  /** Ends the reservation of the memory. */
  readonly leave: (reason: ViewerError) => void;
  isLeaving: boolean;
};

export function createVolumeMemory({ files, tasks, memory, collectGarbage }: Context): VolumeMemory {
  const budgetBytes = volumeBytesIn(memory.plan.tasks);
  /** Least recently used first. */
  const held = new Map<string, Held>();
  const listeners = new Set<() => void>();
  let telling: NodeJS.Timeout | undefined;

  function tell(): void {
    if (listeners.size === 0) return;
    telling ??= setTimeout(() => {
      telling = undefined;
      for (const listener of listeners) listener();
    }, PROGRESS_MS).unref();
  }

  /** Ends volumes until `bytes` are given back; those in use only if the memory is needed for something else. */
  function reclaim(bytes: number, endsUsed: boolean): void {
    let missing = bytes;
    for (const one of held.values()) if (one.isLeaving) missing -= one.bytes;
    for (const isUsed of endsUsed ? [false, true] : [false]) {
      for (const one of held.values()) {
        if (missing <= 0) return;
        if (one.isLeaving || one.isInUse() !== isUsed) continue;
        one.leave(new ViewerError('decode_busy', 'the memory of the volume was needed for another image; try again'));
        missing -= one.bytes;
      }
    }
  }
  memory.tasks.reclaimWith((bytes) => reclaim(bytes, true));

  function create(volume: KnownVolume, time: number, key: string): Held & { readonly loaded: Promise<TimeLoader> } {
    const bytes = bytesOfTime(volume);
    const leaving = new AbortController();
    const holding = new Promise<void>((resolve) => leaving.signal.addEventListener('abort', () => resolve()));
    let settle: ((loader: TimeLoader) => void) | undefined;
    let fail: ((error: unknown) => void) | undefined;
    const loaded = new Promise<TimeLoader>((resolve, reject) => {
      settle = resolve;
      fail = reject;
    });
    loaded.catch(() => undefined);
    const one: Held & { readonly loaded: Promise<TimeLoader> } = {
      key,
      bytes,
      of:
        volume.fill === undefined
          ? { storage: 'memory', fileIndex: volume.fileIndices[0]!, time, places: volume.table.positionsMm.length }
          : undefined,
      loaded,
      loader: undefined,
      isInUse: () => one.loader?.isInUse() ?? true,
      isLeaving: false,
      leave(reason) {
        one.isLeaving = true;
        leaving.abort(reason);
      },
    };
    const hold = async () => {
      let loader: TimeLoader | undefined;
      try {
        await memory.tasks.reserve({ bytes, isLent: true, signal: leaving.signal }, async () => {
          const ended = leaving.signal;
          const { fill } = volume;
          loader =
            fill === undefined
              ? createTimeLoader({ volume, time, files, tasks, memory, ended, onLoaded: tell })
              : createFilledLoader(volume, fill, ended);
          one.loader = loader;
          settle?.(loader);
          await holding;
          await loader.whenUnused();
        });
      } catch (error) {
        fail?.(error);
      } finally {
        fail?.(leaving.signal.reason);
        one.loader = undefined;
        if (held.get(key) === one) held.delete(key);
        tell();
        // The threads have handles of the memory that they no longer use.
        if (loader !== undefined) collectGarbage();
      }
    };
    void hold();
    return one;
  }

  const total = () => [...held.values()].reduce((sum, one) => sum + one.bytes, 0);

  /** False if those in use leave too little. */
  function makeRoom(bytes: number): boolean {
    if (total() + bytes > budgetBytes) reclaim(total() + bytes - budgetBytes, false);
    const staying = [...held.values()].reduce((sum, one) => sum + (one.isLeaving ? 0 : one.bytes), 0);
    return staying + bytes <= budgetBytes;
  }

  function keep(key: string, bytes: number, onLeave: () => void): void {
    const leaving = new AbortController();
    const one: Held = {
      key,
      bytes,
      of: undefined,
      loaded: undefined,
      loader: undefined,
      // Whoever reads it has its own handle, so it can leave at any time.
      isInUse: () => false,
      isLeaving: false,
      leave(reason) {
        if (one.isLeaving) return;
        one.isLeaving = true;
        if (held.get(key) === one) held.delete(key);
        onLeave();
        leaving.abort(reason);
      },
    };
    held.set(key, one);
    const left = new Promise<void>((resolve) => leaving.signal.addEventListener('abort', () => resolve()));
    memory.tasks.reserve({ bytes, isLent: true, signal: leaving.signal }, () => left).catch(one.leave);
  }

  function explainSize(volume: KnownVolume): ViewerError | undefined {
    return checkSize(volume, files, { budgetBytes, tasksBytes: memory.plan.tasks });
  }

  function touch(key: string): Held | undefined {
    const known = held.get(key);
    if (known === undefined) return undefined;
    held.delete(key);
    held.set(key, known);
    return known;
  }

  return {
    explainSize,
    touch: (volume, time) => void touch(`${volume.key} ${time}`),
    async open(volume, time, signal) {
      const key = `${volume.key} ${time}`;
      const known = touch(key);
      if (known?.loaded !== undefined && !known.isLeaving) return known.loaded;
      const tooLarge = explainSize(volume);
      if (tooLarge !== undefined) throw tooLarge;
      if (!makeRoom(bytesOfTime(volume))) {
        throw new ViewerError('decode_busy', 'other volumes are in use and fill the memory; try again in a moment');
      }
      const created = create(volume, time, key);
      held.set(key, created);
      signal?.addEventListener('abort', () => {
        if (created.loader === undefined) created.leave(new ViewerError('decode_busy', 'the request was ended'));
      });
      return created.loaded;
    },
    countLoaded(volume, time) {
      const one = held.get(`${volume.key} ${time}`);
      return one?.isLeaving === false ? one.loader?.countPresent() : undefined;
    },
    progress: () =>
      [...held.values()].flatMap(({ of, loader }) =>
        of === undefined ? [] : [{ ...of, placesLoaded: loader?.countPresent() ?? 0 }],
      ),
    tell,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    keep: {
      add(key, bytes, onLeave) {
        const hasRoom = makeRoom(bytes);
        if (hasRoom) keep(key, bytes, onLeave);
        return hasRoom;
      },
      addSpare(key, bytes, onLeave) {
        const hasRoom = total() + bytes <= budgetBytes;
        if (hasRoom) keep(key, bytes, onLeave);
        return hasRoom;
      },
      touch: (key) => void touch(key),
      remove: (key) => held.get(key)?.leave(new ViewerError('decode_busy', 'another part of the volume is needed')),
    },
    drop(volume, reason) {
      for (const one of held.values()) if (one.key.startsWith(`${volume.key} `)) one.leave(reason);
    },
    close() {
      for (const one of held.values()) one.leave(new ViewerError('shutting_down', 'the server is shutting down'));
    },
  };
}

/** Slices must fit, and so must the decoding of one of them beside all others. Returns why they do not. */
function checkSize(
  volume: KnownVolume,
  files: readonly DicomFile[],
  { budgetBytes, tasksBytes }: { readonly budgetBytes: number; readonly tasksBytes: number },
): ViewerError | undefined {
  const bytes = bytesOfTime(volume);
  const file = files[volume.fileIndices[0]!];
  const decoding = file === undefined ? 0 : decodeBytesOf(file, tasksBytes);
  if (bytes <= budgetBytes && bytes + decoding <= tasksBytes) return undefined;
  const isTooLarge = bytes > budgetBytes;
  const [needed, allowed] = isTooLarge ? [bytes, budgetBytes] : [bytes + decoding, tasksBytes];
  const what = isTooLarge ? 'this volume' : 'this volume with the decoding of a slice';
  return new ViewerError(
    'volume_memory_exceeded',
    `${what} takes ${Math.ceil(needed / MIB)} MiB of memory, and volumes may use ${Math.floor(allowed / MIB)} MiB, ` +
      'a part of --memory; start with a larger --memory',
  );
}

type LoaderContext = Pick<Context, 'files' | 'tasks' | 'memory'> & {
  readonly volume: KnownVolume;
  readonly time: number;
  /** Aborted when the memory is wanted by others. */
  readonly ended: AbortSignal;
  readonly onLoaded: () => void;
};

type TimeLoader = LoadedTime & {
  readonly isInUse: () => boolean;
  readonly whenUnused: () => Promise<void>;
  readonly countPresent: () => number;
};

/** A request for places, and those that are still missing. */
type Demand = {
  readonly missing: Set<number>;
  readonly isAwaited: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

function createTimeLoader({ volume, time, files, tasks, memory, ended, onLoaded }: LoaderContext): TimeLoader {
  const { table, sample } = volume;
  const places = table.positionsMm.length;
  const buffer = new SharedArrayBuffer(bytesOfTime(volume));
  const present = new Uint8Array(places);
  const damages = new Map<number, FrameDamage>();
  const demands = new Set<Demand>();
  /** Places that no task loads yet, in the order in which they are wanted. */
  let queue: number[] = [];
  const loading = new Set<number>();
  let batches = 0;
  let users = 0;
  let count = 0;
  let stopped = createStop();
  let meanwhile: { readonly demand: Demand; readonly timer: NodeJS.Timeout } | undefined;
  let whenIdle: (() => void) | undefined;

  const fileOf = (place: number) => files[volume.fileIndices[time * places + place]!]!;
  const frameOf = (place: number) => volume.frameIndices[time * places + place]!;

  const release = () => {
    if (users + batches === 0) whenIdle?.();
  };

  ended.addEventListener('abort', () => {
    queue = [];
    if (meanwhile !== undefined) clearTimeout(meanwhile.timer);
    for (const demand of demands) settle(demand, ended.reason);
    stopped.abort(ended.reason);
  });

  function settle(demand: Demand, error?: unknown): void {
    if (!demands.delete(demand)) return;
    if (error === undefined) demand.resolve();
    else demand.reject(error);
    if (demands.size > 0) return;
    // Nobody waits any more: queued tasks are dropped, and running ones are told to stop.
    queue = [];
    stopped.abort(new ViewerError('decode_busy', 'nobody waits for the volume any more'));
    stopped = createStop();
  }

  function addDemand(
    range: PlaceRange,
    priority: TaskPriority = 'interactive',
    { resolve, reject }: Pick<Demand, 'resolve' | 'reject'>,
  ): Demand | undefined {
    const missing = new Set<number>();
    for (let place = range.first; place <= range.last; place += 1) if (present[place] === 0) missing.add(place);
    if (missing.size === 0) return undefined;
    const added = { missing, isAwaited: priority === 'interactive', resolve, reject };
    demands.add(added);
    const middle = (range.first + range.last) / 2;
    const wanted = [...missing].filter((place) => !loading.has(place)).toSorted((a, b) => compare(a, b, middle));
    if (missing.size <= FEW_PLACES) queue = [...wanted, ...queue.filter((place) => !missing.has(place))];
    else {
      const queued = new Set(queue);
      queue.push(...wanted.filter((place) => !queued.has(place)));
    }
    pump();
    return added;
  }

  function pump(): void {
    while (batches < MOST_BATCHES && queue.length > 0) void runBatch(takeBatch());
  }

  /** One compressed slice, several uncompressed ones, or all slices of one frame. */
  function takeBatch(): number[] {
    if (volume.crops !== undefined) {
      const keyOf = (place: number) => `${volume.fileIndices[time * places + place]} ${frameOf(place)}`;
      const first = keyOf(queue[0]!);
      const isSame = (place: number) => keyOf(place) === first;
      const batch = queue.filter(isSame);
      queue = queue.filter((place) => !isSame(place));
      for (const place of batch) loading.add(place);
      return batch;
    }
    const sliceBytes = table.rows * table.columns * 4;
    const most = isUncompressed(fileOf(queue[0]!)) ? Math.min(MOST_IN_BATCH, Math.floor(BATCH_BYTES / sliceBytes)) : 1;
    const batch = queue.splice(0, Math.max(1, most));
    for (const place of batch) loading.add(place);
    return batch;
  }

  async function runBatch(batch: readonly number[]): Promise<void> {
    batches += 1;
    const { signal } = stopped;
    const file = fileOf(batch[0]!);
    const slices = batch.map((place): SliceToLoad => {
      const at = time * places + place;
      const mapping = volume.mappings?.ofFrames[at];
      return { place, source: fileOf(place).source, frame: frameOf(place), mapping, crop: cropOf(volume.crops, at) };
    });
    const input = { buffer, ...shapeOf(volume), slices };
    try {
      const loaded = await tasks.run(loadSlicesTask, input, {
        // Frames that a user looks at come first, whoever waits for the volume.
        priority: 'prefetch',
        isAwaited: [...demands].some((demand) => demand.isAwaited),
        of: decodeCostOf(file, memory.plan.tasks),
        key: `slice ${keyOfSource(file.source)} ${slices[0]!.frame}`,
        signal,
      });
      for (const slice of loaded) take(slice);
    } catch (error) {
      if (!signal.aborted) for (const slice of slices) fail(slice.place, explainTaskError(error, slice.frame));
    } finally {
      batches -= 1;
      for (const place of batch) loading.delete(place);
      // A batch that was stopped may hold places that somebody has asked for since.
      const queued = new Set([...queue, ...loading]);
      for (const { missing } of demands) {
        for (const place of batch) if (missing.has(place) && !queued.has(place)) queue.unshift(place);
      }
      pump();
      release();
    }
  }

  function take({ place, damage, failure }: LoadedSlice): void {
    if (failure !== undefined) {
      fail(place, new ViewerError(failure.code, failure.message));
      return;
    }
    if (present[place] === 0) count += 1;
    present[place] = 1;
    onLoaded();
    if (damage !== undefined) damages.set(place, damage);
    for (const one of demands) {
      if (one.missing.delete(place) && one.missing.size === 0) settle(one);
    }
  }

  function fail(place: number, error: unknown): void {
    const named =
      error instanceof ViewerError
        ? new ViewerError(error.code, `${basename(fileOf(place).path)}: ${error.message}`, { cause: error })
        : error;
    for (const one of demands) if (one.missing.has(place)) settle(one, named);
  }

  return {
    buffer,
    present,
    isInUse: () => users + batches + demands.size > 0,
    countPresent: () => count,
    async whenUnused() {
      if (users + batches > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
    },
    load: (range, { signal, priority }) =>
      new Promise((resolve, reject) => {
        if (ended.aborted || signal?.aborted) {
          reject(ended.reason ?? signal?.reason);
          return;
        }
        const leave = () => added && settle(added, signal?.reason);
        const done = () => signal?.removeEventListener('abort', leave);
        const waiting = {
          resolve() {
            done();
            resolve();
          },
          reject(error: unknown) {
            done();
            reject(error);
          },
        };
        const added = addDemand(range, priority, waiting);
        if (added === undefined) resolve();
        else signal?.addEventListener('abort', leave, { once: true });
      }),
    loadMeanwhile(range, options) {
      const old = meanwhile;
      meanwhile = undefined;
      const added = addDemand(range, options.priority, { resolve: () => undefined, reject: () => undefined });
      // The new demand comes first, so that the loading goes on.
      if (old !== undefined) {
        clearTimeout(old.timer);
        settle(old.demand);
      }
      if (added === undefined) return;
      const timer = setTimeout(() => settle(added), MEANWHILE_MS);
      meanwhile = { demand: added, timer: timer.unref() };
    },
    damageOf({ first, last }) {
      if (damages.size === 0) return undefined;
      return combineFrameDamage(
        [...damages].flatMap(([place, damage]) => (place >= first && place <= last ? damage : [])),
      );
    },
    async use(work) {
      users += 1;
      try {
        return await work();
      } finally {
        users -= 1;
        release();
      }
    },
  };

  function shapeOf({ table: { rows, columns } }: KnownVolume) {
    return { storage: sample.storage, isModality: sample.isModality, rows, columns };
  }
}

/** A volume that is filled in one piece: it is there as a whole or not at all. */
function createFilledLoader(
  volume: KnownVolume,
  fill: NonNullable<KnownVolume['fill']>,
  ended: AbortSignal,
): TimeLoader {
  const places = volume.table.positionsMm.length;
  const buffer = new SharedArrayBuffer(bytesOfTime(volume));
  const present = new Uint8Array(places);
  let filling: { readonly done: Promise<void>; readonly stop: AbortController; waiting: number } | undefined;
  let users = 0;
  let whenIdle: (() => void) | undefined;
  const release = () => {
    if (users === 0) whenIdle?.();
  };

  function begin() {
    const stop = createStop();
    const run = async () => {
      users += 1;
      try {
        await fill(buffer, AbortSignal.any([stop.signal, ended]));
        present.fill(1);
      } finally {
        users -= 1;
        if (filling?.stop === stop) filling = undefined;
        release();
      }
    };
    const done = run();
    done.catch(() => undefined);
    filling = { done, stop, waiting: 0 };
    return filling;
  }

  return {
    buffer,
    present,
    isInUse: () => users > 0,
    countPresent: () => (present[0] === 1 ? places : 0),
    async whenUnused() {
      if (users > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
    },
    async load(_, { signal }) {
      if (present[0] === 1) return;
      signal?.throwIfAborted();
      const joined = filling ?? begin();
      joined.waiting += 1;
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          joined.waiting -= 1;
          // Nobody waits any more. The next request begins anew.
          if (joined.waiting === 0) {
            if (filling === joined) filling = undefined;
            joined.stop.abort(signal?.reason);
          }
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', leave, { once: true });
        joined.done.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
      });
    },
    loadMeanwhile: () => undefined,
    damageOf: () => undefined,
    async use(work) {
      users += 1;
      try {
        return await work();
      } finally {
        users -= 1;
        release();
      }
    },
  };
}

/** All batches of a volume listen to one signal. */
function createStop(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}

/** Every eighth place first, then every fourth and so on, each time from the middle outwards. */
function compare(a: number, b: number, middle: number): number {
  return levelOf(a) - levelOf(b) || Math.abs(a - middle) - Math.abs(b - middle) || a - b;
}

function levelOf(place: number): number {
  if (place % 8 === 0) return 0;
  if (place % 4 === 0) return 1;
  return place % 2 === 0 ? 2 : 3;
}
