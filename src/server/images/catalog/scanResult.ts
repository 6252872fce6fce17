import type { SkipReason } from '../../../shared/contract/files.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import type { AttachmentFormat } from '../../../shared/contract/attachments.ts';
import type { FileDescription } from './dicomFile.ts';
import { type FileColumns, packFiles } from './fileColumns.ts';
import { PackedFile } from './packedFile.ts';

/** The result for one path that the walk found. A file that cannot be listed is a value like any other. */
export type ScanResult<File = FileDescription> =
  | { readonly disposition: 'selected'; readonly file: File }
  | FoundAttachment
  | UnlistedPath;

/** A file that is no DICOM file but may lie over images. */
export type FoundAttachment = {
  readonly disposition: 'attached';
  readonly path: string;
  readonly format: AttachmentFormat;
  readonly source: KnownSource;
};

/** Why a path is not in the list. */
export type UnlistedPath = {
  readonly disposition: 'skipped' | 'filtered';
  readonly path: string;
  readonly reason: SkipReason;
  /** For a DICOM file: its state when it was scanned, so that its tags can still be read. */
  readonly file?: KnownSource;
};

/** The results of one batch, in the form that is sent between threads. */
export type ScanColumns = {
  /** For each result an attachment or the reason why it is not in the list; undefined for the next one of the files. */
  readonly refusals: readonly (UnlistedPath | FoundAttachment | undefined)[];
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
