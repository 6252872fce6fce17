import { expectUnseen, findUnseen, type ListedFile } from '../origins/origins.ts';
import { createFileFeed, type FileFeed } from './fileFeed.ts';
import type { PackedFile } from './packedFile.ts';
import type { Scan, ScanOutcome } from './scan.ts';
import type { ScanResult } from './scanResult.ts';

/**
 * Files that are listed by what their servers have told of them. They are read when all files are listed, so that the
 * list is complete soon; those that somebody waits for are read at once.
 */
export interface UnreadFiles {
  /** A file that is in the list now. One that was read is left out. */
  add(file: PackedFile): void;
  /** Reads files before the others, and resolves when that is done or has failed. Undefined if all are read already. */
  whenRead(indices: Iterable<number>): Promise<void> | undefined;
  /** Reads all files, and resolves when that is done. Call it when no more will be added. */
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
  /** Whether it is among the files that are being read, and among the first of them. */
  isFed: boolean;
  isFirst: boolean;
  /** Called when it is read. */
  readonly waiting: (() => void)[];
};

async function waitFor(files: Iterable<Unread>): Promise<void> {
  await Promise.all([...files].map(({ waiting }) => new Promise<void>((resolve) => waiting.push(resolve))));
}

export function createUnreadFiles({ startScan, onRead, onBatch }: UnreadFilesOptions): UnreadFiles {
  const feed = createFileFeed();
  /** A path that was named twice has two files. */
  const byPath = new Map<string, Unread[]>();
  const byIndex = new Map<number, Unread>();
  let scan: Scan | undefined;

  function take(results: readonly ScanResult<PackedFile>[]): void {
    for (const result of results) {
      const path = result.disposition === 'selected' ? result.file.path : result.path;
      const unread = byPath.get(path)?.shift();
      if (unread === undefined) continue;
      byIndex.delete(unread.file.index);
      onRead(unread.file, result);
      for (const resolve of unread.waiting) resolve();
    }
    onBatch();
  }

  /** Nobody waits for a scan that has ended early. */
  function release(): void {
    for (const { waiting } of byIndex.values()) for (const resolve of waiting) resolve();
    byIndex.clear();
  }

  function read(files: readonly Unread[]): void {
    if (files.length === 0) return;
    expectUnseen(files.map(({ entry }) => entry.ref));
    for (const unread of files) {
      feed.add(unread.entry);
      unread.isFed = true;
    }
    if (scan !== undefined) return;
    scan = startScan(feed, take);
    scan.outcome.then(release, release);
  }

  function hurry(files: readonly Unread[]): void {
    if (files.length === 0) return;
    for (const unread of files) unread.isFirst = true;
    read(files.filter(({ isFed }) => !isFed));
    const entries = files.map(({ entry }) => entry);
    expectUnseen(
      entries.map(({ ref }) => ref),
      { isUrgent: true },
    );
    feed.hurry(new Set(entries));
  }

  return {
    add(file) {
      // Only the file itself tells its transfer syntax. Most files are recognized by that without a closer look.
      const ref = file.transferSyntaxUid === '' ? findUnseen(file.source) : undefined;
      if (ref === undefined) return;
      const unread: Unread = { file, entry: { path: file.path, ref }, isFed: false, isFirst: false, waiting: [] };
      const twins = byPath.get(file.path);
      if (twins === undefined) byPath.set(file.path, [unread]);
      else twins.push(unread);
      byIndex.set(file.index, unread);
    },
    whenRead(indices) {
      if (byIndex.size === 0) return undefined;
      const wanted = new Set([...indices].flatMap((index) => byIndex.get(index) ?? []));
      if (wanted.size === 0) return undefined;
      hurry([...wanted].filter(({ isFirst }) => !isFirst));
      return waitFor(wanted);
    },
    async finish() {
      read([...byIndex.values()].filter(({ isFed }) => !isFed));
      feed.end();
      return scan?.outcome ?? 'complete';
    },
    async cancel() {
      await scan?.cancel();
    },
  };
}
