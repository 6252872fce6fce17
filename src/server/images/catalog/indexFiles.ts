import type { SkipReason } from '../../../shared/contract/files.ts';
import {
  expectListed,
  type Inputs,
  type ListedEntry,
  listInputs,
  NotHereYet,
  withoutWaiting,
} from '../../bytes/origins/origins.ts';
import { isRemoteInput, labelOfInput, parseRemoteInput } from '../../bytes/origins/remote/remoteInput.ts';
import type { FileCriterion } from '../../../shared/fileFilter.ts';
import type { FileDescription } from './dicomFile.ts';
import type { IndexValue } from './elementColumns.ts';
import type { IndexColumn } from './indexColumns.ts';
import { readMediaDirectory } from './mediaDirectory.ts';
import { createFileScanner } from './scanFile.ts';
import type { ScanResult } from './scanResult.ts';
import { type FindElement, readColumn } from './whereOfFiles.ts';

/** One of several parts of the files, which are indexed side by side. */
export type Shard = { readonly number: number; readonly count: number };

export type IndexInput = Inputs & {
  readonly filters: readonly FileCriterion[];
  readonly shard: Shard;
};

/** Called for each entry of the shard, in the order of the files. True: it is passed over, and counts nowhere. */
export type PassOver = (entry: ListedEntry) => boolean;

/** A file with its values in the columns. */
export type IndexedFile = { readonly file: FileDescription; readonly values: readonly IndexValue[] };

/** What was found so far. */
export type IndexProgress = {
  readonly files: number;
  readonly filtered: number;
  readonly attachments: number;
  readonly skipped: ReadonlyMap<SkipReason, number>;
};

/**
 * Reads the headers of all files of a shard, in the order of the files. It blocks the thread, which has nothing else to do.
 * Throws if a place on another machine cannot be listed.
 */
export function* indexFiles(
  input: IndexInput,
  columns: readonly IndexColumn[],
  passOver: PassOver = () => false,
): Generator<IndexedFile, IndexProgress, void> {
  const skipped = new Map<SkipReason, number>();
  let files = 0;
  let filtered = 0;
  let attachments = 0;
  let lastValues: readonly IndexValue[] = [];
  const onFile = (file: FileDescription, find: FindElement) => {
    lastValues = columns.map((column) => readColumn(column, file, find));
  };
  const paths = columns.flatMap(({ path }) => path ?? []);
  const scanFile = createFileScanner(input.filters, { paths, onFile });
  const scan = (entry: ListedEntry): Scanned => ({ result: scanFile(entry), values: lastValues });

  for (const { result, values } of scanAll(input, passOver, scan)) {
    if (result.disposition === 'filtered') filtered += 1;
    else if (result.disposition === 'attached') attachments += 1;
    else if ('reason' in result) skipped.set(result.reason, (skipped.get(result.reason) ?? 0) + 1);
    else if (result.disposition === 'selected') {
      files += 1;
      yield { file: result.file, values };
    }
  }
  return { files, filtered, attachments, skipped };
}

type Scanned = { readonly result: ScanResult; readonly values: readonly IndexValue[] };

function* listShard({ inputs, recursive, shard }: IndexInput, passOver: PassOver): Generator<ListedEntry, void, void> {
  const places = new Set(inputs.filter(isRemoteInput).map((input) => labelOfInput(parseRemoteInput(input))));
  for (const entry of listInputs({ inputs, recursive, readMediaDirectory, readsOnDemand: true })) {
    // A table without the files of a place would be taken for all of them.
    const problem = 'reason' in entry && places.has(entry.path) ? UNLISTED[entry.reason] : undefined;
    if (problem !== undefined) throw new Error(`${entry.path} ${problem}`);
    if (isInShard(entry.path, shard) && !passOver(entry)) yield entry;
  }
}

/** Why a place has no list of its files, or no complete one. */
const UNLISTED: Readonly<Partial<Record<SkipReason, string>>> = {
  input_path_unavailable: 'has no files',
  origin_denied: 'cannot be listed: its server refuses it',
  origin_failed: 'cannot be listed: its server does not answer as it should',
};

/** Files that are expected at the same time, twice: the next ones are requested while these are scanned. */
const EXPECTED_FILES = 64;

/** Yields the results of all entries in their order. The bytes of files on other machines are requested before. */
function* scanAll(
  input: IndexInput,
  passOver: PassOver,
  scan: (entry: ListedEntry) => Scanned,
): Generator<Scanned, void, void> {
  const entries = listShard(input, passOver);
  // An archive on this machine is read as it is listed, while it is open.
  if (!input.inputs.some(isRemoteInput)) {
    for (const entry of entries) yield scan(entry);
    return;
  }
  const expectNext = (): ListedEntry[] => {
    const batch: ListedEntry[] = [];
    while (batch.length < EXPECTED_FILES) {
      const step = entries.next();
      if (step.done === true) break;
      expectListed(step.value);
      batch.push(step.value);
    }
    return batch;
  };
  for (let batch = expectNext(); batch.length > 0;) {
    const next = expectNext();
    const tried = batch.map((entry) => scanIfHere(entry, scan));
    // The bytes that these files lack were requested meanwhile, all at the same time.
    for (const [at, scanned] of tried.entries()) yield scanned ?? scan(batch[at]!);
    batch = next;
  }
}

function scanIfHere(entry: ListedEntry, scan: (entry: ListedEntry) => Scanned): Scanned | undefined {
  try {
    return withoutWaiting(() => scan(entry));
  } catch (error) {
    if (error instanceof NotHereYet) return undefined;
    throw error;
  }
}

/**
 * By a hash of the path (FNV-1a), not by its position in the list: a file that appears while the shards run must not
 * move others into or out of a shard that has passed them.
 */
export function isInShard(path: string, { number, count }: Shard): boolean {
  if (count === 1) return true;
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at += 1) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  // The last bits of the hash depend on the last letters only.
  return ((hash ^ (hash >>> 15)) >>> 0) % count === number - 1;
}
