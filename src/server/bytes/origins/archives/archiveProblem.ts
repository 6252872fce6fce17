import { type ErrorCode, ViewerError } from '../../../../shared/contract/errors.ts';
import type { SkipReason } from '../../../../shared/contract/skipReasons.ts';

export type ArchiveReason = Extract<SkipReason, `archive_${string}`>;

const CODES: Readonly<Record<ArchiveReason, ErrorCode>> = {
  archive_damaged: 'file_read_failed',
  archive_encrypted: 'file_read_failed',
  archive_unsupported: 'file_read_failed',
  archive_limit: 'archive_limit',
};

/** Why a file inside of an archive cannot be read: the reason for the list of files that are not shown, and an error. */
export class ArchiveProblem extends ViewerError {
  readonly reason: ArchiveReason;

  constructor(reason: ArchiveReason, message: string, options?: { cause?: unknown }) {
    super(CODES[reason], message, options);
    this.reason = reason;
  }
}
