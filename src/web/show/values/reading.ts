import { createStore } from 'zustand/vanilla';
import type { Reading } from '../../../shared/valueMapping.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import type { FrameAddress } from '../../kit/api/frames.ts';
import type { ProbedSample } from '../pictures/probeFrame.ts';
import { frameOnScreen, reportOf } from '../pictures/viewports.ts';
import { stackOf } from '../../kit/state/library.ts';

/** How the stored values of one frame are interpreted in a cell. Of a picture that is no stored frame: modality values. */
export type CellReading = ValuedImage & {
  readonly reading: Reading;
  /** A reading that contradicts it. */
  readonly rival: { readonly title: string; readonly reading: Reading } | undefined;
  /** Id of the chosen reading. */
  readonly id: string;
  /** Ids of all readings of the frame, in order of preference. */
  readonly ids: readonly string[];
  /** What contradicts the values, whichever reading is chosen. */
  readonly caveats: readonly string[];
};

export type ReadingsState = {
  /** By cell, for frames on which the user has rested; written by `followReadings`. */
  readonly readings: ReadonlyMap<number, CellReading>;
  /** Reading ids by stack, where the user has chosen one. */
  readonly choices: ReadonlyMap<string, string>;
};

export const readingsOf = definePart((page) => {
  const store = createStore<ReadingsState>(() => ({ readings: new Map(), choices: new Map() }));
  page.onRestart(() => store.setState({ readings: new Map() }));
  return store;
});

/** The current reading of the frame on screen in a cell; undefined until the meaning of its values is known. */
export function readingOf(page: Page, cell: number): Reading | undefined {
  return currentOf(page, cell)?.reading;
}

/** The reading that contradicts the current one, for the frame on screen. */
export function rivalOf(page: Page, cell: number): CellReading['rival'] {
  return currentOf(page, cell)?.rival;
}

/** What must be said about the values of a cell, whichever reading is chosen. */
export function caveatsOf(page: Page, cell: number): readonly string[] {
  return lastOf(page, cell)?.caveats ?? [];
}

/** The frame whose header says what the values on screen mean. */
export type ValuedImage = {
  readonly stackId: string;
  readonly frame: FrameAddress;
  /** The picture is no stored frame: its samples come from several, and only its modality values have a meaning. */
  readonly isCut: boolean;
  /** They are real-world values then. */
  readonly isRealWorld?: boolean | undefined;
};

/** A stored frame and a plane may have the same header, but their samples are not the same numbers. */
export function isSameImage(a: ValuedImage | undefined, b: ValuedImage | undefined): boolean {
  const isSameFrame = a?.frame.fileIndex === b?.frame.fileIndex && a?.frame.frame === b?.frame.frame;
  return isSameFrame && a?.isCut === b?.isCut && a?.isRealWorld === b?.isRealWorld;
}

export function findValued(page: Page, cell: number): ValuedImage | undefined {
  const stored = frameOnScreen(page, cell);
  if (stored !== undefined) return { stackId: stored.stack.id, frame: stored.frame, isCut: false };
  const { shown } = reportOf(page, cell);
  const header = shown?.source.headerOf?.(shown.position);
  if (shown === undefined || header === undefined) return undefined;
  const frame = { fileIndex: header.file.index, frame: header.frame };
  return { stackId: stackOf(page, header.file).id, frame, isCut: true, isRealWorld: shown.source.isRealWorld };
}

/** The number that the readings of a cell take for a sample of its picture. */
export function toRead(page: Page, cell: number, { stored, value }: ProbedSample): number | undefined {
  return findValued(page, cell)?.isCut === true ? value : typeof stored === 'number' ? stored : undefined;
}

function currentOf(page: Page, cell: number): CellReading | undefined {
  const known = readingsOf(page).getState().readings.get(cell);
  return isSameImage(known, findValued(page, cell)) ? known : undefined;
}

/**
 * The reading in whose unit a window is shown, as a linear function of modality values. While the user scrolls through
 * a stack, the reading of the previous frame is used if it is the same for all frames, so that numbers keep their unit.
 * Linear functions of stored values are not, because the rescale may differ from frame to frame.
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
  return known?.stackId === findValued(page, cell)?.stackId ? known : undefined;
}
