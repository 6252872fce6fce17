import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import { type CostFactors, readBytesOf } from '../../standard/dicom/readCost.ts';

export type DigestInput = { readonly source: KnownSource; readonly isWhole: boolean };

export type FileDigests = {
  /** Of all bytes; undefined if only the pixels were wanted. */
  readonly whole: string | undefined;
  /** Of the stored pixels and of what they mean: matrix, bits and transfer syntax. Undefined if there are none. */
  readonly pixels: string | undefined;
};

/** Bytes that are read and digested in a second, at the very least. */
const SLOWEST = 4 * 2 ** 20;

export const digestFileTask = defineTask<DigestInput, FileDigests, CostFactors>('audits.digestFile', {
  timeoutMs: (_, { fileBytes }) => 20_000 + (2_000 * fileBytes) / SLOWEST,
  mostBytes: (_, file) => readBytesOf(file),
});
