import type { AssistantPrompt } from '../../../shared/contract/assistants.ts';
import type { MarkSlice } from '../../../shared/contract/marks.ts';
import { MIB } from '../../machine/system/mib.ts';
import { defineTask } from '../../machine/workers/task.ts';

export type ParseQuestionInput = { readonly body: Uint8Array };

export type ParsedPrompt = {
  readonly kind: AssistantPrompt['kind'];
  readonly isPositive: boolean;
  /** File, frame, row and column of each sample. */
  readonly samples: Uint32Array<ArrayBuffer>;
};

export type ParsedQuestion = {
  /** A frame of the stack that is asked about. */
  readonly address: { readonly fileIndex: number; readonly frame: number };
  readonly prompts: readonly ParsedPrompt[];
  readonly mark: number | undefined;
};

export const parseQuestionTask = defineTask<ParseQuestionInput, ParsedQuestion>('assistants.parseQuestion', {
  timeoutMs: 10_000,
  // The text, the parsed values, and the packed samples.
  mostBytes: ({ body }) => 16 * body.length,
});

/** Where an answer is in the volume: its first slice, row and column, and its size. */
export type AnswerBox = {
  readonly from: readonly [slice: number, row: number, column: number];
  readonly size: readonly [slices: number, rows: number, columns: number];
};

export type EncodeAnswerInput = AnswerBox & {
  /** 0 outside and 1 inside. */
  readonly samples: Uint8Array<ArrayBuffer>;
  /** The stored frame of each slice of the box. */
  readonly frames: readonly Pick<MarkSlice, 'file_index' | 'frame_index'>[];
};

export type EncodedAnswer =
  /** `AssistantAnswer` as JSON. */
  { readonly json: Uint8Array<ArrayBuffer> } | { readonly wrongValue: number } | { readonly tooManyRuns: true };

/** Runs of all slices together. */
export const MOST_ANSWER_RUNS = 2_000_000;

/** The memory for an answer: its samples, and usually much less for runs and the response. A mask that can never fit is refused. */
export function bytesOfAnswer(voxels: number): number {
  return voxels + 16 * MIB;
}

export const encodeAnswerTask = defineTask<EncodeAnswerInput, EncodedAnswer>('assistants.encodeAnswer', {
  timeoutMs: 60_000,
  bytes: 'reserved',
});
