import { MIB } from '../../machine/system/mib.ts';
import type { AttachmentFormat } from '../../../shared/contract/attachments.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { ArrayHeader } from './arrayHeader.ts';
import type { PngHeader } from './png.ts';

export type HeaderInput = {
  readonly source: KnownSource;
  /** As it is on the disk, because the samples of a pair are in the file of the same name. */
  readonly name: string;
  readonly format: AttachmentFormat;
};

/** One array of a file, and the file that holds its elements. */
export type FoundArray = {
  /** Of an NPZ file. */
  readonly member: string | undefined;
  readonly header: ArrayHeader;
  readonly data: KnownSource;
};

/** What one file holds, or why it cannot be read. */
export type FileHeader =
  | { readonly kind: 'arrays'; readonly arrays: readonly FoundArray[] }
  | { readonly kind: 'png'; readonly header: PngHeader }
  | { readonly kind: 'failed'; readonly reason: string };

/** The headers of several files, in their order. */
export const readHeadersTask = defineTask<readonly HeaderInput[], readonly FileHeader[]>('attachments.readHeaders', {
  timeoutMs: 60_000,
  // The beginning of a packed file unpacks to 8 MiB at most.
  mostBytes: 12 * MIB,
});
