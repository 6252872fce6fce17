import { availableParallelism } from 'node:os';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { FileFeed } from './fileFeed.ts';
import type { FileCriterion } from '../../../shared/fileFilter.ts';
import { createInOrder } from './inOrder.ts';
import { createInTurns } from './inTurns.ts';
import type { PackedFile } from './packedFile.ts';
import { packResults, type ScanColumns, type ScanResult, unpackResults } from './scanResult.ts';
import type { Batch, ScanAnswer, WalkAnswer } from './scanMessages.ts';
import { startScanThread, startWalkThread, type ScanThread, type WalkThread } from './scanThreads.ts';
import type { StartThread } from '../../machine/workers/startThread.ts';
import type { Inputs } from '../../bytes/origins/origins.ts';

export type ScanOptions = Inputs & {
  readonly filters: readonly FileCriterion[];
  /** Memory in which deflated data sets are inflated. */
  readonly memory: Pick<MemoryAccount, 'tasks'>;
  /** Receives the results in walk order, a few at a time. */
  readonly onResults: (results: readonly ScanResult<PackedFile>[]) => void;
  readonly threads?: ScanThreadCounts;
  /** How a thread is started, if not as a new one. */
  readonly startThread?: StartThread;
  /** Maximum number of entries per batch. */
  readonly largestBatch?: number;
  /** If the walk takes longer than this, another thread starts to read the files that it has found so far. */
  readonly shortWalkMs?: number;
  /** Time after which a file is given up. */
  readonly stuckAfterMs?: number;
  /** Number of blocks that this process has read from disks so far. */
  readonly blocksRead?: () => number;
  /** Source of the files, used instead of the inputs. */
  readonly feed?: FileFeed | undefined;
};

/** Number of threads that read headers. */
export type ScanThreadCounts = {
  readonly first: number;
  /** When there are many files. */
  readonly usual: number;
  /** When there are many files and they come from a disk. */
  readonly waiting: number;
  /** When the disk responds slowly. */
  readonly most: number;
};

export type ScanOutcome = 'complete' | 'cancelled';

export interface Scan {
  /** Rejects only when the threads cannot run at all. */
  readonly outcome: Promise<ScanOutcome>;
  /** Resolves when the threads have ended, or after a timeout. */
  cancel(): Promise<void>;
}

/** Target duration of a batch, short enough to show progress and to respond to a cancel. */
const BATCH_MS = 40;
/**
 * If the median file takes longer than this, the threads are waiting for a disk, so more of them wait in parallel. The
 * mean would be misleading: on a busy machine a paused thread makes an occasional file slow, and more threads make that
 * worse.
 */
const SLOW_FILE_MS = 2;
/** A file in memory takes a tenth of this. A network disk may only be asked whether the cached data is still valid. */
const WAITED_FOR_MS = 0.5;
/** Number of files that justifies more threads: each takes as long to start as it takes to read a thousand files. */
const MANY_FILES = 1_000;
/** Limited, to leave processors free on a shared machine. */
const USUAL_THREADS = Math.min(4, availableParallelism());
export const THREAD_COUNTS: ScanThreadCounts = { first: 1, usual: USUAL_THREADS, waiting: USUAL_THREADS + 2, most: 12 };
/** Maximum number of entries per batch. */
export const LARGEST_BATCH = 128;
/**
 * Number of batches queued per thread, so that the next one is ready while the results of the previous one are posted.
 */
const BATCHES_PER_THREAD = 2;
/** Each thread takes a dozen MiB of its own, so a small budget for tasks allows fewer of them. */
const BYTES_BEHIND_THREAD = 24 * 2 ** 20;
const CANCEL_MS = 800;

