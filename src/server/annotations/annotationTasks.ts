import type { ImageBounds } from '../../shared/annotations.ts';
import { defineTask } from '../workers/task.ts';
import type { PackedTargets } from './annotatedFiles.ts';
import type { ImportedAnnotations, PackedRois } from './packedRois.ts';
import type { JournalRecord, KeptRecords, RoiJournalInput } from './journalFile.ts';

export type CheckBodyInput = { readonly body: Uint8Array; readonly bounds: ImageBounds };

/** Fails with the errors that `checkBody` throws. */
export const checkBodyTask = defineTask<CheckBodyInput, PackedRois>('checkAnnotationBody');

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

export const importCsvTask = defineTask<ImportInput, ImportResult>('importAnnotationCsv');

export const readJournalTask = defineTask<RoiJournalInput, KeptRecords<JournalRecord> | undefined>('readRoiJournal');
