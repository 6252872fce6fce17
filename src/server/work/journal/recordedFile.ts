import type { ImageBounds } from '../../../shared/annotations.ts';
import { isMasked } from '../../bytes/masking/masker.ts';
import { changeMarkOf, placeOf, sizeOf } from '../../bytes/origins/origins.ts';
import type { AnnotatedFile } from './annotatedFiles.ts';

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

export function toRecordedFile(file: AnnotatedFile): RecordedFile {
  const { path, source, sopInstanceUid, rows, columns, frameCount } = file;
  const state = { size: sizeOf(source), mtimeMs: changeMarkOf(source) };
  const realPath = placeOf(source);
  const place = { realPath, ...state, rows, columns, frameCount };
  // The journal is for the next run, which may mask the file in another way or not at all.
  return isMasked() ? { ...place, path: realPath, sopInstanceUid: '' } : { ...place, path, sopInstanceUid };
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

/**
 * Whether a record may be about an open file at its path or place: it has the same SOP Instance UID as far as both are
 * known, and the same rows, columns and frame count.
 */
export function isSameObject(kept: RecordedFile, file: AnnotatedFile): boolean {
  return (
    (kept.sopInstanceUid === file.sopInstanceUid || kept.sopInstanceUid === '' || isMasked()) &&
    kept.rows === file.rows &&
    kept.columns === file.columns &&
    kept.frameCount === file.frameCount
  );
}

export function isChangedSince({ size, mtimeMs }: RecordedFile, { source }: AnnotatedFile): boolean {
  return sizeOf(source) !== size || changeMarkOf(source) !== mtimeMs;
}

/** The names under which records are found: the path of a file, and its place. */
export function namesOf(file: AnnotatedFile): readonly string[] {
  const place = placeOf(file.source);
  return place === file.path ? [place] : [place, file.path];
}
