import { MIB } from '../../../machine/system/mib.ts';
import type { LabelClass } from '../../../../shared/contract/marks.ts';
import type { MarkVolumeImport } from '../../../../shared/markFormats.ts';
import type { NiftiGrid } from '../../../images/exports/nifti/niftiGrid.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { MarkContent } from '../markContent.ts';
import type { ReadFormatOutput } from '../formats/formatTasks.ts';
import type { MarkFrames } from '../formats/markPlaces.ts';
import type { SegmentCodes } from './segmentTags.ts';

/** An area to draw. The numbers of files are those of the catalog. */
export type MarkToDraw = MarkFrames & { readonly content: MarkContent };

/** The frames that are drawn on, each with this many rows and columns. */
export type DrawnFrames = {
  /** File and frame of each. */
  readonly frames: Uint32Array<ArrayBuffer>;
  readonly rows: number;
  readonly columns: number;
};

export type PaintLabelsInput = DrawnFrames & {
  readonly marks: readonly (MarkToDraw & { readonly label: number })[];
  /** A byte or two for each sample, in the order of a NIfTI file: rows run up. */
  readonly labels: Uint8Array | Uint16Array;
};

export type PaintedLabels = {
  /** Samples that had another label before. */
  readonly overlaps: number;
};

export type CutSegmentsInput = DrawnFrames & {
  readonly marks: readonly (MarkToDraw & { readonly segment: number })[];
};

/** Frames with at least one pixel. */
export type CutSegments = {
  /** Segment and place of the frame. */
  readonly cut: Uint32Array<ArrayBuffer>;
  /** One bit for each pixel; every frame begins at a whole byte. */
  readonly bits: Uint8Array<ArrayBuffer>;
};

/** What a file says of one label. */
export type VolumeLabel = {
  readonly value: number;
  readonly key: string | null;
  readonly title: string;
  readonly color: readonly [number, number, number];
  readonly codes: SegmentCodes;
  /** Unique in the file; absent: the key. */
  readonly id?: string;
  /** Of several volumes, the one that it is in; absent: the only one. */
  readonly volume?: number;
  /** First and last index of its samples along i, j and k; absent: those of the grid. */
  readonly extent?: readonly number[];
};

export type WriteLabelsInput = {
  readonly format: 'nii' | 'nii.gz' | 'nrrd';
  readonly grid: NiftiGrid;
  /** One for parts that do not overlap, else several of equal type. */
  readonly volumes: readonly (Uint8Array | Uint16Array)[];
  readonly names: readonly VolumeLabel[];
  readonly software: string;
};

export type WrittenLabels = {
  readonly file: Uint8Array<ArrayBuffer>;
  /** False: the labels follow as they are. The caller has them, so that they are not copied. */
  readonly isWithLabels: boolean;
};

export type SegmentToWrite = {
  readonly number: number;
  readonly uid: string;
  readonly label: string;
  readonly labelClass: LabelClass | null;
  readonly color: readonly [number, number, number];
};

export type SegmentedFrame = {
  readonly sopClassUid: string;
  readonly sopInstanceUid: string;
  readonly seriesInstanceUid: string;
  /** Only of a file with several. */
  readonly frameNumber: number | undefined;
  /** Position, row direction, column direction, and the distances between rows and between columns. */
  readonly plane: readonly number[];
  /** How much of the distance between images it stands for; NaN if that is not known. */
  readonly depthMm: number;
};

export type WriteSegmentationInput = Pick<DrawnFrames, 'rows' | 'columns'> & {
  /** An image of the series: patient and study are those of it. */
  readonly source: KnownSource;
  readonly frameOfReferenceUid: string;
  readonly segments: readonly SegmentToWrite[];
  /** By the place of the frame in the stack. */
  readonly frames: readonly (SegmentedFrame | undefined)[];
  readonly parts: readonly CutSegments[];
  readonly software: { readonly name: string; readonly version: string };
};

/** A label volume of a client, and the grid that it must lie on. */
export type ReadLabelsInput = {
  readonly format: MarkVolumeImport;
  readonly body: Uint8Array;
  readonly grid: NiftiGrid;
  /** File and frame of each slice of the grid. The numbers of files are places in a list of the caller. */
  readonly frames: Uint32Array<ArrayBuffer>;
  /** The place of each slice in the order in which the stack is shown. */
  readonly ranks: Uint32Array<ArrayBuffer>;
};

/** The caller holds the memory. */
const DRAWING = { timeoutMs: 60_000, bytes: 'reserved' } as const;

export const paintLabelsTask = defineTask<PaintLabelsInput, PaintedLabels>('marks.paintLabels', DRAWING);
export const writeLabelsTask = defineTask<WriteLabelsInput, WrittenLabels>('marks.writeLabels', DRAWING);
export const readLabelsTask = defineTask<ReadLabelsInput, ReadFormatOutput>('marks.readLabels', {
  timeoutMs: 60_000,
  // Masks while they are read, as lists of numbers and as text.
  mostBytes: ({ grid: { size }, body }) => 2 * size[0] * size[1] * size[2] + body.length + 128 * MIB,
});
export const cutSegmentsTask = defineTask<CutSegmentsInput, CutSegments>('marks.cutSegments', DRAWING);
export const writeSegmentationTask = defineTask<WriteSegmentationInput, Uint8Array<ArrayBuffer>>(
  'marks.writeSegmentation',
  DRAWING,
);
