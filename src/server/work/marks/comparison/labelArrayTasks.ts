import type { ArrayHeader } from '../../../images/attachments/arrayHeader.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { GridSize } from '../../../over/agreement/maskPair.ts';
import type { LabelSamples } from '../volumes/labelTasks.ts';

export type ReadLabelArrayInput = {
  readonly data: KnownSource;
  readonly header: ArrayHeader;
  readonly axes: ArrayAxes;
  /** One for each volume of the array, filled with the places of labels in the list, from 1 on. */
  readonly volumes: readonly LabelSamples[];
};

/** How the elements of an array lie in volumes. */
export type ArrayAxes = {
  readonly size: GridSize;
  /** Of the axes in memory order: the steps in a volume; that of the axis that is not in space is 0. */
  readonly steps: readonly number[];
  /** The axis that is not in space; -1 if there is none. */
  readonly channelAxis: number;
  readonly channels: number;
};

export type LabelOfArray = { readonly channel: number; readonly value: number };

export type LabelsOfArray = {
  readonly labels: readonly LabelOfArray[];
  /** There are more labels than a sample can tell apart. */
  readonly isFull: boolean;
};

export type ResampleLabelsInput = {
  readonly from: LabelSamples;
  readonly fromSize: GridSize;
  readonly into: LabelSamples;
  readonly size: GridSize;
  /** From samples of the grid to samples of the array: three rows of four numbers. */
  readonly matrix: readonly number[];
};

/** The caller holds the memory. */
const HELD_MEMORY = { timeoutMs: 120_000, bytes: 'reserved' } as const;

export const readLabelArrayTask = defineTask<ReadLabelArrayInput, LabelsOfArray>('comparison.readArray', HELD_MEMORY);
export const resampleLabelsTask = defineTask<ResampleLabelsInput, void>('comparison.resample', HELD_MEMORY);
