import { cellOf, cellsStore } from '../state/cells.ts';
import { libraryStore } from '../state/library.ts';
import type { StackFrame } from '../state/stacks.ts';
import { frameOnScreen, viewportsStore } from '../state/viewports.ts';

const REST_MS = 250;

/** Tells when the hand has rested on a frame; scrolling and cine tell nothing. The signal ends when it moves on. */
export function followRest(cell: number, onRest: (frame: StackFrame, signal: AbortSignal) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let controller = new AbortController();
  let last: string | undefined;
  const watch = () => {
    const frame = cellOf(cell).cine.playing ? undefined : frameOnScreen(cell)?.frame;
    // A frame stays the same where its stack is made anew, as when the series become known.
    const key = frame && `${libraryStore.getState().serverRuns}/${frame.fileIndex}/${frame.frame}`;
    if (key === last) return;
    last = key;
    controller.abort();
    clearTimeout(timer);
    if (frame === undefined) return;
    controller = new AbortController();
    timer = setTimeout(onRest, REST_MS, frame, controller.signal);
  };
  const stops = [viewportsStore.subscribe(watch), cellsStore.subscribe(watch)];
  watch();
  return () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
    controller.abort();
  };
}
