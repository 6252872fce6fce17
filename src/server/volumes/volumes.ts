import { createHash } from 'node:crypto';
import { ViewerError } from '../../shared/contract/errors.ts';
import type { VolumeStorage, VolumeValueResponse } from '../../shared/contract/volumes.ts';
import { combineFrameDamage, type FrameDamage } from '../../shared/frameDamage.ts';
import { findNeededPlaces, findSlab, type PlaneGrid, type PlaneSampling } from '../../shared/planeGrid.ts';
import { findVolumePosition, INDEX_TOLERANCE, type PositionTable } from '../../shared/positionTable.ts';
import { nameSpace } from '../../shared/spaceName.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { MemoryAccount } from '../memory/memoryAccount.ts';
import { volumeBytesIn } from '../memory/memoryPlan.ts';
import type { TaskPool } from '../memory/taskPool.ts';
import { type KnownSource, redactionsVersion } from '../origins/origins.ts';
import { isUncompressed } from '../dicom/readCost.ts';
import { MIB } from '../system/mib.ts';
import { type FrameOptions, type Frames, parseWindowChoice, type WindowQuery } from '../pixels/frames.ts';
import { createKeptWork } from '../pixels/keptWork.ts';
import type { SeriesList } from '../series/seriesList.ts';
import type { LargeStack, PackedStack } from '../series/stackRecord.ts';
import { doInTurns } from '../workers/doInTurns.ts';
import { packList } from '../workers/packedList.ts';
import { type Clock, createTimeLimit, SYSTEM_CLOCK } from '../workers/timeLimit.ts';
import { TaskTimeout } from '../workers/taskErrors.ts';
import type { Task, TaskPriority } from '../workers/task.ts';
import { createBrickMemory } from './brickMemory.ts';
import { refuseFile, type WantedFrame } from './placeFrames.ts';
import {
  checkPlaneSpace,
  checkPlaneWork,
  gridOfQuery,
  type PlaneQuery,
  samplingOfQuery,
  toPoint,
} from './planeQuery.ts';
import type { VolumeFile } from './readVolume.ts';
import { bytesOfSums, samplePlane } from './samplePlane.ts';
import { bytesOfSample, viewSamples } from './sampleView.ts';
import type { DescribedVolume, PlacedPart, PlacedVolume, PlaceRange, VolumeBox } from './volume.ts';
import { createVolumeWindows } from './volumeWindows.ts';
import { countSamples, createBoxFinder, lengthOfRange, straightBox, wholePart } from './volumeBox.ts';
import {
  bytesOfTime,
  createVolumeMemory,
  type KnownVolume,
  type LoadedTime,
  type VolumeProgress,
} from './volumeMemory.ts';
import {
  type BendCost,
  bytesOfSampling,
  ROWS_BATCH,
  checkSourcesTask,
  type LoadedSamples,
  loadRowsTask,
  type PlaneInput,
  placeVolumeTask,
  planePartTask,
  type PlanePicture,
  planePictureTask,
  type RawPlane,
  type RawPlaneInput,
  rawPlaneTask,
  readVolumeTask,
} from './volumeTasks.ts';

/** Names a volume: the one of the stack that a file is in. `frame` selects one of several in a file. */
export type VolumeAddress = {
  readonly fileIndex: number;
  readonly frame?: number | undefined;
  /** A single image counts as a volume as thin as a plane. */
  readonly takesSingle?: boolean;
};

/** A volume of a stack, or one that its user describes and fills. */
export type VolumeSource = VolumeAddress | FilledVolume;
export type FilledVolume = KnownVolume & Required<Pick<KnownVolume, 'fill'>>;

type RawPlaneOptions<Bend> = PlaneQuery & {
  readonly samples?: 'stored' | 'float' | undefined;
  readonly isPacked: boolean;
  /** It is made to be looked at, so it has the window of its volume. */
  readonly isShown?: boolean | undefined;
  readonly bend?: BentBy<Bend> | undefined;
};

/** How a plane is bent on its way into the volume, and the task that samples it so. */
export type BentBy<Bend> = {
  readonly task: Task<RawPlaneInput & { readonly bend: Bend }, RawPlane, BendCost>;
  readonly bend: Bend;
  /** The same for the same way. */
  readonly key: string;
  /** Memory that the way takes beside the samples. */
  readonly bytes: number;
};

/** How a plane was answered. */
type Answered = {
  readonly cached: boolean;
  /** Slices that the plane needs, and how many of them were there. */
  readonly places: { readonly used: number; readonly needed: number };
};

