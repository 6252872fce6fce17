import { Worker } from 'node:worker_threads';
import { workerFile } from '../workers/workerFile.ts';
import {
  READY,
  type Batch,
  type ScanAnswer,
  type ScanWorkerData,
  type WalkAnswer,
  type WalkRequest,
} from './scanMessages.ts';
import type { WalkOptions } from './walk.ts';
import type { Filter } from './filter.ts';

/** The thread that walks folders. */
export interface WalkThread {
  request(count: number): void;
  terminate(): Promise<unknown>;
}

export function startWalkThread(
  options: WalkOptions,
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

/** A thread that reads headers, with the batches that it has been given and has not answered. */
export interface ScanThread {
  readonly batches: readonly Batch[];
  /** It has started, and takes files. */
  readonly isReady: boolean;
  /** Position of the entry that it works at, -1 before the first. */
  readonly position: number;
  give(batch: Batch): void;
  terminate(): Promise<unknown>;
}

export function startScanThread(
  filters: readonly Filter[],
  on: {
    ready: () => void;
    answer: (thread: ScanThread, answer: ScanAnswer) => void;
    death: (thread: ScanThread, error: Error) => void;
  },
): ScanThread {
  const progress = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const position = new Int32Array(progress).fill(-1);
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
    give(batch) {
      batches.push(batch);
      worker.postMessage(batch);
    },
    terminate: () => worker.terminate(),
  };
  const worker = startWorker({ role: 'scan', filters, progress }, (error) => on.death(thread, error));
  worker.on('message', (message: typeof READY | ScanAnswer) => {
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

function startWorker(data: ScanWorkerData, onDeath: (error: Error) => void): Worker {
  const worker = new Worker(workerFile('scan.worker'), {
    workerData: data,
    // A header needs little; without a limit the garbage of a hundred thousand of them would be kept for long. With less
    // than this for what is new, its collections take a tenth of the time.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  });
  let cause: unknown;
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', (code) => onDeath(new Error(`a ${data.role} thread ended with code ${code}`, { cause })));
  return worker;
}
