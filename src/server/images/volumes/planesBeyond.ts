import type { ViewerError } from '../../../shared/contract/errors.ts';
import { combineFrameDamage, type FrameDamage } from '../../../shared/frameDamage.ts';
import { findSlab, type PlaneGrid, type PlaneSampling } from '../../../shared/planeGrid.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { isUncompressed } from '../../standard/dicom/readCost.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { volumeBytesIn } from '../../machine/memory/memoryPlan.ts';
import type { FrameOptions } from '../pixels/frames.ts';
import { MIB } from '../../machine/system/mib.ts';
import type { Task, TaskPriority, TaskRunner } from '../../machine/workers/task.ts';
import type { BoxRequest, BrickMemory, UnpackedBox } from './brickMemory.ts';
import { explainPlane } from './explainPlane.ts';
import { toPlaneInput } from './planeInput.ts';
import { bytesOfSums } from './samplePlane.ts';
import { bytesOfSample } from './sampleView.ts';
import type { PlacedPart, VolumeBox } from './volume.ts';
import { countSamples, createBoxFinder, lengthOfRange, straightBox, wholePart } from './volumeBox.ts';
import { bytesOfTime, type KnownVolume } from './volumeMemory.ts';
import {
  type BendCost,
  bytesOfSampling,
  loadRowsTask,
  type PlaneInput,
  planePartTask,
  type PlanePicture,
  type RawPlane,
  ROWS_BATCH,
} from './volumeTasks.ts';

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

/** Planes of volumes that are too large for the memory. */
export function createPlanesBeyond({
  files,
  tasks,
  memory,
  bricks,
}: {
  readonly files: readonly DicomFile[];
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly bricks: BrickMemory;
}) {
  const budgetBytes = volumeBytesIn(memory.plan.tasks);
  /** Planes in parts are sampled one at a time, because their memory is theirs also between the parts. */
  let lastInParts: Promise<unknown> = Promise.resolve();

  /**
   * Reads a part of a volume that is too large for the memory: out of uncompressed files, of which nothing is kept, or
   * out of the bricks of compressed ones.
   */
  async function withBox<Output>(
    { volume, time, box, planePlaces, planeBytes, isLikelyAgain, tooLarge }: PartOfVolume,
    options: FrameOptions,
    use: (part: UnpackedBox) => Promise<Output>,
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
  function isReadable({ sample, fileIndices, crops }: KnownVolume): boolean {
    return (
      crops === undefined &&
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
  async function render<More, Output extends RawPlane | PlanePicture>(
    { volume, time, grid, sampling, tooLarge }: PlaneBeyond,
    { task, more }: PlaneTask<More, Output>,
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
    const inputOf = (part: UnpackedBox) => toPlaneInput(volume, time, { grid, sampling, ...part });
    const part = wholePart(grid, slab);
    const box = finder.find(part);
    if (box === undefined) {
      const input = { ...inputOf({ box: EMPTY_BOX, buffer: new SharedArrayBuffer(0), damage: undefined }), ...more };
      return explainPlane(tasks.run(task, input, taskOptions));
    }
    const wanted = { volume, time, planePlaces: box.places, planeBytes, tooLarge };
    const pieces = () => finder.divide(part, { fits, isSparse });
    const [first] = pieces();
    if (first?.part === part) {
      return withBox({ ...wanted, box, isLikelyAgain: true }, options, (read) =>
        explainPlane(tasks.run(task, { ...inputOf(read), ...more }, { ...taskOptions, isReserved: true })),
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
          await explainPlane(tasks.run(planePartTask, { ...inputOf(read), ofPlane }, { priority, signal }));
          if (read.damage !== undefined) damages.push(read.damage);
        });
      }
      const nothing = { box: EMPTY_BOX, buffer: new SharedArrayBuffer(0), damage: combineFrameDamage(damages) };
      const input = { ...inputOf(nothing), sums, ...more };
      return explainPlane(tasks.run(task, input, taskOptions));
    };
    const done = lastInParts.then(inParts);
    lastInParts = done.catch(() => undefined);
    return done;
  }

  return { render, withBox, isReadable };
}

/** A task that samples a plane, and what it needs to know beside the samples. */
export type PlaneTask<More, Output> = {
  readonly task: Task<PlaneInput & More, Output, BendCost>;
  readonly more: More;
};

type Filled = { readonly buffer: SharedArrayBuffer };
type BoxOptions = { readonly priority: TaskPriority; readonly signal: AbortSignal | undefined };

type PartOfVolume = BoxRequest & {
  /** Why the whole volume is not in memory. */
  readonly tooLarge: ViewerError;
};

type PlaneBeyond = Pick<PartOfVolume, 'volume' | 'time' | 'tooLarge'> & {
  readonly grid: PlaneGrid;
  readonly sampling: PlaneSampling;
};

/** Nothing of a volume. */
export const EMPTY_BOX = straightBox({ first: 0, last: -1 }, { first: 0, last: -1 }, { first: 0, last: -1 });
