import { useCallback, useSyncExternalStore } from 'react';
import { roisOf } from '../draw/marks/rois/roiFiles.ts';
import { drawingOf } from '../draw/marks/shapes/measurements.ts';
import { marksOf } from '../draw/marks/sync/marks.ts';
import { cellsOf } from '../kit/state/cells.ts';
import type { Command } from '../kit/state/commands.ts';
import { layersOf } from '../kit/state/layers.ts';
import { libraryOf } from '../kit/state/library.ts';
import { type Page, usePage } from '../kit/state/page.ts';
import { panelsOf } from '../kit/state/panels.ts';
import { stepsOf } from '../kit/state/stepHistory.ts';
import { volumesOf } from '../kit/state/volumes.ts';
import { toolsOf } from '../kit/state/tools.ts';
import { viewportsOf } from '../show/pictures/viewports.ts';
import { readingsOf } from '../show/values/reading.ts';

export type CommandState = {
  readonly isEnabled: boolean;
  readonly isOn: boolean | undefined;
  readonly reason: string | undefined;
  readonly run: () => void;
};

/** The state of a command. It is read as one text, so that a component renders only when it changes. */
export function useCommand({ isEnabled, isOn, whyNot, run }: Command): CommandState {
  const page = usePage();
  const state = useOfPage(() => `${isEnabled?.(page) ?? true}/${isOn?.(page)}`);
  const [enabled, on] = state.split('/');
  return {
    isEnabled: enabled === 'true',
    isOn: on === 'undefined' ? undefined : on === 'true',
    reason: useOfPage(() => whyNot?.(page)),
    run: () => run(page),
  };
}

/** Follows a text that is derived from any state of the page. */
export function useOfPage<T extends string | undefined>(read: (page: Page) => T): T {
  const page = usePage();
  const subscribe = useCallback((onChange: () => void) => followAll(page, onChange), [page]);
  return useSyncExternalStore(subscribe, () => read(page));
}

function followAll(page: Page, onChange: () => void): () => void {
  const stores = [
    cellsOf(page),
    layersOf(page),
    libraryOf(page),
    marksOf(page),
    drawingOf(page),
    roisOf(page).store,
    stepsOf(page).store,
    panelsOf(page),
    toolsOf(page),
    viewportsOf(page),
    readingsOf(page),
    volumesOf(page).changes,
  ];
  const stop = stores.map((store) => store.subscribe(onChange));
  return () => {
    for (const unsubscribe of stop) unsubscribe();
  };
}
