import type { SkipReason } from '../../shared/contract/files.ts';
import type { FileDescription } from './dicomFile.ts';

/** What became of one path that the walk met. A file that cannot be listed is a value like any other. */
export type ScanResult<File = FileDescription> =
  | { readonly disposition: 'selected'; readonly file: File }
  | { readonly disposition: 'skipped' | 'filtered'; readonly path: string; readonly reason: SkipReason };
