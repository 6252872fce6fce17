import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { checkAnnotation, type ImageBounds } from '../../shared/annotations.ts';
import { isMasked } from '../masking/masker.ts';
import { changeMarkOf, placeOf, sizeOf } from '../origins/origins.ts';
import {
  type ProcessStamp,
  STAMP_PATTERN,
  stampOfNobody,
  stampOfThisProcess,
  toStamp,
  writeStamp,
} from '../system/processStamp.ts';
import { inPieces } from '../workers/jsonPieces.ts';
import type { TaskContext } from '../workers/serveTasks.ts';
import type { AnnotatedFile } from './annotatedFiles.ts';
import { countRois, type PackedRois, packRois } from './packedRois.ts';
import { writePayload } from './writeRois.ts';

/** What a journal keeps. Journals of different formats are in the same folder and do not touch each other. */
export type JournalFormat<Record> = {
  /** The start of the names of its files. */
  readonly name: string;
  /** The first line. Other versions of the format have a different one, and their files are left alone. */
  readonly header: string;
  /** First lines of older versions of the format, which are still read. */
  readonly olderHeaders?: readonly string[];
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
export function nameJournal(owner: 'this process' | 'nobody', format: { readonly name: string } = ROI_FORMAT): string {
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

/** Identifies the file of a record in a later run of the server. */
export type RecordedFile = ImageBounds & {
  readonly path: string;
  /** The place of the file; the field name is part of the format. */
  readonly realPath: string;
  readonly sopInstanceUid: string;
  readonly size: number;
  /** The change mark of the file, which differs after a change. */
  readonly mtimeMs: number;
};

/** All ROIs of one file at one time. */
export type JournalRecord = {
  readonly file: RecordedFile;
  readonly savedAtMs: number;
  readonly rois: PackedRois;
};

/** The ROIs of files. */
export const ROI_FORMAT: JournalFormat<JournalRecord> = {
  name: 'rois',
  header: 'negato ROI journal 1\n',
  write: writeTexts,
  keyOf: ({ file }) => `${file.path}\0${file.sopInstanceUid}`,
  filesOf: ({ file }) => [file],
  savedAtMs: ({ savedAtMs }) => savedAtMs,
  count: ({ rois }) => countRois(rois),
};

export function toRecordedFile(file: AnnotatedFile): RecordedFile {
  const { path, source, sopInstanceUid, rows, columns, frameCount } = file;
  const state = { size: sizeOf(source), mtimeMs: changeMarkOf(source) };
  const realPath = placeOf(source);
  const place = { realPath, ...state, rows, columns, frameCount };
  // The journal is for the next run, which may mask the file in another way or not at all.
  return isMasked() ? { ...place, path: realPath, sopInstanceUid: '' } : { ...place, path, sopInstanceUid };
}

function parseRoiRecord(value: unknown): JournalRecord | undefined {
  const { saved_at_ms: savedAtMs, file, rois }: Record<string, unknown> = Object(value);
  if (typeof savedAtMs !== 'number' || !isRecordedFile(file)) return undefined;
  const checked = checkAnnotation(rois, file);
  return checked.ok ? { file, savedAtMs, rois: packRois([checked.payload]) } : undefined;
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

function* writeTexts({ file, savedAtMs, rois }: JournalRecord): Generator<string> {
  yield `{"saved_at_ms":${savedAtMs},"file":${JSON.stringify(file)},"rois":`;
  yield* writePayload(rois);
  yield '}';
}

function writeSum(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}

/** The JSON of a line. Undefined if the line is damaged. */
function parseLine(line: string): unknown {
  const tab = line.lastIndexOf('\t');
  if (tab === -1 || line.slice(tab + 1) !== writeSum(crc32(line.slice(0, tab)))) return undefined;
  try {
    return JSON.parse(line.slice(0, tab));
  } catch {
    return undefined;
  }
}

const TEXTS = ['path', 'realPath', 'sopInstanceUid'] as const satisfies (keyof RecordedFile)[];
const NUMBERS = ['size', 'mtimeMs', 'rows', 'columns', 'frameCount'] as const satisfies (keyof RecordedFile)[];

export function isRecordedFile(value: unknown): value is RecordedFile {
  if (typeof value !== 'object' || value === null) return false;
  const found: Partial<Record<keyof RecordedFile, unknown>> = value;
  return (
    TEXTS.every((name) => typeof found[name] === 'string') && NUMBERS.every((name) => Number.isFinite(found[name]))
  );
}

/** The journal stays far below this size; a larger file was not written by it. */
const MAX_BYTES = 2 ** 30;

/** The latest record of each key. */
export type KeptRecords<Record> = { readonly records: readonly Record[] };

/** The handler of `readJournalTask`. */
export function readRoiJournal(input: { readonly path: string }, context: TaskContext) {
  return readJournal(ROI_FORMAT, parseRoiRecord, input, context);
}

/** What a line says: a record, a change of an earlier one, or that one was removed. */
export type JournalLine<Record> = Record | { readonly change: Record } | { readonly removed: string };

/**
 * A line that was truncated when its process ended is left out. Undefined if the file is not a journal of a version that
 * is read.
 */
export async function readJournal<Record extends object>(
  format: Pick<JournalFormat<Record>, 'header' | 'olderHeaders' | 'keyOf' | 'applyChanges'>,
  parse: (value: unknown) => JournalLine<Record> | undefined,
  { path }: { readonly path: string },
  context: TaskContext,
): Promise<KeptRecords<Record> | undefined> {
  const bytes = await readOwnFile(path);
  const header = [format.header, ...(format.olderHeaders ?? [])].find((one) =>
    bytes?.subarray(0, one.length).equals(Buffer.from(one)),
  );
  if (bytes === undefined || header === undefined) return undefined;
  const latest = new Map<string, { readonly record: Record; readonly changes: Record[] }>();
  for (let start = header.length; start < bytes.length;) {
    context.throwIfCancelled();
    const end = bytes.indexOf(0x0a, start);
    if (end === -1) break;
    const line = parse(parseLine(bytes.toString('utf8', start, end)));
    if (line !== undefined) {
      if ('removed' in line) latest.delete(line.removed);
      else if ('change' in line) latest.get(format.keyOf(line.change))?.changes.push(line.change);
      else latest.set(format.keyOf(line), { record: line, changes: [] });
    }
    start = end + 1;
  }
  return {
    records: Array.from(latest.values(), ({ record, changes }) => {
      context.throwIfCancelled();
      return changes.length === 0 ? record : (format.applyChanges?.(record, changes) ?? record);
    }),
  };
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
