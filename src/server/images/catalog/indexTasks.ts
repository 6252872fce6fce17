import type { NamedPlace, SourceRef } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { FileCriterion } from '../../../shared/fileFilter.ts';
import type { ScanColumns } from './scanResult.ts';

export type IndexRowsInput = {
  readonly index: SourceRef;
  readonly from: number;
  readonly to: number;
  readonly filters: readonly FileCriterion[];
  /** Files on other machines are opened only in these. */
  readonly places: readonly NamedPlace[];
};

/** The chosen rows as files of the catalog, and those that cannot be files with the reason. */
export type IndexRows = {
  readonly results: ScanColumns;
  /** Paths of chosen rows that are in none of the places. */
  readonly elsewhere: readonly string[];
};

export const readIndexRowsTask = defineTask<IndexRowsInput, IndexRows>('catalog.readIndexRows', {
  // A part takes less than a second. A damaged page can make the reader run on without an end.
  timeoutMs: 20_000,
  // The text of a group of rows, decoded, several times over.
  mostBytes: 128 * 2 ** 20,
});
