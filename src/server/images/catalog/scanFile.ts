import type { SkipReason } from '../../../shared/contract/skipReasons.ts';
import type { ElementPath } from '../../standard/dicom/elementPath.ts';
import { createHeaderScanner, type HeaderScan } from '../../standard/dicom/headerScanner.ts';
import { planPaths } from '../../standard/dicom/pathPlan.ts';
import { findAttachmentFormat } from './attachmentFormat.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { describeFile, SCANNED_TAGS } from './describeFile.ts';
import { describeTold } from './describeTold.ts';
import type { FileDescription } from './dicomFile.ts';
import { type FileCriterion, matchesFilters, splitConditions } from '../../../shared/fileFilter.ts';
import { MEDIA_DIRECTORY_STORAGE } from './mediaDirectory.ts';
import type { ScanResult } from './scanResult.ts';
import { compileWhere, type FindElement } from './whereOfFiles.ts';
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
  readonly paths: readonly ElementPath[];
  /** Called for each selected file. What it finds is valid until it returns. */
  readonly onFile: (file: FileDescription, find: FindElement) => void;
};

/**
 * Creates the function that turns an entry of the walk into its result. A bad file is a result too: it throws only
 * `NotHereYet`, for a file on another machine that has to be tried again.
 */
export function createFileScanner(
  conditions: readonly FileCriterion[],
  wanted?: WantedOfHeader,
): (entry: ListedEntry) => ScanResult {
  const { filters, where } = splitConditions(conditions);
  const condition = where === undefined ? undefined : compileWhere(where);
  const paths = [...(wanted?.paths ?? []), ...(condition?.paths ?? [])];
  const plan = paths.length === 0 ? undefined : planPaths(paths, { isWithHeader: true });
  const scanner = createHeaderScanner(SCANNED_TAGS, { plan });
  const window = createReadWindow();
  // The user filters by what is in the files, even if it is masked.
  const isFiltered = isMasked() && conditions.length > 0;
  const original = isFiltered ? createHeaderScanner(SCANNED_TAGS, { isOriginal: true, plan }) : scanner;

  const finderIn =
    (scan: HeaderOfFile): FindElement =>
    (element) =>
      plan?.find(scan, element) ?? [];
  const matches = (file: FileDescription, scan: HeaderOfFile) =>
    matchesFilters(file, filters) && condition?.test(file, finderIn(scan)) !== false;

  function isWanted(opened: OpenSource, file: FileDescription, scan: HeaderOfFile): boolean {
    if (original === scanner) return matches(file, scan);
    const stored = original.scan(opened);
    return stored.kind === 'dicom' && matches(describeFile({ path: file.path, opened, scan: stored }), stored);
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
    if (!isWanted(opened, file, scan)) return { disposition: 'filtered', path, reason: 'filter_mismatch', file: known };
    wanted?.onFile(file, finderIn(scan));
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

type HeaderOfFile = Extract<HeaderScan, { kind: 'dicom' }>;

function reasonOf({ code }: RemoteFailure): SkipReason {
  if (code === 'origin_denied') return code;
  return code === 'file_gone' ? 'unreadable' : 'origin_failed';
}

/** The system refused access: no permission, deleted since the walk, or a failing disk. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
