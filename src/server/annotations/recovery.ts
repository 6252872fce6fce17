import { readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lifeOf } from '../system/processStamp.ts';
import { changeMarkOf, placeOf, sizeOf } from '../origins/origins.ts';
import type { TaskMemory, TaskRunner } from '../workers/task.ts';
import type { AnnotatedFile, AnnotatedFiles } from './annotatedFiles.ts';
import { writeJournal } from './journal.ts';
import { type JournalRecord, nameJournal, parseJournalName } from './journalFile.ts';
import { countRois, type PackedRois } from './packedRois.ts';
import { readJournalTask } from './annotationTasks.ts';

export type RecoveryOptions = {
  /** The folder that contains the journals. */
  readonly folder: string;
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  /**
   * Restores ROIs, given as lists with the newest first. Resolves to true when this run has kept them, and to false if
   * it could not.
   */
  readonly restore: (fileIndex: number, kept: readonly PackedRois[]) => Promise<boolean>;
  /** Whether this run already has these ROIs of the file, safe in its own journal. */
  readonly isHeld: (fileIndex: number, kept: PackedRois) => boolean;
};

/** ROIs of open files that an earlier run kept and that were not exported. */
export type KeptRois = {
  readonly rois: number;
  readonly files: number;
  /** The path of the file, or the folder that contains all of them. */
  readonly path: string;
  /**
   * Number of these files whose size or time has changed since. They are still the same objects, according to their
   * UIDs.
   */
  readonly changedFiles: number;
  readonly savedAtMs: number;
};

export interface Recovery {
  /** Settles when the journals have been searched, which happens after the scan. Never rejects. */
  readonly searched: Promise<void>;
  isSearched(): boolean;
  /** Undefined if there is nothing to restore or to forget. */
  kept(): KeptRois | undefined;
  /** Restores or removes the kept ROIs. Records of files that are not open stay in place. */
  settle(action: 'restore' | 'forget'): Promise<void>;
}

type Match = { readonly record: JournalRecord; readonly fileIndex: number; readonly isChanged: boolean };
type FoundJournal = {
  readonly path: string;
  readonly matches: readonly Match[];
  readonly others: readonly JournalRecord[];
};

/** A process touches its journal every 20 s, so after this time it has missed four times. */
const SILENT_MS = 90_000;
const READ_TIMEOUT_MS = 60_000;
/** Enough for a journal of the order of 100,000 ROIs. A longer one is read alone. */
const READ_MEMORY: TaskMemory = { bytes: 64 * 2 ** 20, isUpperBound: true };
const FILES_A_TURN = 1_000;

export function createRecovery({ folder, files, tasks, restore, isHeld }: RecoveryOptions): Recovery {
  let found: readonly FoundJournal[] = [];
  let isSearched = false;
  let last: Promise<void> = Promise.resolve();

  const search = async (): Promise<void> => {
    const journals: { path: string; records: readonly JournalRecord[] }[] = [];
    for (const path of await listAbandoned(folder)) {
      const read = await tasks.run(readJournalTask, { path }, { timeoutMs: READ_TIMEOUT_MS, memory: READ_MEMORY });
      if (read !== undefined) journals.push({ path, records: read.records });
    }
    const match = await createMatcher(
      journals.flatMap(({ records }) => records),
      files.files,
    );
    found = journals.map(({ path, records }) => {
      const matched = records.map((record) => ({ record, match: match(record) }));
      return {
        path,
        matches: matched.flatMap(({ match: one }) => one ?? []),
        others: matched.flatMap(({ record, match: one }) => (one === undefined ? record : [])),
      };
    });
  };

  const take = async (action: 'restore' | 'forget'): Promise<void> => {
    const claimed: { path: string; journal: FoundJournal }[] = [];
    for (const journal of found) {
      const path = join(folder, nameJournal('this process'));
      if (journal.matches.length > 0 && (await claim(journal.path, path))) claimed.push({ path, journal });
    }
    const isSafe = action === 'forget' || (await restoreAll(claimed.flatMap(({ journal }) => journal.matches)));
    for (const { path, journal } of claimed) {
      if (!isSafe) {
        await rename(path, join(folder, nameJournal('nobody')));
        continue;
      }
      if (journal.others.length > 0) await writeJournal(folder, journal.others);
      await unlink(path);
    }
    // Fails if the folder contains another journal.
    await rmdir(folder).catch(() => undefined);
    found = [];
    if (!isSafe) throw new Error('the ROIs were restored, but could not be saved by this run');
  };

  const restoreAll = async (matches: readonly Match[]): Promise<boolean> => {
    const byFile = new Map<number, JournalRecord[]>();
    for (const { fileIndex, record } of matches) byFile.set(fileIndex, [...(byFile.get(fileIndex) ?? []), record]);
    const restored = Array.from(byFile, ([fileIndex, records]) => {
      const newestFirst = records.toSorted((a, b) => b.savedAtMs - a.savedAtMs);
      return restore(
        fileIndex,
        newestFirst.map(({ rois }) => rois),
      );
    });
    return (await Promise.all(restored)).every(Boolean);
  };

  const inTurn = (step: () => Promise<void>): Promise<void> => {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  };

  const searchOnce = async (): Promise<void> => {
    try {
      if ((await files.scanComplete) === 'complete') await inTurn(search);
    } catch {
      // A journal that cannot be read is not offered and stays in place.
    }
    isSearched = true;
  };
  const searched = searchOnce();

  return {
    searched,
    isSearched: () => isSearched,
    kept() {
      const matches = found.flatMap((journal) => journal.matches);
      const missing = matches.filter(({ fileIndex, record }) => !isHeld(fileIndex, record.rois));
      if (missing.length > 0) return describeKept(missing, files);
      // This run has all of these ROIs, so the older copy is no longer needed.
      if (matches.length > 0) inTurn(() => take('forget')).catch(() => undefined);
      return undefined;
    },
    settle: (action) => inTurn(() => take(action)),
  };
}

