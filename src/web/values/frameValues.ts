import { createStore } from 'zustand/vanilla';
import type { ValueMappingResponse } from '../../shared/contract/valueMapping.ts';
import { computeSuv, type Suv } from '../../shared/suv.ts';
import { fetchTags } from '../api/tags.ts';
import { type FrameAddress, fetchValueMapping } from '../api/frames.ts';
import { findFile } from '../state/library.ts';
import { definePart, type Page } from '../state/page.ts';
import { readPetAttributes } from './petAttributes.ts';

/** What is known about the values of one frame. */
export type FrameValues = {
  readonly mapping: ValueMappingResponse;
  /** Modality (0008,0060) of the file. */
  readonly modality: string;
  /** For a PET image: its Units, and its SUV or why there is none. */
  readonly pet: { readonly units: string | undefined; readonly suv: Suv } | undefined;
};

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
    const [mapping, pet] = await Promise.all([
      fetchValueMapping(frame, untilRestart),
      modality === 'PT' ? loadPet(frame.fileIndex, untilRestart) : undefined,
    ]);
    keep(page, frame, { mapping, modality, pet });
  } catch (error) {
    if (!untilRestart.aborted) keep(page, frame, error instanceof Error ? error : new Error(String(error)));
  }
}

async function loadPet(fileIndex: number, signal: AbortSignal): Promise<FrameValues['pet']> {
  const attributes = readPetAttributes(await fetchTags(fileIndex, { depth: 2, items: 1 }, signal));
  return { units: attributes.Units, suv: computeSuv(attributes) };
}

function keep(page: Page, frame: FrameAddress, values: FrameValues | Error): void {
  const store = frameValuesOf(page);
  const kept = [...store.getState().values].slice(1 - MOST_KEPT);
  store.setState({ values: new Map([...kept, [keyOf(frame), values]]) });
}

function keyOf({ fileIndex, frame }: FrameAddress): string {
  return `${fileIndex}/${frame}`;
}
