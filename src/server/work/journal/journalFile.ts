import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import {
  type ProcessStamp,
  STAMP_PATTERN,
  stampOfNobody,
  stampOfThisProcess,
  toStamp,
  writeStamp,
} from '../../machine/system/processStamp.ts';
import { inPieces } from '../../machine/workers/jsonPieces.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { readTextLines } from './readTextLines.ts';
import type { RecordedFile } from './recordedFile.ts';

/** What a journal keeps. Journals of different formats are in the same folder and do not touch each other. */
export type JournalFormat<Record> = {
  /** The start of the names of its files. */
  readonly name: string;
  /** The first line. Other versions of the format have a different one, and their files are left alone. */
  readonly header: string;
  /** One JSON value. */
  readonly write: (record: Record) => Iterable<string>;
  /**
   * One JSON value that says what has changed since `before`, which is in the file; undefined if the whole record is to
   * be written. A format without it has no such values.
   */
  readonly writeChange?: (record: Record, before: Record) => Iterable<string> | undefined;
  /** The record after changes that followed it in the file, in their order; undefined if they do not fit. */
  readonly applyChanges?: (record: Record, changes: readonly Record[]) => Record | undefined;
  /** One JSON value that says that the record was removed; a format without it has no such records. */
  readonly writeRemoval?: (record: Record) => string;
  /** A later record replaces an earlier one with the same key. */
  readonly keyOf: (record: Record) => string;
  /** The files that must be open to restore it. */
  readonly filesOf: (record: Record) => readonly RecordedFile[];
  readonly savedAtMs: (record: Record) => number;
  /** What users count, such as ROIs. */
  readonly count: (record: Record) => number;
};

/**
 * The name of a journal contains its owner. Another process takes a journal over by renaming it, which only one process
 * can do.
 */
export function nameJournal(owner: 'this process' | 'nobody', format: { readonly name: string }): string {
  const stamp = owner === 'nobody' ? stampOfNobody() : stampOfThisProcess();
  return `${format.name}-${writeStamp(stamp)}-${randomBytes(4).toString('hex')}.journal`;
}

/** Undefined if the name is not that of a journal of this format. */
export function parseJournalName(
  name: string,
  format: { readonly name: string },
): { readonly owner: ProcessStamp; readonly isUnfinished: boolean } | undefined {
  const found = new RegExp(`^${format.name}-${STAMP_PATTERN}-[0-9a-f]{8}\\.journal(\\.new)?$`).exec(name);
  return found === null ? undefined : { owner: toStamp(found.slice(1, 6)), isUnfinished: found[6] !== undefined };
}

/**
 * One line, in pieces: JSON followed by a checksum, which detects a line that was truncated or never reached the disk.
 */
export function* writeLine(texts: Iterable<string>): Generator<string> {
  let sum = 0;
  for (const piece of inPieces(texts)) {
    sum = crc32(piece, sum);
    yield piece;
  }
  yield `\t${writeSum(sum)}\n`;
}

function writeSum(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}

/** The JSON of a line. Throws if the line is damaged. */
function parseLine(line: string): unknown {
  const tab = line.lastIndexOf('\t');
  if (tab === -1 || line.slice(tab + 1) !== writeSum(crc32(line.slice(0, tab)))) throw new Error('damaged');
  return JSON.parse(line.slice(0, tab));
}

/** The journal stays far below this size; a larger file was not written by it. */
const MAX_BYTES = 2 ** 30;
/** No line is longer. */
export const LONGEST_LINE = 64 * 2 ** 20;
const LINE_BOUNDS = { longestBytes: LONGEST_LINE, mostBytes: MAX_BYTES };

/** The latest record of each key. */
export type KeptRecords<Record> = {
  readonly records: readonly Record[];
  /** What of the journal could not be read, and why; undefined if all of it was. */
  readonly damage: string | undefined;
};

/** What a line says: a record, a change of an earlier one, or that one was removed. */
export type JournalLine<Record> = Record | { readonly change: Record } | { readonly removed: string };

/**
 * A line that was truncated when its process ended is left out. Any other line that cannot be read is left out as well,
 * and is named as damage. Undefined if the file does not exist any more, because another process has taken it over.
 */
export async function readJournal<Record extends object>(
  format: Pick<JournalFormat<Record>, 'header' | 'keyOf' | 'applyChanges'>,
  parse: (value: unknown) => JournalLine<Record> | undefined,
  { path }: { readonly path: string },
  context: Pick<TaskContext, 'throwIfCancelled'>,
): Promise<KeptRecords<Record> | undefined> {
  const file = await openOwnFile(path);
  if (file === undefined) return undefined;
  if (typeof file === 'string') return { records: [], damage: file };
  const latest = new Map<string, { readonly record: Record; readonly changes: Record[] }>();
  const damage = createDamage();
  try {
    for await (const { number, text, isCut } of readTextLines(file, LINE_BOUNDS)) {
      context.throwIfCancelled();
      // The process has ended while it wrote this one.
      if (isCut && text !== undefined) break;
      if (number === 1) {
        if (`${text}\n` === format.header) continue;
        damage.add('it is not a journal of this version of negato');
        break;
      }
      const line = tryParse(text, parse);
      if (typeof line === 'string') damage.add(`line ${number} ${line}`);
      else if ('removed' in line) latest.delete(line.removed);
      else if ('change' in line) latest.get(format.keyOf(line.change))?.changes.push(line.change);
      else latest.set(format.keyOf(line), { record: line, changes: [] });
    }
  } catch (error) {
    context.throwIfCancelled();
    damage.add(error instanceof Error ? error.message : String(error));
  } finally {
    await file.close();
  }
  const records = Array.from(latest.values(), ({ record, changes }) => {
    context.throwIfCancelled();
    return changes.length === 0 ? record : (format.applyChanges?.(record, changes) ?? record);
  });
  return { records, damage: damage.describe() };
}

/** The reason as text if the line cannot be read. */
function tryParse<Record>(
  text: string | undefined,
  parse: (value: unknown) => JournalLine<Record> | undefined,
): JournalLine<Record> | string {
  if (text === undefined) return `is longer than ${LONGEST_LINE / 2 ** 20} MiB`;
  try {
    return parse(parseLine(text)) ?? 'is not understood';
  } catch {
    return 'is damaged';
  }
}

/** The first reason, and how many there are: millions of lines may be damaged. */
function createDamage() {
  let first: string | undefined;
  let others = 0;
  return {
    add(reason: string) {
      if (first === undefined) first = reason;
      else others += 1;
    },
    describe: () => (others === 0 ? first : `${first}, and ${others} more`),
  };
}

/** Why the file is not read, as text. Undefined if there is none. */
async function openOwnFile(path: string): Promise<FileHandle | string | undefined> {
  // Windows does not have all of these flags: missing ones are undefined and count as 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: FileHandle;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT') return undefined;
    return code === 'ELOOP' ? 'it is a link' : `it cannot be opened (${code})`;
  }
  const found = await file.stat();
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  if (found.isFile() && isOurs) return file;
  await file.close();
  return isOurs ? 'it is not a regular file' : 'it belongs to another user';
}
