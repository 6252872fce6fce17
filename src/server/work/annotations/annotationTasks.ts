import { MIB } from '../../machine/system/mib.ts';
import type { ImageBounds } from '../../../shared/annotations.ts';
import { defineTask } from '../../machine/workers/task.ts';
import { JOURNAL_COST } from '../journal/journalCost.ts';
import type { KeptRecords } from '../journal/journalFile.ts';
import type { ImportedAnnotations, PackedRois } from './packedRois.ts';
import type { RoiJournalInput, RoiRecord } from './roiFormat.ts';
import type { PackedTargets } from './roiTargets.ts';

export type CheckBodyInput = { readonly body: Uint8Array; readonly bounds: ImageBounds };

/** Fails with the errors that `checkBody` throws. */
export const checkBodyTask = defineTask<CheckBodyInput, PackedRois>('checkAnnotationBody', {
  timeoutMs: 10_000,
  // The text, the parsed values, and the packed ROIs.
  mostBytes: ({ body }) => 16 * body.length,
});

export type ImportInput = {
  readonly csvPath: string;
  /** Base folder for relative paths in the CSV. */
  readonly startDirectory: string;
  readonly files: PackedTargets;
};

export type ImportResult =
  | { readonly ok: true; readonly annotations: ImportedAnnotations; readonly unmatchedRows: number }
  /** The message names the file and, if known, the line and the column. */
  | { readonly ok: false; readonly message: string };

export const importCsvTask = defineTask<ImportInput, ImportResult>('importAnnotationCsv', {
  // Guards against a thread that hangs and is not a limit for large files: at 1 MB/s, 3.6 GB can be read in this time.
  timeoutMs: 60 * 60 * 1_000,
  // The longest row, with its parsed parts, and the resulting ROIs.
  mostBytes: 64 * MIB,
});

export const readRoiJournalTask = defineTask<RoiJournalInput, KeptRecords<RoiRecord> | undefined>(
  'readRoiJournal',
  JOURNAL_COST,
);
