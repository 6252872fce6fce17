import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import { type CostFactors, readBytesOf } from '../../standard/dicom/readCost.ts';
import type { ElementColumn } from '../catalog/elementColumns.ts';
import type { CellValue } from './encodedColumn.ts';

export type HarvestInput = {
  readonly sources: readonly KnownSource[];
  readonly columns: readonly ElementColumn[];
};

export type HarvestOutput = {
  /** For each column the values of all files, in their order. */
  readonly values: readonly (readonly CellValue[])[];
  /** Number of files that could not be read; they have no values. */
  readonly unread: number;
};

/** Files are read one after the other, so the largest of them decides. */
export const harvestTask = defineTask<HarvestInput, HarvestOutput, readonly CostFactors[]>('tables.harvest', {
  timeoutMs: (_, files) => 10_000 + 500 * files.length,
  mostBytes: (_, files) => Math.max(...files.map(readBytesOf)),
});
