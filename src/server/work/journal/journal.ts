import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createOwnFolder } from '../../machine/system/privateFolder.ts';
import { describeDiskFailure, syncFolder } from './diskFailure.ts';
import { type JournalFormat, LONGEST_LINE, nameJournal, writeLine } from './journalFile.ts';

export type JournalOptions<Record> = {
  readonly format: JournalFormat<Record>;
  /** Only this user has access to it. It is created when there is something to keep. */
  readonly folder: string;
  /** The name of the file, if it is to be known. */
  readonly name?: string | undefined;
  /** Called when writing starts to fail, and when it works again. */
  readonly onTrouble?: (reason: string | undefined) => void;
  /** How long an edit waits for a disk that does not respond. */
  readonly patienceMs?: number;
  readonly retryMs?: number;
};

/**
 * Keeps edits that have not been exported in a file that outlives the process. The file exists only while there are
 * such edits. If writing fails, the edits stay in memory and are written as soon as that works again.
 */
export interface Journal<Record> {
  readonly folder: string;
  /**
   * Replaces the record of this number. Resolves to true when it is on disk, and to false if it could not be written, or
   * not yet.
   */
  keep(number: number, record: Record): Promise<boolean>;
  /** The user has deleted it. Resolves to true when that is on disk; what it was may stay there for a while. */
  remove(number: number): Promise<boolean>;
  /** These have nothing left to keep: all their data is removed from the disk. */
  release(numbers: Iterable<number>): Promise<void>;
  /** Why the last attempt to write failed. */
  trouble(): string | undefined;
  countKept(): { readonly records: number; readonly items: number };
  /** Writes what is still unwritten, and leaves the file in place. Nothing is written after it has been called. */
  close(): Promise<void>;
}

type JournalFile = { readonly handle: FileHandle; readonly path: string; size: number };
/** `bytes`: the length of the whole record when it was last written. */
type Entry<Record> = { readonly record: Record; bytes: number; readonly isRemoved: boolean };

const PATIENCE_MS = 10_000;
const RETRY_MS = 10_000;
/**
 * Interval at which the file is touched. Where the system cannot tell whether a process is running, this shows that the
 * owner of the file is alive.
 */
const SIGN_OF_LIFE_MS = 20_000;
const TOO_LONG = 'an edit is longer than a line of the journal may be';
/** The file is rewritten when it exceeds twice the needed size by this many bytes. */
const TOLERATED_BYTES = 2 ** 20;

