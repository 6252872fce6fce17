import { ViewerError } from '../../../shared/contract/errors.ts';
import { LabelClass, LabelScheme, MarkBody } from '../../../shared/contract/marks.ts';
import type { TSchema } from '../../../shared/contract/schema.ts';
import { type JournalFormat, type JournalLine, readJournal } from '../journal/journalFile.ts';
import { isRecordedFile, type RecordedFile } from '../journal/recordedFile.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { checkMark } from './checkMark.ts';
import { checkScheme } from './labels.ts';
import {
  countSliceNumbers,
  countSlices,
  diffSlices,
  filesOfMark,
  listFilesOfMark,
  type MarkContent,
  mergeSlices,
  packPoints,
  packMarkSlices,
  renumberFiles,
  writeContent,
} from './markContent.ts';
import { toContent } from './parseMark.ts';

/** One mark in the journal, or in an export. The numbers of files in its content are places in `files`. */
export type MarkRecord<File = RecordedFile> = {
  readonly uid: string;
  readonly createdAtMs: number;
  readonly modifiedAtMs: number;
  readonly files: readonly File[];
  readonly content: MarkContent;
  /** Its class at that time, because the next run may have another scheme or none. */
  readonly labelClass: LabelClass | null;
};

/**
 * The classes of a run. Marks have theirs with them, but those that no mark has would be lost. They name a file that was
 * open, because the next run with other files has nothing to do with them.
 */
export type SchemeRecord = {
  readonly scheme: LabelScheme;
  readonly modifiedAtMs: number;
  readonly files: readonly RecordedFile[];
};

export type MarkJournalRecord = MarkRecord | SchemeRecord;

/** That of TypeBox, which is loaded only where journals are read. */
type Check = (schema: TSchema, value: unknown) => boolean;

export const MARK_FORMAT: JournalFormat<MarkJournalRecord> = {
  name: 'marks',
  header: 'negato mark journal 2\n',
  write: (record) => (isScheme(record) ? [writeSchemeRecord(record)] : writeMarkRecord(record)),
  writeChange: (record, before) => (isScheme(record) || isScheme(before) ? undefined : writeMarkChange(record, before)),
  applyChanges: (record, changes) =>
    isScheme(record)
      ? undefined
      : applyMarkChanges(
          record,
          changes.flatMap((one) => (isScheme(one) ? [] : one)),
        ),
  writeRemoval: (record) => JSON.stringify({ removed: keyOfRecord(record) }),
  keyOf: keyOfRecord,
  filesOf: ({ files }) => files,
  savedAtMs: ({ modifiedAtMs }) => modifiedAtMs,
  count: (record) => (isScheme(record) ? 0 : 1),
};

export function isScheme(record: MarkJournalRecord): record is SchemeRecord {
  return 'scheme' in record;
}

/** No mark has this uid. */
const SCHEME_KEY = 'labels';

function keyOfRecord(record: MarkJournalRecord): string {
  return isScheme(record) ? SCHEME_KEY : record.uid;
}

function writeSchemeRecord({ scheme, modifiedAtMs, files }: SchemeRecord): string {
  return JSON.stringify({ labels: scheme, modified_at_ms: modifiedAtMs, files });
}

function parseSchemeRecord(found: Record<string, unknown>, check: Check): SchemeRecord | undefined {
  const { labels: scheme, modified_at_ms: modifiedAtMs, files } = found;
  if (!isLabelScheme(scheme, check) || typeof modifiedAtMs !== 'number') return undefined;
  return Array.isArray(files) && files.every(isRecordedFile) ? { scheme, modifiedAtMs, files } : undefined;
}

function isLabelScheme(value: unknown, check: Check): value is LabelScheme {
  if (!check(LabelScheme, value)) return false;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has just been checked
    checkScheme(value as LabelScheme);
    return true;
  } catch {
    return false;
  }
}

export function* writeMarkRecord<File>(record: MarkRecord<File>): Generator<string> {
  yield '{';
  yield* writeMembers(record);
  yield '}';
}

/**
 * The mark with the slices that differ from those of `before`, so that a stroke of the brush writes one slice and not all
 * of a large mask. Slices without points and mask are gone. The files are those that this line names.
 */
