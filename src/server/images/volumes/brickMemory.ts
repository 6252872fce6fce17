import { ViewerError } from '../../../shared/contract/errors.ts';
import { combineFrameDamage, type FrameDamage } from '../../../shared/frameDamage.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { volumeBytesIn } from '../../machine/memory/memoryPlan.ts';
import { decodeCostOf } from '../pixels/decodeCost.ts';
import { MIB } from '../../machine/system/mib.ts';
import type { FrameOptions } from '../pixels/frames.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { bytesOfSample } from './sampleView.ts';
import { BRICK_SIDE, cropOf, type PlaceRange, type VolumeBox } from './volume.ts';
import { countSamples, findStraight, straightBox } from './volumeBox.ts';
import { bytesOfTime, type KnownVolume, type VolumeMemory, type VolumeProgress } from './volumeMemory.ts';
import { type PackedLayer, packLayerTask, unpackBricksTask } from './volumeTasks.ts';

/** Slices of one time, packed as bricks. */
export type BrickLayer = PackedLayer & { readonly firstPlace: number };

/** A part of one time of a volume, unpacked. */
export type UnpackedBox = {
  readonly box: VolumeBox;
  readonly buffer: SharedArrayBuffer;
  /** Combined damage of its slices, and of those that were packed with them. */
  readonly damage: FrameDamage | undefined;
};

export type BoxRequest = {
  readonly volume: KnownVolume;
  readonly time: number;
  readonly box: VolumeBox;
  /** The slices that all parts of the plane need: it is refused if they do not fit together. */
  readonly planePlaces: PlaceRange;
  /** Memory that the plane takes beside the box. */
  readonly planeBytes: number;
  /** Whether the next plane probably needs the same bricks: whole ones are then unpacked, and kept if there is room. */
  readonly isLikelyAgain: boolean;
};

/** Packed slices of volumes that are too large for the memory. */
export interface BrickMemory {
  /**
   * Unpacks at least a part of a volume for `use`. Slices that are not packed yet are decoded. Throws
   * `volume_memory_exceeded` if the slices are too large even packed.
   */
  withBox<Output>(
    request: BoxRequest,
    options: FrameOptions,
    use: (unpacked: UnpackedBox) => Promise<Output>,
  ): Promise<Output>;
  /** How many slices of each volume are packed, while some of them are. */
  progress(): readonly VolumeProgress[];
}

type Context = {
  readonly files: readonly DicomFile[];
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly volumes: Pick<VolumeMemory, 'keep' | 'tell'>;
};

const MOST_SLICES = 32;
/** Memory for the slices of a layer before they are packed. */
const MOST_LAYER_BYTES = 32 * MIB;
/** Layers of one request that are packed at the same time: enough to keep the threads busy. */
const MOST_AT_ONCE = 2;
/** Layers that one task unpacks. */
const LAYERS_BATCH = 4;
/** Parts that are kept unpacked: one for each of three planes. */
const MOST_BOXES = 3;

