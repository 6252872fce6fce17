/** Why a path found by the scan is not in the list of files. */
export const SKIP_REASONS = [
  'input_path_unavailable',
  'directory_entry_unreadable',
  'not_dicom',
  'dicom_parse_failed',
  'media_directory',
  'media_file_missing',
  'unreadable',
  'filter_mismatch',
  'limit_exceeded',
  'origin_denied',
  'origin_failed',
  'archive_encrypted',
  'archive_damaged',
  'archive_unsupported',
  'archive_limit',
  'index_damaged',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];
