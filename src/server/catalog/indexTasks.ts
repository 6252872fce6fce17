import type { NamedPlace, SourceRef } from '../origins/origins.ts';
import { defineTask } from '../workers/task.ts';
import type { FileColumns } from './fileColumns.ts';
import type { Filter } from './filter.ts';

export type IndexRowsInput = {
  readonly index: SourceRef;
  readonly from: number;
  readonly to: number;
  readonly where: string | undefined;
  readonly filters: readonly Filter[];
  /** Files on other machines are opened only in these. */
  readonly places: readonly NamedPlace[];
};

/** The chosen rows as files of the catalog. */
export type IndexRows = {
  readonly columns: FileColumns;
  readonly count: number;
  /** Paths of chosen rows that are in none of the places. */
  readonly elsewhere: readonly string[];
};

export const readIndexRowsTask = defineTask<IndexRowsInput, IndexRows>('catalog.readIndexRows');
