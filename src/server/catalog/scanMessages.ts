import type { Filter } from './filter.ts';
import type { ScanColumns } from './scanColumns.ts';
import type { ListedEntry, Inputs } from '../origins/origins.ts';

/** What a scan thread is started with: it walks folders, or it reads headers. */
export type ScanWorkerData =
  | ({ readonly role: 'walk' } & Inputs)
  | {
      readonly role: 'scan';
      readonly filters: readonly Filter[];
      /** One Int32 in shared memory: the position of the entry at work. It tells who stopped a thread that died. */
      readonly progress: SharedArrayBuffer;
      readonly inflation: ScanInflation;
    };

/** How a scan thread comes to the memory for a deflated data set. */
export type ScanInflation = {
  /** What one data set may become at most. */
  readonly maxBytes: number;
  /** One Int32 in shared memory: 1 once the memory is there that the thread has asked for. */
  readonly granted: SharedArrayBuffer;
};
/** From a scan thread, which waits until this is granted: it is about to inflate so many bytes. */
export type InflationRequest = { readonly deflatedBytes: number };
/** From a scan thread: what it inflated is gone again. */
export const INFLATION_OVER = 'inflation over';

/** To the walking thread: hand over the next entries, at most this many. */
export type WalkRequest = { readonly count: number };
/** `done` when no entry follows. */
export type WalkAnswer = { readonly entries: readonly ListedEntry[]; readonly done: boolean };

/** Entries of the walk that lie together, the first of them at the position `first`. */
export type Batch = {
  readonly first: number;
  readonly entries: readonly ListedEntry[];
  /** The one file during which a thread has died already. */
  readonly isLastTry?: boolean;
};
/** The first that a thread which reads headers says: from now on it can be given files. */
export const READY = 'ready';
export type ScanAnswer = {
  readonly first: number;
  readonly columns: ScanColumns;
  /** Time a file, over this batch. */
  readonly meanMs: number;
  /** Time of the usual file among the last few; undefined in the beginning. */
  readonly medianMs: number | undefined;
};
