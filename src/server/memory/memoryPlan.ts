import { totalmem } from 'node:os';

/**
 * What the server may hold of the one budget for each use, in percent. Whatever holds bytes of files has a line here: a
 * cache is made by the account only, by the name of its line, and the lines together are the budget.
 */
export const MEMORY_SHARES = {
  /** Tasks while they run: what a decode takes at its peak, with its answer. */
  tasks: 50,
  /** Answers that clients have not read yet. */
  answers: 10,
  /** What worker threads keep between two tasks: heaps, codecs, headers of the files read last. */
  threads: 10,
  rawFrames: 11,
  displayFrames: 6,
  thumbnails: 3,
  /** Raw frames as they are sent over thin links. */
  packedFrames: 2,
  masks: 2,
  segmentationRecords: 1.5,
  segmentationMappings: 1.5,
  references: 1,
  slideLayouts: 1,
  frameValues: 0.5,
  segmentStatistics: 0.5,
} as const;

export type MemoryUse = keyof typeof MEMORY_SHARES;
/** The uses that are caches. */
export type CacheUse = Exclude<MemoryUse, 'tasks' | 'answers' | 'threads'>;

export type MemoryPlan = { readonly totalBytes: number } & Readonly<Record<MemoryUse, number>>;

const MIB = 2 ** 20;
const MOST_INFLATED_BYTES = 512 * MIB;

/**
 * A quarter of the machine's memory, or of what the container may use, at most 4 GiB; at least 512 MiB where half the
 * memory allows that. `--memory` replaces it.
 */
export function planMemory(memoryFlagBytes?: number): MemoryPlan {
  const totalBytes = memoryFlagBytes ?? defaultBudget(usableMemory());
  const share = (use: MemoryUse) => Math.floor((totalBytes * MEMORY_SHARES[use]) / 100);
  return {
    totalBytes,
    tasks: share('tasks'),
    answers: share('answers'),
    threads: share('threads'),
    rawFrames: share('rawFrames'),
    displayFrames: share('displayFrames'),
    thumbnails: share('thumbnails'),
    packedFrames: share('packedFrames'),
    masks: share('masks'),
    segmentationRecords: share('segmentationRecords'),
    segmentationMappings: share('segmentationMappings'),
    references: share('references'),
    slideLayouts: share('slideLayouts'),
    frameValues: share('frameValues'),
    segmentStatistics: share('segmentStatistics'),
  };
}

const FRAME_CACHES = ['rawFrames', 'packedFrames', 'displayFrames', 'thumbnails'] as const satisfies CacheUse[];

/** The same plan with at most this many bytes for all caches of frames together: `--cache-budget`. */
export function limitFrameCaches(plan: MemoryPlan, cacheBytes: number | undefined): MemoryPlan {
  const planned = FRAME_CACHES.reduce((sum, use) => sum + plan[use], 0);
  if (cacheBytes === undefined || cacheBytes >= planned) return plan;
  const limited = FRAME_CACHES.map((use) => [use, Math.floor((plan[use] / planned) * cacheBytes)] as const);
  return { ...plan, ...Object.fromEntries(limited) };
}

/** What one deflated data set may become in a thread: with the steps of inflating it, a frame of it fits beside it. */
export function inflatedBytesIn(tasksBytes: number): number {
  return Math.min(MOST_INFLATED_BYTES, Math.floor(tasksBytes / 5));
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
