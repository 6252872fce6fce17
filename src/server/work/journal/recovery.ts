import { rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecoveryBody } from '../../../shared/contract/annotations.ts';
import { isMasked } from '../../bytes/masking/masker.ts';
import { placeOf } from '../../bytes/origins/origins.ts';
import { createTimeLimit, SYSTEM_CLOCK } from '../../machine/workers/timeLimit.ts';
import type { AnnotatedFile, AnnotatedFiles } from './annotatedFiles.ts';
import {
  findJournals,
  type FoundJournal,
  listUnread,
  type ReadJournal,
  setAside,
  tryRead,
  type UnreadJournal,
  unreadFolder,
} from './findJournals.ts';
import { writeJournal } from './journal.ts';
import { type JournalFormat, type KeptRecords, nameJournal } from './journalFile.ts';
import { isChangedSince, isSameObject, type RecordedFile } from './recordedFile.ts';

export type RecoveryOptions<Record> = {
  readonly format: JournalFormat<Record>;
  /** Reads a journal of this format; undefined if it is gone. */
  readonly read: (journal: FoundJournal) => Promise<KeptRecords<Record> | undefined>;
  /** The folder that contains the journals. */
  readonly folder: string;
  readonly files: AnnotatedFiles;
  /** Restores records, the newest first. Resolves to true when this run has kept them, and to false if it could not. */
  readonly restore: (matches: readonly JournalMatch<Record>[]) => Promise<boolean>;
  /** Whether this run already has what the record says, safe in its own journal. */
  readonly isHeld: (match: JournalMatch<Record>) => boolean;
};

/** What an earlier run kept of open files, because it was not exported. */
export type KeptEdits = {
  /** What users count, such as ROIs. */
  readonly items: number;
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
  kept(): KeptEdits | undefined;
  /** Journals that could not be read. They stay in place until they are set aside. */
  unread(): readonly UnreadJournal[];
  /**
   * Restores or removes the kept edits. Records of files that are not open stay in place. Journals that could not be read
   * are read again for `restore`, and get another name otherwise, under which nobody looks for them.
   */
  settle(action: RecoveryAction): Promise<void>;
  /** Waits until journals of earlier runs are no longer changed, unless the disk hangs. */
  close(): Promise<void>;
}

export type RecoveryAction = RecoveryBody['action'];

export type JournalMatch<Record> = {
  readonly record: Record;
  /** Of the files of the record, in the same order. */
  readonly fileIndices: readonly number[];
  readonly isChanged: boolean;
};
type MatchedJournal<Record> = ReadJournal<Record> & {
  readonly matches: readonly JournalMatch<Record>[];
  readonly others: readonly Record[];
};

const FILES_A_TURN = 1_000;
/** As long as a journal waits for a disk that does not respond. */
const PATIENCE_MS = 10_000;

