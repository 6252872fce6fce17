import { fetchPercentiles } from '../api/percentiles.ts';
import { cellOf, cellsStore, INITIAL_CELLS } from '../state/cells.ts';
import { libraryStore } from '../state/library.ts';
import type { Page } from '../state/page.ts';
import { isShownAsStack, stackWindowsOf } from '../state/stackWindows.ts';
import { frameOnScreen, reportOf, type ShownImage, viewportsStore } from '../state/viewports.ts';
import { chooseStackWindow, samplePositions } from './chooseStackWindow.ts';
import { findValues, loadValues } from './frameValues.ts';

/**
 * Finds one window for each stack on the screen that is to be shown through one. It begins when an image of the stack is
 * there, so that this one never waits, and looks at a few images once.
 */
export function followStackWindows(page: Page): () => void {
  /** By id of the stack, the number of its images: one that has grown since is looked at again when all are known. */
  const looked = new Map<string, number>();
  let run = new AbortController();

  const look = (cell: number) => {
    const shown = frameOnScreen(cell);
    if (shown === undefined || reportOf(cell).status !== 'ready') return;
    const { stack, file } = shown;
    const { isSeriesComplete } = libraryStore.getState();
    const before = looked.get(stack.id);
    // A file by itself is about to become a stack with its neighbours.
    const isSettled = isSeriesComplete || (stack.kind !== 'file' && before === undefined);
    if (before === stack.frames.length || !isSettled || !isShownAsStack(page, cellOf(cell).window, { file, stack }))
      return;
    looked.set(stack.id, stack.frames.length);
    void find(page, shown, run.signal);
  };
  const lookAtAll = () => {
    for (const cell of INITIAL_CELLS.cells.keys()) look(cell);
  };
  const stops = [
    viewportsStore.subscribe(lookAtAll),
    cellsStore.subscribe(lookAtAll),
    libraryStore.subscribe(({ isSeriesComplete }, before) => {
      if (isSeriesComplete && !before.isSeriesComplete) lookAtAll();
    }),
    page.onRestart(() => {
      run.abort();
      run = new AbortController();
      looked.clear();
    }),
  ];
  lookAtAll();
  return () => {
    run.abort();
    for (const stop of stops) stop();
  };
}

async function find(page: Page, { stack, frame, file }: ShownImage, signal: AbortSignal): Promise<void> {
  const sampled = samplePositions(stack.frames.length).flatMap((position) => stack.frames[position] ?? []);
  const [frames] = await Promise.all([
    // An image that cannot be read says so where it is shown.
    Promise.all(sampled.map((each) => fetchPercentiles(each, { signal, isPrefetch: true }).catch(() => undefined))),
    file.modality === 'PT' ? loadValues(frame, signal) : undefined,
  ]);
  const values = findValues(frame);
  const suv = values instanceof Error ? undefined : values?.pet?.suv;
  const window = chooseStackWindow({
    frames: frames.filter((each) => each !== undefined),
    count: stack.frames.length,
    suvFactor: suv !== undefined && 'factor' in suv ? suv.factor : undefined,
  });
  if (signal.aborted || window === undefined) return;
  stackWindowsOf(page).setState(({ windows }) => ({ windows: new Map(windows).set(stack.id, window) }));
}
