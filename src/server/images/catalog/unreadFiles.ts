import { addTo } from '../../../shared/addTo.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { expectUnseen, findUnseen, type ListedFile } from '../../bytes/origins/origins.ts';
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
  /**
   * Reads files before the others, and resolves when that is done or has failed. Undefined if all are read already.
   * Rejects with `origin_busy` if it takes too long: a server may be slow, and files before it in the queue, too.
   */
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
  /** How long `whenRead` waits. */
  readonly patienceMs?: number | undefined;
};

const PATIENCE_MS = 15_000;

type Unread = {
  readonly file: PackedFile;
  readonly entry: ListedFile;
  /** Whether it is among the files that are being read, and among the first of them. */
  isFed: boolean;
  isFirst: boolean;
  /** Called when it is read. */
  readonly waiting: (() => void)[];
};

async function waitFor(files: Iterable<Unread>, patienceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const failure = new ViewerError('origin_busy', 'the file has not been read from its server yet');
    timer = setTimeout(() => reject(failure), patienceMs);
  });
  const reads = [...files].map(({ waiting }) => new Promise<void>((resolve) => waiting.push(resolve)));
  try {
    await Promise.race([Promise.all(reads), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

export function createUnreadFiles(options: UnreadFilesOptions): UnreadFiles {
  const { startScan, onRead, onBatch, patienceMs = PATIENCE_MS } = options;
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
      addTo(byPath, file.path, unread);
      byIndex.set(file.index, unread);
    },
    whenRead(indices) {
      if (byIndex.size === 0) return undefined;
      const wanted = new Set([...indices].flatMap((index) => byIndex.get(index) ?? []));
      if (wanted.size === 0) return undefined;
      hurry([...wanted].filter(({ isFirst }) => !isFirst));
      return waitFor(wanted, patienceMs);
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