/** Planes of the volumes that stacks of images fill. */
export interface Volumes {
  describe(address: VolumeAddress, options: FrameOptions): Promise<VolumeDescription>;
  /** Where its slices lie, by positions only: no file is read, so what the files say may still refuse it. */
  place(address: VolumeAddress, options: FrameOptions): Promise<PlacedVolume>;
  raw<Bend>(source: VolumeSource, query: RawPlaneOptions<Bend>, options: FrameOptions): Promise<RawPlane & Answered>;
  /** With `size`, a small picture with square pixels. */
  picture(
    address: VolumeAddress,
    query: PlaneQuery & WindowQuery & { readonly size?: number | undefined },
    options: FrameOptions,
  ): Promise<PlanePicture & Answered>;
  value(
    address: VolumeAddress,
    query: { readonly at: readonly number[]; readonly time?: number | undefined },
    options: FrameOptions,
  ): Promise<VolumeValueResponse>;
  /** Runs work that reads all samples of a volume; they stay in memory until it ends. */
  use<Output>(
    address: VolumeAddress,
    work: (samples: LoadedSamples) => Promise<Output>,
    options: FrameOptions,
  ): Promise<Output>;
  /** How much of each volume is in memory. */
  progress(): readonly VolumeProgress[];
  /** Calls back when `progress` may have changed, at most four times each second. Returns the end of it. */
  subscribe(listener: () => void): () => void;
  close(): void;
}

export type VolumeDescription =
  | {
      readonly volume: KnownVolume;
      readonly refusal: undefined;
      /** Of the first time. */
      readonly storage: VolumeStorage;
      readonly placesLoaded: number;
    }
  | Extract<DescribedVolume, { volume: undefined }>;

export type VolumesContext = {
  readonly catalog: Pick<Catalog, 'get' | 'files'>;
  readonly series: Pick<SeriesList, 'findStack' | 'version'>;
  readonly frames: Pick<Frames, 'percentiles'>;
  readonly clock?: Clock;
  readonly tasks: Pick<TaskPool, 'run' | 'collectGarbage'>;
  readonly memory: MemoryAccount;
};

/** Packed slices are hardly smaller by more than this, so nothing is decoded of a volume that is larger by more. */
const MOST_PACKING = 16;
/** The most that is in memory of a volume that is too large for it, for one plane. */
const MOST_BOX_BYTES = 64 * MIB;
/**
 * A plane that crosses a packed volume at an angle needs few of the bricks around it, so it is divided further into parts,
 * until these are small, need not much more than they show, or need no less when they are divided.
 */
const SMALL_BOX_BYTES = MIB;
/** Rows that a thread reads of one slice. */
const MOST_READ_BYTES = 16 * MIB;
const MOST_SPARSE = 24;
/** How long an answer may come out of memory without a look at the files. */
const CHECK_MS = 1_000;
/** A request waits at most this long for the geometry of a volume. Some need it in two forms. */
const DESCRIBING_MS = 6_000;
/** Addresses whose stack is remembered; more are looked up again. */
const MOST_ADDRESSES = 256;

