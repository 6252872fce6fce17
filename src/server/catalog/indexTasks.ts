import type { SourceRef } from '../origins/origins.ts';
import { defineTask } from '../workers/task.ts';
import type { FileColumns } from './fileColumns.ts';
import type { Filter } from './filter.ts';

export type IndexRowsInput = {
  readonly index: SourceRef;
  readonly from: number;
  readonly to: number;
  readonly where: string | undefined;
  readonly filters: readonly Filter[];
};

/** The chosen rows as files of the catalog. */
export type IndexRows = { readonly columns: FileColumns; readonly count: number };

export const readIndexRowsTask = defineTask<IndexRowsInput, IndexRows>('catalog.readIndexRows');
