import { defineTask } from '../workers/task.ts';
import type { PackedFiles } from './annotatedFiles.ts';
import type { ImportedAnnotations } from './importedAnnotations.ts';

export type ImportInput = {
  readonly csvPath: string;
  /** Base folder for relative paths in the CSV. */
  readonly startDirectory: string;
  readonly files: PackedFiles;
};

export type ImportResult =
  | { readonly ok: true; readonly annotations: ImportedAnnotations; readonly unmatchedRows: number }
  /** The message names the file and, if known, the line and the column. */
  | { readonly ok: false; readonly message: string };

export const importCsvTask = defineTask<ImportInput, ImportResult>('importAnnotationCsv');
