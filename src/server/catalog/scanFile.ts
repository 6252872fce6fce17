import { createReadWindow, openFileSource, type FileSource } from '../dicom/byteSource.ts';
import { createHeaderScanner } from '../dicom/headerScanner.ts';
import * as Tag from '../dicom/tag.ts';
import { describeFile, SCANNED_TAGS } from './describeFile.ts';
import { matchesFilters, type Filter } from './filter.ts';
import { MEDIA_DIRECTORY_STORAGE } from './mediaDirectory.ts';
import type { ScanResult } from './scanResult.ts';
import type { WalkedFile, WalkEntry } from './walk.ts';

/** Makes what turns an entry of the walk into its result. It never throws: a bad file is a result too. */
export function createFileScanner(filters: readonly Filter[]): (entry: WalkEntry) => ScanResult {
  const scanner = createHeaderScanner(SCANNED_TAGS);
  const window = createReadWindow();

  function scanOpen(walked: WalkedFile, source: FileSource): ScanResult {
    const { path, realPath } = walked;
    const scan = scanner.scan(source);
    const known = { path: realPath, identity: source.identity };
    if (scan.kind === 'failed') {
      const { reason } = scan;
      return { disposition: 'skipped', path, reason, ...(reason === 'dicom_parse_failed' && { file: known }) };
    }
    if (scan.meta.string(Tag.MediaStorageSOPClassUID) === MEDIA_DIRECTORY_STORAGE) {
      return { disposition: 'skipped', path, reason: 'media_directory', file: known };
    }
    const file = describeFile({ path, realPath, source, scan });
    if (!matchesFilters(file, filters)) {
      return { disposition: 'filtered', path, reason: 'filter_mismatch', file: known };
    }
    return { disposition: 'selected', file };
  }

  return (entry) => {
    const { path } = entry;
    let source: FileSource | undefined;
    try {
      if ('reason' in entry) {
        if (entry.realPath === undefined) return { disposition: 'skipped', path, reason: entry.reason };
        source = openFileSource(entry.realPath, window);
        const file = { path: entry.realPath, identity: source.identity };
        return { disposition: 'skipped', path, reason: entry.reason, file };
      }
      source = openFileSource(entry.realPath, window);
      return scanOpen(entry, source);
    } catch (error) {
      const isUnreadable = source === undefined || isSystemError(error);
      return { disposition: 'skipped', path, reason: isUnreadable ? 'unreadable' : 'dicom_parse_failed' };
    } finally {
      source?.close();
    }
  };
}

/** The system refused: no permission, gone since the walk, a failing disk. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
