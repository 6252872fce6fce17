import type { DiscoveryEntry, SkipReason } from '../../shared/contract/files.ts';
import { ViewerError } from '../../shared/contract/errors.ts';
import { createMemoryAccount, type MemoryAccount } from '../memory/memoryAccount.ts';
import type { KnownSource } from '../origins/origins.ts';
import type { DicomFile } from './dicomFile.ts';
import type { FileFeed } from './fileFeed.ts';
import type { Filter } from './filter.ts';
import { createLedger } from './ledger.ts';
import { type FileRows, PackedFile } from './packedFile.ts';
import { startScan, type Scan, type ScanOptions, type ScanOutcome } from './scan.ts';
import type { Refusal, ScanResult } from './scanResult.ts';

export type CatalogOptions = {
  /** Files and folders, in the order in which they were given. */
  readonly inputs: readonly string[];
  readonly recursive?: boolean;
  readonly filters?: readonly Filter[];
  /** The account of the server; without one the scan has one of the usual size to itself. */
  readonly memory?: Pick<MemoryAccount, 'tasks'>;
  /** Where the files come from instead of the inputs. */
  readonly feed?: FileFeed | undefined;
  /** Files beyond this many are skipped as `limit_exceeded`. */
  readonly maximumFiles?: number;
  /** For tests and slow disks; see `ScanOptions`. */
  readonly scan?: Pick<ScanOptions, 'threads' | 'largestBatch' | 'stuckAfterMs' | 'blocksRead'>;
};

/** How far the scan has come. `scanned` counts the files in the list. */
export type CatalogProgress = {
  readonly revision: number;
  readonly scanned: number;
  readonly skipped: number;
  readonly filtered: number;
  readonly scanComplete: boolean;
};

/** The catalog at one moment: list, counters and flag agree. */
export type CatalogSnapshot = CatalogProgress & {
  readonly files: readonly DicomFile[];
  /** The most recent paths that are not in the list, oldest first. */
  readonly discovery: readonly DiscoveryEntry[];
  /** Files follow that `limit` cut off: ask again with `since` = this snapshot's `revision`. */
  readonly more: boolean;
  /** The `since` was of another run, so the files begin with the first one again. */
  readonly reset: boolean;
};

/** The files that are open. Indices follow the order of the walk, and are the same on every run. */
export interface Catalog {
  /** Begins the scan. */
  start(): void;
  /** Ends the scan where it stands. */
  cancel(): Promise<void>;
  /** Settles when nothing will be added any more; rejects only when no thread can run. */
  readonly scanComplete: Promise<ScanOutcome>;
  /** The file at an index; throws `not_found`. */
  get(index: number): DicomFile;
  /** Grows while the scan runs; what is in it does not change. */
  readonly files: readonly DicomFile[];
  /** The file at an index and those after it that the scan brought together; undefined past the last. */
  rowsFrom(index: number): FileRows | undefined;
  readonly progress: CatalogProgress;
  snapshot(query?: { readonly since?: number | undefined; readonly limit?: number | undefined }): CatalogSnapshot;
  /** How many paths are not in the list, by reason. */
  skippedByReason(): ReadonlyMap<SkipReason, number>;
  /** The DICOM file behind an entry of the discovery list; throws `not_found` where there is none. */
  getSkipped(id: number): KnownSource;
  /** Calls back after every change; returns what ends that. */
  subscribe(listener: (progress: CatalogProgress) => void): () => void;
}

export function createCatalog(options: CatalogOptions): Catalog {
  const { inputs, recursive = true, filters = [], feed, maximumFiles = 1_000_000 } = options;
  const { memory = createMemoryAccount() } = options;
  const files: PackedFile[] = [];
  const ledger = createLedger();
  const listeners = new Set<(progress: CatalogProgress) => void>();
  let scan: Scan | undefined;
  let scanComplete = false;
  let settle: ((outcome: ScanOutcome | PromiseLike<ScanOutcome>) => void) | undefined;
  const settled = new Promise<ScanOutcome>((resolve) => {
    settle = resolve;
  });
  // Who waits for the end is told of a failure; that nobody does is no reason to end the process.
  settled.catch(() => undefined);

  function commit(results: readonly ScanResult<PackedFile>[]): void {
    for (const result of results) {
      if (result.disposition !== 'selected') ledger.add(result);
      else if (files.length < maximumFiles) add(result.file);
      else ledger.add(refuse(result.file));
    }
    tell();
  }

  function add(file: PackedFile): void {
    file.index = files.length;
    files.push(file);
  }

  function tell(): void {
    for (const listener of listeners) listener(progress());
  }

  function progress(): CatalogProgress {
    return {
      // A record never changes once it is there, so its place in the list is its revision.
      revision: files.length,
      scanned: files.length,
      skipped: ledger.count('skipped'),
      filtered: ledger.count('filtered'),
      scanComplete,
    };
  }

  return {
    start() {
      scan ??= startScan({ inputs, recursive, filters, memory, feed, onResults: commit, ...options.scan });
      const outcome = scan.outcome.then((how) => {
        scanComplete = how === 'complete';
        tell();
        return how;
      });
      settle?.(outcome);
    },
    async cancel() {
      settle?.('cancelled');
      await scan?.cancel();
    },
    scanComplete: settled,
    get(index) {
      const file = files[index];
      if (file !== undefined) return file;
      const known = files.length === 0 ? 'no file is open' : `the files are 0 to ${files.length - 1}`;
      throw new ViewerError('not_found', `there is no file ${index}: ${known}`);
    },
    files,
    rowsFrom: (index) => PackedFile.rowsFrom(files, index),
    get progress() {
      return progress();
    },
    snapshot({ since = 0, limit = files.length } = {}) {
      const reset = since > files.length;
      const from = reset ? 0 : since;
      const to = Math.min(from + limit, files.length);
      return {
        ...progress(),
        files: files.slice(from, to),
        discovery: ledger.entries(),
        revision: to,
        more: to < files.length,
        reset,
      };
    },
    skippedByReason: () => ledger.totals(),
    getSkipped(id) {
      const file = ledger.findFile(id);
      if (file !== undefined) return file;
      throw new ViewerError('not_found', `entry ${id} of the files that are not shown is no DICOM file, or forgotten`);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function refuse({ path, source }: PackedFile): Refusal {
  return { path, disposition: 'skipped', reason: 'limit_exceeded', file: source };
}