function writeMarkChange(record: MarkRecord, before: MarkRecord): Iterable<string> | undefined {
  if (countSlices(before.content.slices) === 0) return undefined;
  const number = createFileNumbers();
  const [is, was] = [number.renumber(record), number.renumber(before)];
  const slices = diffSlices(was.slices, is.slices);
  if (2 * countSliceNumbers(slices) > countSliceNumbers(is.slices)) return undefined;
  const named = listFilesOfMark({ ...is, slices }, number.fileOf);
  return writePartialRecord({ ...record, ...named });
}

function* writePartialRecord(record: MarkRecord): Generator<string> {
  yield '{"partial":true,';
  yield* writeMembers(record);
  yield '}';
}

function* writeMembers<File>(record: MarkRecord<File>): Generator<string> {
  const { uid, createdAtMs, modifiedAtMs, files, labelClass, content } = record;
  const times = { created_at_ms: createdAtMs, modified_at_ms: modifiedAtMs };
  yield `${JSON.stringify({ uid, ...times, files, label_class: labelClass }).slice(1, -1)},"mark":{`;
  yield* writeContent(content);
  yield '}';
}

/** Whatever the file says is checked as if a client had sent it. */
function parseMarkRecord(value: unknown, check: Check): JournalLine<MarkJournalRecord> | undefined {
  const found: Record<string, unknown> = Object(value);
  if (typeof found['removed'] === 'string') return { removed: found['removed'] };
  if ('labels' in found) return parseSchemeRecord(found, check);
  const { uid, created_at_ms: createdAtMs, modified_at_ms: modifiedAtMs, files, label_class: given, mark } = found;
  if (typeof uid !== 'string' || typeof createdAtMs !== 'number' || typeof modifiedAtMs !== 'number') return undefined;
  if (!Array.isArray(files) || !files.every(isRecordedFile) || !isBody(mark, check)) return undefined;
  const { points, slices = [], ...words } = mark;
  const content = toContent({ ...words, points: packPoints(points), slices: packMarkSlices(slices) });
  const labelClass = isClass(given, check) ? given : null;
  const record: MarkRecord = { uid, createdAtMs, modifiedAtMs, files, content, labelClass };
  // A change is checked together with what it changes.
  if (found['partial'] === true) {
    return filesOfMark(content).every((file) => file < files.length) ? { change: record } : undefined;
  }
  return isRight(record) ? record : undefined;
}

/** The mark as the last change says, with the slices of all of them. */
function applyMarkChanges(record: MarkRecord, changes: readonly MarkRecord[]): MarkRecord | undefined {
  const number = createFileNumbers();
  const base = number.renumber(record);
  const later = changes.map((change) => number.renumber(change));
  const last = later.at(-1) ?? base;
  const slices = mergeSlices([base, ...later].map((content) => content.slices));
  const named = listFilesOfMark({ ...last, slices }, number.fileOf);
  const changed: MarkRecord = { ...(changes.at(-1) ?? record), ...named };
  return isRight(changed) ? changed : undefined;
}

/** Numbers files of several records, so that the same file has one number. */
function createFileNumbers() {
  const files: RecordedFile[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (file: RecordedFile): number => {
    const key = JSON.stringify([file.path, file.realPath, file.sopInstanceUid]);
    const number = numbers.get(key) ?? files.push(file) - 1;
    numbers.set(key, number);
    return number;
  };
  const renumber = ({ files: named, content }: MarkRecord): MarkContent => {
    const own = named.map(numberOf);
    return renumberFiles(content, (place) => own[place] ?? 0);
  };
  return { renumber, fileOf: (number: number) => fileIn(files, number) };
}

function isRight({ content, files }: MarkRecord): boolean {
  try {
    // The record does not say how large a slide is; tiles have numbers up to a limit.
    checkMark(content, {
      boundsOf: (file) => fileIn(files, file),
      slideOf: () => ({ rows: Infinity, columns: Infinity }),
    });
    return true;
  } catch {
    return false;
  }
}

function isBody(value: unknown, check: Check): value is MarkBody {
  return check(MarkBody, value);
}

function isClass(value: unknown, check: Check): value is LabelClass {
  return check(LabelClass, value);
}

function fileIn(files: readonly RecordedFile[], file: number): RecordedFile {
  const found = files[file];
  if (found === undefined) throw new ViewerError('not_found', `the record has no file ${file}`);
  return found;
}

/** The handler of `readMarkJournalTask`. */
export async function readMarkJournal(input: { readonly path: string }, context: TaskContext) {
  const { Check } = await import('typebox/value');
  return readJournal(MARK_FORMAT, (value) => parseMarkRecord(value, Check), input, context);
}
