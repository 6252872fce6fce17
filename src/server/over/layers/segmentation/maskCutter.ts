import { mappingUnavailable } from '../../../../shared/contract/errors.ts';
import { findNeededPlaces } from '../../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import { decodeTimeoutMs } from '../../../images/pixels/decodeCost.ts';
import { explainTaskError } from '../../../images/pixels/explainTaskError.ts';
import { createKeptWork, type KeptWork } from '../../../images/pixels/keptWork.ts';
import { checkPlaneWork } from '../../../images/volumes/planeQuery.ts';
import type { TaskPriority, TaskRunner } from '../../../machine/workers/task.ts';
import type { LayerOptions, OwnSlices, PlacedLayer, PlaneTarget } from '../layerProvider.ts';
import {
  isPlaced,
  keyOfWay,
  type LayerPlacement,
  placeInFrameOfReference,
  planeInLayer,
  wayBack,
} from '../placement.ts';
import type { Registrations } from '../registrations.ts';
import { bytesOfCropped, type CroppedMasks, joinCropped } from './croppedMasks.ts';
import { buildValueTable } from './maskLayer.ts';
import { maskBytesOf, masksMemory } from './maskPlacer.ts';
import type { MaskTables } from './maskTables.ts';
import { spacesOfSegmentation } from './spacesOfSegmentation.ts';
import { findMeaning, segmentOf, UNKNOWN_TYPE } from './segmentationContext.ts';
import type { SegmentationRecord } from './segmentationRecord.ts';
import type { MappedSegmentation, Segmentations } from './segmentations.ts';
import {
  FRAMES_PER_TASK,
  cropMasksTask,
  cutMasksTask,
  type PackedMaskLayers,
  placeMasksTask,
  type SampleMeaning,
} from './segmentationTasks.ts';

/** Cuts segmentations by planes in the patient, also by those of frames of reference that registrations connect. */
export interface MaskCutter {
  cut(file: DicomFile, target: PlaneTarget, options: LayerOptions): Promise<PlacedLayer>;
  /** All masks of a segmentation, and where they lie. */
  load(file: DicomFile, options: LayerOptions): Promise<LoadedMasks>;
  /** Its slices in space; empty if they do not say where they lie. */
  tablesOf(file: DicomFile, options: LayerOptions): Promise<readonly PositionTable[]>;
  /** The same if they are slices of one volume. Throws the reason why they are not. */
  ownSlices(file: DicomFile, options: LayerOptions): Promise<OwnSlices>;
}

export type LoadedMasks = Pick<Placed, 'tables' | 'segments'> & {
  /** Cache key of the file in the state in which it was read. */
  readonly state: string;
  readonly record: SegmentationRecord;
  readonly meaning: SampleMeaning;
  /** Of fractions: the value that means the whole sample. */
  readonly maximum: number | undefined;
  readonly cropped: CroppedMasks;
};

/** So few frames are read for one plane without waiting for the others. */
const FEW_FRAMES = 16;
const SAMPLES_PER_TASK = 8 * 2 ** 20;

type Placed = MaskTables & { readonly segments: Int32Array };

