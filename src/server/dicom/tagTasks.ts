import { defineTask } from '../workers/task.ts';
import type { KnownSource } from '../origins/origins.ts';

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

/** Throws unless the bytes of the file show that it is DICOM. */
export const checkDicomTask = defineTask<{ readonly source: KnownSource }, void>('dicom.check');
// The results are the JSON to be sent, TagNode[] and TagNode: a tree can be so large that serializing it, or only
// moving it between threads, would block the event loop.
export const readTagsTask = defineTask<ReadTagsInput, Uint8Array<ArrayBuffer>>('dicom.readTags');
export const selectTagTask = defineTask<SelectTagInput, Uint8Array<ArrayBuffer>>('dicom.selectTag');
