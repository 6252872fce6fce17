import { INITIAL_CELLS } from '../state/cells.ts';
import type { Page } from '../state/page.ts';
import type { StackFrame } from '../state/stacks.ts';
import { frameOnScreen, type ShownFrameImage, viewportsOf } from '../pictures/viewports.ts';
import { followRest } from '../pictures/followRest.ts';
import { findValues, type FrameValues, frameValuesOf, loadValues } from './frameValues.ts';
import { listFrameReadings } from './listFrameReadings.ts';
import { type CellReading, readingsOf } from './reading.ts';

/** Keeps `readingsOf` up to date for the frames on screen. Values are requested when the user rests on a frame. */
export function followReadings(page: Page): () => void {
  const stops = [...INITIAL_CELLS.cells.keys()].flatMap((cell) => [
    followRest(page, cell, (frame, signal) => {
      if (hasValues(frameOnScreen(page, cell))) void loadValues(page, frame, signal);
    }),
    followCell(page, cell),
  ]);
  return () => {
    for (const stop of stops) stop();
  };
}

/** Color has no single value that could have a meaning. */
export function hasValues(shown: ShownFrameImage | undefined): boolean {
  return shown !== undefined && shown.file.photometric_interpretation.startsWith('MONOCHROME');
}

function followCell(page: Page, cell: number): () => void {
  let last:
    | { readonly frame: StackFrame; readonly values: FrameValues; readonly choice: string | undefined }
    | undefined;
  const update = () => {
    const shown = frameOnScreen(page, cell);
    const values = findValues(page, shown?.frame);
    if (shown === undefined || values === undefined || values instanceof Error) return;
    const { frame } = shown;
    const stackId = shown.stack.id;
    const choice = readingsOf(page).getState().choices.get(stackId);
    if (last?.frame === frame && last.values === values && last.choice === choice) return;
    last = { frame, values, choice };
    setReading(page, cell, readFrame(values, { stackId, frame, choice }));
  };
  const stops = [viewportsOf(page), frameValuesOf(page), readingsOf(page)].map((store) => store.subscribe(update));
  update();
  return () => {
    for (const stop of stops) stop();
  };
}

function readFrame(
  values: FrameValues,
  { stackId, frame, choice }: { stackId: string; frame: StackFrame; choice: string | undefined },
): CellReading | undefined {
  const readings = listFrameReadings(values);
  const chosen = readings.find(({ id }) => id === choice) ?? readings[0];
  if (chosen === undefined) return undefined;
  const { id, reading, rival } = chosen;
  return { stackId, frame, reading, rival, id, ids: readings.map((each) => each.id) };
}

function setReading(page: Page, cell: number, reading: CellReading | undefined): void {
  readingsOf(page).setState(({ readings }) => {
    const next = new Map(readings);
    if (reading === undefined) next.delete(cell);
    else next.set(cell, reading);
    return { readings: next };
  });
}
