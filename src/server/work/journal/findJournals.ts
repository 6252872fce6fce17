import { lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lifeOf } from '../../machine/system/processStamp.ts';
import { isPassingFailure } from '../../machine/workers/passingFailure.ts';
import { writeJournal } from './journal.ts';
import { type JournalFormat, type KeptRecords, parseJournalName } from './journalFile.ts';

/** A journal in the folder, whose process may still run. */
export type FoundJournal = {
  readonly name: string;
  readonly path: string;
  readonly isAbandoned: boolean;
  readonly size: number;
  /** Differs after each change of the file. */
  readonly mark: string;
};

/** A journal of which something could not be read, or a folder that could not be searched. */
export type UnreadJournal = { readonly name: string; readonly reason: string };

/** A process touches its journal every 20 s, so after this time it has missed four times. */
const SILENT_MS = 90_000;

/** The journals of a format. Unfinished files of processes that have ended are removed. Throws the system's error. */
export async function findJournals(
  folder: string,
  format: { readonly name: string },
): Promise<readonly FoundJournal[]> {
  const found: FoundJournal[] = [];
  for (const name of await listNames(folder)) {
    const parsed = parseJournalName(name, format);
    if (parsed === undefined) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined) continue;
    const life = lifeOf(parsed.owner);
    const isAbandoned = life === 'ended' || (life === 'unknown' && Date.now() - stats.mtimeMs >= SILENT_MS);
    const { ino, size, mtimeMs } = stats;
    if (!parsed.isUnfinished) found.push({ name, path, isAbandoned, size, mark: `${ino} ${size} ${mtimeMs}` });
    else if (isAbandoned) await rm(path, { force: true }).catch(() => undefined);
  }
  return found;
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    // This user has no journals in a folder of another one, because none is written there.
    const owner = await stat(folder).catch(() => undefined);
    if (code === 'EACCES' && owner !== undefined && owner.uid !== process.getuid?.()) return [];
    throw error;
  }
}

export type ReadJournal<Record> = FoundJournal & KeptRecords<Record>;

/**
 * Reads a journal. A failure is part of the result, so that one journal does not hide another. Undefined if the journal
 * is gone.
 */
export async function tryRead<Record>(
  journal: FoundJournal,
  read: (journal: FoundJournal) => Promise<KeptRecords<Record> | undefined>,
): Promise<ReadJournal<Record> | undefined> {
  try {
    const kept = await readPatiently(() => read(journal));
    return kept && { ...journal, ...kept };
  } catch (error) {
    return { ...journal, records: [], damage: error instanceof Error ? error.message : String(error) };
  }
}

const MOST_TRIES = 10;

/** A server that is busy has time for it later. */
async function readPatiently<Kept>(read: () => Promise<Kept>): Promise<Kept> {
  for (let tries = 1; tries < MOST_TRIES; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (!isPassingFailure(error)) throw error;
    }
    await delay(1_000, undefined, { ref: false });
  }
  return read();
}

export function listUnread(journals: Iterable<ReadJournal<unknown>>): readonly UnreadJournal[] {
  const unread: UnreadJournal[] = [];
  for (const { name, damage } of journals) if (damage !== undefined) unread.push({ name, reason: damage });
  return unread;
}

/** A folder that cannot be searched. */
export function unreadFolder(folder: string, error: unknown): UnreadJournal {
  const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return { name: basename(folder), reason: `its journals cannot be searched (${reason})` };
}

/**
 * Gives journals that could not be read another name, under which nobody looks for them. What could be read of them is
 * written to a new journal before.
 */
export async function setAside<Record>(
  journals: Iterable<ReadJournal<Record>>,
  format: JournalFormat<Record>,
): Promise<void> {
  for (const { path, records, damage } of journals) {
    if (damage === undefined) continue;
    if (records.length > 0) await writeJournal(format, dirname(path), records);
    await rename(path, `${path}.unread`);
  }
}