export function createMaskCutter({
  tasks,
  memory,
  segmentations,
  registrations,
  packets,
}: {
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly segmentations: Segmentations;
  readonly registrations: Registrations;
  readonly packets: KeptWork<PackedMaskLayers>;
}): MaskCutter {
  const cache = memory.cache('croppedMasks');
  const keptPlaces = createKeptWork<Placed>({ cache: cache.part('places'), bytesOf: bytesOfTables });
  const keptMasks = createKeptWork<CroppedMasks>({ cache: cache.part('masks'), bytesOf: bytesOfCropped });

  async function place({ state, record }: MappedSegmentation, wanted: LayerOptions): Promise<Placed> {
    const { value } = await keptPlaces.get(state, wanted, async (signal) => {
      const { rows, columns, frames } = record;
      const tables = await tasks.run(placeMasksTask, { rows, columns, frames }, { signal });
      const segments = Int32Array.from({ length: frames.length }, (_, frame) => segmentOf(record, frame) ?? -1);
      return { ...tables, segments };
    });
    return value;
  }

  /** `frames` are ascending. */
  async function crop(
    file: DicomFile,
    { meaning, frames, key }: CropRequest,
    { priority, signal }: { readonly priority: TaskPriority; readonly signal: AbortSignal },
  ): Promise<CroppedMasks> {
    const most = memory.plan.croppedMasks;
    const samples = Math.max(1, file.rows * file.columns);
    const perTask = Math.max(1, Math.min(FRAMES_PER_TASK, Math.floor(SAMPLES_PER_TASK / samples)));
    const parts: CroppedMasks[] = [];
    let held = 0;
    for (let from = 0; from < frames.length; from += perTask) {
      const some = frames.slice(from, from + perTask);
      const bytes = maskBytesOf(file, meaning, memory.plan.tasks);
      const sampleBytes = meaning.kind === 'mask' ? 1 / 8 : file.bitsAllocated > 8 ? 2 : 1;
      const ofSamples = Math.ceil(some.length * samples * sampleBytes);
      const run = tasks.run(
        cropMasksTask,
        {
          file: file.source,
          meaning,
          isWide: file.bitsAllocated > 8,
          frames: some,
          leftBytes: most - held,
          mostBytes: most,
        },
        {
          of: { timeoutMs: decodeTimeoutMs(file), bytes: bytes + 2 * Math.min(ofSamples, most) },
          priority,
          signal,
          key: `crop ${key} ${some[0]}`,
        },
      );
      const part = await run.catch((error: unknown) => {
        throw explainTaskError(error, some[0] ?? 0);
      });
      held += part.samples.length;
      parts.push(part);
    }
    return joinCropped(parts);
  }

  /** What a segmentation has in space. Throws if that is nothing. */
  async function open(file: DicomFile, options: LayerOptions) {
    const mapped = await segmentations.map(file, options);
    const meaning = findMeaning(mapped.record, mapped.isMask);
    if (meaning === undefined) throw mappingUnavailable(UNKNOWN_TYPE);
    const { maximum } = buildValueTable(meaning, file.bitsAllocated > 8 ? 65_535 : 255);
    return { mapped, meaning, maximum, state: mapped.state, record: mapped.record };
  }

  async function placeAll(mapped: MappedSegmentation, options: LayerOptions) {
    const { tables, reason, segments } = await place(mapped, options);
    if (reason !== undefined) throw mappingUnavailable(reason);
    return { tables, segments };
  }

  async function cropAll(
    file: DicomFile,
    { state, record, meaning }: Pick<LoadedMasks, 'state' | 'record' | 'meaning'>,
    { signal, priority = 'interactive' }: LayerOptions & { readonly priority?: TaskPriority },
  ): Promise<CroppedMasks> {
    const all = Uint32Array.from({ length: record.frames.length }, (_, frame) => frame);
    const { value } = await keptMasks.get(state, { signal, priority }, (aborted) =>
      crop(file, { meaning, key: state, frames: all }, { priority, signal: aborted }),
    );
    return value;
  }

  return {
    async load(file, options) {
      const { mapped, ...opened } = await open(file, options);
      return { ...opened, ...(await placeAll(mapped, options)), cropped: await cropAll(file, opened, options) };
    },

    async tablesOf(file, options) {
      const { tables, reason } = await place(await segmentations.map(file, options), options);
      return reason === undefined ? tables.map(({ table }) => table) : [];
    },

    async ownSlices(file, options) {
      const mapped = await segmentations.map(file, options);
      const { tables } = await placeAll(mapped, options);
      const [only] = tables;
      const [space] = spacesOfSegmentation(mapped);
      if (only === undefined || tables.length > 1) {
        throw mappingUnavailable('the frames of the segmentation have several sizes, directions or origins');
      }
      if (space === undefined) throw mappingUnavailable('the segmentation has no Frame of Reference UID (0020,0052)');
      const places = [...new Set(only.places)].toSorted((a, b) => a - b);
      return { frameOfReferenceUid: space, table: only.table, places };
    },

    async cut(file, asked, options) {
      const { mapped, ...opened } = await open(file, options);
      const { state, meaning, maximum } = opened;
      const placement = await placeIn(mapped, asked, registrations, options);
      const inLayer = planeInLayer(asked.grid, placement);
      const back = inLayer === undefined ? wayBack(placement) : undefined;
      const target = { ...asked, grid: inLayer ?? asked.grid };
      const { grid, slabMm } = target;
      const { tables, segments } = await placeAll(mapped, options);
      for (const { table } of tables) checkPlaneWork(table, grid, { slabMm }, back !== undefined);

      const cut = async (priority: TaskPriority, signal: AbortSignal) => {
        const needed = back === undefined ? listNeeded({ tables }, target) : listAll({ tables });
        const isKnown = keptMasks.find(state) !== undefined;
        const cropped =
          !isKnown && needed.length <= FEW_FRAMES
            ? await crop(file, { meaning, key: state, frames: needed }, { priority, signal })
            : await cropAll(file, opened, { priority, signal });
        const named = new Set(needed.map((frame) => segments[frame] ?? -1));
        // The frames are decoded already.
        const size = { rows: grid.rows, columns: grid.columns, frameCount: Math.max(1, named.size), decodeBytes: 0 };
        const { bytes, mostLayerBytes } = masksMemory(file, size, memory.plan.tasks);
        const steps = back?.steps;
        const input = { tables, cropped, segments, grid, steps, slabMm, meaning, maximum, mostLayerBytes };
        const of = { bytes: bytes + (back?.bytes ?? 0) };
        const run = tasks.run(cutMasksTask, input, { of, priority, signal });
        return run.catch((error: unknown) => {
          throw explainTaskError(error, needed[0] ?? 0);
        });
      };

      const way = back === undefined ? '' : await keyOfWay(placement);
      const key = ['plane', state, JSON.stringify([grid, slabMm]), way].join('\0');
      return {
        async packet(wanted) {
          const { priority = 'interactive' } = wanted;
          const { value, cached } = await packets.get(key, wanted, (signal) => cut(priority, signal));
          return { ...value, cached };
        },
      };
    },
  };
}

