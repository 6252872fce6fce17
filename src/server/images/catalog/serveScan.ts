import { limitInflation } from '../../standard/dicom/inflatedSource.ts';
import { collectGarbage } from '../../machine/workers/collectGarbage.ts';
import { isMasked } from '../../bytes/masking/masker.ts';
import { TOLD_TAGS } from './describeTold.ts';
import type { FileCriterion } from '../../../shared/fileFilter.ts';
import { readMediaDirectory } from './mediaDirectory.ts';
import { createFileScanner } from './scanFile.ts';
import { packResults, type ScanResult } from './scanResult.ts';
import {
  INFLATION_OVER,
  READY,
  type Batch,
  type InflationRequest,
  type ScanAnswer,
  type ScanBeginning,
  type ScanInflation,
  type ScanSetup,
  type WalkAnswer,
  type WalkRequest,
} from './scanMessages.ts';
import {
  expectListed,
  type Inputs,
  listInputs,
  type ListedEntry,
  NotHereYet,
  readForScan,
  remoteWaitMs,
  withoutWaiting,
} from '../../bytes/origins/origins.ts';

/** Sends a message to the main thread. */
type Post = (message: WalkAnswer | ScanAnswer | InflationRequest | typeof READY | typeof INFLATION_OVER) => void;

export type ScanMessage = ScanBeginning | WalkRequest | Batch;

/**
 * The work of a scan thread: returns the function that is called with the messages of the main thread. All reads are
 * synchronous: they take a third of the processor time of promises, and the thread has nothing else to do.
 */
export function serveScan(post: Post): (message: ScanMessage) => void {
  let setup: ScanSetup | undefined;
  let walk: ((request: WalkRequest) => void) | undefined;
  let scan: ((batch: Batch) => void) | undefined;

  function begin(begun: ScanSetup): void {
    setup = begun;
    walk = begun.walk && createWalk(post, begun.walk, begun.filters);
    // The code that reads headers is prepared when there is a file to read, or at once if nothing else is to be done.
    scan = walk === undefined ? createScan(post, begun) : undefined;
    if (walk === undefined) post(READY);
  }

  return (message) => {
    if ('begin' in message) return begin(message.begin);
    if ('count' in message) return walk?.(message);
    scan ??= setup && createScan(post, setup);
    return readForScan(() => scan?.(message));
  };
}

/** Entries of a long walk are posted in pieces: the first one at once, because a folder may take long to answer. */
const LARGEST_PIECE = 128;

function createWalk(post: Post, inputs: Inputs, filters: readonly FileCriterion[]): (request: WalkRequest) => void {
  // Filters and masks need the files themselves.
  const toldTags = filters.length === 0 && !isMasked() ? TOLD_TAGS : undefined;
  const walking = listInputs({ ...inputs, readMediaDirectory, toldTags });
  return ({ count }) => {
    let entries: ListedEntry[] = [];
    let piece = 1;
    let left = count;
    for (;;) {
      const step = walking.next();
      if (step.done === true) break;
      entries.push(step.value);
      left -= 1;
      if (left === 0) break;
      if (count <= LARGEST_PIECE || entries.length < piece) continue;
      post({ entries, done: false, continues: true } satisfies WalkAnswer);
      entries = [];
      piece = Math.min(piece * 4, LARGEST_PIECE);
    }
    post({ entries, done: left > 0 } satisfies WalkAnswer);
  };
}

function createScan(post: Post, { filters, progress, inflation }: ScanSetup): (batch: Batch) => void {
  const inflated = inflateWithinMemory(post, inflation);
  const scanFile = createFileScanner(filters);
  const position = new Int32Array(progress);
  const pace = createPace();
  return ({ first, entries }) => {
    const started = performance.now();
    const results: ScanResult[] = [];
    const scan = (offset: number, scanEntry: () => ScanResult) => {
      Atomics.store(position, 0, first + offset);
      const begun = performance.now() - remoteWaitMs();
      results[offset] = scanEntry();
      inflated.giveBack();
      pace.add(performance.now() - remoteWaitMs() - begun);
    };
    const later: number[] = [];
    let expected = 0;
    for (const [offset, entry] of entries.entries()) {
      for (; expected < Math.min(entries.length, offset + EXPECTED_FILES); expected += 1)
        expectListed(entries[expected]!);
      try {
        scan(offset, () => withoutWaiting(() => scanFile(entry)));
      } catch (error) {
        if (!(error instanceof NotHereYet)) throw error;
        later.push(offset);
      }
    }
    // The bytes that these files lack were requested meanwhile, all at the same time.
    for (const offset of later) scan(offset, () => scanFile(entries[offset]!));
    const columns = packResults(results);
    const meanMs = (performance.now() - started) / entries.length;
    const answer: ScanAnswer = { first, columns, meanMs, medianMs: pace.medianMs() };
    post(answer);
  };
}

/**
 * Files whose beginnings are asked for at the same time. The thread that has the connections answers questions after it has
 * read what its sockets have received, so that a thread with one question at a time would wait for most of the time.
 */
const EXPECTED_FILES = 64;

/**
 * Above this size deflated data can expand so much that its memory must be freed without waiting for the next garbage
 * collection.
 */
const WORTH_COLLECTING = 4 * 1024;

/** Deflated data sets are inflated only within the memory account, which the main thread manages. */
function inflateWithinMemory(post: Post, { maxBytes, granted }: ScanInflation): { giveBack: () => void } {
  const grant = new Int32Array(granted);
  let held: number | undefined;
  limitInflation({
    maxBytes,
    waitForMemory(deflatedBytes) {
      if (held !== undefined) return;
      held = deflatedBytes;
      post({ deflatedBytes } satisfies InflationRequest);
      // Waits in short intervals, so that the thread can be terminated in the meantime.
      while (Atomics.load(grant, 0) === 0) Atomics.wait(grant, 0, 0, 100);
    },
  });
  return {
    giveBack() {
      if (held === undefined) return;
      if (held > WORTH_COLLECTING) collectGarbage();
      held = undefined;
      Atomics.store(grant, 0, 0);
      post(INFLATION_OVER);
    },
  };
}

/**
 * Median time of the recent files, without the time that other machines take: all objects are requested by one thread, so that more
 * threads would not get them sooner. The first files are left out, because they include the start of the thread. */
function createPace() {
  const RECENT = 16;
  const timesMs: number[] = [];
  let seen = 0;
  return {
    add(ms: number): void {
      seen += 1;
      if (seen > RECENT) timesMs[seen % RECENT] = ms;
    },
    medianMs(): number | undefined {
      if (timesMs.length < RECENT) return undefined;
      return timesMs.toSorted((a, b) => a - b)[RECENT / 2];
    },
  };
}
