import { bytesOfSample } from './sampleView.ts';
import { MIB } from '../../machine/system/mib.ts';
import { type CostFactors, readBytesOf } from '../../standard/dicom/readCost.ts';
import type { WindowChoice } from '../../../shared/chooseVoi.ts';
import type { ErrorCode } from '../../../shared/contract/errors.ts';
import type { FrameDamage } from '../../../shared/frameDamage.ts';
import type { PlaneGrid, PlaneSampling } from '../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../shared/positionTable.ts';
import type { StoredMapping } from '../../../shared/valueMapping.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import type { DecodeCost, DisplayFrame, RawFrame } from '../pixels/frameTasks.ts';
import type { PackedList } from '../../machine/workers/packedList.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { ReadVolumeInput } from './readVolume.ts';
import type { PartOfPlane, SampledPlane } from './samplePlane.ts';
import type { DescribedVolume, PlacedVolume, SampleStorage, VolumeBox, VolumeSample } from './volume.ts';
import type { VolumeSamples } from './weighSamples.ts';

/** Slices to decode into memory, which threads may share. */
export type LoadSlicesInput = Pick<VolumeSample, 'storage' | 'isModality'> & {
  readonly buffer: ArrayBufferLike;
  readonly rows: number;
  readonly columns: number;
  readonly slices: readonly SliceToLoad[];
};

export type SliceToLoad = {
  readonly place: number;
  readonly source: KnownSource;
  readonly frame: number;
  /** Makes other values than modality values of the stored ones, of which it may leave out some. */
  readonly mapping?: StoredMapping | undefined;
  /** Row and column of the frame at which the slice begins; absent: the slice is the whole frame. */
  readonly crop?: SliceCrop | undefined;
};

export type SliceCrop = { readonly top: number; readonly left: number };

/** Parts of uncompressed slices to read into shared memory, one after the other. */
export type LoadRowsInput = Pick<VolumeSample, 'storage'> & {
  readonly buffer: SharedArrayBuffer;
  /** Columns of an image. */
  readonly imageColumns: number;
  /** Size of the part of each slice. */
  readonly rows: number;
  readonly columns: number;
  readonly slices: readonly (SliceToLoad & { readonly top: number; readonly left: number })[];
};

/** Consecutive slices to decode and pack. */
export type PackLayerInput = Omit<LoadSlicesInput, 'buffer'>;

/** Bricks of some slices: columns of bricks along a row of them, then the next row. */
export type PackedLayer = {
  /** One brick after the other. */
  readonly bytes: SharedArrayBuffer;
  /** Where each brick ends. */
  readonly ends: Uint32Array;
  readonly slices: number;
  /** Combined damage of the slices. */
  readonly damage: FrameDamage | undefined;
};

/** Bricks to unpack into a part of a volume in shared memory. */
export type UnpackBricksInput = Pick<VolumeSample, 'storage'> & {
  readonly rows: number;
  readonly columns: number;
  readonly layers: readonly (PackedLayer & { readonly firstPlace: number })[];
  /** The part of the volume that the memory is for. */
  readonly box: VolumeBox;
  readonly buffer: SharedArrayBuffer;
};

/** A slice that cannot be decoded does not keep the others from being loaded. */
export type LoadedSlice = {
  readonly place: number;
  readonly damage: FrameDamage | undefined;
  readonly failure: { readonly code: ErrorCode; readonly message: string } | undefined;
};

/** The samples of one time of a volume, whose slices are in memory. */
export type LoadedSamples = Pick<VolumeSamples, 'slots' | 'box' | 'rescales' | 'paddings'> & {
  readonly table: PositionTable;
  readonly buffer: SharedArrayBuffer;
  readonly sample: Omit<VolumeSample, 'rescales' | 'paddings'>;
  /** Combined damage of the slices. */
  readonly damage: FrameDamage | undefined;
};

/** A plane of a volume. */
export type PlaneInput = LoadedSamples & {
  readonly grid: PlaneGrid;
  readonly sampling: PlaneSampling;
  /** The memory in which all its parts have been sampled; the samples of the volume are then not needed. */
  readonly sums?: SharedArrayBuffer | undefined;
};

/** A part of a plane of a volume of which only a part is in memory. */
export type PlanePartInput = Omit<PlaneInput, 'sums'> & { readonly ofPlane: PartOfPlane };

export type RawPlaneInput = PlaneInput & { readonly wantsFloat: boolean; readonly isPacked: boolean };
export type PlanePictureInput = PlaneInput & { readonly choice: WindowChoice; readonly size: number | undefined };

export type PlaneFacts = { readonly how: SampledPlane['sampling']; readonly sheets: number };

