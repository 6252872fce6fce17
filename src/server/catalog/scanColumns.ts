import type { FileDescription } from './dicomFile.ts';
import { type FileColumns, packFiles } from './fileColumns.ts';
import { PackedFile } from './packedFile.ts';
import type { Refusal, ScanResult } from './scanResult.ts';

/** The results of one batch, in the form that is sent between threads. */
export type ScanColumns = {
  /** For each result the reason why it is not in the list; undefined for the next one of the files. */
  readonly refusals: readonly (Refusal | undefined)[];
  readonly files: FileColumns;
};

export function packResults(results: readonly ScanResult[]): ScanColumns {
  const files: FileDescription[] = [];
  const refusals = results.map((result) => {
    if (result.disposition !== 'selected') return result;
    files.push(result.file);
    return undefined;
  });
  return { refusals, files: packFiles(files) };
}

export function unpackResults({ refusals, files }: ScanColumns): ScanResult<PackedFile>[] {
  let row = 0;
  return refusals.map((refusal) => refusal ?? { disposition: 'selected', file: new PackedFile(files, row++) });
}
