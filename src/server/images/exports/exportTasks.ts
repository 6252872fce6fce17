import { bytesOfSample } from '../volumes/sampleView.ts';
import type { DecodeCost } from '../pixels/frameTasks.ts';
import { type CostFactors, readBytesOf, readingTask } from '../../standard/dicom/readCost.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import type { Rescale, SampleStorage, VolumeSample } from '../volumes/volume.ts';
import type { SliceToLoad } from '../volumes/volumeTasks.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { GzipPart } from '../../machine/workers/gzipParts.ts';

/** Slices of a volume that follow each other in a file. */
export type WriteSlicesInput = Pick<VolumeSample, 'storage' | 'isModality'> & {
  readonly rows: number;
  readonly columns: number;
  readonly slices: readonly SliceToWrite[];
  /** The type in the file. */
  readonly written: SampleStorage;
  /** Whether the last row of a slice is the first in the file. */
  readonly rowsRunUp: boolean;
};

export type SliceToWrite = {
  readonly source: KnownSource;
  readonly frame: number;
  /** How the slice is named in messages. */
  readonly fileIndex: number;
  /** Applied to the samples before they are written; absent: they are written as stored. */
  readonly rescale: Rescale | undefined;
} & Pick<SliceToLoad, 'mapping' | 'crop'>;

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

/** What decoding the frames of all slices takes, one after the other. */
const SLICES = {
  timeoutMs: (_: unknown, { timeoutMs }: DecodeCost) => timeoutMs,
  bytes: ({ rows, columns, storage, written, slices }: WriteSlicesInput, { bytes }: DecodeCost) =>
    bytes + slices.length * rows * columns * (bytesOfSample(storage) + bytesOfSample(written)),
};
export const writeSlicesTask = defineTask<WriteSlicesInput, Uint8Array<ArrayBuffer>, DecodeCost>(
  'exports.writeSlices',
  SLICES,
);
export const packSlicesTask = defineTask<WriteSlicesInput, GzipPart, DecodeCost>('exports.packSlices', SLICES);
export const readSidecarTask = readingTask<ReadSidecarInput, SidecarFields>('exports.readSidecar', 30_000);
/** Files are read one after the other, so the largest of them decides. */
const tableTask = <Input, Output>(name: string) =>
  defineTask<Input, Output, readonly CostFactors[]>(name, {
    timeoutMs: (_, files) => 30_000 + 500 * files.length,
    mostBytes: (_, files) => Math.max(...files.map(readBytesOf)),
  });
export const writeTagTableTask = tableTask<WriteTagTableInput, Uint8Array<ArrayBuffer>>('exports.writeTagTable');
export const listColumnsTask = tableTask<ListColumnsInput, readonly number[]>('exports.listColumns');
export const writeRowsTask = tableTask<WriteRowsInput, Uint8Array<ArrayBuffer>>('exports.writeRows');
