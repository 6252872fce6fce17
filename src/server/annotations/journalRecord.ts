import { crc32 } from 'node:zlib';
import { checkAnnotation, type ImageBounds } from '../../shared/annotations.ts';
import { changeMarkOf, placeOf, sizeOf } from '../origins/origins.ts';
import type { AnnotatedFile } from './annotatedFiles.ts';
import { inPieces } from './inPieces.ts';
import { type PackedRois, packRois } from './packedRois.ts';
import { writePayload } from './writeRois.ts';

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

/** The first line. Other versions of the format have a different one, and their files are left alone. */
export const JOURNAL_HEADER = 'negato ROI journal 1\n';

export function toRecordedFile(file: AnnotatedFile): RecordedFile {
  const { path, source, sopInstanceUid, rows, columns, frameCount } = file;
  const state = { size: sizeOf(source), mtimeMs: changeMarkOf(source) };
  return { path, realPath: placeOf(source), sopInstanceUid, ...state, rows, columns, frameCount };
}

/**
 * One line, in pieces: JSON followed by a checksum, which detects a line that was truncated or never reached the disk.
 */
export function* writeRecord({ file, savedAtMs, rois }: JournalRecord): Generator<string> {
  let sum = 0;
  for (const piece of inPieces(writeTexts(file, savedAtMs, rois))) {
    sum = crc32(piece, sum);
    yield piece;
  }
  yield `\t${writeSum(sum)}\n`;
}

function* writeTexts(file: RecordedFile, savedAtMs: number, rois: PackedRois): Generator<string> {
  yield `{"saved_at_ms":${savedAtMs},"file":${JSON.stringify(file)},"rois":`;
  yield* writePayload(rois);
  yield '}';
}

function writeSum(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}

/** Undefined if the line is damaged or is not a record. */
export function parseRecord(line: string): JournalRecord | undefined {
  const tab = line.lastIndexOf('\t');
  if (tab === -1 || line.slice(tab + 1) !== writeSum(crc32(line.slice(0, tab)))) return undefined;
  try {
    const { saved_at_ms: savedAtMs, file, rois }: Record<string, unknown> = JSON.parse(line.slice(0, tab));
    if (typeof savedAtMs !== 'number' || !isRecordedFile(file)) return undefined;
    const checked = checkAnnotation(rois, file);
    return checked.ok ? { file, savedAtMs, rois: packRois([checked.payload]) } : undefined;
  } catch {
    return undefined;
  }
}

const TEXTS = ['path', 'realPath', 'sopInstanceUid'] as const satisfies (keyof RecordedFile)[];
const NUMBERS = ['size', 'mtimeMs', 'rows', 'columns', 'frameCount'] as const satisfies (keyof RecordedFile)[];

function isRecordedFile(value: unknown): value is RecordedFile {
  if (typeof value !== 'object' || value === null) return false;
  const found: Partial<Record<keyof RecordedFile, unknown>> = value;
  return (
    TEXTS.every((name) => typeof found[name] === 'string') && NUMBERS.every((name) => Number.isFinite(found[name]))
  );
}