export function createRecovery<Record>(options: RecoveryOptions<Record>): Recovery {
  const { format, read, folder, files, restore, isHeld } = options;
  let found: readonly MatchedJournal<Record>[] = [];
  let unread: readonly UnreadJournal[] = [];
  let isSearched = false;
  let last: Promise<void> = Promise.resolve();
  /** The last step that changes files. */
  let change: Promise<void> = Promise.resolve();

  const search = async (): Promise<void> => {
    const journals: ReadJournal<Record>[] = [];
    for (const journal of await findJournals(folder, format)) {
      const kept = journal.isAbandoned ? await tryRead(journal, read) : undefined;
      if (kept !== undefined) journals.push(kept);
    }
    unread = listUnread(journals);
    const recorded = journals.flatMap(({ records }) => records.flatMap(format.filesOf));
    const matchFile = await createMatcher(recorded, files.files);
    const match = (record: Record): JournalMatch<Record> | undefined => {
      const matched = format.filesOf(record).map(matchFile);
      const known = matched.filter((one) => one !== undefined);
      if (known.length < matched.length || known.length === 0) return undefined;
      return {
        record,
        fileIndices: known.map(({ fileIndex }) => fileIndex),
        isChanged: known.some(({ isChanged }) => isChanged),
      };
    };
    found = journals.map((journal) => {
      const matched = journal.records.map((record) => ({ record, match: match(record) }));
      return {
        ...journal,
        matches: matched.flatMap(({ match: one }) => one ?? []),
        others: matched.flatMap(({ record, match: one }) => (one === undefined ? record : [])),
      };
    });
  };

  const take = async (action: RecoveryAction): Promise<void> => {
    if (unread.length > 0) {
      if (action !== 'restore') await setAside(found, format);
      await search();
    }
    if (action !== 'set_aside') await takeMatches(action);
  };

  const takeMatches = async (action: 'restore' | 'forget'): Promise<void> => {
    const claimed: { path: string; journal: MatchedJournal<Record> }[] = [];
    const damaged: JournalMatch<Record>[] = [];
    for (const journal of found) {
      if (journal.matches.length === 0) continue;
      const path = join(folder, nameJournal('this process', format));
      // What could not be read of a damaged journal must not be removed with the rest of it.
      if (journal.damage !== undefined) damaged.push(...journal.matches);
      else if (await claim(journal.path, path)) claimed.push({ path, journal });
    }
    const matches = [...damaged, ...claimed.flatMap(({ journal }) => journal.matches)];
    const isSafe = action === 'forget' || (await restoreAll(matches));
    for (const { path, journal } of claimed) {
      if (!isSafe) {
        await rename(path, join(folder, nameJournal('nobody', format)));
        continue;
      }
      if (journal.others.length > 0) await writeJournal(format, folder, journal.others);
      await unlink(path);
    }
    // Fails if the folder contains another journal.
    await rmdir(folder).catch(() => undefined);
    found = [];
    if (!isSafe) throw new Error('the edits were restored, but could not be saved by this run');
  };

  const restoreAll = (matches: readonly JournalMatch<Record>[]): Promise<boolean> =>
    restore(matches.toSorted((a, b) => format.savedAtMs(b.record) - format.savedAtMs(a.record)));

  const inTurn = (step: () => Promise<void>): Promise<void> => {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  };

  const changeInTurn = (step: () => Promise<void>): Promise<void> => {
    const done = inTurn(step);
    change = done.catch(() => undefined);
    return done;
  };

  const searchOnce = async (): Promise<void> => {
    try {
      if ((await files.scanComplete) === 'complete') await inTurn(search);
    } catch (error) {
      unread = [unreadFolder(folder, error)];
    }
    isSearched = true;
  };
  const searched = searchOnce();

  return {
    searched,
    isSearched: () => isSearched,
    kept() {
      const matches = found.flatMap((journal) => journal.matches);
      const missing = matches.filter((match) => !isHeld(match));
      if (missing.length > 0) return describeKept(format, missing, files);
      // This run has all of it, so the older copy is no longer needed.
      if (matches.length > 0) changeInTurn(() => takeMatches('forget')).catch(() => undefined);
      return undefined;
    },
    unread: () => unread,
    settle: (action) => changeInTurn(() => take(action)),
    close: () => createTimeLimit(PATIENCE_MS, SYSTEM_CLOCK).wait(() => change),
  };
}

function describeKept<Record>(
  format: JournalFormat<Record>,
  matches: readonly JournalMatch<Record>[],
  files: AnnotatedFiles,
): KeptEdits {
  const changed = new Set<number>();
  const indices = new Set<number>();
  for (const { fileIndices, isChanged } of matches) {
    for (const index of fileIndices) {
      indices.add(index);
      if (isChanged) changed.add(index);
    }
  }
  return {
    items: matches.reduce((sum, { record }) => sum + format.count(record), 0),
    files: indices.size,
    path: commonPath(Array.from(indices, (index) => files.get(index).path)),
    changedFiles: changed.size,
    savedAtMs: matches.reduce((latest, { record }) => Math.max(latest, format.savedAtMs(record)), 0),
  };
}

function commonPath([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  let folder = dirname(first);
  while (dirname(folder) !== folder && !others.every((path) => path.startsWith(folder + sep))) folder = dirname(folder);
  return folder;
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
 * Finds the open file that a record names. It must have the same path, with or without links resolved, the same SOP Instance
 * UID, and the same rows, columns and frame count. A file without a UID, or of a masked run, must not have changed at
 * all.
 */
async function createMatcher(
  recorded: readonly RecordedFile[],
  files: readonly AnnotatedFile[],
): Promise<(file: RecordedFile) => { readonly fileIndex: number; readonly isChanged: boolean } | undefined> {
  const wanted = new Set(recorded.flatMap(({ path, realPath }) => [path, realPath]));
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
  return (kept) => {
    const { path, realPath } = kept;
    const fileIndex = byPath.get(path) ?? byPlace.get(realPath);
    const file = files[fileIndex ?? -1];
    if (fileIndex === undefined || file === undefined || !isSameObject(kept, file)) return undefined;
    const isChanged = isChangedSince(kept, file);
    const isNamed = file.sopInstanceUid !== '' && kept.sopInstanceUid !== '' && !isMasked();
    return isChanged && !isNamed ? undefined : { fileIndex, isChanged };
  };
}
