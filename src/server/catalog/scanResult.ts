import type { SkipReason } from '../../shared/contract/files.ts';
import type { KnownSource } from '../origins/origins.ts';
import type { FileDescription } from './dicomFile.ts';

/** The result for one path that the walk found. A file that cannot be listed is a value like any other. */
export type ScanResult<File = FileDescription> = { readonly disposition: 'selected'; readonly file: File } | Refusal;

/** Why a path is not in the list. */
export type Refusal = {
  readonly disposition: 'skipped' | 'filtered';
  readonly path: string;
  readonly reason: SkipReason;
  /** For a DICOM file: its state when it was scanned, so that its tags can still be read. */
  readonly file?: KnownSource;
};
