import type { CopyOptions } from '../../bytes/masking/copyRule.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { MIB } from '../../machine/system/mib.ts';
import { defineTask } from '../../machine/workers/task.ts';
import { type CostFactors, readBytesOf } from '../../standard/dicom/readCost.ts';
import type { DecodeCost } from '../pixels/frameTasks.ts';
import type { Blank } from './streamComments.ts';

/** How one run makes copies. */
export type CopyProfile = {
  /** The key of the pseudonyms. */
  readonly key: Uint8Array;
  readonly options: CopyOptions;
  /** Values of De-identification Method (0012,0063). */
  readonly method: readonly string[];
};

export type PlanCopyInput = {
  readonly source: KnownSource;
  readonly profile: CopyProfile;
  /** Frames that are decoded, because parts of their pictures must not be in the copy. */
  readonly frames: DecodedFrames | undefined;
};

/** What is the same in all decoded frames of a file. */
export type DecodedFrames = {
  readonly count: number;
  readonly frameBytes: number;
  readonly samplesPerPixel: number;
  readonly bitsAllocated: number;
  readonly photometricInterpretation: string;
};

/** Why there is no copy of a file. */
export type CopyRefusal =
  /** It is damaged, or has something that cannot be read for certain. */
  | 'not_whole'
  /** A document, model or video, in which anything can be. */
  | 'document'
  | 'video'
  | 'slide_label'
  /** It is a directory of other files, such as a DICOMDIR of another name. */
  | 'directory'
  /** Its pixels are on another server. */
  | 'no_pixels'
  /** Boxes have to be covered, and its frames cannot be decoded. */
  | 'not_decoded'
  | 'too_long'
  /** It has changed, or reading it took too long. */
  | 'failed';

export type CopyPlan =
  | { readonly kind: 'refused'; readonly refusal: CopyRefusal; readonly detail: string }
  /** Its frames have to be decoded: the plan is made again, with what is known of them. */
  | { readonly kind: 'decode'; readonly frameCount: number; readonly littleEndian: boolean }
  | { readonly kind: 'copy'; readonly name: CopyName; readonly pieces: readonly CopyPiece[] };

/** Names for folders and files, made of pseudonyms. */
export type CopyName = {
  readonly patient: string;
  readonly study: string;
  readonly series: string;
  readonly instance: string;
};

/** The bytes of a copy, in their order. */
export type CopyPiece =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** As they are in the source, or in the inflated data set of a deflated one. */
  | {
      readonly kind: 'stored';
      readonly offset: number;
      readonly length: number;
      readonly isInflated: boolean;
      /** Parts of it that are zeros in the copy, in their order. */
      readonly blanks: readonly Blank[];
    }
  | { readonly kind: 'frames' };

/** Bytes that are walked through in a second, at the very least. */
const SLOWEST = 4 * MIB;
/** A header that takes more is refused. */
export const LONGEST_COPIED_HEADER = 64 * MIB;

export const planCopyTask = defineTask<PlanCopyInput, CopyPlan, CostFactors>('copies.plan', {
  timeoutMs: (_, { fileBytes }) => 20_000 + (1_000 * fileBytes) / SLOWEST,
  mostBytes: (_, file) => readBytesOf(file) + 3 * Math.min(file.fileBytes, LONGEST_COPIED_HEADER),
});

export type ReadStoredInput = {
  readonly source: KnownSource;
  readonly offset: number;
  readonly length: number;
  readonly isInflated: boolean;
  readonly blanks: readonly Blank[];
};

export const readStoredTask = defineTask<ReadStoredInput, Uint8Array, CostFactors>('copies.readStored', {
  timeoutMs: (_, { fileBytes }) => 20_000 + (2_000 * fileBytes) / SLOWEST,
  mostBytes: ({ length }, file) => 2 * length + readBytesOf(file),
});

export type CopyFrameInput = {
  readonly source: KnownSource;
  /** Counted from 0. */
  readonly frame: number;
  /** The byte order of the copy. */
  readonly littleEndian: boolean;
};

export type CopiedFrame = Omit<DecodedFrames, 'count'> & {
  /** As an uncompressed file has them, color-by-pixel. */
  readonly bytes: Uint8Array;
};

export const copyFrameTask = defineTask<CopyFrameInput, CopiedFrame, DecodeCost>('copies.frame', {
  timeoutMs: (_, { timeoutMs }) => timeoutMs,
  bytes: (_, { bytes }) => 2 * bytes,
});
