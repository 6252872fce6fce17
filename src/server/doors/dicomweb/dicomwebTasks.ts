import { type CostFactors, readBytesOf, readingTask } from '../../standard/dicom/readCost.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { StoredValue } from '../../say/documents/storedValue.ts';
import type { AttributeMatch } from './attributeMatch.ts';

/** A file, and the address of its instance, to which `/bulkdata/PATH` is added for long values. */
export type InstanceFile = { readonly source: KnownSource; readonly address: string };

export type RecordsInput = {
  /** With elements that are not in the file, as JSON by tag. */
  readonly files: readonly (InstanceFile & { readonly more: ReadonlyMap<number, string> })[];
  /** The elements of the answer; those that a file does not have are empty in it. */
  readonly wanted: readonly number[];
  /** Further elements of the answer, if a file has them. */
  readonly shown: readonly number[];
  readonly isAllWanted: boolean;
  readonly matches: readonly AttributeMatch[];
};

/** For each file the JSON of its attributes; undefined if it does not match. */
export const readRecordsTask = defineTask<RecordsInput, (string | undefined)[], readonly CostFactors[]>(
  'dicomweb.readRecords',
  {
    timeoutMs: 30_000,
    mostBytes: (_, files) => largestOf(files),
  },
);

export type MetadataInput = {
  readonly files: readonly InstanceFile[];
  /** Whether only one instance is asked for; otherwise one that cannot be read whole must not hold up the others. */
  readonly isOne: boolean;
};

/** The JSON of the first of these files, separated by commas, and how many they are: as many as fit into one piece. */
export type MetadataPiece = { readonly json: Uint8Array<ArrayBuffer>; readonly count: number };

export const writeMetadataTask = defineTask<MetadataInput, MetadataPiece, readonly CostFactors[]>(
  'dicomweb.writeMetadata',
  {
    timeoutMs: 30_000,
    mostBytes: (_, files) => largestOf(files) + TEXT_BYTES,
  },
);

export type BulkInput = { readonly source: KnownSource; readonly path: string };

/** The bytes of one value, little endian. */
export const findBulkTask = readingTask<BulkInput, StoredValue>('dicomweb.findBulk', 30_000);

/** The text of one object, of which the task holds two forms. */
const TEXT_BYTES = 8 * 2 ** 20;

/** They are read one after another, so the largest of them decides. */
function largestOf(files: readonly CostFactors[]): number {
  return Math.max(...files.map(readBytesOf));
}
