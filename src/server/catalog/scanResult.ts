import type { SkipReason } from '../../shared/contract/files.ts';
import type { KnownSource } from '../origins/origins.ts';
import type { FileDescription } from './dicomFile.ts';

/** What became of one path that the walk met. A file that cannot be listed is a value like any other. */
export type ScanResult<File = FileDescription> = { readonly disposition: 'selected'; readonly file: File } | Refusal;

/** Why a path is not in the list. */
export type Refusal = {
  readonly disposition: 'skipped' | 'filtered';
  readonly path: string;
  readonly reason: SkipReason;
  /** Of a DICOM file: what it was when it was scanned, so that its tags can be read all the same. */
  readonly file?: KnownSource;
};
