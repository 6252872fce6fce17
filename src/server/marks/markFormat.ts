import type { ImageBounds } from '../../shared/annotations.ts';
import { ViewerError } from '../../shared/contract/errors.ts';
import { LabelClass, MarkBody } from '../../shared/contract/marks.ts';
import type { TSchema } from '../../shared/contract/schema.ts';
import { isRecordedFile, type JournalFormat, readJournal, type RecordedFile } from '../annotations/journalFile.ts';
import type { TaskContext } from '../workers/serveTasks.ts';
import { checkMark } from './checkMark.ts';
import { type MarkContent, packPoints, packMarkSlices, writeContent } from './markContent.ts';
import { toContent } from './parseMark.ts';

/** One mark in the journal and in exports. The numbers of files in its content are places in `files`. */
export type MarkRecord = {
  readonly uid: string;
  readonly createdAtMs: number;
  readonly modifiedAtMs: number;
  readonly files: readonly RecordedFile[];
  readonly content: MarkContent;
  /** Its class at that time, because the next run may have another scheme or none. */
  readonly labelClass: LabelClass | null;
};

/** That of TypeBox, which is loaded only where journals are read. */
type Check = (schema: TSchema, value: unknown) => boolean;

export const MARK_FORMAT: JournalFormat<MarkRecord> = {
  name: 'marks',
  header: 'negato mark journal 1\n',
  write: writeMarkRecord,
  writeRemoval: ({ uid }) => JSON.stringify({ removed: uid }),
  keyOf: ({ uid }) => uid,
  filesOf: ({ files }) => files,
  savedAtMs: ({ modifiedAtMs }) => modifiedAtMs,
  count: () => 1,
};

export function* writeMarkRecord(record: MarkRecord): Generator<string> {
  const { uid, createdAtMs, modifiedAtMs, files, labelClass, content } = record;
  const times = { created_at_ms: createdAtMs, modified_at_ms: modifiedAtMs };
  yield `${JSON.stringify({ uid, ...times, files, label_class: labelClass }).slice(0, -1)},"mark":{`;
  yield* writeContent(content);
  yield '}}';
}

/** Whatever the file says is checked as if a client had sent it. */
function parseMarkRecord(value: unknown, check: Check): MarkRecord | { readonly removed: string } | undefined {
  const found: Record<string, unknown> = Object(value);
  if (typeof found['removed'] === 'string') return { removed: found['removed'] };
  const { uid, created_at_ms: createdAtMs, modified_at_ms: modifiedAtMs, files, label_class: given, mark } = found;
  if (typeof uid !== 'string' || typeof createdAtMs !== 'number' || typeof modifiedAtMs !== 'number') return undefined;
  if (!Array.isArray(files) || !files.every(isRecordedFile) || !isBody(mark, check)) return undefined;
  const { points, slices = [], ...words } = mark;
  const content = toContent({ ...words, points: packPoints(points), slices: packMarkSlices(slices) });
  try {
    checkMark(content, (file) => boundsIn(files, file));
  } catch {
    return undefined;
  }
  return { uid, createdAtMs, modifiedAtMs, files, content, labelClass: isClass(given, check) ? given : null };
}

function isBody(value: unknown, check: Check): value is MarkBody {
  return check(MarkBody, value);
}

function isClass(value: unknown, check: Check): value is LabelClass {
  return check(LabelClass, value);
}

function boundsIn(files: readonly RecordedFile[], file: number): ImageBounds {
  const bounds = files[file];
  if (bounds === undefined) throw new ViewerError('not_found', `the record has no file ${file}`);
  return bounds;
}

/** The handler of `readMarkJournalTask`. */
export async function readMarkJournal(input: { readonly path: string }, context: TaskContext) {
  const { Check } = await import('typebox/value');
  return readJournal(MARK_FORMAT, (value) => parseMarkRecord(value, Check), input, context);
}
