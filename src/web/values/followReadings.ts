import { cellOf, INITIAL_CELLS, stackOfCell } from '../state/cells.ts';
import { findFile, libraryStore } from '../state/library.ts';
import { isSlideStack } from '../state/slides.ts';
import type { StackFrame } from '../state/stacks.ts';
import { viewportsStore } from '../state/viewports.ts';
import { followRest, frameOnScreen } from '../viewport/followRest.ts';
import { findValues, forgetValues, type FrameValues, frameValuesStore, loadValues } from './frameValues.ts';
import { listFrameReadings } from './listFrameReadings.ts';
import { type CellReading, readingsStore } from './reading.ts';

/** Keeps `readingsStore` telling how the values on screen are read. It asks when a hand rests on a frame. */
export function followReadings(): () => void {
  const stops = [...INITIAL_CELLS.cells.keys()].flatMap((cell) => [
    followRest(cell, (frame, signal) => {
      if (hasValues(cell, frame)) void loadValues(frame, signal);
    }),
    followCell(cell),
  ]);
  const all = [...stops, forgetWithServer()];
  return () => {
    for (const stop of all) stop();
  };
}

/** Color has no single value that could mean something. */
export function hasValues(cell: number, { fileIndex }: StackFrame): boolean {
  const stack = stackOfCell(cell);
  const isGray = findFile(fileIndex)?.photometric_interpretation.startsWith('MONOCHROME') === true;
  return isGray && stack !== undefined && !isSlideStack(stack);
}

function followCell(cell: number): () => void {
  let last:
    | { readonly frame: StackFrame; readonly values: FrameValues; readonly choice: string | undefined }
    | undefined;
  const update = () => {
    const { stackId } = cellOf(cell);
    const frame = frameOnScreen(cell);
    const values = findValues(frame);
    if (stackId === undefined || frame === undefined || values === undefined || values instanceof Error) return;
    const choice = readingsStore.getState().choices.get(stackId);
    if (last?.frame === frame && last.values === values && last.choice === choice) return;
    last = { frame, values, choice };
    setReading(cell, readFrame(values, { stackId, frame, choice }));
  };
  const stops = [viewportsStore, frameValuesStore, readingsStore].map((store) => store.subscribe(update));
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
  return { stackId, frame, reading: chosen.reading, id: chosen.id, ids: readings.map(({ id }) => id) };
}

function setReading(cell: number, reading: CellReading | undefined): void {
  readingsStore.setState(({ readings }) => {
    const next = new Map(readings);
    if (reading === undefined) next.delete(cell);
    else next.set(cell, reading);
    return { readings: next };
  });
}

/** Another server has other files. */
function forgetWithServer(): () => void {
  return libraryStore.subscribe(({ serverRuns }, before) => {
    if (serverRuns === before.serverRuns) return;
    forgetValues();
    readingsStore.setState({ readings: new Map() });
  });
}
