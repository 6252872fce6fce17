import type { DiscoveryEntry } from '../../../shared/contract/files.ts';
import { SKIP_REASONS, type SkipReason } from '../../../shared/contract/skipReasons.ts';
import type { FilesSummary } from '../../kit/state/library.ts';

const EXPLANATIONS: Readonly<Record<SkipReason, string>> = {
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

export type ExplainedReason = {
  readonly reason: SkipReason;
  readonly text: string;
  readonly count: number;
  /** The most recent entries. */
  readonly entries: readonly DiscoveryEntry[];
};

/** Why files are not in the list. */
export function explainReasons({ not_shown, discovery }: FilesSummary): ExplainedReason[] {
  return SKIP_REASONS.flatMap((reason) => {
    const count = not_shown[reason];
    if (count === undefined) return [];
    const entries = discovery.filter((entry) => entry.reason === reason);
    return [{ reason, text: EXPLANATIONS[reason], count, entries }];
  });
}

/** Undefined if there is a file to show, or one may still be found. */
export function explainNothing(fileCount: number, summary: FilesSummary | undefined): string | undefined {
  if (summary?.scan_complete !== true || fileCount > 0) return undefined;
  return summary.filtered > 0 ? 'All DICOM files are excluded by --filter.' : 'No DICOM files found.';
}
