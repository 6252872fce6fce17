import { ViewerError } from '../../shared/contract/errors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { MemoryAccount } from '../memory/memoryAccount.ts';
import { volumeBytesIn } from '../memory/memoryPlan.ts';
import { decodeMemoryOf, decodeTimeoutMs } from '../pixels/decodeCost.ts';
import type { FrameOptions } from '../pixels/frames.ts';
import type { TaskRunner } from '../workers/task.ts';
import { bytesOfSample } from './sampleView.ts';
import type { PlaceRange } from './volume.ts';
import { bytesOfTime, type KnownVolume, type VolumeMemory } from './volumeMemory.ts';
import { type PackedLayer, packLayerTask } from './volumeTasks.ts';

/** Slices of one time, packed as bricks. */
export type BrickLayer = PackedLayer & { readonly firstPlace: number };

/** Packed slices of volumes that are too large for the memory. */
export interface BrickMemory {
  /**
   * The slices of a range. Those that are not packed yet are decoded. Throws `volume_memory_exceeded` if they are too
   * large even so.
   */
  layers(volume: KnownVolume, time: number, places: PlaceRange, options: FrameOptions): Promise<readonly BrickLayer[]>;
}

type Context = {
  readonly files: readonly DicomFile[];
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly volumes: Pick<VolumeMemory, 'keep'>;
};

const MIB = 2 ** 20;
const MOST_SLICES = 32;
/** Memory for the slices of a layer before they are packed. */
const MOST_LAYER_BYTES = 32 * MIB;
/** Layers of one request that are packed at the same time: enough to keep the threads busy. */
const MOST_AT_ONCE = 2;

export function createBrickMemory({ files, tasks, memory, volumes }: Context): BrickMemory {
  const budgetBytes = volumeBytesIn(memory.plan.tasks);
  const packed = new Map<string, BrickLayer>();

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
      return { place: slice, source: files[volume.fileIndices[at]!]!.source, frame: volume.frameIndices[at]! };
    });
    const file = files[volume.fileIndices[time * places + firstPlace]!]!;
    const { rows, columns } = table;
    const { storage, isModality } = sample;
    const { signal, priority = 'interactive' } = options;
    const layer = await tasks.run(
      packLayerTask,
      { storage, isModality, rows, columns, slices: of },
      {
        priority,
        timeoutMs: decodeTimeoutMs(file) * count,
        memory: {
          // The slices, and the bricks that are made of them.
          bytes: decodeMemoryOf(file, memory.plan.tasks).bytes + 2 * count * rows * columns * bytesOfSample(storage),
          isUpperBound: true,
        },
        shareKey: key,
        ...(signal !== undefined && { signal }),
      },
    );
    const held = { ...layer, firstPlace };
    if (!packed.has(key) && volumes.keep.add(key, layer.bytes.byteLength, () => packed.delete(key))) {
      packed.set(key, held);
    }
    return held;
  }

  return {
    async layers(volume, time, { first, last }, options) {
      const slices = slicesOfLayer(volume, memory.plan.tasks);
      const numbers = Array.from(
        { length: Math.floor(last / slices) - Math.floor(first / slices) + 1 },
        (_, i) => Math.floor(first / slices) + i,
      );
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
          if ((bytes / found.length) * numbers.length > budgetBytes) {
            throw explainSize(volume, (bytes / found.length) * (volume.table.positionsMm.length / slices), budgetBytes);
          }
        }
      };
      await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
      return found;
    },
  };
}

type LayerPlace = { readonly number: number; readonly slices: number };

/** Fewer of large slices, so that a layer can be decoded beside what else is in memory. */
function slicesOfLayer({ table: { rows, columns }, sample }: KnownVolume, tasksBytes: number): number {
  const most = Math.min(MOST_LAYER_BYTES, tasksBytes / 8);
  return Math.max(1, Math.min(MOST_SLICES, Math.floor(most / (rows * columns * bytesOfSample(sample.storage)))));
}

function explainSize(volume: KnownVolume, packedBytes: number, budgetBytes: number): ViewerError {
  const mib = (bytes: number) => `${Math.ceil(bytes / MIB)} MiB`;
  return new ViewerError(
    'volume_memory_exceeded',
    `this volume takes ${mib(bytesOfTime(volume))} of memory, about ${mib(packedBytes)} if it is packed, and volumes may ` +
      `use ${Math.floor(budgetBytes / MIB)} MiB, a part of --memory; start with a larger --memory`,
  );
}
