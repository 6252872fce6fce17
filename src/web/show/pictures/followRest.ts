import { cellOf, cellsOf } from '../../kit/state/cells.ts';
import { libraryOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import type { StackFrame } from '../../kit/state/stacks.ts';
import { pictureOf } from './pictureKinds.ts';
import { frameOnScreen, viewportsOf } from './viewports.ts';

const REST_MS = 250;

/**
 * Calls `onRest` when the user has stayed on a frame; scrolling and cine do not trigger it. The signal aborts when the
 * frame changes.
 */
export function followRest(
  page: Page,
  cell: number,
  onRest: (frame: StackFrame, signal: AbortSignal) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let controller = new AbortController();
  let last: string | undefined;
  const watch = () => {
    const frame = findRested(page, cell);
    // The key stays the same when the stack is rebuilt, as happens when the series become known.
    const key = frame && `${libraryOf(page).getState().serverRuns}/${frame.fileIndex}/${frame.frame}`;
    if (key === last) return;
    last = key;
    controller.abort();
    clearTimeout(timer);
    if (frame === undefined) return;
    controller = new AbortController();
    timer = setTimeout(onRest, REST_MS, frame, controller.signal);
  };
  const stops = [viewportsOf(page).subscribe(watch), cellsOf(page).subscribe(watch)];
  watch();
  return () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
    controller.abort();
  };
}

/** The frame on screen, unless the user is on the way to another, which may take long to load. */
function findRested(page: Page, cell: number): StackFrame | undefined {
  const { cine, position } = cellOf(page, cell);
  const shown = frameOnScreen(page, cell)?.frame;
  const wanted = pictureOf(page, cell)?.stack?.frames[position];
  const isWanted = shown?.fileIndex === wanted?.fileIndex && shown?.frame === wanted?.frame;
  return isWanted && !cine.playing ? shown : undefined;
}
