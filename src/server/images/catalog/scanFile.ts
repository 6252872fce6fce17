import type { SkipReason } from '../../../shared/contract/skipReasons.ts';
import { createHeaderScanner } from '../../standard/dicom/headerScanner.ts';
import { findAttachmentFormat } from './attachmentFormat.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import type { Attributes } from '../../standard/dicom/dataSet.ts';
import { describeFile, SCANNED_TAGS } from './describeFile.ts';
import { describeTold } from './describeTold.ts';
import type { FileDescription } from './dicomFile.ts';
import { matchesFilters, type Filter } from '../../../shared/fileFilter.ts';
import { MEDIA_DIRECTORY_STORAGE } from './mediaDirectory.ts';
import type { ScanResult } from './scanResult.ts';
import { isMasked } from '../../bytes/masking/masker.ts';
import { createReadWindow } from '../../bytes/origins/byteSource.ts';
import {
  isRemoteArchive,
  type ListedEntry,
  NotHereYet,
  openListed,
  type OpenSource,
  RemoteFailure,
  skipReasonOf,
} from '../../bytes/origins/origins.ts';

/** What is wanted of each selected file beside its description. */
export type WantedOfHeader = {
  /** Top-level elements. */
  readonly tags: readonly number[];
  /** Called for each selected file. The header is valid until it returns. */
  readonly onFile: (file: FileDescription, header: Attributes) => void;
};

/**
 * Creates the function that turns an entry of the walk into its result. A bad file is a result too: it throws only
 * `NotHereYet`, for a file on another machine that has to be tried again.
 */
export function createFileScanner(
  filters: readonly Filter[],
  wanted?: WantedOfHeader,
): (entry: ListedEntry) => ScanResult {
  const scanner = createHeaderScanner([...SCANNED_TAGS, ...(wanted?.tags ?? [])]);
  const window = createReadWindow();
  // The user filters by what is in the files, even if it is masked.
  const original = isMasked() && filters.length > 0 ? createHeaderScanner(SCANNED_TAGS, { isOriginal: true }) : scanner;

  function isWanted(path: string, opened: OpenSource, file: FileDescription): boolean {
    if (original === scanner) return matchesFilters(file, filters);
    const scan = original.scan(opened);
    return scan.kind === 'dicom' && matchesFilters(describeFile({ path, opened, scan }), filters);
  }

  function scanOpen(path: string, opened: OpenSource): ScanResult {
    const scan = scanner.scan(opened);
    const { known } = opened;
    if (scan.kind === 'failed') {
      const { reason } = scan;
      const format = findAttachmentFormat(path, opened);
      if (format !== undefined) return { disposition: 'attached', path, format, source: known };
      if (isRemoteArchive(known, path)) return { disposition: 'skipped', path, reason: 'archive_unsupported' };
      return { disposition: 'skipped', path, reason, ...(reason === 'dicom_parse_failed' && { file: known }) };
    }
    if (scan.meta.string(Tag.MediaStorageSOPClassUID) === MEDIA_DIRECTORY_STORAGE) {
      return { disposition: 'skipped', path, reason: 'media_directory', file: known };
    }
    const file = describeFile({ path, opened, scan });
    if (!isWanted(path, opened, file)) return { disposition: 'filtered', path, reason: 'filter_mismatch', file: known };
    wanted?.onFile(file, scan.attributes);
    return { disposition: 'selected', file };
  }

  return (entry) => {
    const { path } = entry;
    let opened: OpenSource | undefined;
    try {
      if ('reason' in entry) {
        if (entry.ref === undefined) return { disposition: 'skipped', path, reason: entry.reason };
        opened = openListed(entry.ref, window);
        return { disposition: 'skipped', path, reason: entry.reason, file: opened.known };
      }
      const told = describeTold(entry);
      if (told !== undefined) return { disposition: 'selected', file: told };
      opened = openListed(entry.ref, window);
      return scanOpen(path, opened);
    } catch (error) {
      if (error instanceof NotHereYet) throw error;
      if (error instanceof RemoteFailure) return { disposition: 'skipped', path, reason: reasonOf(error) };
      const isUnreadable = opened === undefined || isSystemError(error);
      const reason = skipReasonOf(error) ?? (isUnreadable ? 'unreadable' : 'dicom_parse_failed');
      return { disposition: 'skipped', path, reason };
    } finally {
      opened?.close();
    }
  };
}

function reasonOf({ code }: RemoteFailure): SkipReason {
  if (code === 'origin_denied') return code;
  return code === 'file_gone' ? 'unreadable' : 'origin_failed';
}

/** The system refused access: no permission, deleted since the walk, or a failing disk. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
