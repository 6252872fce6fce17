import { defineTask } from '../workers/task.ts';
import type { PackedFiles } from './annotatedFiles.ts';
import type { ImportedAnnotations } from './importedAnnotations.ts';

export type ImportInput = {
  readonly csvPath: string;
  /** Where relative paths of the CSV begin. */
  readonly startDirectory: string;
  readonly files: PackedFiles;
};

export type ImportResult =
  | { readonly ok: true; readonly annotations: ImportedAnnotations; readonly unmatchedRows: number }
  /** The message names the file, and where they are known the line and the column. */
  | { readonly ok: false; readonly message: string };

export const importCsvTask = defineTask<ImportInput, ImportResult>('importAnnotationCsv');
