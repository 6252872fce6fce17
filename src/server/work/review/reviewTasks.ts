import type { FileColumn } from '../../images/tables/writeTableFile.ts';
import { defineTask } from '../../machine/workers/task.ts';

export type ReviewParquetInput = {
  /** The rows as lines of JSON, with a member for each column in their order. */
  readonly lines: Uint8Array;
  readonly columns: readonly FileColumn[];
  readonly createdBy: string;
};

/** A Parquet file ends with a description of all its parts, which takes long to write. */
export const writeReviewParquetTask = defineTask<ReviewParquetInput, Uint8Array<ArrayBuffer>>('writeReviewParquet', {
  timeoutMs: ({ lines }) => 30_000 + lines.length / 1_000,
  // The lines as text, the rows of a group, and the file.
  mostBytes: ({ lines }) => 32 * 2 ** 20 + 6 * lines.length,
});
