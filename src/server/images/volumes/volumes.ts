import { ViewerError } from '../../../shared/contract/errors.ts';
import type { VolumeStorage, VolumeValueResponse } from '../../../shared/contract/volumes.ts';
import { findNeededPlaces, findSlab, type PlaneGrid, type PlaneSampling } from '../../../shared/planeGrid.ts';
import { findVolumePosition, INDEX_TOLERANCE, type PositionTable } from '../../../shared/positionTable.ts';
import { nameSpace } from '../../../shared/spaceName.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { TaskPool } from '../../machine/memory/taskPool.ts';
import { redactionsVersion } from '../../bytes/origins/origins.ts';
import { type FrameOptions, type Frames, parseWindowChoice, type WindowQuery } from '../pixels/frames.ts';
import { createKeptWork, type KeptWork } from '../pixels/keptWork.ts';
import type { SeriesList } from '../series/seriesList.ts';
import { type Clock, SYSTEM_CLOCK } from '../../machine/workers/timeLimit.ts';
import type { Task } from '../../machine/workers/task.ts';
import { createBrickMemory } from './brickMemory.ts';
import { explainPlane } from './explainPlane.ts';
import { type PlaneParts, toPlaneInput, toSamples } from './planeInput.ts';
import { createPlanesBeyond, EMPTY_BOX, type PlaneTask } from './planesBeyond.ts';
import { createVolumeRecords, type VolumeAddress } from './volumeRecords.ts';
import {
  checkPlaneSpace,
  checkPlaneWork,
  gridOfQuery,
  type PlaneQuery,
  samplingOfQuery,
  toPoint,
} from './planeQuery.ts';
import { samplePlane } from './samplePlane.ts';
import { viewSamples } from './sampleView.ts';
import { createSourceChecks } from './sourceChecks.ts';
import { cropOf, type DescribedVolume, type PlacedVolume, type PlaceRange } from './volume.ts';
import { createVolumeWindows } from './volumeWindows.ts';
import { createBoxFinder, wholePart } from './volumeBox.ts';
import {
  createVolumeMemory,
  type MappedFrames,
  type KnownVolume,
  type LoadedTime,
  type VolumeProgress,
} from './volumeMemory.ts';
import {
  type BendCost,
  growRegionTask,
  type LoadedSamples,
  type PlanePicture,
  planePictureTask,
  type RawPlane,
  type RawPlaneInput,
  rawPlaneTask,
} from './volumeTasks.ts';

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

type RegionQuery = {
  readonly seed: readonly number[];
  readonly low: number;
  readonly high: number;
  readonly time?: number | undefined;
};

/** What makes modality values of the samples in memory, for each slice. */
function rescalesOf({ table, sample }: KnownVolume, time: number) {
  const places = table.positionsMm.length;
  const { slope = 1, intercept = 0 } = sample.isModality ? {} : (sample.rescale ?? {});
  const own = sample.isModality ? undefined : sample.rescales;
  return {
    slopes: own?.slopes.slice(time * places, (time + 1) * places) ?? new Float64Array(places).fill(slope),
    intercepts: own?.intercepts.slice(time * places, (time + 1) * places) ?? new Float64Array(places).fill(intercept),
  };
}

