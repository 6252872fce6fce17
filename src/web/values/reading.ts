import { createStore } from 'zustand/vanilla';
import type { Reading } from '../../shared/valueMapping.ts';
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

export const readingsStore = createStore<ReadingsState>(() => ({ readings: new Map(), choices: new Map() }));

/** The current reading of the frame on screen in a cell; undefined until what its values mean is known. */
export function readingOf(cell: number): Reading | undefined {
  return currentOf(cell)?.reading;
}

/** What contradicts it, for the frame on screen. */
export function rivalOf(cell: number): CellReading['rival'] {
  return currentOf(cell)?.rival;
}

function currentOf(cell: number): CellReading | undefined {
  const known = readingsStore.getState().readings.get(cell);
  const shown = frameOnScreen(cell)?.frame;
  const isShown = shown?.fileIndex === known?.frame.fileIndex && shown?.frame === known?.frame.frame;
  return isShown ? known : undefined;
}

/**
 * In which unit a window is told, as a line over modality values. While the frames of a stack pass by, that of the frame
 * before where it is the same for all of them, so that numbers keep their unit. Lines over stored values are not: the
 * rescale may differ from frame to frame.
 */
export function windowReadingOf(cell: number): Reading | undefined {
  const last = lastOf(cell);
  return readingOf(cell) ?? (last?.id === 'suv' || last?.id === 'modality' ? last.reading : undefined);
}

export function chooseReading(stackId: string, id: string): void {
  readingsStore.setState(({ choices }) => ({ choices: new Map(choices).set(stackId, id) }));
}

export function hasSeveralReadings(cell: number): boolean {
  return (lastOf(cell)?.ids.length ?? 0) > 1;
}

export function chooseNextReading(cell: number): void {
  const known = lastOf(cell);
  if (known === undefined) return;
  const { stackId, id, ids } = known;
  chooseReading(stackId, ids[(ids.indexOf(id) + 1) % ids.length] ?? id);
}

function lastOf(cell: number): CellReading | undefined {
  const known = readingsStore.getState().readings.get(cell);
  return known?.stackId === frameOnScreen(cell)?.stack.id ? known : undefined;
}
