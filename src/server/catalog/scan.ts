import { availableParallelism } from 'node:os';
import type { MemoryAccount } from '../memory/memoryAccount.ts';
import type { FileFeed } from './fileFeed.ts';
import type { Filter } from './filter.ts';
import { createInOrder } from './inOrder.ts';
import { createInTurns } from './inTurns.ts';
import type { PackedFile } from './packedFile.ts';
import { packResults, unpackResults, type ScanColumns } from './scanColumns.ts';
import type { Batch, ScanAnswer, WalkAnswer } from './scanMessages.ts';
import type { ScanResult } from './scanResult.ts';
import { startScanThread, startWalkThread, type ScanThread } from './scanThreads.ts';
import type { Inputs } from '../origins/origins.ts';

export type ScanOptions = Inputs & {
  readonly filters: readonly Filter[];
  /** What deflated data sets are inflated in. */
  readonly memory: Pick<MemoryAccount, 'tasks'>;
  /** Results in walk order, a few at a time. */
  readonly onResults: (results: readonly ScanResult<PackedFile>[]) => void;
  readonly threads?: ScanThreadCounts;
  /** Entries that one thread is given at a time. */
  readonly largestBatch?: number;
  /** How long one file may take before it is given up. */
  readonly stuckAfterMs?: number;
  /** How many blocks this process has read from disks so far. */
  readonly blocksRead?: () => number;
  /** Where the files come from instead of the inputs. */
  readonly feed?: FileFeed | undefined;
};

/** Threads that read headers. */
export type ScanThreadCounts = {
  readonly first: number;
  /** When there is much to read. */
  readonly usual: number;
  /** When there is, and it comes from a disk. */
  readonly waiting: number;
  /** Where the disk is slow to answer. */
  readonly most: number;
};

export type ScanOutcome = 'complete' | 'cancelled';

export interface Scan {
  /** Rejects only when the threads cannot run at all. */
  readonly outcome: Promise<ScanOutcome>;
  /** Resolves when the threads are gone, or cannot be waited for any longer. */
  cancel(): Promise<void>;
}

/** A batch should take about this long, so that progress shows and a cancel is heard. */
const BATCH_MS = 40;
/**
 * Where the usual file takes longer than this, it waits for a disk: more threads then wait side by side. The mean would
 * not do: on a busy machine a thread that had to pause makes one file in many slow, and more threads make it worse.
 */
const SLOW_FILE_MS = 2;
/** From memory a file takes a tenth of this. A network's disk may only be asked whether what is there is still right. */
const WAITED_FOR_MS = 0.5;
/** So many files are worth further threads, each of which takes as long to start as to read a thousand of them. */
const MANY_FILES = 1_000;
/** No more than a shared machine can spare. */
const USUAL_THREADS = Math.min(4, availableParallelism());
export const THREAD_COUNTS: ScanThreadCounts = { first: 1, usual: USUAL_THREADS, waiting: USUAL_THREADS + 2, most: 12 };
/** Entries that a thread is given at a time. */
export const LARGEST_BATCH = 128;
/** Batches that a thread holds: while it posts the results of one, the other is already there. */
const BATCHES_PER_THREAD = 2;
const CANCEL_MS = 800;

/** Walks the inputs and reads the header of every file, in threads. */
export function startScan(options: ScanOptions): Scan {
  const {
    filters,
    memory,
    onResults,
    threads = THREAD_COUNTS,
    largestBatch = LARGEST_BATCH,
    stuckAfterMs = 20_000,
  } = options;
  const areFromDisk = createDiskWatch(options.blocksRead);
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

  // What waited for one slow batch is all due at once when that comes: each batch then gets a turn of the event loop.
  const commit = createInOrder<ScanColumns>(
    createInTurns((columns) => {
      if (ended) return;
      const results = unpackResults(columns);
      committed += results.length;
      onResults(results);
      pump();
    }),
  );

  const walker =
    options.feed?.startWalk(onWalked) ??
    startWalkThread(options, { answer: onWalked, death: (error) => (walkDone ? undefined : fail(error)) });
  const watchdog = setInterval(
    createWatch(stuckAfterMs, () => scanners, giveUp),
    Math.min(1_000, stuckAfterMs),
  );
  watchdog.unref();
  // Each thread takes some milliseconds to set up, so the event loop gets a turn in between.
  const starting = setInterval(() => {
    if (scanners.size >= threads.first) clearInterval(starting);
    else addScanner();
    pump();
  });

  function pump(): void {
    if (ended) return;
    if (walkDone && committed === walked) {
      void end('complete');
      return;
    }
    for (const scanner of scanners) {
      // One that is still starting gets nothing: the results of all others would wait behind it.
      while (scanner.isReady && scanner.batches.length < BATCHES_PER_THREAD) {
        const batch = queue.shift();
        if (batch === undefined) break;
        scanner.give(batch);
      }
    }
    if (queue.length < scanners.size && !walkDone && !walkRequested) {
      walkRequested = true;
      walker.request(batchSize);
    }
  }

  function onWalked({ entries, done }: WalkAnswer): void {
    walkRequested = false;
    walkDone = done;
    if (done) void walker.terminate();
    if (entries.length > 0) queue.push({ first: walked, entries });
    walked += entries.length;
    pump();
  }

  function onScanned(scanner: ScanThread, { first, columns, meanMs, medianMs }: ScanAnswer): void {
    // A thread that was given up may come back after all, when others have done its work.
    if (ended || !scanners.has(scanner)) return;
    commit(first, columns.refusals.length, columns);
    batchSize = Math.max(1, Math.min(batchSize * 4, Math.ceil(BATCH_MS / meanMs), largestBatch));
    const wanted = threadsFor(medianMs, areFromDisk(columns.refusals.length));
    if (scanners.size < wanted && mayStartMore && !walkDone) addScanner();
    pump();
  }

  function threadsFor(usualFileMs = 0, fromDisk: boolean): number {
    if (usualFileMs > SLOW_FILE_MS) return threads.most;
    if (committed < MANY_FILES) return threads.first;
    return fromDisk || usualFileMs > WAITED_FOR_MS ? threads.waiting : threads.usual;
  }

  function addScanner(): void {
    scanners.add(startScanThread({ filters, memory }, { ready: pump, answer: onScanned, death: onScannerDeath }));
  }

  function onScannerDeath(scanner: ScanThread, error: Error): void {
    if (ended || !scanners.delete(scanner)) return;
    if (scanner.isReady) retry(scanner, 'dicom_parse_failed');
    // It never came to a file, so the next one would not either: those that run must do.
    else if (scanners.size > 0) mayStartMore = false;
    else fail(error);
  }

  /** A thread that hangs in a system call cannot be ended: it is left alone, and another takes its place. */
  function giveUp(scanner: ScanThread): void {
    scanners.delete(scanner);
    void scanner.terminate();
    retry(scanner, 'limit_exceeded');
  }

  /** Shares out the batches of a lost thread again. The file at fault gets one more try, alone, unless it hung. */
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

function part({ first, entries }: Batch, from: number, to: number): Batch {
  return { first: first + from, entries: entries.slice(from, to) };
}

/**
 * Asked with every batch whether its files came from a disk and not out of the system's memory: a thread that reads from a
 * disk leaves its processor to another meanwhile. The clock would not tell, for on a busy machine all files take long.
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

/** Calls `giveUp` for a thread that has been at one file for longer than it may be. */
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
