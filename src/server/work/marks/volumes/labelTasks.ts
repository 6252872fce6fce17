import type { LabelledKind } from '../../../../shared/contract/layers.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { ReadFormatOutput } from '../formats/formatTasks.ts';
import type { CutSegments, ReadLabelsInput, VolumeLabel } from './markVolumeTasks.ts';

/** Labels of all samples of a grid, slice after slice. */
export type LabelSamples = Uint8Array | Uint16Array;

/** One of the layers whose parts are painted. */
export type PaintedLayer = {
  readonly kind: LabelledKind;
  /** The number of each part, and its place in the list of all parts, from 1. */
  readonly parts: ReadonlyMap<number, number>;
};

export type PacketToPaint = {
  readonly layer: number;
  /** Of a field: the number of the part whose values they are. */
  readonly part: number | undefined;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/** What is over one slice of the grid. */
export type SliceToPaint = { readonly place: number; readonly packets: readonly PacketToPaint[] };

export type PaintPartsInput = {
  readonly rows: number;
  readonly columns: number;
  readonly layers: readonly PaintedLayer[];
  readonly slices: readonly SliceToPaint[];
  /** Labels of marks in the order of a NIfTI file (rows run up), and the place before that of their first label. */
  readonly marks: readonly { readonly labels: Uint8Array | Uint16Array; readonly before: number }[];
  /** Whether the last row of a slice comes first, as in a NIfTI file. */
  readonly rowsRunUp: boolean;
  /** Fractions and probabilities from here on are inside. */
  readonly threshold: number;
  /** The value of each part, by its place; that at 0 is not used. */
  readonly values: Uint16Array;
  /** Empty: parts are only counted. */
  readonly volumes: readonly LabelSamples[];
  /** The volume of each part, by its place. Undefined: all are in the first one, and a later part is over an earlier one. */
  readonly volumeOf: Uint16Array | undefined;
  /** The most steps that this may take. */
  readonly mostSteps: number;
};

export type PaintedParts = {
  /** Samples of each part, by its place. */
  readonly counts: Float64Array<ArrayBuffer>;
  /** First and last column, row (as written) and slice of each part, by its place; the first is after the last if it has none. */
  readonly boxes: Int32Array<ArrayBuffer>;
  /** Pairs of parts that have a sample in common. */
  readonly pairs: Uint32Array<ArrayBuffer>;
  /** Samples in more than one part. */
  readonly overlaps: number;
  /** How much work it was: runs and samples that were looked at. */
  readonly steps: number;
};

export type WriteNpzInput = {
  readonly volumes: readonly LabelSamples[];
  readonly size: readonly [columns: number, rows: number, slices: number];
  /** From column, row and slice to millimetres (LPS): three rows of four numbers. Undefined if there is no such matrix. */
  readonly affine: readonly number[] | undefined;
  /** What the labels are, as JSON. */
  readonly about: string;
};

export type CutLabelsInput = {
  readonly rows: number;
  readonly columns: number;
  readonly volumes: readonly LabelSamples[];
  /** The value of each part, and the volume that it is in. */
  readonly values: Uint16Array;
  readonly volumeOf: Uint16Array;
  readonly firstPlace: number;
  readonly endPlace: number;
};

export type LabelsToMarksInput = Pick<ReadLabelsInput, 'frames' | 'ranks'> & {
  readonly rows: number;
  readonly columns: number;
  readonly volumes: readonly LabelSamples[];
  readonly volumeOf: Uint16Array;
  readonly names: readonly VolumeLabel[];
};

/** The caller holds the memory. */
const HELD = { timeoutMs: 60_000, bytes: 'reserved' } as const;

export const paintPartsTask = defineTask<PaintPartsInput, PaintedParts>('labels.paintParts', HELD);
export const writeNpzTask = defineTask<WriteNpzInput, Uint8Array<ArrayBuffer>>('labels.writeNpz', HELD);
export const cutLabelsTask = defineTask<CutLabelsInput, CutSegments>('labels.cut', HELD);
export const labelsToMarksTask = defineTask<LabelsToMarksInput, ReadFormatOutput>('labels.toMarks', HELD);
