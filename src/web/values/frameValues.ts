import { createStore } from 'zustand/vanilla';
import type { FrameValues } from '../../shared/listFrameReadings.ts';
import { type FrameAddress, fetchValueMapping } from '../api/frames.ts';
import { findFile } from '../state/library.ts';
import { definePart, type Page } from '../state/page.ts';

/** By file and frame, for frames that were requested; the error if the request failed. */
export const frameValuesOf = definePart((page) => {
  const store = createStore<{ readonly values: ReadonlyMap<string, FrameValues | Error> }>(() => ({
    values: new Map(),
  }));
  page.onRestart(() => store.setState({ values: new Map() }));
  return store;
});

const MOST_KEPT = 200;

export function findValues(page: Page, frame: FrameAddress | undefined): FrameValues | Error | undefined {
  return frame && frameValuesOf(page).getState().values.get(keyOf(frame));
}

/** Requests the values of each frame once, and again after a failure. */
export async function loadValues(page: Page, frame: FrameAddress, signal: AbortSignal): Promise<void> {
  const known = findValues(page, frame);
  const file = findFile(page, frame.fileIndex);
  if (file === undefined || (known !== undefined && !(known instanceof Error))) return;
  const { modality } = file;
  const untilRestart = page.untilRestart(signal);
  try {
    keep(page, frame, { mapping: await fetchValueMapping(frame, untilRestart), modality });
  } catch (error) {
    if (!untilRestart.aborted) keep(page, frame, error instanceof Error ? error : new Error(String(error)));
  }
}

function keep(page: Page, frame: FrameAddress, values: FrameValues | Error): void {
  const store = frameValuesOf(page);
  const kept = [...store.getState().values].slice(1 - MOST_KEPT);
  store.setState({ values: new Map([...kept, [keyOf(frame), values]]) });
}

function keyOf({ fileIndex, frame }: FrameAddress): string {
  return `${fileIndex}/${frame}`;
}