/** Walks the inputs and reads the header of every file, in worker threads. */
export function startScan(options: ScanOptions): Scan {
  const {
    filters,
    memory,
    onResults,
    threads = THREAD_COUNTS,
    largestBatch = LARGEST_BATCH,
    shortWalkMs = 40,
    stuckAfterMs = 20_000,
  } = options;
  const areFromDisk = createDiskWatch(options.blocksRead);
  const mostByMemory = Math.max(threads.usual, Math.floor(memory.tasks.budgetBytes / BYTES_BEHIND_THREAD));
  let settle: { resolve: (outcome: ScanOutcome) => void; reject: (error: Error) => void } | undefined;
  const outcome = new Promise<ScanOutcome>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const queue: Batch[] = [];
  const scanners = new Set<ScanThread>();
  let walked = 0;
  let committed = 0;
  let walkRequested = false;
  let walkDone = false;
  let ended = false;
  let mayStartMore = true;
  let batchSize = 1;

  // When a slow batch arrives, all batches that waited for it are due at once: each gets its own turn of the event
  // loop.
  const commit = createInOrder<ScanColumns>(
    createInTurns((columns) => {
      if (ended) return;
      const results = unpackResults(columns);
      committed += results.length;
      onResults(results);
      pump();
    }),
  );

  const context = { filters, memory, startThread: options.startThread };
  const threadEvents = { ready: pump, answer: onScanned, death: onScannerDeath };
  const walker: WalkThread =
    options.feed?.startWalk(onWalked) ??
    startWalkThread(options, context, { ...threadEvents, walked: onWalked, walkDeath: onWalkDeath });
  const watchdog = setInterval(
    createWatch(stuckAfterMs, () => scanners, giveUp),
    Math.min(1_000, stuckAfterMs),
  );
  watchdog.unref();
  let starting: NodeJS.Timeout | undefined;
  let waitingForWalk: NodeJS.Timeout | undefined;
  if (options.feed === undefined) {
    // A thread takes as long to start as it takes to read hundreds of files. If the walk is short, the thread that has
    // finished it reads the files as well.
    walkRequested = true;
    walker.request(MANY_FILES);
  } else startScanners();

  /** Each thread takes a few milliseconds to set up, so the event loop gets a turn in between. */
  function startScanners(): void {
    clearTimeout(waitingForWalk);
    starting ??= setInterval(() => {
      if (scanners.size >= threads.first) clearInterval(starting);
      else addScanner();
      pump();
    });
  }

  function pump(): void {
    if (ended) return;
    if (walkDone && committed === walked) {
      void end('complete');
      return;
    }
    for (const scanner of scanners) {
      // A thread that is still starting gets no batch, because the results of all others would wait for it.
      while (scanner.isReady && scanner.batches.length < BATCHES_PER_THREAD) {
        const batch = queue.shift();
        if (batch === undefined) break;
        scanner.give(part(batch, 0, batchSize));
        if (batch.entries.length > batchSize) queue.unshift(part(batch, batchSize, batch.entries.length));
      }
    }
    if (queue.length < scanners.size && !walkDone && !walkRequested) {
      walkRequested = true;
      walker.request(batchSize);
    }
  }

  function onWalked({ entries, done, continues = false }: WalkAnswer): void {
    if (ended) return;
    walkRequested = continues;
    walkDone = done;
    if (entries.length > 0) queue.push({ first: walked, entries });
    walked += entries.length;
    if (!done && continues) waitingForWalk ??= setTimeout(startScanners, shortWalkMs);
    else if (starting === undefined) {
      const scanner = done ? walker.toScanThread?.() : undefined;
      if (scanner !== undefined) scanners.add(scanner);
      startScanners();
    } else if (done) void walker.terminate();
    pump();
  }

  function onWalkDeath(error: Error): void {
    if (!walkDone) fail(error);
  }

  function onScanned(scanner: ScanThread, { first, columns, meanMs, medianMs }: ScanAnswer): void {
    // A thread that was given up may still answer, after other threads have done its work.
    if (ended || !scanners.has(scanner)) return;
    commit(first, columns.refusals.length, columns);
    batchSize = Math.max(1, Math.min(batchSize * 4, Math.ceil(BATCH_MS / meanMs), largestBatch));
    const wanted = threadsFor(medianMs, areFromDisk(columns.refusals.length));
    if (scanners.size < wanted && mayStartMore && !walkDone) addScanner();
    pump();
  }

  function threadsFor(usualFileMs = 0, fromDisk: boolean): number {
    if (usualFileMs > SLOW_FILE_MS) return Math.min(threads.most, mostByMemory);
    if (committed < MANY_FILES) return threads.first;
    return fromDisk || usualFileMs > WAITED_FOR_MS ? threads.waiting : threads.usual;
  }

  function addScanner(): void {
    scanners.add(startScanThread(context, threadEvents));
  }

  function onScannerDeath(scanner: ScanThread, error: Error): void {
    if (ended || !scanners.delete(scanner)) return;
    if (scanner.isReady) retry(scanner, 'dicom_parse_failed');
    // The thread died before its first file, so a new one would die too: continue with the running threads.
    else if (scanners.size > 0) mayStartMore = false;
    else fail(error);
  }

  /** A thread that hangs in a system call cannot be terminated: it is abandoned and replaced. */
  function giveUp(scanner: ScanThread): void {
    scanners.delete(scanner);
    void scanner.terminate();
    retry(scanner, 'limit_exceeded');
  }

  /** Redistributes the batches of a lost thread. The file at fault is tried once more, alone, unless it hung. */
  function retry({ batches, position }: ScanThread, reason: 'dicom_parse_failed' | 'limit_exceeded'): void {
    for (const batch of batches.toReversed()) {
      const at = position - batch.first;
      const faulty = batch.entries[at];
      if (faulty === undefined) {
        queue.unshift(batch);
        continue;
      }
      const parts: Batch[] = [part(batch, 0, at), part(batch, at + 1, batch.entries.length)];
      const mayTryAgain = reason === 'dicom_parse_failed' && batch.isLastTry !== true;
      if (mayTryAgain) parts.push({ ...part(batch, at, at + 1), isLastTry: true });
      else commit(position, 1, packResults([{ disposition: 'skipped', path: faulty.path, reason }]));
      queue.unshift(...parts.filter(({ entries }) => entries.length > 0));
    }
    addScanner();
    pump();
  }

  function fail(error: Error): void {
    if (ended) return;
    void stop();
    settle?.reject(error);
  }

  function end(how: ScanOutcome): Promise<void> {
    const stopped = stop();
    settle?.resolve(how);
    return stopped;
  }

  async function stop(): Promise<void> {
    ended = true;
    clearInterval(watchdog);
    clearInterval(starting);
    clearTimeout(waitingForWalk);
    queue.length = 0;
    await withinMs(Promise.all([walker, ...scanners].map((thread) => thread.terminate())), CANCEL_MS);
  }

  return {
    outcome,
    async cancel() {
      if (!ended) await end('cancelled');
    },
  };
}