export function createJournal<Record>(options: JournalOptions<Record>): Journal<Record> {
  const { format, folder, onTrouble, patienceMs = PATIENCE_MS, retryMs = RETRY_MS } = options;
  const path = join(folder, options.name ?? nameJournal('this process', format));
  const entries = new Map<number, Entry<Record>>();
  /** What a reader of the file finds, by number. */
  const onDisk = new Map<number, Record>();
  /** Numbers whose current records are not on disk. */
  const unwritten = new Set<number>();
  /** Those that are longer than a line may be, so that another attempt would not help. */
  const tooLong = new Set<number>();
  let waiting: ((isWritten: boolean) => void)[] = [];
  let file: JournalFile | undefined;
  /** Whether an attempt to append has failed, so that there may be lines behind the end of the file. */
  let isTorn = false;
  /** Whether the file contains released data, which must be removed. */
  let hasReleased = false;
  /** How often something was released. */
  let releases = 0;
  let work: Promise<void> | undefined;
  /** Whether the current write takes longer than an edit may wait. */
  let isStuck = false;
  let trouble: string | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  const signOfLife = setInterval(() => {
    const now = new Date();
    file?.handle.utimes(now, now).catch(() => undefined);
  }, SIGN_OF_LIFE_MS);
  signOfLife.unref();

  const setTrouble = (reason: string | undefined) => {
    const changed = (reason === undefined) !== (trouble === undefined);
    trouble = reason;
    if (changed) onTrouble?.(reason);
    clearTimeout(retry);
    if (reason !== undefined && !isClosed) retry = setTimeout(() => void flush(), retryMs).unref();
  };

  /** Edits that are waiting when a round starts are written together and synced once. */
  const flushAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const served = waiting;
      waiting = [];
      const batch = [...unwritten];
      unwritten.clear();
      try {
        await write(batch);
        // The disk responds again, so later edits wait for it.
        isStuck = false;
        setTrouble(undefined);
        for (const serve of served) serve(true);
      } catch (error) {
        for (const index of batch) unwritten.add(index);
        setTrouble(describeDiskFailure(error));
        for (const serve of served) serve(false);
      }
    }
  };

  const flush = async (): Promise<boolean> => {
    const served = new Promise<boolean>((serve) => waiting.push(serve));
    work ??= flushAll().finally(() => {
      work = undefined;
      isStuck = false;
    });
    // One edit has already waited for this disk. Further edits return false at once and are written when the disk
    // responds.
    if (isStuck) return false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((serve) => {
      timer = setTimeout(() => {
        isStuck = true;
        setTrouble('the disk does not respond');
        serve(false);
      }, patienceMs);
    });
    return Promise.race([served, late]).finally(() => clearTimeout(timer));
  };

  const write = async (batch: readonly number[]): Promise<void> => {
    if (file !== undefined && !(await isAt(file))) await closeFile();
    if ([...entries.values()].every(({ isRemoved }) => isRemoved)) {
      entries.clear();
      return removeFile();
    }
    const needed = [...entries.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    if (file === undefined || hasReleased || file.size > 2 * needed + TOLERATED_BYTES) return writeAnew();
    // A line that a failed attempt left behind must not follow the lines of this one.
    if (isTorn) await file.handle.truncate(file.size);
    isTorn = true;
    const written = await append(file, batch, 'changes');
    await file.handle.datasync();
    isTorn = false;
    for (const [number, entry] of written) {
      if (!entry.isRemoved) {
        onDisk.set(number, entry.record);
        continue;
      }
      onDisk.delete(number);
      if (entries.get(number) === entry) entries.delete(number);
    }
  };

  /** `changes`: of a record that is in the file, only what has changed. Returns what was written. */
  const append = async (
    into: JournalFile,
    batch: Iterable<number>,
    how: 'changes' | 'whole',
  ): Promise<readonly (readonly [number, Entry<Record>])[]> => {
    const written: (readonly [number, Entry<Record>])[] = [];
    // The size is only updated at the end, so that the next attempt overwrites what a failed one left behind.
    let end = into.size;
    for (const number of batch) {
      const entry = entries.get(number);
      if (entry === undefined) continue;
      const { record, isRemoved } = entry;
      const before = how === 'changes' && !isRemoved ? onDisk.get(number) : undefined;
      const change = before === undefined ? undefined : format.writeChange?.(record, before);
      const texts = isRemoved ? [format.writeRemoval?.(record) ?? 'null'] : (change ?? format.write(record));
      const bytes = await writeBoundedLine(into.handle, texts, end);
      if (bytes === undefined) {
        // What the old file has of it must not be lost with that file.
        if (how === 'whole' && onDisk.has(number)) throw new Error(TOO_LONG);
        tooLong.add(number);
        continue;
      }
      end += bytes;
      if (change === undefined) entry.bytes = bytes;
      written.push([number, entry]);
    }
    into.size = end;
    return written;
  };

  /** The file is complete at all times: the new file replaces the old one once it is on disk. */
  const writeAnew = async (): Promise<void> => {
    // The new file does not mention what was removed. If it cannot be written, the next attempt must be a new file too.
    hasReleased = true;
    const before = releases;
    for (const [number, { isRemoved }] of entries) if (isRemoved) entries.delete(number);
    const next = await createFile(`${path}.new`, folder, format.header);
    let written: Awaited<ReturnType<typeof append>>;
    try {
      written = await append(next, entries.keys(), 'whole');
      await next.handle.datasync();
      await rename(next.path, path);
    } catch (error) {
      await next.handle.close().catch(() => undefined);
      await rm(next.path, { force: true }).catch(() => undefined);
      throw error;
    }
    await closeFile();
    file = { ...next, path };
    isTorn = false;
    onDisk.clear();
    for (const [number, { record, isRemoved }] of written) if (!isRemoved) onDisk.set(number, record);
    if (releases === before) hasReleased = false;
    await syncFolder(folder);
  };

  const removeFile = async (): Promise<void> => {
    if (file !== undefined) {
      await unlink(path);
      await closeFile();
    }
    isTorn = false;
    onDisk.clear();
    hasReleased = false;
    // Fails if another process has a journal in the folder.
    await rmdir(folder).catch(() => undefined);
  };

  const closeFile = async (): Promise<void> => {
    const { handle } = file ?? {};
    file = undefined;
    await handle?.close().catch(() => undefined);
  };

  return {
    folder,
    async keep(number, record) {
      if (isClosed) return false;
      entries.set(number, { record, bytes: entries.get(number)?.bytes ?? 0, isRemoved: false });
      unwritten.add(number);
      tooLong.delete(number);
      return (await flush()) && !tooLong.has(number);
    },
    async remove(number) {
      const entry = entries.get(number);
      if (entry === undefined) return true;
      if (isClosed) return false;
      entries.set(number, { record: entry.record, bytes: 0, isRemoved: true });
      unwritten.add(number);
      tooLong.delete(number);
      return flush();
    },
    async release(numbers) {
      if (isClosed) return;
      let hasAny = false;
      for (const index of numbers) {
        unwritten.delete(index);
        tooLong.delete(index);
        onDisk.delete(index);
        if (entries.delete(index)) hasAny = true;
      }
      if (!hasAny) return;
      hasReleased = true;
      releases += 1;
      await flush();
    },
    trouble: () => trouble ?? (tooLong.size > 0 ? TOO_LONG : undefined),
    countKept() {
      const all = [...entries.values()].filter(({ isRemoved }) => !isRemoved);
      return { records: all.length, items: all.reduce((sum, { record }) => sum + format.count(record), 0) };
    },
    async close() {
      isClosed = true;
      clearInterval(signOfLife);
      // A disk that did not respond gets another chance.
      isStuck = false;
      if (work !== undefined || unwritten.size > 0 || hasReleased) await flush();
      clearTimeout(retry);
      await closeFile();
    },
  };
}

