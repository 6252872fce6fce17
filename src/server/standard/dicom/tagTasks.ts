import { MIB } from '../../machine/system/mib.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';

export type ReadTagsInput = {
  readonly source: KnownSource;
  readonly depth: number;
  readonly items: number;
};

export type SelectTagInput = {
  readonly source: KnownSource;
  readonly tagPath: string;
  readonly offset: number;
  readonly limit: number;
};

/** What reading the file takes, of which perhaps only the length is known. */
export type ReadingBytes = { readonly mostBytes: number };
const READING = { timeoutMs: 10_000, mostBytes: (_: unknown, { mostBytes }: ReadingBytes) => mostBytes };

/** Throws unless the bytes of the file show that it is DICOM. */
export const checkDicomTask = defineTask<{ readonly source: KnownSource }, void>('dicom.check', {
  timeoutMs: 10_000,
  mostBytes: MIB,
});
// The results are the JSON to be sent, TagNode[] and TagNode: a tree can be so large that serializing it, or only
// moving it between threads, would block the event loop.
export const readTagsTask = defineTask<ReadTagsInput, Uint8Array<ArrayBuffer>, ReadingBytes>('dicom.readTags', READING);
export const selectTagTask = defineTask<SelectTagInput, Uint8Array<ArrayBuffer>, ReadingBytes>(
  'dicom.selectTag',
  READING,
);