export function createBrickMemory({ files, tasks, memory, volumes }: Context): BrickMemory {
  const budgetBytes = volumeBytesIn(memory.plan.tasks);
  const packed = new Map<string, BrickLayer & { readonly of: Omit<VolumeProgress, 'placesLoaded'> }>();
  /** Least recently used first. */
  const boxes = new Map<string, UnpackedBox>();

  async function find(volume: KnownVolume, time: number, { number, slices }: LayerPlace, options: FrameOptions) {
    const key = `${volume.key} ${time} bricks ${number}`;
    const known = packed.get(key);
    if (known !== undefined) {
      volumes.keep.touch(key);
      return known;
    }
    const { table, sample } = volume;
    const places = table.positionsMm.length;
    const firstPlace = number * slices;
    const count = Math.min(slices, places - firstPlace);
    const of = Array.from({ length: count }, (_, slice) => {
      const at = time * places + firstPlace + slice;
      const { source } = files[volume.fileIndices[at]!]!;
      const crop = cropOf(volume.crops, at);
      return { place: slice, source, frame: volume.frameIndices[at]!, mapping: volume.mappings?.ofFrames[at], crop };
    });
    const file = files[volume.fileIndices[time * places + firstPlace]!]!;
    const { rows, columns } = table;
    const { storage, isModality } = sample;
    const { signal, priority = 'interactive' } = options;
    const layer = await tasks.run(
      packLayerTask,
      { storage, isModality, rows, columns, slices: of },
      { of: decodeCostOf(file, memory.plan.tasks), priority, shareKey: key, signal },
    );
    const held = {
      ...layer,
      firstPlace,
      of: { storage: 'packed', fileIndex: volume.fileIndices[0]!, time, places },
    } as const;
    const leave = () => {
      packed.delete(key);
      volumes.tell();
    };
    if (!packed.has(key) && volumes.keep.add(key, layer.bytes.byteLength, leave)) {
      packed.set(key, held);
      volumes.tell();
    }
    return held;
  }

  async function findLayers(
    { volume, time, box, planePlaces }: BoxRequest,
    options: FrameOptions,
  ): Promise<readonly BrickLayer[]> {
    const { first, last } = box.places;
    const slices = slicesOfLayer(volume, memory.plan.tasks);
    const numbers = Array.from(
      { length: Math.floor(last / slices) - Math.floor(first / slices) + 1 },
      (_, i) => Math.floor(first / slices) + i,
    );
    const layersOfPlane = Math.floor(planePlaces.last / slices) - Math.floor(planePlaces.first / slices) + 1;
    const found: BrickLayer[] = [];
    let bytes = 0;
    const waiting = numbers.values();
    const work = async () => {
      for (const number of waiting) {
        options.signal?.throwIfAborted();
        const layer = await find(volume, time, { number, slices }, options);
        found.push(layer);
        bytes += layer.bytes.byteLength;
        // What the others will take is known from the first ones.
        if ((bytes / found.length) * layersOfPlane > budgetBytes) {
          throw explainSize(volume, (bytes / found.length) * (volume.table.positionsMm.length / slices), budgetBytes);
        }
      }
    };
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
    return found;
  }

  async function unpack(
    { volume, box }: BoxRequest,
    { layers, buffer }: { readonly layers: readonly BrickLayer[]; readonly buffer: SharedArrayBuffer },
    { signal, priority = 'interactive' }: FrameOptions,
  ): Promise<void> {
    const { rows, columns } = volume.table;
    const { storage } = volume.sample;
    const work: Promise<void>[] = [];
    for (let at = 0; at < layers.length; at += LAYERS_BATCH) {
      const input = { rows, columns, storage, box, buffer, layers: layers.slice(at, at + LAYERS_BATCH) };
      work.push(tasks.run(unpackBricksTask, input, { priority, signal }));
    }
    await Promise.all(work);
  }

  /** Keeps a part for the next planes, if it takes no room from the bricks. */
  function keepBox(key: string, unpacked: UnpackedBox): void {
    if (boxes.has(key)) return;
    let [oldest] = boxes.keys();
    if (boxes.size >= MOST_BOXES && oldest !== undefined) volumes.keep.remove(oldest);
    while (!volumes.keep.addSpare(key, unpacked.buffer.byteLength, () => boxes.delete(key))) {
      [oldest] = boxes.keys();
      if (oldest === undefined) return;
      volumes.keep.remove(oldest);
    }
    boxes.set(key, unpacked);
  }

  return {
    async withBox(request, options, use) {
      const { signal, priority = 'interactive' } = options;
      const wide = request.isLikelyAgain
        ? widenBox(request.volume, request.box, slicesOfLayer(request.volume, memory.plan.tasks))
        : undefined;
      const isWide = wide !== undefined && bytesOfBox(request.volume, wide) <= budgetBytes / 4;
      const box = isWide ? wide : request.box;
      const key = `${request.volume.key} ${request.time} box ${JSON.stringify([box.places, findStraight(box)])}`;
      const known = boxes.get(key);
      if (isWide && known !== undefined) {
        volumes.keep.touch(key);
        boxes.delete(key);
        boxes.set(key, known);
        return memory.tasks.reserve({ bytes: request.planeBytes, priority, signal }, () => use(known));
      }
      const layers = await findLayers({ ...request, box }, options);
      const bytes = bytesOfBox(request.volume, box);
      // Beside the box, each thread holds a brick.
      const reserved = request.planeBytes + bytes + 4 * MIB;
      return memory.tasks.reserve({ bytes: reserved, isUpperBound: true, priority, signal }, async () => {
        const buffer = new SharedArrayBuffer(bytes);
        await unpack({ ...request, box }, { layers, buffer }, options);
        const unpacked = { box, buffer, damage: combineFrameDamage(layers.flatMap(({ damage }) => damage ?? [])) };
        const output = await use(unpacked);
        if (isWide) keepBox(key, unpacked);
        return output;
      });
    },
    progress() {
      const found = new Map<string, VolumeProgress>();
      for (const { of, slices } of packed.values()) {
        const key = `${of.fileIndex} ${of.time}`;
        found.set(key, { ...of, placesLoaded: (found.get(key)?.placesLoaded ?? 0) + slices });
      }
      return [...found.values()];
    },
  };
}

/** A range of `count` numbers to the edges of pieces of a size. */
function widen({ first, last }: PlaceRange, side: number, count: number): PlaceRange {
  return {
    first: Math.floor(first / side) * side,
    last: Math.min(count, (Math.floor(last / side) + 1) * side) - 1,
  };
}

/** The same part to the edges of the bricks; undefined if it is not the same in all slices. */
function widenBox({ table }: KnownVolume, box: VolumeBox, slices: number): VolumeBox | undefined {
  const straight = findStraight(box);
  return (
    straight &&
    straightBox(
      widen(box.places, slices, table.positionsMm.length),
      widen(straight.rows, BRICK_SIDE, table.rows),
      widen(straight.columns, BRICK_SIDE, table.columns),
    )
  );
}

function bytesOfBox({ sample }: KnownVolume, box: VolumeBox): number {
  return countSamples(box) * bytesOfSample(sample.storage);
}

type LayerPlace = { readonly number: number; readonly slices: number };

/** Fewer of large slices, so that a layer can be decoded beside what else is in memory. */
function slicesOfLayer({ table: { rows, columns }, sample }: KnownVolume, tasksBytes: number): number {
  const most = Math.min(MOST_LAYER_BYTES, tasksBytes / 8);
  return Math.max(1, Math.min(MOST_SLICES, Math.floor(most / (rows * columns * bytesOfSample(sample.storage)))));
}

function explainSize(volume: KnownVolume, packedBytes: number, budgetBytes: number): ViewerError {
  return new ViewerError(
    'volume_memory_exceeded',
    `this volume takes ${inMib(bytesOfTime(volume))} of memory, about ${inMib(packedBytes)} if it is packed, and volumes may ` +
      `use ${Math.floor(budgetBytes / MIB)} MiB, a part of --memory; start with a larger --memory`,
  );
}

function inMib(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`;
}
