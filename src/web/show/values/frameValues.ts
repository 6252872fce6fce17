import type { FrameValues } from '../../../shared/listFrameReadings.ts';
import { type FrameAddress, fetchValueMapping } from '../../kit/api/frames.ts';
import { createAnswers } from '../../kit/state/answers.ts';
import { findFile } from '../../kit/state/library.ts';
import { definePart, type Page } from '../../kit/state/page.ts';

const MOST_KEPT = 200;

const valuesOf = definePart((page) =>
  createAnswers<FrameAddress, FrameValues>(page, {
    async ask(frame, signal) {
      const modality = findFile(page, frame.fileIndex)?.modality ?? '';
      return { mapping: await fetchValueMapping(frame, signal), modality };
    },
    keyOf: ({ fileIndex, frame }) => `${fileIndex}/${frame}`,
    most: MOST_KEPT,
  }),
);

/** Changes with the values of every frame. */
export function frameValuesOf(page: Page) {
  return valuesOf(page).changes;
}

/** Of a frame that was requested; the error if the request failed. */
export function findValues(page: Page, frame: FrameAddress | undefined): FrameValues | Error | undefined {
  return frame && (valuesOf(page).findError(frame) ?? valuesOf(page).find(frame));
}

/** Requests the values of each frame once, and again after a failure. */
export async function loadValues(page: Page, frame: FrameAddress, signal: AbortSignal): Promise<void> {
  if (findFile(page, frame.fileIndex) !== undefined) await valuesOf(page).load(frame, signal);
}
