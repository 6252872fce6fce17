import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import { type CostFactors, readBytesOf } from '../../standard/dicom/readCost.ts';

/** What is searched for, and where. The text is in small letters. */
export type SearchWish = {
  readonly text: string;
  readonly isInValues: boolean;
  /** Keywords, names and tags. */
  readonly isInKeywords: boolean;
  /** Also in private elements. */
  readonly isPrivate: boolean;
  readonly mostOfFile: number;
};

export type FileToSearch = { readonly source: KnownSource; readonly index: number };
export type SearchFilesInput = { readonly files: readonly FileToSearch[]; readonly wish: SearchWish };

export type FoundElements = {
  /** A line of JSON for each match: `SearchMatch`. */
  readonly lines: Uint8Array<ArrayBuffer>;
  readonly matches: number;
  /** Whether all elements of all files were searched, and all matches are there. */
  readonly isWhole: boolean;
};

/** Files are read one after the other, so the largest of them decides. */
export const searchTask = defineTask<SearchFilesInput, FoundElements, readonly CostFactors[]>('tables.search', {
  timeoutMs: (_, files) => 10_000 + 2_000 * files.length,
  mostBytes: (_, files) => Math.max(...files.map(readBytesOf)),
});
