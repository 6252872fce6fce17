import type { SkipReason } from './contract/skipReasons.ts';

/** Why a file is not in the list, for people. */
export const SKIP_REASON_TEXTS: Readonly<Record<SkipReason, string>> = {
  input_path_unavailable: 'Path does not exist or cannot be accessed',
  directory_entry_unreadable: 'Folder or link cannot be read',
  not_dicom: 'Not a DICOM file',
  dicom_parse_failed: 'DICOM file too damaged to list',
  media_directory: 'DICOMDIR (not needed to find the files that it lists)',
  media_file_missing: 'Named by a DICOMDIR, but not there',
  unreadable: 'File cannot be read',
  filter_mismatch: 'Excluded by --filter',
  limit_exceeded: 'Over the limit of open files or frames, or too slow to read',
  origin_denied: 'Refused by the other machine, or outside of what was opened',
  origin_failed: 'The other machine did not answer as it should',
  archive_encrypted: 'Encrypted in its archive',
  archive_damaged: 'Archive damaged or incomplete here',
  archive_unsupported: 'Kind of archive or compression that is not supported',
  archive_limit: 'Archive too large, too deeply nested, or expanding too much',
  index_damaged: 'The row or part of the index is not as negato index writes it',
};
