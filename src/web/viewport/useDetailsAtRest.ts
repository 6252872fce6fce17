import { useEffect } from 'react';
import { stackOfCell } from '../state/cells.ts';
import { loadInfo } from '../state/fileInfo.ts';
import { reportOf, viewportsStore } from '../state/viewports.ts';
import { loadDetails } from './frameDetails.ts';

const REST_MS = 250;

/** Asks for what the corners say about a frame when the hand has rested on it: scrolling asks for nothing. */
export function useDetailsAtRest(cell: number): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let controller = new AbortController();
    let lastFrame: unknown;
    const load = () => {
      const frame = frameOnScreen(cell);
      if (frame === undefined) return;
      void loadInfo(frame.fileIndex, controller.signal);
      void loadDetails(frame, controller.signal);
    };
    const watch = () => {
      const frame = frameOnScreen(cell);
      if (frame === lastFrame) return;
      lastFrame = frame;
      controller.abort();
      controller = new AbortController();
      clearTimeout(timer);
      timer = setTimeout(load, REST_MS);
    };
    const stop = viewportsStore.subscribe(watch);
    watch();
    return () => {
      stop();
      clearTimeout(timer);
      controller.abort();
    };
  }, [cell]);
}

function frameOnScreen(cell: number) {
  const { shownPosition } = reportOf(cell);
  return shownPosition === undefined ? undefined : stackOfCell(cell)?.frames[shownPosition];
}
