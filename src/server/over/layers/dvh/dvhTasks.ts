import { bytesOfContours } from '../structureSet/structureSetRecord.ts';
import { MIB } from '../../../machine/system/mib.ts';
import { type CostFactors, readBytesOf } from '../../../standard/dicom/readCost.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import type { DvhPoint, DvhWish } from '../../../../shared/dvhWishes.ts';
import type { LoadedSamples } from '../../../images/volumes/volumeTasks.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { LayerPlacement } from '../placement.ts';
import type { PlacedMasks } from '../segmentation/segmentationTasks.ts';
import type { ContourColumns } from '../structureSet/structureSetRecord.ts';

/** The dose of a part, and how it was sampled. */
export type MeasuredDvh = {
  /** Of the whole part. */
  readonly volumeMm3: number;
  /** Of the part where the dose is known; everything below is about it. */
  readonly insideMm3: number;
  /** In Gray; NaN if the dose is known nowhere. */
  readonly minimum: number;
  readonly mean: number;
  readonly maximum: number;
  /** The least dose in the hottest part of the volume, by the share of the volume; NaN for none. */
  readonly d98: number;
  readonly d95: number;
  readonly d50: number;
  readonly d2: number;
  /** The same by volume; NaN if the part is smaller. */
  readonly d2cc: number;
  readonly d01cc: number;
  /** In the order of the wishes. */
  readonly points: readonly DvhPoint[];
  /** Cubic millimetres with at least each of the doses from 0 to the highest one: one more than bins. */
  readonly cumulativeMm3: Float64Array<ArrayBuffer>;
  /** Distance of the samples in a plane. */
  readonly stepMm: number;
  readonly planes: number;
};

/** The steps of a histogram. */
export type DoseScale = {
  /** The highest dose of the grid, in Gray; above 0. */
  readonly topGy: number;
  readonly bins: number;
  /** Points of the curve that were asked for. */
  readonly wishes: readonly DvhWish[];
};

/** What files may cost: they decide how many parts there are, and how large each is. */
export type SampleBound = {
  /** Samples of one part; with more, they are farther apart. */
  readonly mostOfPart: number;
  /** Samples of all parts of one task that cannot be farther apart. */
  readonly most: number;
};

export type MeasureContoursInput = DoseScale & {
  readonly bound: SampleBound;
  /** Their sum is measured. */
  readonly doses: readonly LoadedSamples[];
  /** In the frame of reference of the dose. */
  readonly contours: ContourColumns;
  /** Numbers of the ROIs in the columns. */
  readonly rois: readonly number[];
};

export type MeasureMasksInput = DoseScale &
  PlacedMasks & {
    readonly bound: SampleBound;
    /** Their sum is measured. */
    readonly doses: readonly LoadedSamples[];
    /** How the dose lies over the segmentation. */
    readonly placement: Pick<LayerPlacement, 'steps' | 'matrix'>;
    /** Numbers of the segments. */
    readonly parts: readonly number[];
  };

/** Of each part; undefined if it encloses no volume. */
export type MeasuredDvhs = readonly (MeasuredDvh | undefined)[];

/** A histogram that the dose object has, as a cumulative one. */
export type StoredDvh = {
  readonly roi: number;
  readonly type: 'CUMULATIVE' | 'DIFFERENTIAL';
  readonly volumeUnits: 'CM3' | 'PERCENT';
  /** In Gray, ascending. */
  readonly edges: readonly number[];
  readonly cumulative: readonly number[];
  readonly minimum: number | undefined;
  readonly mean: number | undefined;
  readonly maximum: number | undefined;
};

export type StoredDvhs = {
  /** The structure set that the ROIs are in. */
  readonly structureSetUid: string | undefined;
  readonly dvhs: readonly StoredDvh[];
  /** Those that cannot be shown, by ROI, with the reason. */
  readonly refused: readonly { readonly roi: number; readonly reason: string }[];
};

const MEASURE_MS = 120_000;
/** Bands of samples, the crossings of contours with them, and the histograms. */
const MEASURE_BYTES = 48 * MIB;

export const measureContoursTask = defineTask<MeasureContoursInput, MeasuredDvhs>('dvh.measureContours', {
  timeoutMs: MEASURE_MS,
  bytes: ({ contours }) => MEASURE_BYTES + bytesOfContours(contours),
});
export const measureMasksTask = defineTask<MeasureMasksInput, MeasuredDvhs>('dvh.measureMasks', {
  timeoutMs: MEASURE_MS,
  bytes: MEASURE_BYTES,
});
/** The highest dose of a grid in Gray; NaN if it has none. */
export const findHighestDoseTask = defineTask<LoadedSamples, number>('dvh.findHighest', {
  timeoutMs: MEASURE_MS,
  bytes: MIB,
});
export const readStoredDvhsTask = defineTask<KnownSource, StoredDvhs, CostFactors>('dvh.readStored', {
  timeoutMs: 20_000,
  mostBytes: (_, file) => readBytesOf(file) + 32 * MIB,
});
