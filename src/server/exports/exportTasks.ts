import type { KnownSource } from '../origins/origins.ts';
import type { Rescale, SampleStorage, VolumeSample } from '../volumes/volume.ts';
import { defineTask } from '../workers/task.ts';
import type { GzipPart } from '../workers/gzipParts.ts';

/** Slices of a volume that follow each other in a file. */
export type WriteSlicesInput = Pick<VolumeSample, 'storage' | 'isModality'> & {
  readonly rows: number;
  readonly columns: number;
  readonly slices: readonly SliceToWrite[];
  /** The type in the file. */
  readonly written: SampleStorage;
};

export type SliceToWrite = {
  readonly source: KnownSource;
  readonly frame: number;
  /** How the slice is named in messages. */
  readonly fileIndex: number;
  /** Applied to the samples before they are written; absent: they are written as stored. */
  readonly rescale: Rescale | undefined;
};

/** What the header of one frame says, for a sidecar. */
export type ReadSidecarInput = { readonly source: KnownSource; readonly frame: number };
export type SidecarFields = Readonly<Record<string, string | number | readonly (string | number)[]>>;

export type WriteTagTableInput = { readonly source: KnownSource };
export type ListColumnsInput = { readonly sources: readonly KnownSource[] };
export type WriteRowsInput = {
  readonly files: readonly { readonly source: KnownSource; readonly index: number; readonly path: string }[];
  /** Tags. */
  readonly columns: readonly number[];
  /** Whether the names of the columns come before. */
  readonly isFirst: boolean;
};

/** The rows of each slice, from the last to the first. */
export const writeSlicesTask = defineTask<WriteSlicesInput, Uint8Array<ArrayBuffer>>('exports.writeSlices');
export const packSlicesTask = defineTask<WriteSlicesInput, GzipPart>('exports.packSlices');
export const readSidecarTask = defineTask<ReadSidecarInput, SidecarFields>('exports.readSidecar');
export const writeTagTableTask = defineTask<WriteTagTableInput, Uint8Array<ArrayBuffer>>('exports.writeTagTable');
export const listColumnsTask = defineTask<ListColumnsInput, readonly number[]>('exports.listColumns');
export const writeRowsTask = defineTask<WriteRowsInput, Uint8Array<ArrayBuffer>>('exports.writeRows');
