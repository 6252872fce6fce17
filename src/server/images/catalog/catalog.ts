import type { DiscoveryEntry, SkipReason } from '../../../shared/contract/files.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { MOST_FILES } from '../../../shared/layerRef.ts';
import { createMemoryAccount, type MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { FolderNews, KnownSource } from '../../bytes/origins/origins.ts';
import type { DicomFile } from './dicomFile.ts';
import { createFileFeed, type FileFeed } from './fileFeed.ts';
import type { FileCriterion } from '../../../shared/fileFilter.ts';
import { createGoneFiles } from './goneFiles.ts';
import type { IndexRows } from './indexTasks.ts';
import { createLedger, type LedgerPart } from './ledger.ts';
import { type FileRows, PackedFile } from './packedFile.ts';
import { pollRemote } from './pollRemote.ts';
import { createRevisionList } from './revisionList.ts';
import { startScan, type Scan, type ScanOptions, type ScanOutcome } from './scan.ts';
import { type FoundAttachment, type UnlistedPath, type ScanResult, unpackResults } from './scanResult.ts';
import { type FolderWatch, startWatch } from './startWatch.ts';
import { createUnreadFiles } from './unreadFiles.ts';

export type CatalogOptions = {
  /** Files and folders, in the order in which they were given. */
  readonly inputs: readonly string[];
  readonly recursive?: boolean;
  /** Whether archives in folders are opened. */
  readonly archives?: boolean;
  readonly filters?: readonly FileCriterion[];
  /** Memory account of the server. Without one, the scan creates its own account of the default size. */
  readonly memory?: Pick<MemoryAccount, 'tasks'>;
  /** Source of the files, used instead of the inputs. */
  readonly feed?: FileFeed | undefined;
  /** Files that are known without reading them, used instead of the inputs. */
  readonly known?: ((signal: AbortSignal) => AsyncIterable<IndexRows>) | undefined;
  /** Files that appear, change or vanish later are followed. */
  readonly watch?: WatchWish | undefined;
  /** How long a request waits for a file that is listed and not read yet. */
  readonly readPatienceMs?: number;
  /** Files beyond this many are skipped as `limit_exceeded`. The numbers from there on are those of attachments. */
  readonly maximumFiles?: number;
  /** Files whose frames would make more than this many together are skipped, too. */
  readonly maximumFrames?: number;
  /** How the scan is divided among threads, if not by the defaults. */
  readonly scan?: Pick<
    ScanOptions,
    'threads' | 'startThread' | 'largestBatch' | 'shortWalkMs' | 'stuckAfterMs' | 'blocksRead'
  >;
};

export type WatchWish = {
  /** Folders are polled at this interval instead of being watched. */
  readonly pollMs?: number | undefined;
  /** Called once, if folders have to be polled that should be watched. */
  readonly onPolling?: (reason: string) => void;
  /** What has changed on other machines; absent if all inputs are on this one. */
  readonly readRemoteNews?: (() => Promise<FolderNews>) | undefined;
};

/** Progress of the scan. `scanned` counts the files in the list. */
export type CatalogProgress = {
  readonly revision: number;
  readonly scanned: number;
  readonly skipped: number;
  readonly filtered: number;
  /** Number of files in the list that have vanished or been replaced since they were scanned, as far as known. */
  readonly gone: number;
  readonly scanComplete: boolean;
};

/** The catalog at one moment: the list, the counters and the flag are consistent. */
export type CatalogSnapshot = CatalogProgress & {
  readonly files: readonly DicomFile[];
  /** The most recent paths that are not in the list, oldest first. */
  readonly discovery: readonly DiscoveryEntry[];
  /** Indices of files that have vanished or been replaced, as far as known, in the order in which that was noticed. */
  readonly goneFiles: readonly number[];
  /** `limit` cut off the list: request the rest with `since` = this snapshot's `revision`. */
  readonly more: boolean;
  /** `since` is from another run, so the files start again from the first one. */
  readonly reset: boolean;
};

/** `total` counts the entries of all parts, and `unlisted` the files beyond, for which there is no room. */
export type UnlistedFiles = {
  readonly entries: readonly DiscoveryEntry[];
  readonly total: number;
  readonly unlisted: number;
};

/** The open files. Indices follow the order of the walk and are the same on every run. */
export interface Catalog {
  start(): void;
  /** Stops the scan; the files found so far stay. */
  cancel(): Promise<void>;
  /** Settles when no more files will be added; rejects only when no thread can run. */
  readonly scanComplete: Promise<ScanOutcome>;
  /** The file at an index; throws `not_found`. */
  get(index: number): DicomFile;
  /**
   * Grows while the scan runs. Existing entries do not change, except for those that a server has told of before they are
   * read: these get the fields that only the file itself tells.
   */
  readonly files: readonly DicomFile[];
  /**
   * Reads those of the files that are listed by what their servers have told of them before others, and resolves when that
   * is done or has failed. Undefined if there are none.
   */
  whenRead(indices: Iterable<number>): Promise<void> | undefined;
  /** Indices of the files that were read after they were listed, in the order in which they were. */
  readonly readLater: readonly number[];
  /** Indices of files that have vanished or been replaced, as far as known. `changes` counts how often that has changed. */
  readonly gone: { readonly files: ReadonlySet<number>; readonly changes: number };
  /** Files that are no DICOM files but may lie over images, in the order of the walk. Grows while the scan runs. */
  readonly attachments: readonly FoundAttachment[];
  /** The file at an index and the following files of the same scan batch; undefined beyond the last file. */
  rowsFrom(index: number): FileRows | undefined;
  readonly progress: CatalogProgress;
  snapshot(query?: { readonly since?: number | undefined; readonly limit?: number | undefined }): CatalogSnapshot;
  /** Number of paths that are not in the list, by reason. */
  skippedByReason(): ReadonlyMap<SkipReason, number>;
  /** A part of all files that are not in the list. */
  notShown(part: LedgerPart): UnlistedFiles;
  /** The DICOM file of one of them; throws `not_found` if there is none. */
  getSkipped(id: number): KnownSource;
  /** Calls the listener after every change; returns a function that unsubscribes it. */
  subscribe(listener: (progress: CatalogProgress) => void): () => void;
}

/** A file that somebody waits for comes after the batches that a thread has. */
const SMALL_BATCH = 16;
/** Each read of another machine has its limits, but it may have to wait for others before. */
const LONGEST_QUEUE_MS = 300_000;
/** More are skipped as `limit_exceeded`: a folder may hold a picture for each frame. */
const MOST_ATTACHMENTS = 16_384;
/**
 * Files with more are skipped as `limit_exceeded`: a thousand large slides have as many. The thread that builds the series
 * takes 16 bytes for each frame, and a file of a few bytes on the disk can have two million.
 */
const MOST_FRAMES_OF_ALL = 2 ** 27;

export function createCatalog(options: CatalogOptions): Catalog {
  const {
    inputs,
    recursive = true,
    archives = true,
    filters = [],
    feed,
    maximumFiles = MOST_FILES,
    maximumFrames = MOST_FRAMES_OF_ALL,
  } = options;
  const { memory = createMemoryAccount() } = options;
  const files: PackedFile[] = [];
  /** Of all files. */
  let frames = 0;
  const attachments: FoundAttachment[] = [];
  const ledger = createLedger();
  const listeners = new Set<(progress: CatalogProgress) => void>();
  const gone = createGoneFiles();
  const revisions = createRevisionList(files);
  const added = createFileFeed();
  let scan: Pick<Scan, 'outcome' | 'cancel'> | undefined;
  let scanOfAdded: Scan | undefined;
  let watch: FolderWatch | undefined;
  let isCancelled = false;
  const stopping = new AbortController();
  let scanComplete = false;
  let settle: ((outcome: ScanOutcome | PromiseLike<ScanOutcome>) => void) | undefined;
  const settled = new Promise<ScanOutcome>((resolve) => {
    settle = resolve;
  });
  // Callers that await the end still get the failure. Without this, a rejection that nobody awaits would end the
  // process.
  settled.catch(() => undefined);

  const unread = createUnreadFiles({
    startScan: (toRead, onResults) =>
      startScan({
        inputs,
        recursive,
        filters,
        memory,
        feed: toRead,
        onResults,
        ...options.scan,
        largestBatch: SMALL_BATCH,
        stuckAfterMs: LONGEST_QUEUE_MS,
      }),
    onRead: takeRead,
    onBatch: tell,
    patienceMs: options.readPatienceMs,
  });

  function commit(results: readonly ScanResult<PackedFile>[]): void {
    for (const result of results) commitOne(result);
    tell();
  }

  function commitOne(result: ScanResult<PackedFile>): void {
    if (result.disposition === 'attached') addAttachment(result);
    else if (result.disposition !== 'selected') ledger.add(result);
    else if (files.length < maximumFiles && frames + result.file.frameCount <= maximumFrames) add(result.file);
    else ledger.add(refuse(result.file));
  }

  function add(file: PackedFile): void {
    if (options.watch !== undefined && !gone.follow(file)) return;
    file.index = files.length;
    frames += file.frameCount;
    files.push(file);
    revisions.add(file);
    unread.add(file);
  }

  /** A file that was listed by what its server has told of it was read. */
  function takeRead(listed: PackedFile, result: ScanResult<PackedFile>): void {
    if (result.disposition === 'selected' && isSamePlace(listed, result.file)) {
      listed.becomeRead(result.file);
      revisions.addRead(listed);
      return;
    }
    // The server has told something else, or the file cannot be read.
    listed.isLost = true;
    gone.add(listed);
    commitOne(result);
  }

  function takeNews({ entries, gone: paths }: FolderNews): void {
    for (const path of paths) gone.addPath(path);
    if (paths.length > 0) tell();
    if (entries.length === 0 || isCancelled) return;
    for (const entry of entries) added.add(entry);
    scanOfAdded ??= startScan({ inputs, recursive, filters, memory, feed: added, onResults: commit, ...options.scan });
    scanOfAdded.outcome.catch(() => undefined);
  }

  function addAttachment(found: FoundAttachment): void {
    if (attachments.length < MOST_ATTACHMENTS) attachments.push(found);
    else ledger.add({ path: found.path, disposition: 'skipped', reason: 'limit_exceeded' });
  }

  function tell(): void {
    for (const listener of listeners) listener(progress());
  }

  function progress(): CatalogProgress {
    return {
      revision: revisions.length,
      scanned: files.length,
      skipped: ledger.count('skipped'),
      filtered: ledger.count('filtered'),
      gone: gone.files.size,
      scanComplete,
    };
  }

  return {
    start() {
      const begin = () => {
        if (isCancelled) return;
        scan ??=
          options.known === undefined
            ? startScan({ inputs, recursive, archives, filters, memory, feed, onResults: commit, ...options.scan })
            : takeKnown(options.known, commit);
        const outcome = scan.outcome.then(async (listed) => {
          const how = listed === 'complete' ? await unread.finish() : listed;
          scanComplete = how === 'complete';
          tell();
          return how;
        });
        settle?.(outcome);
        // Results of the two scans must not be mixed, so that indices are the same on every run.
        if (watch !== undefined) void outcome.then(watch.deliver, () => undefined);
        if (options.watch?.readRemoteNews !== undefined) {
          const polling = { read: options.watch.readRemoteNews, pollMs: options.watch.pollMs };
          const { signal } = stopping;
          void outcome.then(
            () => pollRemote(polling, { onNews: takeNews, signal }),
            () => undefined,
          );
        }
      };
      const hasFolders = feed === undefined && options.known === undefined;
      if (options.watch === undefined || !hasFolders) return begin();
      // What is there when the watch begins is found by the scan, what comes later by the watch.
      watch ??= startWatch({ inputs, recursive, archives, ...options.watch }, takeNews);
      void watch.ready.then(begin);
    },
    async cancel() {
      isCancelled = true;
      stopping.abort();
      settle?.('cancelled');
      await Promise.all([watch?.close(), scan?.cancel(), scanOfAdded?.cancel(), unread.cancel()]);
    },
    scanComplete: settled,
    get(index) {
      const file = files[index];
      if (file !== undefined) return file;
      const known = files.length === 0 ? 'no file is open' : `the files are 0 to ${files.length - 1}`;
      throw new ViewerError('not_found', `there is no file ${index}: ${known}`);
    },
    files,
    whenRead: (indices) => unread.whenRead(indices),
    readLater: revisions.readLater,
    get gone() {
      return { files: gone.files, changes: gone.changes() };
    },
    attachments,
    rowsFrom: (index) => PackedFile.rowsFrom(files, index),
    get progress() {
      return progress();
    },
    snapshot({ since = 0, limit = Infinity } = {}) {
      const { revision } = progress();
      const reset = since > revision;
      const from = reset ? 0 : since;
      const to = Math.min(from + limit, revision);
      return {
        ...progress(),
        files: revisions.slice(from, to),
        discovery: ledger.entries(),
        goneFiles: [...gone.files],
        revision: to,
        more: to < revision,
        reset,
      };
    },
    skippedByReason: () => ledger.totals(),
    notShown(part) {
      return { entries: ledger.list(part), total: ledger.listed(part.reason), unlisted: ledger.unlisted() };
    },
    getSkipped(id) {
      const file = ledger.findFile(id);
      if (file !== undefined) return file;
      throw new ViewerError(
        'not_found',
        `entry ${id} of the files that are not shown is not a DICOM file or is no longer known`,
      );
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Whether a file that was read is found under the same names as before, by which others may have remembered it. */
function isSamePlace(listed: DicomFile, read: DicomFile): boolean {
  return (
    PLACE_FIELDS.every((name) => listed[name] === read[name]) &&
    firstImageType(listed) === firstImageType(read) &&
    listed.placement?.hasFrameGeometry === read.placement?.hasFrameGeometry
  );
}

/** Whether an image is derived of others. */
function firstImageType({ placement }: DicomFile): string | undefined {
  return placement?.imageType.split('\\', 1)[0];
}

const PLACE_FIELDS = ['sopInstanceUid', 'seriesInstanceUid', 'studyInstanceUid', 'objectKind', 'modality'] as const;

function refuse({ path, source }: PackedFile): UnlistedPath {
  return { path, disposition: 'skipped', reason: 'limit_exceeded', file: source };
}

/** Adds files that are known, as a scan adds those that it finds. */
function takeKnown(
  read: NonNullable<CatalogOptions['known']>,
  commit: (results: readonly ScanResult<PackedFile>[]) => void,
): Pick<Scan, 'outcome' | 'cancel'> {
  const stopping = new AbortController();
  const take = async (): Promise<ScanOutcome> => {
    try {
      for await (const { results } of read(stopping.signal)) commit(unpackResults(results));
      return 'complete';
    } catch (error) {
      if (stopping.signal.aborted) return 'cancelled';
      throw error;
    }
  };
  const outcome = take();
  outcome.catch(() => undefined);
  return {
    outcome,
    async cancel() {
      stopping.abort();
      await outcome.catch(() => undefined);
    },
  };
}
