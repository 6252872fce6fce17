import type { FileCriterion } from '../../../shared/fileFilter.ts';
import type { ScanColumns } from './scanResult.ts';
import type { ListedEntry, Inputs } from '../../bytes/origins/origins.ts';

/** First message to a scan thread. A thread that has finished one scan can begin another. */
export type ScanBeginning = { readonly begin: ScanSetup };

export type ScanSetup = {
  /** Set for the thread that walks folders. It reads headers as well once it has walked all of them. */
  readonly walk?: Inputs;
  readonly filters: readonly FileCriterion[];
  /** One Int32 in shared memory: the position of the current entry. It identifies the file at which a thread died. */
  readonly progress: SharedArrayBuffer;
  readonly inflation: ScanInflation;
};

/** How a scan thread obtains the memory for a deflated data set. */
export type ScanInflation = {
  /** Maximum inflated size of one data set. */
  readonly maxBytes: number;
  /** One Int32 in shared memory: 1 once the requested memory is granted. */
  readonly granted: SharedArrayBuffer;
};
/** Sent by a scan thread before it inflates this many bytes; the thread waits until the memory is granted. */
export type InflationRequest = { readonly deflatedBytes: number };
/** Sent by a scan thread: the inflated data has been released. */
export const INFLATION_OVER = 'inflation over';

/** Sent to the walking thread: return the next entries, at most this many. */
export type WalkRequest = { readonly count: number };
export type WalkAnswer = {
  readonly entries: readonly ListedEntry[];
  /** No more entries exist. */
  readonly done: boolean;
  /** More entries follow for the same request. */
  readonly continues?: boolean;
};

/** Consecutive entries of the walk, starting at position `first`. */
export type Batch = {
  readonly first: number;
  readonly entries: readonly ListedEntry[];
  /** Set for a single file at which a thread has already died. */
  readonly isLastTry?: boolean;
};
/** First message of a thread that reads headers: it now accepts files. */
export const READY = 'ready';
export type ScanAnswer = {
  readonly first: number;
  readonly columns: ScanColumns;
  /** Mean time per file in this batch. */
  readonly meanMs: number;
  /** Median time of the most recent files without that of other machines; undefined at the beginning. */
  readonly medianMs: number | undefined;
};