/** Planes of the volumes that stacks of images fill. */
export interface Volumes {
  describe(address: VolumeAddress, options: FrameOptions): Promise<VolumeDescription>;
  /** With modality values for samples, whatever its frames declare. */
  describeStored(address: VolumeAddress, options: FrameOptions): Promise<KnownDescription>;
  /** Throws `file_gone` if files of a volume have changed; they are looked at once a second at most. */
  check(volume: KnownVolume): Promise<void>;
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
  /** The region that grows from a sample, as JSON; undefined if it has too many runs. */
  region(
    address: VolumeAddress,
    query: RegionQuery,
    options: FrameOptions,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>;
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

export type KnownDescription =
  | { readonly volume: KnownVolume; readonly refusal: undefined }
  | Extract<DescribedVolume, { volume: undefined }>;

export type VolumesContext = {
  readonly catalog: Pick<Catalog, 'get' | 'files'>;
  readonly series: Pick<SeriesList, 'findStack' | 'findJointStack' | 'version'>;
  readonly frames: Pick<Frames, 'percentiles'>;
  readonly clock?: Clock;
  readonly tasks: Pick<TaskPool, 'run' | 'collectGarbage'>;
  readonly memory: MemoryAccount;
  /** Absent: samples are modality values. */
  readonly mappingsOf?: (volume: KnownVolume, options: FrameOptions) => Promise<MappedFrames | undefined>;
};

export function createVolumes({
  catalog,
  series,
  frames,
  tasks,
  memory,
  clock = SYSTEM_CLOCK,
  mappingsOf = () => Promise.resolve(undefined),
}: VolumesContext): Volumes {
  const records = createVolumeRecords({ catalog, series, tasks, memory, clock });
  const planes = memory.cache('planes');
  const rawPlanes = createKeptWork<RawPlane>({ cache: planes.part('raw'), bytesOf: ({ bytes }) => bytes.length });
  const pictures = createKeptWork<PlanePicture>({
    cache: planes.part('picture'),
    bytesOf: ({ bytes }) => bytes.length,
  });
  const { files } = catalog;
  const windows = createVolumeWindows({ catalog, series, frames });
  const loaded = createVolumeMemory({ files, tasks, memory, collectGarbage: () => tasks.collectGarbage() });
  const bricks = createBrickMemory({ files, tasks, memory, volumes: loaded });
  const beyond = createPlanesBeyond({ files, tasks, memory, bricks });
  const { check } = createSourceChecks({ files, tasks, onGone: (volume, error) => loaded.drop(volume, error) });

  async function describeStored(address: VolumeAddress, options: FrameOptions): Promise<KnownDescription> {
    const { volume, refusal, key } = await records.describe(address, options);
    if (volume === undefined) return { volume, refusal };
    return { volume: { ...volume, key: withRedactions(key) }, refusal };
  }

  async function describe(address: VolumeAddress, options: FrameOptions): Promise<KnownDescription> {
    const { volume, refusal } = await describeStored(address, options);
    if (volume === undefined) return { volume, refusal };
    const mappings = await mappingsOf(volume, options);
    return { volume: mappings === undefined ? volume : toMapped(volume, mappings), refusal };
  }

  async function find(address: VolumeAddress, time: number, options: FrameOptions): Promise<KnownVolume> {
    const { volume, refusal } = await describe(address, options);
    if (volume === undefined) throw new ViewerError('volume_unavailable', `no volume: ${refusal.message}`);
    if (time >= volume.times.length) {
      throw new ViewerError('frame_out_of_range', `time ${time} is outside 0 to ${volume.times.length - 1}`);
    }
    return volume;
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

  async function withWindow(volume: KnownVolume, options: FrameOptions): Promise<KnownVolume> {
    const voi = await windows.find(volume, options);
    return { ...volume, sample: { ...volume.sample, voi } };
  }

  /** Samples a plane with `task`. Planes of all slices are kept; a partial one is made for one request. */
  async function render<More, Output extends RawPlane | PlanePicture>(
    { kept, source, query, task, more, form, bentBytes, isShown = false }: RenderRequest<More, Output>,
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
        const [output] = await Promise.all([explainPlane(run(opened, options.signal, slots)), check(volume)]);
        return { ...output, cached: false, places: { used, needed } };
      }
    }
    const tooLarge = range === undefined ? undefined : loaded.explainSize(volume);
    loaded.touch(volume, time);
    const key = [volume.key, time, JSON.stringify([grid, sampling]), form].join('\0');
    const work = kept.get(key, options, async (signal) => {
      if (tooLarge !== undefined && (isBent || volume.fill !== undefined)) throw tooLarge;
      if (range !== undefined && tooLarge !== undefined) {
        return beyond.render({ volume, time, grid, sampling, tooLarge }, { task, more }, { ...options, signal });
      }
      const opened = await load(volume, time, range, { ...options, signal });
      return explainPlane(run(opened, signal, undefined));
    });
    const [{ value, cached }] = await Promise.all([work, check(volume)]);
    return { ...value, cached, places: { used: needed, needed } };
  }

  const progress = () => [...loaded.progress(), ...bricks.progress()];

  /** Where the samples of the first time are. */
  function findStorage(volume: KnownVolume): { readonly storage: VolumeStorage; readonly placesLoaded: number } {
    const ofVolume = progress().find(({ fileIndex, time }) => fileIndex === volume.fileIndices[0] && time === 0);
    if (ofVolume !== undefined) return ofVolume;
    const isInFiles = loaded.explainSize(volume) !== undefined && beyond.isReadable(volume);
    return { storage: isInFiles ? 'files' : 'none', placesLoaded: 0 };
  }

  return {
    async describe(address, options) {
      const { volume, refusal } = await describe(address, options);
      if (volume === undefined) return { volume, refusal };
      return { volume, refusal: undefined, ...findStorage(volume) };
    },
    describeStored,
    check,
    place: (address, options) => records.place(address, options),
    raw(source, query, options) {
      const { isPacked, samples = 'stored', bend, isShown = false } = query;
      const more = { isPacked, wantsFloat: samples === 'float' };
      const form = `${samples} ${isPacked} ${isShown}`;
      const common = { kept: rawPlanes, source, query };
      if (bend === undefined) return render({ ...common, task: rawPlaneTask, more, form, isShown }, options);
      return render(
        {
          ...common,
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
      const form = `${size} ${JSON.stringify(choice)}`;
      const isShown = choice.kind === 'default';
      const more = { choice, size };
      const common = { kept: pictures, source: address, query };
      return render({ ...common, task: planePictureTask, more, form, isShown }, options);
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
        const read = beyond.withBox(wanted, options, async (part) =>
          readValue(volume, time, { grid, position, ...part }),
        );
        const [value] = await Promise.all([read, checked]);
        return value;
      }
      const range = findNeededPlaces(table, grid, { slabMm: 0 });
      const [{ buffer }] = await Promise.all([load(volume, time, range, options), checked]);
      return readValue(volume, time, { grid, position, buffer });
    },
    async region(address, query, options) {
      const { time = 0 } = query;
      const volume = await find(address, time, options);
      const growing = describeGrowing(volume, query);
      const range = { first: 0, last: volume.table.positionsMm.length - 1 };
      const [opened] = await Promise.all([load(volume, time, range, options), check(volume)]);
      const { priority = 'interactive', signal } = options;
      const input = { ...growing, buffer: opened.buffer };
      return opened.use(() => tasks.run(growRegionTask, input, { priority, signal }));
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

/** What a region grows in, but the samples. Throws ViewerError. */
function describeGrowing(volume: KnownVolume, { seed, low, high, time = 0 }: RegionQuery) {
  const { table, sample, fileIndices, frameIndices, crops } = volume;
  const places = table.positionsMm.length;
  const [place = 0, row = 0, column = 0] = seed;
  if (place >= places || row >= table.rows || column >= table.columns) {
    throw new ViewerError('bad_request', 'the seed is outside of the volume');
  }
  if (crops !== undefined) {
    throw new ViewerError('bad_request', 'slices of this volume are parts of frames, on which masks cannot be');
  }
  const own = (list: Uint32Array) => list.slice(time * places, (time + 1) * places);
  return {
    storage: sample.storage,
    columns: table.columns,
    rows: table.rows,
    ...rescalesOf(volume, time),
    seed: (place * table.rows + row) * table.columns + column,
    low,
    high,
    fileIndices: own(fileIndices),
    frameIndices: own(frameIndices),
  };
}

/** The volume with real-world values for samples, which are loaded as such, because no function of modality values makes them. */
function toMapped(volume: KnownVolume, mappings: MappedFrames): KnownVolume {
  return {
    ...volume,
    key: `${volume.key} ${mappings.key}`,
    mappings,
    sample: {
      ...volume.sample,
      storage: 'float32',
      isModality: true,
      bitsStored: 32,
      rescale: { slope: 1, intercept: 0 },
      rescales: undefined,
      padding: undefined,
      paddings: undefined,
      unit: mappings.unit,
      suvFactor: undefined,
    },
  };
}

type RenderRequest<More, Output> = PlaneTask<More, Output> & {
  readonly kept: KeptWork<Output>;
  readonly source: VolumeSource;
  readonly query: PlaneQuery;
  /** Distinguishes what is made of the same plane. */
  readonly form: string;
  /** It has the window of its volume. */
  readonly isShown?: boolean;
  /** Memory for the way of a plane that is bent on its way into the volume; any slice may be needed then. */
  readonly bentBytes?: number;
};

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
  const { top, left } = cropOf(volume.crops, at) ?? { top: 0, left: 0 };
  return {
    stored: isNothing || rescale === undefined || volume.sample.isModality ? null : value,
    modality: isNothing ? null : rescale === undefined ? value : value * rescale.slope + rescale.intercept,
    nearest: {
      file_index: volume.fileIndices[at]!,
      frame_index: volume.frameIndices[at]!,
      row: top + findNearest(position.row, table.rows),
      column: left + findNearest(position.column, table.columns),
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