type CropRequest = { readonly meaning: SampleMeaning; readonly frames: Uint32Array; readonly key: string };

/** Only the same frame of reference, or registrations, place a segmentation in a plane. */
async function placeIn(
  mapped: MappedSegmentation,
  { frameOfReferenceUid }: PlaneTarget,
  registrations: Registrations,
  options: LayerOptions,
): Promise<LayerPlacement> {
  const spaces = spacesOfSegmentation(mapped);
  const own = spaces.find((uid) => uid === frameOfReferenceUid) ?? spaces[0];
  if (own === undefined) throw mappingUnavailable('the segmentation has no Frame of Reference UID (0020,0052)');
  const placement = placeInFrameOfReference(own, frameOfReferenceUid, await registrations.load(options));
  if (!isPlaced(placement)) throw mappingUnavailable(placement.reason);
  return placement;
}

/** The frames in the places that a plane needs, ascending. */
function listNeeded({ tables }: Pick<MaskTables, 'tables'>, { grid, slabMm }: PlaneTarget): Uint32Array {
  const needed = tables.flatMap(({ table, frames, places }) => {
    const range = findNeededPlaces(table, grid, { slabMm });
    if (range === undefined) return [];
    return [...frames].filter((_, i) => places[i]! >= range.first && places[i]! <= range.last);
  });
  return Uint32Array.from(needed).toSorted();
}

function listAll({ tables }: Pick<MaskTables, 'tables'>): Uint32Array {
  return Uint32Array.from(tables.flatMap(({ frames }) => [...frames])).toSorted();
}

function bytesOfTables({ tables, segments }: Placed): number {
  return tables.reduce(
    (sum, { table, frames, places }) =>
      sum + 4_096 + table.points.byteLength + table.positionsMm.byteLength + frames.byteLength + places.byteLength,
    segments.byteLength,
  );
}