function part({ first, entries, isLastTry = false }: Batch, from: number, to: number): Batch {
  return { first: first + from, entries: entries.slice(from, to), isLastTry };
}

/**
 * Called with every batch: tells whether its files came from a disk rather than from the system's cache. A thread that
 * reads from a disk leaves its processor free in the meantime. Durations would not tell, because on a busy machine all
 * files take long.
 */
function createDiskWatch(blocksRead = () => process.resourceUsage().fsRead): (files: number) => boolean {
  let before = blocksRead();
  return (files) => {
    const now = blocksRead();
    const blocks = now - before;
    before = now;
    return blocks >= files;
  };
}

/** Calls `giveUp` for a thread that has worked on one file for longer than allowed. */
function createWatch(stuckAfterMs: number, threads: () => Iterable<ScanThread>, giveUp: (thread: ScanThread) => void) {
  const seen = new WeakMap<ScanThread, { position: number; sinceMs: number }>();
  return (): void => {
    const nowMs = performance.now();
    for (const thread of threads()) {
      const { position } = thread;
      const last = seen.get(thread);
      const isAtWork = thread.batches.length > 0 && position >= 0 && !thread.isWaiting;
      if (!isAtWork || last?.position !== position) seen.set(thread, { position, sinceMs: nowMs });
      else if (nowMs - last.sinceMs > stuckAfterMs) giveUp(thread);
    }
  };
}

async function withinMs(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
