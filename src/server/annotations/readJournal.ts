import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { TaskContext } from '../workers/serveTasks.ts';
import { JOURNAL_HEADER, type JournalRecord, parseRecord } from './journalRecord.ts';
import type { ReadJournalInput, ReadJournalResult } from './readJournalTask.ts';

/** The journal stays far below this size; a larger file was not written by it. */
const MAX_BYTES = 2 ** 30;

/** The handler of `readJournalTask`. A line that was truncated when its process ended is left out. */
export async function readJournal({ path }: ReadJournalInput, context: TaskContext): Promise<ReadJournalResult> {
  const bytes = await readOwnFile(path);
  const header = Buffer.from(JOURNAL_HEADER);
  if (bytes === undefined || !bytes.subarray(0, header.length).equals(header)) return undefined;
  const latest = new Map<string, JournalRecord>();
  for (let start = header.length; start < bytes.length;) {
    context.throwIfCancelled();
    const end = bytes.indexOf(0x0a, start);
    if (end === -1) break;
    const record = parseRecord(bytes.toString('utf8', start, end));
    if (record !== undefined) latest.set(`${record.file.path}\0${record.file.sopInstanceUid}`, record);
    start = end + 1;
  }
  return { records: [...latest.values()] };
}

/** Undefined for a link, for anything but a regular file, for a file of another user, and for one that is too large. */
async function readOwnFile(path: string): Promise<Buffer | undefined> {
  // Windows does not have all of these flags: missing ones are undefined and count as 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    const isOurs = process.getuid === undefined || found.uid === process.getuid();
    return found.isFile() && isOurs && found.size <= MAX_BYTES ? await file.readFile() : undefined;
  } finally {
    await file.close();
  }
}