export function createVolumes({
  catalog,
  series,
  frames,
  tasks,
  memory,
  clock = SYSTEM_CLOCK,
}: VolumesContext): Volumes {
  const records = createKeptWork<KeptRecord>({
    cache: memory.cache('volumeRecords'),
    bytesOf: (one) => 4_096 + 64 * (('volume' in one ? one.volume : one.places)?.fileIndices.length ?? 0),
  });
  const planes = createKeptWork<RawPlane | PlanePicture>({
    cache: memory.cache('planes'),
    bytesOf: ({ bytes }) => bytes.length,
  });
  const { files } = catalog;
  const windows = createVolumeWindows({ catalog, series, frames });
  const budgetBytes = volumeBytesIn(memory.plan.tasks);
  const loaded = createVolumeMemory({ files, tasks, memory, collectGarbage: () => tasks.collectGarbage() });
  const bricks = createBrickMemory({ files, tasks, memory, volumes: loaded });
  /** Keys of the stacks of addresses. The stacks themselves are too large to be kept. */
  const stackKeys = new Map<string, { readonly version: string; readonly key: string }>();
  const lookUps = new Map<string, Promise<FoundStack>>();
  /** Planes in parts are sampled one at a time, because their memory is theirs also between the parts. */
  let lastInParts: Promise<unknown> = Promise.resolve();
  const checks = new Map<string, { readonly atMs: number; readonly done: Promise<void> }>();

  /** Concurrent requests look up once. */
  async function findStack({ fileIndex, frame }: VolumeAddress): Promise<FoundStack> {
    const address = `${fileIndex} ${frame}`;
    const version = series.version();
    const looking = lookUps.get(address) ?? lookUpStack(series, { fileIndex, frame });
    lookUps.set(address, looking);
    try {
      const found = await looking;
      remember(stackKeys, address, { version, key: found.key });
      return found;
    } finally {
      if (lookUps.get(address) === looking) lookUps.delete(address);
    }
  }

  async function describe(address: VolumeAddress, options: FrameOptions) {
    const file = catalog.get(address.fileIndex);
    if (!file.hasPixels) throw new ViewerError('no_pixel_data', 'the file has no pixel data');
    if (address.frame !== undefined && address.frame >= file.frameCount) {
      throw new ViewerError('frame_out_of_range', `frame ${address.frame} is outside 0 to ${file.frameCount - 1}`);
    }
    const refused = refuseFile(file);
    if (refused !== undefined) return { volume: undefined, ...refused, key: '' };
    const { fileIndex, frame, takesSingle = false } = address;
    const wanted = { fileIndex, frame, takesSingle };
    const place = `${fileIndex} ${frame}`;
    const keyOf = (stackKey: string) => `${stackKey} ${place}${takesSingle ? ' single' : ''}`;
    const remembered = stackKeys.get(place);
    const known = remembered?.version === series.version() ? records.find(keyOf(remembered.key)) : undefined;
    if (known !== undefined && 'volume' in known) return known;
    const value = await within(async () => {
      const { stack, key: stackKey } = await findStack(address);
      return readRecord(keyOf(stackKey), { stack, file, wanted }, options);
    });
    if (!('volume' in value)) throw new Error('descriptions have a key of their own');
    return value;
  }

  async function readRecord(
    key: string,
    { stack, file, wanted }: Pick<FoundStack, 'stack'> & { readonly file: DicomFile; readonly wanted: WantedFrame },
    options: FrameOptions,
  ): Promise<KeptRecord> {
    const { value } = await records.get(key, options, async (signal) => {
      const indices = new Set(stack === undefined || stack.kind === 'too_many_frames' ? [] : stack.fileIndices);
      const described = await tasks.run(
        readVolumeTask,
        { stack, files: await doInTurns(packList(listVolumeFiles(indices, files)), signal), wanted },
        { of: { file, files: indices.size }, signal, shareKey: `volume ${key}` },
      );
      return { ...described, key: described.volume === undefined ? '' : keyOfVolume(described.volume) };
    });
    return value;
  }

  /** The work goes on if it takes longer, and a later request finds its result. */
  async function within<Value>(work: () => Promise<Value>): Promise<Value> {
    const value = await createTimeLimit(DESCRIBING_MS, clock).wait(work);
    if (value !== undefined) return value;
    throw new ViewerError('decode_busy', 'the slices of the volume are still being read; try again in a moment');
  }

  async function placeSlices(address: VolumeAddress, options: FrameOptions): Promise<PlacedVolume> {
    const file = catalog.get(address.fileIndex);
    const refused = refuseFile(file);
    if (refused !== undefined) return { places: undefined, ...refused };
    const { fileIndex, frame, takesSingle = false } = address;
    const place = `${fileIndex} ${frame}`;
    const keyOf = (stackKey: string) => `places ${stackKey} ${place} ${takesSingle}`;
    const remembered = stackKeys.get(place);
    const known = remembered?.version === series.version() ? records.find(keyOf(remembered.key)) : undefined;
    if (known !== undefined && 'places' in known) return known;
    const { stack, key } = await findStack(address);
    const { value } = await records.get(keyOf(key), options, async (signal) => {
      const indices = new Set(stack === undefined || stack.kind === 'too_many_frames' ? [] : stack.fileIndices);
      const packed = await doInTurns(packList(listVolumeFiles(indices, files)), signal);
      const input = { stack, files: packed, wanted: { fileIndex, frame, takesSingle } };
      return tasks.run(placeVolumeTask, input, { signal });
    });
    if (!('places' in value)) throw new Error('places have a key of their own');
    return value;
  }

  async function find(address: VolumeAddress, time: number, options: FrameOptions): Promise<KnownVolume> {
    const { volume, refusal, key } = await describe(address, options);
    if (volume === undefined) throw new ViewerError('volume_unavailable', `no volume: ${refusal.message}`);
    if (time >= volume.times.length) {
      throw new ViewerError('frame_out_of_range', `time ${time} is outside 0 to ${volume.times.length - 1}`);
    }
    return { ...volume, key: withRedactions(key) };
  }

  async function checkSources(volume: KnownVolume): Promise<void> {
    const sources = await doInTurns(packList(listSources(volume, files)), undefined);
    // All requests of this second share it, and it only asks for the times of files.
    await tasks.run(checkSourcesTask, sources, { signal: undefined });
  }

  /** Throws `file_gone` if a file of the volume has changed. Looks at most once a second. */
  function check(volume: KnownVolume): Promise<void> {
    // Whoever fills a volume knows where its samples come from.
    if (volume.fill !== undefined) return Promise.resolve();
    const known = checks.get(volume.key);
    if (known !== undefined && performance.now() - known.atMs < CHECK_MS) return known.done;
    const done = checkSources(volume).catch((error: unknown) => {
      if (error instanceof ViewerError && error.code === 'file_gone') loaded.drop(volume, error);
      throw error;
    });
    done.catch(() => undefined);
    remember(checks, volume.key, { atMs: performance.now(), done });
    return done;
  }

  /** Opens the memory of one time; a changed file ends the volume, also while it is loaded. */
  async function load(volume: KnownVolume, time: number, range: PlaceRange | undefined, options: FrameOptions) {
    const opened = await loaded.open(volume, time, options.signal);
    if (range === undefined) return opened;
    try {
      await opened.load(range, options);
    } catch (error) {
      if (error instanceof ViewerError && error.code === 'file_gone') loaded.drop(volume, error);
      throw error;
    }
    return opened;
  }

  /**
   * Reads a part of a volume that is too large for the memory: out of uncompressed files, of which nothing is kept, or
   * out of the bricks of compressed ones.
   */
  async function withBox<Output>(
    { volume, time, box, planePlaces, planeBytes, isLikelyAgain, tooLarge }: PartOfVolume,
    options: FrameOptions,
    use: (part: BoxSamples) => Promise<Output>,
  ): Promise<Output> {
    const { signal, priority = 'interactive' } = options;
    const bytes = countSamples(box) * bytesOfSample(volume.sample.storage);
    if (!isReadable(volume)) {
      if (bytesOfTime(volume) > MOST_PACKING * budgetBytes) throw tooLarge;
      return bricks.withBox({ volume, time, box, planePlaces, planeBytes, isLikelyAgain }, options, use);
    }
    // Beside the box, each thread holds the rows of one slice.
    const reserved = planeBytes + bytes + 32 * MIB;
    return memory.tasks.reserve({ bytes: reserved, isUpperBound: true, priority, signal }, async () => {
      const buffer = new SharedArrayBuffer(bytes);
      await readRows({ volume, time, box, buffer, tooLarge }, { priority, signal });
      return use({ box, buffer, damage: undefined });
    });
  }

  /** Whether some rows of its slices can be read without the others. */
  function isReadable({ sample, fileIndices }: KnownVolume): boolean {
    return (
      !sample.isModality &&
      bytesOfSample(sample.storage) <= 2 &&
      [...new Set(fileIndices)].every((index) => isUncompressed(files[index]!))
    );
  }

  async function readRows(
    { volume, time, box, buffer, tooLarge }: Pick<PartOfVolume, 'volume' | 'time' | 'box' | 'tooLarge'> & Filled,
    options: BoxOptions,
  ): Promise<void> {
    const { table, sample, fileIndices, frameIndices } = volume;
    const first = time * table.positionsMm.length + box.places.first;
    const slices = Array.from(box.tops, (top, place) => {
      const { source } = files[fileIndices[first + place]!]!;
      return { place, source, frame: frameIndices[first + place]!, top, left: box.lefts[place]! };
    });
    const part = { imageColumns: table.columns, rows: box.rows, columns: box.columns };
    const reads: Promise<boolean>[] = [];
    for (let at = 0; at < slices.length; at += ROWS_BATCH) {
      const input = { ...part, storage: sample.storage, buffer, slices: slices.slice(at, at + ROWS_BATCH) };
      reads.push(tasks.run(loadRowsTask, input, options));
    }
    if ((await Promise.all(reads)).includes(false)) throw tooLarge;
  }

  /** Samples a plane of a volume that is too large for the memory, in as few parts as fit. */
  async function renderBeyond<More, Output extends RawPlane | PlanePicture>(
    { volume, time, grid, sampling, tooLarge }: PlaneBeyond,
    { task, more }: Pick<RenderRequest<More, Output>, 'task' | 'more'>,
    options: FrameOptions & { readonly signal: AbortSignal },
  ): Promise<Output> {
    const slab = findSlab(volume.table, grid, sampling);
    const finder = createBoxFinder(volume.table, grid, slab);
    const planeBytes = bytesOfSampling(grid, sampling);
    const { priority = 'interactive', signal } = options;
    const taskOptions = { of: { bendBytes: 0 }, priority, signal };
    const areRowsRead = isReadable(volume);
    const bytesOf = (box: VolumeBox) => countSamples(box) * bytesOfSample(volume.sample.storage);
    const fits = ({ box }: PlacedPart) =>
      bytesOf(box) <= Math.min(MOST_BOX_BYTES, budgetBytes / 2) &&
      // Rows are read as a whole, so fewer columns of them save nothing.
      (!areRowsRead || 4 * box.rows * volume.table.columns <= MOST_READ_BYTES);
    const isSparse = ({ box, part }: PlacedPart) => {
      const shown = lengthOfRange(part.rows) * lengthOfRange(part.columns) * lengthOfRange(part.sheets);
      return !areRowsRead && bytesOf(box) > SMALL_BOX_BYTES && countSamples(box) > MOST_SPARSE * shown;
    };
    const inputOf = (part: BoxSamples) => toPlaneInput(volume, time, { grid, sampling, ...part });
    const part = wholePart(grid, slab);
    const box = finder.find(part);
    if (box === undefined) {
      const input = { ...inputOf({ box: EMPTY_BOX, buffer: new SharedArrayBuffer(0), damage: undefined }), ...more };
      return explain(tasks.run(task, input, taskOptions));
    }
    const wanted = { volume, time, planePlaces: box.places, planeBytes, tooLarge };
    const pieces = () => finder.divide(part, { fits, isSparse });
    const [first] = pieces();
    if (first?.part === part) {
      return withBox({ ...wanted, box, isLikelyAgain: true }, options, (read) =>
        explain(tasks.run(task, { ...inputOf(read), ...more }, { ...taskOptions, isReserved: true })),
      );
    }

    const inParts = async () => {
      signal.throwIfAborted();
      const damages: FrameDamage[] = [];
      let sums: SharedArrayBuffer | undefined;
      for (const placed of pieces()) {
        await withBox({ ...wanted, box: placed.box, isLikelyAgain: false }, options, async (read) => {
          const isFirst = sums === undefined;
          sums ??= new SharedArrayBuffer(bytesOfSums(grid, sampling));
          const ofPlane = { part: placed.part, buffer: sums, isFirst };
          await explain(tasks.run(planePartTask, { ...inputOf(read), ofPlane }, { priority, signal }));
          if (read.damage !== undefined) damages.push(read.damage);
        });
      }
      const nothing = { box: EMPTY_BOX, buffer: new SharedArrayBuffer(0), damage: combineFrameDamage(damages) };
      const input = { ...inputOf(nothing), sums, ...more };
      return explain(tasks.run(task, input, taskOptions));
    };
    const done = lastInParts.then(inParts);
    lastInParts = done.catch(() => undefined);
    return done;
  }

  async function withWindow(volume: KnownVolume, options: FrameOptions): Promise<KnownVolume> {
    const voi = await windows.find(volume, options);
    return { ...volume, sample: { ...volume.sample, voi } };
  }

  /** Samples a plane with `task`. Planes of all slices are kept; a partial one is made for one request. */
  async function render<More, Output extends RawPlane | PlanePicture>(
    { source, query, task, more, form, bentBytes, isShown = false }: RenderRequest<More, Output>,
    options: FrameOptions,
  ): Promise<Output & Answered> {
    const { time = 0, partial = false } = query;
    const grid = gridOfQuery(query);
    const sampling = samplingOfQuery(query);
    const isBent = bentBytes !== undefined;
    const found = 'table' in source ? source : await find(source, time, options);
    const volume = isShown ? await withWindow(found, options) : found;
    const of = files[volume.fileIndices[0] ?? -1];
    checkPlaneSpace(query, nameSpace(volume.frameOfReferenceUid, of?.seriesInstanceUid));
    const last = volume.table.positionsMm.length - 1;
    const range = isBent ? { first: 0, last } : findNeededPlaces(volume.table, grid, sampling);
    checkPlaneWork(volume.table, grid, sampling, isBent);
    const needed = range === undefined ? 0 : range.last - range.first + 1;
    const run = (opened: LoadedTime, signal: AbortSignal | undefined, slots: Int32Array | undefined) =>
      opened.use(() => {
        const { buffer } = opened;
        const damage = range && opened.damageOf(range);
        const input = { ...toPlaneInput(volume, time, { grid, sampling, buffer, damage, slots }), ...more };
        const { priority = 'interactive' } = options;
        return tasks.run(task, input, { of: { bendBytes: bentBytes ?? 0 }, priority, signal });
      });

    if (partial && range !== undefined && volume.fill === undefined && loaded.explainSize(volume) === undefined) {
      const opened = await loaded.open(volume, time, options.signal);
      const used = countIn(opened.present, range);
      if (used < needed) {
        opened.loadMeanwhile(range, options);
        const slots = listSlots(opened.present);
        const [output] = await Promise.all([explain(run(opened, options.signal, slots)), check(volume)]);
        return { ...output, cached: false, places: { used, needed } };
      }
    }
    const tooLarge = range === undefined ? undefined : loaded.explainSize(volume);
    loaded.touch(volume, time);
    const key = [volume.key, time, JSON.stringify([grid, sampling]), form].join('\0');
    const work = planes.get(key, options, async (signal) => {
      if (tooLarge !== undefined && (isBent || volume.fill !== undefined)) throw tooLarge;
      if (range !== undefined && tooLarge !== undefined) {
        return renderBeyond({ volume, time, grid, sampling, tooLarge }, { task, more }, { ...options, signal });
      }
      const opened = await load(volume, time, range, { ...options, signal });
      return explain(run(opened, signal, undefined));
    });
    const [{ value, cached }] = await Promise.all([work, check(volume)]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form in the key belongs to the task
    return { ...(value as Output), cached, places: { used: needed, needed } };
  }

  const progress = () => [...loaded.progress(), ...bricks.progress()];

  /** Where the samples of the first time are. */
  function findStorage(volume: KnownVolume): { readonly storage: VolumeStorage; readonly placesLoaded: number } {
    const ofVolume = progress().find(({ fileIndex, time }) => fileIndex === volume.fileIndices[0] && time === 0);
    if (ofVolume !== undefined) return ofVolume;
    const isInFiles = loaded.explainSize(volume) !== undefined && isReadable(volume);
    return { storage: isInFiles ? 'files' : 'none', placesLoaded: 0 };
  }

  return {
    async describe(address, options) {
      const { volume, refusal, key } = await describe(address, options);
      if (volume === undefined) return { volume, refusal };
      const known = { ...volume, key: withRedactions(key) };
      return { volume: known, refusal: undefined, ...findStorage(known) };
    },
    place: (address, options) => placeSlices(address, options),
    raw(source, query, options) {
      const { isPacked, samples = 'stored', bend, isShown = false } = query;
      const more = { isPacked, wantsFloat: samples === 'float' };
      const form = `raw ${samples} ${isPacked} ${isShown}`;
      if (bend === undefined) return render({ source, query, task: rawPlaneTask, more, form, isShown }, options);
      return render(
        {
          source,
          query,
          task: bend.task,
          more: { ...more, bend: bend.bend },
          form: `${form} ${bend.key}`,
          bentBytes: bend.bytes,
        },
        options,
      );
    },
    async picture(address, query, options) {
      const choice = parseWindowChoice(query);
      const { size } = query;
      const form = `picture ${size} ${JSON.stringify(choice)}`;
      const isShown = choice.kind === 'default';
      return render({ source: address, query, task: planePictureTask, more: { choice, size }, form, isShown }, options);
    },
    async value(address, { at, time = 0 }, options) {
      const volume = await find(address, time, options);
      const point = toPoint(at);
      const position = findVolumePosition(volume.table, point);
      if (position === undefined) {
        await check(volume);
        return { stored: null, modality: null, nearest: null };
      }
      const { table } = volume;
      const grid: PlaneGrid = { ...pickPlane(table), position: point, rows: 1, columns: 1 };
      const checked = check(volume);
      const tooLarge = volume.fill === undefined ? loaded.explainSize(volume) : undefined;
      if (tooLarge !== undefined) {
        const slab = findSlab(table, grid, { slabMm: 0 });
        const box = createBoxFinder(table, grid, slab).find(wholePart(grid, slab)) ?? EMPTY_BOX;
        const wanted = { volume, time, box, planePlaces: box.places, planeBytes: 0, isLikelyAgain: true, tooLarge };
        const read = withBox(wanted, options, async (part) => readValue(volume, time, { grid, position, ...part }));
        const [value] = await Promise.all([read, checked]);
        return value;
      }
      const range = findNeededPlaces(table, grid, { slabMm: 0 });
      const [{ buffer }] = await Promise.all([load(volume, time, range, options), checked]);
      return readValue(volume, time, { grid, position, buffer });
    },
    async use(address, work, options) {
      const volume = await find(address, 0, options);
      const range = { first: 0, last: volume.table.positionsMm.length - 1 };
      const [opened] = await Promise.all([load(volume, 0, range, options), check(volume)]);
      const { buffer } = opened;
      return opened.use(() => work(toSamples(volume, 0, { buffer, damage: opened.damageOf(range) })));
    },
    progress,
    subscribe: (listener) => loaded.subscribe(listener),
    close: () => loaded.close(),
  };
}

type KeptRecord = (DescribedVolume & { readonly key: string }) | PlacedVolume;

type Filled = { readonly buffer: SharedArrayBuffer };
type BoxOptions = { readonly priority: TaskPriority; readonly signal: AbortSignal | undefined };

type PartOfVolume = {
  readonly volume: KnownVolume;
  readonly time: number;
  readonly box: VolumeBox;
  /** The slices that all parts of the plane need. */
  readonly planePlaces: PlaceRange;
  /** Memory that the plane takes beside it. */
  readonly planeBytes: number;
  readonly isLikelyAgain: boolean;
  /** Why the whole volume is not in memory. */
  readonly tooLarge: ViewerError;
};

/** A part of a volume in memory. */
type BoxSamples = {
  readonly box: VolumeBox;
  readonly buffer: SharedArrayBuffer;
  readonly damage: FrameDamage | undefined;
};

type PlaneBeyond = Pick<PartOfVolume, 'volume' | 'time' | 'tooLarge'> & {
  readonly grid: PlaneGrid;
  readonly sampling: PlaneSampling;
};

/** Nothing of a volume. */
const EMPTY_BOX = straightBox({ first: 0, last: -1 }, { first: 0, last: -1 }, { first: 0, last: -1 });

type FoundStack = { readonly stack: PackedStack | LargeStack | undefined; readonly key: string };

async function lookUpStack(series: VolumesContext['series'], { fileIndex, frame }: VolumeAddress): Promise<FoundStack> {
  const stack = await series.findStack(fileIndex, frame);
  if (stack === undefined || stack.kind === 'too_many_frames') return { stack, key: `${stack?.length}` };
  if (stack.isPending) {
    throw new ViewerError('decode_busy', 'the positions of the frames are still being read; try again in a moment');
  }
  return { stack, key: stack.key };
}

/** Keeps the entries that were added last. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_ADDRESSES && oldest !== undefined) map.delete(oldest);
}

function* listSources({ fileIndices }: KnownVolume, files: readonly DicomFile[]): Generator<KnownSource, void> {
  for (const index of new Set(fileIndices)) yield files[index]!.source;
}

function* listVolumeFiles(indices: Iterable<number>, files: readonly DicomFile[]): Generator<VolumeFile, void> {
  for (const index of indices) {
    const file = files[index];
    if (file === undefined) continue;
    yield {
      index,
      source: file.source,
      frameCount: file.frameCount,
      objectKind: file.objectKind,
      modality: file.modality,
      imageType: file.placement?.imageType ?? '',
      hasFrameGeometry: file.placement?.hasFrameGeometry ?? false,
      rows: file.rows,
      columns: file.columns,
      samplesPerPixel: file.samplesPerPixel,
      photometricInterpretation: file.photometricInterpretation,
    };
  }
}

function keyOfVolume({ fileIndices, frameIndices, times }: Omit<KnownVolume, 'key'>): string {
  const hash = createHash('sha1').update(fileIndices).update(frameIndices);
  return `${hash.digest('base64')} ${times.length}`;
}

type RenderRequest<More, Output> = {
  readonly source: VolumeSource;
  readonly query: PlaneQuery;
  readonly task: Task<PlaneInput & More, Output, BendCost>;
  readonly more: More;
  /** Distinguishes what is made of the same plane. */
  readonly form: string;
  /** It has the window of its volume. */
  readonly isShown?: boolean;
  /** Memory for the way of a plane that is bent on its way into the volume; any slice may be needed then. */
  readonly bentBytes?: number;
};

