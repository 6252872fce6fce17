import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { inflatedBytesIn } from '../../machine/memory/memoryPlan.ts';
import { inflationBytesOf } from '../../standard/dicom/readCost.ts';
import { type StartThread, startThread, type Thread } from '../../machine/workers/startThread.ts';
import {
  INFLATION_OVER,
  READY,
  type Batch,
  type InflationRequest,
  type ScanAnswer,
  type ScanBeginning,
  type ScanSetup,
  type WalkAnswer,
  type WalkRequest,
} from './scanMessages.ts';
import type { Inputs } from '../../bytes/origins/origins.ts';
import type { FileCriterion } from '../../../shared/fileFilter.ts';

/** What walks folders. */
export interface WalkThread {
  request(count: number): void;
  terminate(): Promise<unknown>;
  /** The same thread as one that reads headers. Call it once the walk is done. */
  toScanThread?(): ScanThread;
}

type ScanThreadContext = {
  readonly filters: readonly FileCriterion[];
  readonly memory: Pick<MemoryAccount, 'tasks'>;
  readonly startThread?: StartThread | undefined;
};

type ScanThreadEvents = {
  readonly ready: () => void;
  readonly answer: (thread: ScanThread, answer: ScanAnswer) => void;
  readonly death: (thread: ScanThread, error: Error) => void;
};

export function startWalkThread(
  { inputs, recursive, archives = true }: Inputs,
  context: ScanThreadContext,
  on: ScanThreadEvents & {
    readonly walked: (answer: WalkAnswer) => void;
    /** The thread ended before it had walked everything. */
    readonly walkDeath: (error: Error) => void;
  },
): WalkThread {
  let isScanning = false;
  const { thread, worker, setReady } = beginScan({ ...context, walk: { inputs, recursive, archives } }, on.walked, {
    ...on,
    death: (ended, error) => (isScanning ? on.death(ended, error) : on.walkDeath(error)),
  });
  return {
    request: (count) => worker.postMessage({ count } satisfies WalkRequest),
    terminate: () => worker.terminate(),
    toScanThread() {
      isScanning = true;
      setReady();
      return thread;
    },
  };
}

/**
 * A header needs little memory; without a limit the garbage of a hundred thousand headers would stay for a long time.
 * With a smaller young generation, its collections take a tenth of the time.
 */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/** A thread that reads headers, with the batches that it has received and not yet answered. */
export interface ScanThread {
  readonly batches: readonly Batch[];
  /** The thread has started and accepts files. */
  readonly isReady: boolean;
  /** Position of the current entry, -1 before the first. */
  readonly position: number;
  /** The thread is waiting for memory, for an unlimited time. */
  readonly isWaiting: boolean;
  give(batch: Batch): void;
  terminate(): Promise<unknown>;
}

export function startScanThread(context: ScanThreadContext, on: ScanThreadEvents): ScanThread {
  return beginScan(context, () => undefined, on).thread;
}

type ThreadMessage = typeof READY | typeof INFLATION_OVER | InflationRequest | WalkAnswer | ScanAnswer;

function beginScan(
  { filters, memory, startThread: start = startThread, walk }: ScanThreadContext & { readonly walk?: Inputs },
  onWalked: (answer: WalkAnswer) => void,
  on: ScanThreadEvents,
): { readonly thread: ScanThread; readonly worker: Thread; readonly setReady: () => void } {
  const progress = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const position = new Int32Array(progress).fill(-1);
  const inflation = admitInflation(memory);
  const batches: Batch[] = [];
  let isReady = false;
  const setReady = () => {
    isReady = true;
  };
  const thread: ScanThread = {
    batches,
    get isReady() {
      return isReady;
    },
    get position() {
      return Atomics.load(position, 0);
    },
    get isWaiting() {
      return inflation.isWaiting();
    },
    give(batch) {
      batches.push(batch);
      worker.postMessage(batch);
    },
    terminate: () => worker.terminate(),
  };
  const { maxBytes, granted } = inflation;
  const begin: ScanSetup = { filters, progress, inflation: { maxBytes, granted }, ...(walk && { walk }) };
  const worker = start('scan.worker', LIMITS);
  let cause: unknown;
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', (code) => {
    inflation.end();
    on.death(thread, new Error(`a scan thread ended with code ${code}`, { cause }));
  });
  worker.on('message', (message: ThreadMessage) => {
    if (message === INFLATION_OVER) return inflation.giveBack();
    if (message === READY) {
      setReady();
      return on.ready();
    }
    if ('deflatedBytes' in message) return void inflation.grant(message.deflatedBytes);
    if ('done' in message) return onWalked(message);
    batches.shift();
    return on.answer(thread, message);
  });
  worker.postMessage({ begin } satisfies ScanBeginning);
  return { thread, worker, setReady };
}

const BUSY_MS = 50;

/** Reserves the memory that a scan thread requests, and releases it when the thread has finished or died. */
function admitInflation({ tasks }: Pick<MemoryAccount, 'tasks'>) {
  const granted = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const cell = new Int32Array(granted);
  const maxBytes = inflatedBytesIn(tasks.budgetBytes);
  const ending = new AbortController();
  const { signal } = ending;
  let isWaiting = false;
  let giveBack: (() => void) | undefined;

  const hold = () =>
    new Promise<void>((resolve) => {
      isWaiting = false;
      giveBack = resolve;
      if (signal.aborted) resolve();
      Atomics.store(cell, 0, 1);
      Atomics.notify(cell, 0);
    });

  async function grant(deflatedBytes: number): Promise<void> {
    isWaiting = true;
    const bytes = inflationBytesOf(deflatedBytes, tasks.budgetBytes);
    try {
      await tasks.reserve({ bytes, isUpperBound: true, signal }, hold);
    } catch {
      // Too many reservations are already waiting.
      if (!signal.aborted) setTimeout(() => void grant(deflatedBytes), BUSY_MS).unref();
    }
  }

  return {
    granted,
    maxBytes,
    grant,
    isWaiting: () => isWaiting,
    giveBack: () => giveBack?.(),
    end() {
      ending.abort();
      giveBack?.();
    },
  };
}
