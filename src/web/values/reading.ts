import { createStore } from 'zustand/vanilla';
import type { Reading } from '../../shared/valueMapping.ts';
import { definePart, type Page } from '../state/page.ts';
import type { StackFrame } from '../state/stacks.ts';
import { frameOnScreen } from '../state/viewports.ts';

/** How the stored values of one frame are read in a cell. */
export type CellReading = {
  readonly stackId: string;
  readonly frame: StackFrame;
  readonly reading: Reading;
  /** Another one in the same unit that gives other values. */
  readonly rival: { readonly title: string; readonly reading: Reading } | undefined;
  /** The chosen one of the ids. */
  readonly id: string;
  /** Of all readings that the frame has, in order of preference. */
  readonly ids: readonly string[];
};

export type ReadingsState = {
  /** By cell, as far as somebody rested there; written by `followReadings`. */
  readonly readings: ReadonlyMap<number, CellReading>;
  /** Ids by stack, where somebody chose. */
  readonly choices: ReadonlyMap<string, string>;
};

export const readingsOf = definePart((page) => {
  const store = createStore<ReadingsState>(() => ({ readings: new Map(), choices: new Map() }));
  page.onRestart(() => store.setState({ readings: new Map() }));
  return store;
});

/** The current reading of the frame on screen in a cell; undefined until what its values mean is known. */
export function readingOf(page: Page, cell: number): Reading | undefined {
  return currentOf(page, cell)?.reading;
}

/** What contradicts it, for the frame on screen. */
export function rivalOf(page: Page, cell: number): CellReading['rival'] {
  return currentOf(page, cell)?.rival;
}

function currentOf(page: Page, cell: number): CellReading | undefined {
  const known = readingsOf(page).getState().readings.get(cell);
  const shown = frameOnScreen(cell)?.frame;
  const isShown = shown?.fileIndex === known?.frame.fileIndex && shown?.frame === known?.frame.frame;
  return isShown ? known : undefined;
}

/**
 * In which unit a window is told, as a line over modality values. While the frames of a stack pass by, that of the frame
 * before where it is the same for all of them, so that numbers keep their unit. Lines over stored values are not: the
 * rescale may differ from frame to frame.
 */
export function windowReadingOf(page: Page, cell: number): Reading | undefined {
  const last = lastOf(page, cell);
  return readingOf(page, cell) ?? (last?.id === 'suv' || last?.id === 'modality' ? last.reading : undefined);
}

export function chooseReading(page: Page, stackId: string, id: string): void {
  readingsOf(page).setState(({ choices }) => ({ choices: new Map(choices).set(stackId, id) }));
}

export function hasSeveralReadings(page: Page, cell: number): boolean {
  return (lastOf(page, cell)?.ids.length ?? 0) > 1;
}

export function chooseNextReading(page: Page, cell: number): void {
  const known = lastOf(page, cell);
  if (known === undefined) return;
  const { stackId, id, ids } = known;
  chooseReading(page, stackId, ids[(ids.indexOf(id) + 1) % ids.length] ?? id);
}

function lastOf(page: Page, cell: number): CellReading | undefined {
  const known = readingsOf(page).getState().readings.get(cell);
  return known?.stackId === frameOnScreen(cell)?.stack.id ? known : undefined;
}