async function explain<Output>(work: Promise<Output>): Promise<Output> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TaskTimeout)) throw error;
    throw new ViewerError('pixel_decode_failed', 'sampling the plane took too long and was ended', { cause: error });
  }
}

function countIn(present: Uint8Array, { first, last }: PlaceRange): number {
  let count = 0;
  for (let place = first; place <= last; place += 1) count += present[place]!;
  return count;
}

function listSlots(present: Uint8Array): Int32Array {
  const slots: number[] = [];
  for (let place = 0; place < present.length; place += 1) if (present[place] === 1) slots.push(place);
  return Int32Array.from(slots);
}

type PlaneParts = {
  readonly grid: PlaneGrid;
  readonly sampling: PlaneSampling;
  readonly buffer: SharedArrayBuffer;
  readonly damage?: FrameDamage | undefined;
  /** The places that are there, if some are not. */
  readonly slots?: Int32Array | undefined;
  /** The part of the slices that is there, if it is not all of them. */
  readonly box?: VolumeBox | undefined;
};

function toPlaneInput(volume: KnownVolume, time: number, { grid, sampling, ...parts }: PlaneParts): PlaneInput {
  return { ...toSamples(volume, time, parts), grid, sampling };
}

function toSamples(
  volume: KnownVolume,
  time: number,
  { buffer, damage, slots, box }: Omit<PlaneParts, 'grid' | 'sampling'>,
): LoadedSamples {
  const { rescales, paddings, ...sample } = volume.sample;
  const places = volume.table.positionsMm.length;
  const ofTime = (column: Float64Array) => {
    const own = column.subarray(time * places, (time + 1) * places);
    return slots === undefined ? own.slice() : Float64Array.from(slots, (place) => own[place]!);
  };
  const same = (value: number) => new Float64Array(slots?.length ?? places).fill(value);
  const { padding } = sample;
  return {
    table: slots === undefined ? volume.table : thinOut(volume.table, slots),
    buffer,
    slots,
    box,
    sample,
    rescales: rescales && { slopes: ofTime(rescales.slopes), intercepts: ofTime(rescales.intercepts) },
    paddings:
      padding === undefined
        ? paddings && { lows: ofTime(paddings.lows), highs: ofTime(paddings.highs) }
        : { lows: same(padding.low), highs: same(padding.high) },
    damage,
  };
}

