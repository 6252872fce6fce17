import { MOST_MASK_PIXELS } from './maskRuns.ts';
import type { LabelClass, MarkBody } from '../../../../shared/contract/marks.ts';
import type { MarkTextFormat, MarkTextImport } from '../../../../shared/markFormats.ts';
import type { ScaledRegion } from '../../../../shared/pixelScale.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { MarkContent } from '../markContent.ts';

/** A file that marks are on, as formats name it. */
export type MarkedFile = {
  readonly path: string;
  readonly studyInstanceUid: string;
  readonly seriesInstanceUid: string;
  readonly sopInstanceUid: string;
  /** Of a slide: of its largest level. */
  readonly rows: number;
  readonly columns: number;
};

/** A mark and where its frames are. The numbers of files in it are places in `files` of the input. */
export type MarkToWrite = {
  readonly uid: string;
  readonly createdAtMs: number;
  readonly modifiedAtMs: number;
  readonly content: MarkContent;
  readonly labelClass: LabelClass | null;
  /** File and frame of each frame that the mark is on, and of both ends of its range; none on planes and in volumes. */
  readonly frames: Uint32Array<ArrayBuffer>;
  /** The places of both ends of its range among these frames. */
  readonly range: readonly [first: number, last: number];
  /** Whether no frame of the range is missing, and `frames` are in shown order. */
  readonly isOrdered: boolean;
  /** `MARK_PLANE_NUMBERS` numbers for each of these frames. */
  readonly planes: Float64Array<ArrayBuffer>;
  /** The files of these frames whose parts have scales of their own. */
  readonly regions: readonly RegionsOfFile[];
  /** Numbers in COCO: of its category, of the image of each frame, and of the first of its annotations. */
  readonly categoryId: number;
  readonly imageIds: Uint32Array<ArrayBuffer>;
  readonly firstId: number;
};

/** An ultrasound image. The number of the file is the same as in `frames`. */
export type RegionsOfFile = { readonly file: number; readonly regions: readonly ScaledRegion[] };

/**
 * Position, row direction and column direction (three numbers each), spacing between rows and between columns, the place of
 * the source of the spacing in `SCALE_SOURCES`, height of a pixel divided by its width, and how many millimetres of the
 * stack the frame stands for. NaN for what is not known.
 */
export const MARK_PLANE_NUMBERS = 14;

export type WriteFormatInput = {
  readonly format: MarkTextFormat;
  readonly files: readonly MarkedFile[];
  readonly marks: readonly MarkToWrite[];
  /** Whether the names of columns come before. */
  readonly isFirst: boolean;
};

/** How a format names a file; both empty if it names none. */
export type FileInFormat = { readonly path: string; readonly sopInstanceUid: string };

/** A mark that a format describes. The numbers of files in its body are places in the list of named files. */
export type ReadMark = {
  /** How the mark is named in messages. */
  readonly name: string;
  readonly uid?: string | undefined;
  readonly createdAtMs?: number | undefined;
  readonly modifiedAtMs?: number | undefined;
  /** The class that the format describes. */
  readonly labelClass?: LabelClass | undefined;
  /** The format does not say whether it is on a slide or on the only frame of an image. */
  readonly isAnywhere?: boolean | undefined;
  readonly body: MarkBody;
};

export type RefusedMark = { readonly mark: string; readonly reason: string };

export type ReadFormatInput = { readonly format: MarkTextImport; readonly body: Uint8Array };

/** The coordinates of a mark, by its place in the texts. */
export type LargeMark = Pick<MarkContent, 'points' | 'slices'> & { readonly mark: number };

/** What a file has. Marks are the JSON of `ReadMark`, because copying that many objects would block the event loop. */
export type ReadFormatOutput = {
  readonly files: readonly FileInFormat[];
  readonly texts: Uint8Array<ArrayBuffer>;
  /** Where each of them begins, and the end of the last. */
  readonly starts: Uint32Array<ArrayBuffer>;
  /** The coordinates of marks whose text would take long to parse; they are not in their texts. */
  readonly large: readonly LargeMark[];
  readonly refused: number;
  readonly reasons: readonly RefusedMark[];
  readonly leftOut: readonly string[];
};

/** Reasons that are reported; further ones are counted. */
export const MOST_REASONS = 100;

export const writeFormatTask = defineTask<WriteFormatInput, Uint8Array<ArrayBuffer>, { readonly markBytes: number }>(
  'marks.writeFormat',
  { timeoutMs: 30_000, mostBytes: (_, { markBytes }) => markBytes },
);
export const readFormatTask = defineTask<ReadFormatInput, ReadFormatOutput>('marks.readFormat', {
  timeoutMs: 60_000,
  // The text, the parsed values, and the marks as text.
  mostBytes: ({ body }) => 16 * body.length + MOST_MASK_PIXELS,
});