/** The samples of a plane, as those of a raw frame. `isPredicted` is undefined unless they are packed. */
export type RawPlane = RawFrame & PlaneFacts & { readonly isPredicted: boolean | undefined };
export type PlanePicture = DisplayFrame & PlaneFacts;

const READ_MS = 30_000;
const READ_MS_A_FILE = 50;

export const readVolumeTask = defineTask<
  ReadVolumeInput,
  DescribedVolume,
  { readonly file: CostFactors; readonly files: number }
>('volumes.readVolume', {
  timeoutMs: (_, { files }) => READ_MS + READ_MS_A_FILE * files,
  mostBytes: (_, { file }) => 16 * MIB + readBytesOf(file),
});
export const placeVolumeTask = defineTask<ReadVolumeInput, PlacedVolume>('volumes.placeVolume', {
  timeoutMs: READ_MS,
  mostBytes: 16 * MIB,
});
export const loadSlicesTask = defineTask<LoadSlicesInput, readonly LoadedSlice[], DecodeCost>('volumes.loadSlices', {
  timeoutMs: ({ slices }, { timeoutMs }) => timeoutMs * slices.length,
  bytes: (_, { bytes }) => bytes,
});
/** Slices whose rows one task reads. */
export const ROWS_BATCH = 128;
/** False if the samples of a file cannot be read without the rest of its frame. */
export const loadRowsTask = defineTask<LoadRowsInput, boolean>('volumes.loadRows', {
  timeoutMs: READ_MS + READ_MS_A_FILE * ROWS_BATCH,
  bytes: 'reserved',
});
export const packLayerTask = defineTask<PackLayerInput, PackedLayer, DecodeCost>('volumes.packLayer', {
  timeoutMs: ({ slices }, { timeoutMs }) => timeoutMs * slices.length,
  // The slices, and the bricks that are made of them.
  mostBytes: ({ slices, rows, columns, storage }, { bytes }) =>
    bytes + 2 * slices.length * rows * columns * bytesOfSample(storage),
});
export const unpackBricksTask = defineTask<UnpackBricksInput, void>('volumes.unpackBricks', {
  timeoutMs: 30_000,
  bytes: 'reserved',
});
/** The volume is in memory, and nothing else of it is read. */
export type GrowRegionInput = {
  readonly buffer: SharedArrayBuffer;
  readonly storage: SampleStorage;
  readonly columns: number;
  readonly rows: number;
  /** Of the samples in memory, for each place. */
  readonly slopes: Float64Array;
  readonly intercepts: Float64Array;
  readonly seed: number;
  readonly low: number;
  readonly high: number;
  /** The stored frame of each place. */
  readonly fileIndices: Uint32Array;
  readonly frameIndices: Uint32Array;
};

/** Runs of all slices together, of which the response has a few bytes each. */
export const MOST_REGION_RUNS = 2_000_000;

/** The response as JSON; undefined if it would have more runs. */
export const growRegionTask = defineTask<GrowRegionInput, Uint8Array<ArrayBuffer> | undefined>('volumes.growRegion', {
  timeoutMs: 60_000,
  // One byte for each sample, at most four for the runs that wait, and the response as text and as bytes.
  mostBytes: ({ columns, rows, fileIndices }) => 5 * columns * rows * fileIndices.length + 32 * MOST_REGION_RUNS,
});
/** Throws `file_gone` if one of the files has changed since it was scanned. */
export const checkSourcesTask = defineTask<PackedList<KnownSource>, void>('volumes.checkSources', {
  timeoutMs: READ_MS,
  mostBytes: MIB,
});

const PLANE_MS = 30_000;
/** Registrations that bend a plane. */
export type BendCost = { readonly bendBytes: number };
export const PLANE_COST = {
  timeoutMs: PLANE_MS,
  bytes: ({ grid, sampling }: Pick<PlaneInput, 'grid' | 'sampling'>, { bendBytes }: BendCost) =>
    bytesOfSampling(grid, sampling) + bendBytes,
};
export const planePartTask = defineTask<PlanePartInput, void>('volumes.planePart', {
  timeoutMs: PLANE_MS,
  bytes: 'reserved',
});
export const rawPlaneTask = defineTask<RawPlaneInput, RawPlane, BendCost>('volumes.rawPlane', PLANE_COST);
export const planePictureTask = defineTask<PlanePictureInput, PlanePicture, BendCost>(
  'volumes.planePicture',
  PLANE_COST,
);

/** The values of a plane in several forms, and for a slab one slice of a million samples at most. */
export function bytesOfSampling({ rows, columns }: PlaneGrid, { slabMm }: PlaneSampling): number {
  return (slabMm > 0 ? 12 : 4) * MIB + 40 * rows * columns;
}