/** Creates a new file: never opens one that already exists, and never follows a link. */
async function createFile(path: string, folder: string, header: string): Promise<JournalFile> {
  // Windows has no O_NOFOLLOW: it is undefined there and counts as 0.
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const flags = O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW;
  await createOwnFolder(folder);
  await rm(path, { force: true });
  // Another process may have removed the empty folder after it was checked.
  const handle = await open(path, flags, 0o600).catch(async () => {
    await createOwnFolder(folder);
    return open(path, flags, 0o600);
  });
  const size = await writeText(handle, header, 0);
  return { handle, path, size };
}

/** Writes a whole journal at once: it is complete on disk or does not exist. */
export async function writeJournal<Record>(
  format: JournalFormat<Record>,
  folder: string,
  records: readonly Record[],
): Promise<void> {
  const path = join(folder, nameJournal('nobody', format));
  const { handle, size } = await createFile(`${path}.new`, folder, format.header);
  try {
    let end = size;
    for (const record of records) {
      for (const piece of writeLine(format.write(record))) end += await writeText(handle, piece, end);
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(folder);
}

/** Returns its length; undefined if it is longer than a line may be, so that nothing of it is there. */
async function writeBoundedLine(
  handle: FileHandle,
  texts: Iterable<string>,
  position: number,
): Promise<number | undefined> {
  let bytes = 0;
  for (const piece of writeLine(texts)) {
    bytes += await writeText(handle, piece, position + bytes);
    if (bytes <= LONGEST_LINE) continue;
    await handle.truncate(position);
    return undefined;
  }
  return bytes;
}

async function writeText(handle: FileHandle, text: string, position: number): Promise<number> {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
  return bytes.length;
}

/** Whether the file still exists at its path; data written to a removed file is lost. */
async function isAt({ handle, path }: JournalFile): Promise<boolean> {
  const [own, found] = await Promise.all([handle.stat(), lstat(path).catch(() => undefined)]);
  return own.ino === found?.ino && own.dev === found.dev;
}