/** The table of some of the places. Gaps between them are bridged unless they contain a hole. */
function thinOut(table: PositionTable, slots: Int32Array): PositionTable {
  // A table has two places at least: those that are not there are far away.
  const places = slots.length < 2 ? [] : [...slots];
  const pick = (column: Float64Array, size: number) =>
    Float64Array.from(places.flatMap((place) => [...column.subarray(size * place, size * (place + 1))]));
  if (places.length === 0) {
    const far = 1e9;
    return {
      ...table,
      positionsMm: Float64Array.of(far, far + 1),
      points: new Float64Array(6),
      isHole: Uint8Array.of(1),
    };
  }
  const isHole = places.slice(1).map((place, at) => Number(table.isHole.subarray(places[at], place).includes(1)));
  return {
    ...table,
    positionsMm: pick(table.positionsMm, 1),
    points: pick(table.points, 3),
    isHole: Uint8Array.from(isHole),
  };
}

function pickPlane({ rowDirection, columnDirection, rowSpacingMm, columnSpacingMm }: PositionTable) {
  return { rowDirection, columnDirection, rowSpacingMm, columnSpacingMm };
}

function readValue(
  volume: KnownVolume,
  time: number,
  {
    grid,
    buffer,
    box,
    position,
  }: Pick<PlaneParts, 'grid' | 'buffer' | 'box'> & {
    readonly position: { readonly place: number; readonly row: number; readonly column: number };
  },
): VolumeValueResponse {
  const sampling: PlaneSampling = { interpolation: 'linear', slabMm: 0, projection: 'max' };
  const input = toPlaneInput(volume, time, { grid, sampling, buffer, box });
  const samples = viewSamples(volume.sample.storage, buffer);
  const { values } = samplePlane({ ...input, samples }, grid, sampling);
  const { padding, rescale } = volume.sample;
  const [value = NaN] = values;
  // A sample that is copied keeps its padding.
  const isNothing = Number.isNaN(value) || (padding !== undefined && value >= padding.low && value <= padding.high);
  const { table } = volume;
  const places = table.positionsMm.length;
  const at = time * places + findNearest(position.place, places);
  return {
    stored: isNothing || rescale === undefined || volume.sample.isModality ? null : value,
    modality: isNothing ? null : rescale === undefined ? value : value * rescale.slope + rescale.intercept,
    nearest: {
      file_index: volume.fileIndices[at]!,
      frame_index: volume.frameIndices[at]!,
      row: findNearest(position.row, table.rows),
      column: findNearest(position.column, table.columns),
    },
  };
}

/** The sample that an index lies in, by the same rule for halves as in a plane. */
function findNearest(index: number, count: number): number {
  return Math.min(Math.floor(index + 0.5 + INDEX_TOLERANCE), count - 1);
}

/** Samples are kept by this key: after a change of redactions, all of them are read again. */
function withRedactions(key: string): string {
  return `${key} ${redactionsVersion()}`;
}
