import { isDrawnKind } from '../../../../shared/markTraits.ts';
import type { CutMark } from '../sync/markForm.ts';

export type CutMarks = readonly (readonly [uid: string, mark: CutMark])[];

/** Stores the start of the server, because file indices are valid only within one run of it. */
export function formatKept(marks: CutMarks, serverStartMs: number): string {
  return JSON.stringify({ serverStartMs, marks });
}

/** Undefined if the text is from another run or has another form. */
export function parseKept(text: string | undefined, serverStartMs: number): CutMarks | undefined {
  const kept = parseJson(text);
  if (!isRecord(kept) || kept['serverStartMs'] !== serverStartMs || !Array.isArray(kept['marks'])) return undefined;
  return kept['marks'].filter(isEntry);
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is CutMarks[number] {
  if (!Array.isArray(value) || typeof value[0] !== 'string' || !isRecord(value[1])) return false;
  const { kind, place, points } = value[1];
  return (
    isDrawnKind(kind) &&
    isRecord(place) &&
    [place['file_index'], place['frame_index']].every(Number.isInteger) &&
    isRecord(place['cut']) &&
    Array.isArray(points) &&
    points.every((point) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
