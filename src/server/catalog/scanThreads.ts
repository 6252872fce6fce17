import { Worker } from 'node:worker_threads';
import type { MemoryAccount } from '../memory/memoryAccount.ts';
import { inflatedBytesIn } from '../memory/memoryPlan.ts';
import { inflationBytesOf } from '../pixels/decodeCost.ts';
import { workerFile } from '../workers/workerFile.ts';
import {
  INFLATION_OVER,
  READY,
  type Batch,
  type InflationRequest,
  type ScanAnswer,
  type ScanWorkerData,
  type WalkAnswer,
  type WalkRequest,
} from './scanMessages.ts';
import type { Inputs } from '../origins/origins.ts';
import type { Filter } from './filter.ts';

/** The thread that walks folders. */
export interface WalkThread {
  request(count: number): void;
  terminate(): Promise<unknown>;
}

export function startWalkThread(
  options: Inputs,
  on: { answer: (answer: WalkAnswer) => void; death: (error: Error) => void },
): WalkThread {
  const { inputs, recursive } = options;
  const worker = startWorker({ role: 'walk', inputs, recursive }, on.death);
  worker.on('message', on.answer);
  return {
    request: (count) => worker.postMessage({ count } satisfies WalkRequest),
    terminate: () => worker.terminate(),
  };
}

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

export function startScanThread(
  { filters, memory }: { readonly filters: readonly Filter[]; readonly memory: Pick<MemoryAccount, 'tasks'> },
  on: {
    ready: () => void;
    answer: (thread: ScanThread, answer: ScanAnswer) => void;
    death: (thread: ScanThread, error: Error) => void;
  },
): ScanThread {
  const progress = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const position = new Int32Array(progress).fill(-1);
  const inflation = admitInflation(memory);
  const batches: Batch[] = [];
  let isReady = false;
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
  const worker = startWorker({ role: 'scan', filters, progress, inflation: { maxBytes, granted } }, (error) => {
    inflation.end();
    on.death(thread, error);
  });
  worker.on('message', (message: typeof READY | typeof INFLATION_OVER | InflationRequest | ScanAnswer) => {
    if (message === INFLATION_OVER) return inflation.giveBack();
    if (typeof message === 'object' && 'deflatedBytes' in message) return void inflation.grant(message.deflatedBytes);
    if (message === READY) {
      isReady = true;
      on.ready();
      return;
    }
    batches.shift();
    on.answer(thread, message);
  });
  return thread;
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

function startWorker(data: ScanWorkerData, onDeath: (error: Error) => void): Worker {
  const worker = new Worker(workerFile('scan.worker'), {
    workerData: data,
    // A header needs little memory; without a limit the garbage of a hundred thousand headers would stay for a long
    // time. With a smaller young generation, its collections take a tenth of the time.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  });
  let cause: unknown;
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', (code) => onDeath(new Error(`a ${data.role} thread ended with code ${code}`, { cause })));
  return worker;
}
