import { checkAnnotation } from '../../../shared/annotations.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { type JournalFormat, type KeptRecords, readJournal } from '../journal/journalFile.ts';
import { isRecordedFile, type RecordedFile } from '../journal/recordedFile.ts';
import { countRois, type PackedRois, packRois } from './packedRois.ts';
import { writePayload } from './writeRois.ts';

/** All ROIs of one file at one time. */
export type RoiRecord = {
  readonly file: RecordedFile;
  readonly savedAtMs: number;
  readonly rois: PackedRois;
};

export const ROI_FORMAT: JournalFormat<RoiRecord> = {
  name: 'rois',
  header: 'negato ROI journal 1\n',
  write: writeRecord,
  keyOf: ({ file }) => `${file.path}\0${file.sopInstanceUid}`,
  filesOf: ({ file }) => [file],
  savedAtMs: ({ savedAtMs }) => savedAtMs,
  count: ({ rois }) => countRois(rois),
};

function* writeRecord({ file, savedAtMs, rois }: RoiRecord): Generator<string> {
  yield `{"saved_at_ms":${savedAtMs},"file":${JSON.stringify(file)},"rois":`;
  yield* writePayload(rois);
  yield '}';
}

function parseRecord(value: unknown): RoiRecord | undefined {
  const { saved_at_ms: savedAtMs, file, rois }: Record<string, unknown> = Object(value);
  if (typeof savedAtMs !== 'number' || !isRecordedFile(file)) return undefined;
  const checked = checkAnnotation(rois, file);
  return checked.ok ? { file, savedAtMs, rois: packRois([checked.payload]) } : undefined;
}

/** A journal whose records are ROIs, by the first line of its format. */
export type RoiJournalInput = { readonly path: string; readonly header: string };

/** The handler of `readRoiJournalTask`. */
export function readRoiJournal(
  { path, header }: RoiJournalInput,
  context: Pick<TaskContext, 'throwIfCancelled'>,
): Promise<KeptRecords<RoiRecord> | undefined> {
  return readJournal({ ...ROI_FORMAT, header }, parseRecord, { path }, context);
}
