import type { DiscoveryEntry } from '../../../shared/contract/files.ts';
import { SKIP_REASONS, type SkipReason } from '../../../shared/contract/skipReasons.ts';
import { SKIP_REASON_TEXTS } from '../../../shared/skipReasonTexts.ts';
import type { FilesSummary } from '../../kit/state/library.ts';

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
    return [{ reason, text: SKIP_REASON_TEXTS[reason], count, entries }];
  });
}

/** Undefined if there is a file to show, or one may still be found. */
export function explainNothing(fileCount: number, summary: FilesSummary | undefined): string | undefined {
  if (summary?.scan_complete !== true || fileCount > 0) return undefined;
  return summary.filtered > 0 ? 'All DICOM files are excluded by --filter.' : 'No DICOM files found.';
}