function describeKept(matches: readonly Match[], files: AnnotatedFiles): KeptRois {
  const changed = new Set<number>();
  const indices = new Set<number>();
  for (const { fileIndex, isChanged } of matches) {
    indices.add(fileIndex);
    if (isChanged) changed.add(fileIndex);
  }
  return {
    rois: matches.reduce((sum, { record }) => sum + countRois(record.rois), 0),
    files: indices.size,
    path: commonPath(Array.from(indices, (index) => files.get(index).path)),
    changedFiles: changed.size,
    savedAtMs: matches.reduce((latest, { record }) => Math.max(latest, record.savedAtMs), 0),
  };
}

function commonPath([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  let folder = dirname(first);
  while (dirname(folder) !== folder && !others.every((path) => path.startsWith(folder + sep))) folder = dirname(folder);
  return folder;
}

/** The journals whose processes have ended. Unfinished files of such processes are removed. */
async function listAbandoned(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const abandoned: string[] = [];
  for (const name of names) {
    const parsed = parseJournalName(name);
    if (parsed === undefined) continue;
    const path = join(folder, name);
    const life = lifeOf(parsed.owner);
    if (life === 'running' || (life === 'unknown' && (await showsLife(path)))) continue;
    if (parsed.isUnfinished) await rm(path, { force: true }).catch(() => undefined);
    else abandoned.push(path);
  }
  return abandoned;
}

async function showsLife(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < SILENT_MS;
}

/** False if another process claimed it first. */
async function claim(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds the open file of a record. It must have the same path, with or without links resolved, the same SOP Instance
 * UID, and the same rows, columns and frame count. A file without a UID must not have changed at all.
 */
async function createMatcher(
  records: readonly JournalRecord[],
  files: readonly AnnotatedFile[],
): Promise<(record: JournalRecord) => Match | undefined> {
  const wanted = new Set(records.flatMap(({ file: { path, realPath } }) => [path, realPath]));
  const byPath = new Map<string, number>();
  const byPlace = new Map<string, number>();
  for (let start = 0; wanted.size > 0 && start < files.length; start += FILES_A_TURN) {
    for (let index = start; index < Math.min(start + FILES_A_TURN, files.length); index += 1) {
      const file = files[index];
      if (file === undefined) continue;
      const place = placeOf(file.source);
      if (wanted.has(file.path)) byPath.set(file.path, index);
      if (wanted.has(place) && !byPlace.has(place)) byPlace.set(place, index);
    }
    await nextTurn();
  }
  return (record) => {
    const { path, realPath } = record.file;
    const fileIndex = byPath.get(path) ?? byPlace.get(realPath);
    const file = files[fileIndex ?? -1];
    if (fileIndex === undefined || file === undefined || !isSameObject(record, file)) return undefined;
    const { size, mtimeMs } = record.file;
    const isChanged = sizeOf(file.source) !== size || changeMarkOf(file.source) !== mtimeMs;
    return isChanged && file.sopInstanceUid === '' ? undefined : { record, fileIndex, isChanged };
  };
}

function isSameObject({ file: kept }: JournalRecord, file: AnnotatedFile): boolean {
  return (
    kept.sopInstanceUid === file.sopInstanceUid &&
    kept.rows === file.rows &&
    kept.columns === file.columns &&
    kept.frameCount === file.frameCount
  );
}
