import { totalmem } from 'node:os';
import { ViewerError } from '../../shared/contract/errors.ts';
import type { TaskPriority } from '../workers/task.ts';

/** The one memory budget, and what each use may take of it. */
export type MemoryBudget = {
  readonly totalBytes: number;
  readonly decodeBytes: number;
  readonly rawCacheBytes: number;
  /** Raw frames as they are sent over thin links. */
  readonly packedCacheBytes: number;
  readonly displayCacheBytes: number;
  readonly thumbnailCacheBytes: number;
  /** Answers that slow clients have not read yet. */
  readonly responseBytes: number;
};

const MIB = 2 ** 20;

/**
 * A quarter of the machine's memory, or of what the container may use, at most 4 GiB; at least 512 MiB where half the
 * memory allows that. `--memory` replaces it.
 */
export function planMemory(memoryFlagBytes?: number): MemoryBudget {
  const totalBytes = memoryFlagBytes ?? defaultBudget(usableMemory());
  const share = (percent: number) => Math.floor((totalBytes * percent) / 100);
  return {
    totalBytes,
    decodeBytes: share(50),
    rawCacheBytes: share(18),
    packedCacheBytes: share(4),
    displayCacheBytes: share(9),
    thumbnailCacheBytes: share(3),
    responseBytes: share(10),
  };
}

/** The same plan, with no more than so many bytes for all caches of frames together: `--cache-budget`. */
export function limitCaches(plan: MemoryBudget, cacheBytes: number | undefined): MemoryBudget {
  const { rawCacheBytes, packedCacheBytes, displayCacheBytes, thumbnailCacheBytes } = plan;
  const caches = { rawCacheBytes, packedCacheBytes, displayCacheBytes, thumbnailCacheBytes };
  const planned = Object.values(caches).reduce((sum, bytes) => sum + bytes, 0);
  if (cacheBytes === undefined || cacheBytes >= planned) return plan;
  const scale = (bytes: number) => Math.floor((bytes / planned) * cacheBytes);
  return {
    ...plan,
    rawCacheBytes: scale(rawCacheBytes),
    packedCacheBytes: scale(packedCacheBytes),
    displayCacheBytes: scale(displayCacheBytes),
    thumbnailCacheBytes: scale(thumbnailCacheBytes),
  };
}

export function defaultBudget(memoryBytes: number): number {
  const quarter = Math.min(memoryBytes / 4, 4_096 * MIB);
  return Math.floor(Math.max(quarter, Math.min(512 * MIB, memoryBytes / 2)));
}

function usableMemory(): number {
  // Without a limit it is 0, or larger than any memory.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

export type DecodeSize = {
  readonly encodedBytes: number;
  readonly samples: number;
  readonly bytesPerSample: number;
  /** What the decoder keeps beside its output: JPEG 2000 has 32-bit coefficients, in more than one copy. */
  readonly method: 'native' | 'jpeg' | 'jpeg2000';
};

/** Bytes that one decode takes at its peak, generously. */
export function estimateDecodeBytes({ encodedBytes, samples, bytesPerSample, method }: DecodeSize): number {
  const frame = samples * bytesPerSample;
  const working = method === 'jpeg2000' ? samples * 16 + frame * 2 : frame * (method === 'jpeg' ? 5 : 3);
  return encodedBytes * 2 + 16 * MIB + working;
}

export type Reservation = {
  readonly bytes: number;
  readonly priority?: TaskPriority;
  readonly signal?: AbortSignal | undefined;
};

/** Lets decodes in as long as their memory fits. */
export type Admission = {
  /**
   * Runs `work` once its bytes fit, in the order of asking, interactive work first. Throws decode_memory_exceeded where
   * they never would, and decode_busy where too many wait already.
   */
  readonly reserve: <Output>(reservation: Reservation, work: () => Promise<Output>) => Promise<Output>;
  readonly heldBytes: () => number;
  readonly waiting: () => number;
};

type Waiting = { readonly bytes: number; readonly admit: () => void };

export function createAdmission(budgetBytes: number, maxWaiting = 256): Admission {
  const queues: Record<TaskPriority, Set<Waiting>> = { interactive: new Set(), prefetch: new Set() };
  const held: Record<TaskPriority, number> = { interactive: 0, prefetch: 0 };
  const heldBytes = () => held.interactive + held.prefetch;

  const fits = (bytes: number, priority: TaskPriority): boolean => {
    // A frame that takes more than prefetch may have is still prefetched when nothing else runs.
    if (heldBytes() === 0) return true;
    if (heldBytes() + bytes > budgetBytes) return false;
    return priority === 'interactive' || held.prefetch + bytes <= budgetBytes / 2;
  };

  /** Whether nobody would be overtaken. */
  const isFree = (priority: TaskPriority): boolean =>
    queues.interactive.size === 0 && (priority === 'interactive' || queues.prefetch.size === 0);

  const admitWaiting = () => {
    for (const priority of ['interactive', 'prefetch'] as const) {
      for (const next of queues[priority]) {
        if (!fits(next.bytes, priority)) return;
        queues[priority].delete(next);
        held[priority] += next.bytes;
        next.admit();
      }
    }
  };

  const wait = (bytes: number, priority: TaskPriority, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        queues[priority].delete(entry);
        reject(signal?.reason);
        // It may have been the one in front that did not fit.
        admitWaiting();
      };
      const entry: Waiting = {
        bytes,
        admit: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      queues[priority].add(entry);
      admitWaiting();
    });

  return {
    async reserve({ bytes, priority = 'interactive', signal }, work) {
      if (bytes > budgetBytes) throw tooLarge(bytes, budgetBytes);
      if (queues[priority].size >= maxWaiting) {
        throw new ViewerError('decode_busy', `${maxWaiting} frames wait for memory already; try again in a moment`);
      }
      signal?.throwIfAborted();
      if (isFree(priority) && fits(bytes, priority)) held[priority] += bytes;
      else await wait(bytes, priority, signal);
      try {
        return await work();
      } finally {
        held[priority] -= bytes;
        admitWaiting();
      }
    },
    heldBytes,
    waiting: () => queues.interactive.size + queues.prefetch.size,
  };
}

function tooLarge(bytes: number, budgetBytes: number): ViewerError {
  const needed = `${Math.ceil(bytes / MIB)} MiB`;
  const allowed = `${Math.floor(budgetBytes / MIB)} MiB`;
  return new ViewerError(
    'decode_memory_exceeded',
    `decoding this frame takes about ${needed}, and decoding may use ${allowed}, half of --memory; start with a larger --memory`,
  );
}
