import { findUnseen, type ListedFile } from '../origins/origins.ts';
import { createFileFeed, type FileFeed } from './fileFeed.ts';
import type { PackedFile } from './packedFile.ts';
import type { Scan, ScanOutcome } from './scan.ts';
import type { ScanResult } from './scanResult.ts';

/** Files that are listed by what their servers have told of them. They are read in the background. */
export interface UnreadFiles {
  /** A file that is in the list now. One that was read is left out. */
  add(file: PackedFile): void;
  /** Reads a file before the others, and resolves when that is done or has failed. Undefined if it is read already. */
  whenRead(index: number): Promise<void> | undefined;
  /** Resolves when all files are read. Call it when no more will be added. */
  finish(): Promise<ScanOutcome>;
  cancel(): Promise<void>;
}

export type UnreadFilesOptions = {
  readonly startScan: (feed: FileFeed, onResults: (results: readonly ScanResult<PackedFile>[]) => void) => Scan;
  /** Called with the file of the list, and with what reading it has found. */
  readonly onRead: (listed: PackedFile, result: ScanResult<PackedFile>) => void;
  /** Called after several files. */
  readonly onBatch: () => void;
};

type Unread = {
  readonly file: PackedFile;
  readonly entry: ListedFile;
  /** Called when it is read. */
  readonly waiting: (() => void)[];
};

export function createUnreadFiles({ startScan, onRead, onBatch }: UnreadFilesOptions): UnreadFiles {
  const feed = createFileFeed();
  const byPath = new Map<string, Unread>();
  const byIndex = new Map<number, Unread>();
  let scan: Scan | undefined;

  function take(results: readonly ScanResult<PackedFile>[]): void {
    for (const result of results) {
      const path = result.disposition === 'selected' ? result.file.path : result.path;
      const unread = byPath.get(path);
      if (unread === undefined) continue;
      byPath.delete(path);
      byIndex.delete(unread.file.index);
      onRead(unread.file, result);
      for (const resolve of unread.waiting) resolve();
    }
    onBatch();
  }

  return {
    add(file) {
      // Only the file itself tells its transfer syntax. Most files are recognized by that without a closer look.
      const ref = file.transferSyntaxUid === '' ? findUnseen(file.source) : undefined;
      if (ref === undefined) return;
      const unread: Unread = { file, entry: { path: file.path, ref }, waiting: [] };
      byPath.set(file.path, unread);
      byIndex.set(file.index, unread);
      feed.add(unread.entry);
      scan ??= startScan(feed, take);
      scan.outcome.catch(() => undefined);
    },
    whenRead(index) {
      const unread = byIndex.get(index);
      if (unread === undefined) return undefined;
      feed.hurry(unread.entry);
      return new Promise((resolve) => unread.waiting.push(resolve));
    },
    async finish() {
      feed.end();
      return scan?.outcome ?? 'complete';
    },
    async cancel() {
      await scan?.cancel();
      for (const { waiting } of byPath.values()) for (const resolve of waiting) resolve();
    },
  };
}
