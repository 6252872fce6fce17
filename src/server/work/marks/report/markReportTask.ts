import { type CostFactors, readBytesOf } from '../../../standard/dicom/readCost.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { Software } from '../derivedObject.ts';
import type { MarkToWrite } from '../formats/formatTasks.ts';

/** An image that marks of a report are on. */
export type ReportedImage = {
  readonly sopClassUid: string;
  readonly sopInstanceUid: string;
  readonly seriesInstanceUid: string;
  readonly studyInstanceUid: string;
  readonly frameCount: number;
};

export type WriteMarkReportInput = {
  /** An image of the study: patient and study are those of it. */
  readonly source: KnownSource;
  readonly images: readonly ReportedImage[];
  /** The numbers of files in marks are places in `images`. */
  readonly marks: readonly MarkToWrite[];
  readonly software: Software;
};

export const writeMarkReportTask = defineTask<
  WriteMarkReportInput,
  Uint8Array<ArrayBuffer>,
  { readonly file: CostFactors; readonly markBytes: number }
>('marks.writeReport', {
  timeoutMs: 30_000,
  mostBytes: (_, { file, markBytes }) => markBytes + readBytesOf(file),
});
