import { useSyncExternalStore } from 'react';
import { pageRois } from '../annotations/pageRois.ts';
import { cellsStore } from '../state/cells.ts';
import type { Command } from '../state/commands.ts';
import { libraryStore } from '../state/library.ts';
import { panelsStore } from '../state/panels.ts';
import { toolsStore } from '../state/tools.ts';
import { viewportsStore } from '../state/viewports.ts';

const STORES = [cellsStore, libraryStore, pageRois.store, panelsStore, toolsStore, viewportsStore];

export type CommandState = { readonly isEnabled: boolean; readonly isOn: boolean | undefined };

/** What a command says of itself. All is asked for in one text, so that a component draws only when it changes. */
export function useCommand({ isEnabled, isOn }: Command): CommandState {
  const state = useSyncExternalStore(subscribe, () => `${isEnabled?.() ?? true}/${isOn?.()}`);
  const [enabled, on] = state.split('/');
  return { isEnabled: enabled === 'true', isOn: on === 'undefined' ? undefined : on === 'true' };
}

function subscribe(onChange: () => void): () => void {
  const stop = STORES.map((store) => store.subscribe(onChange));
  return () => {
    for (const unsubscribe of stop) unsubscribe();
  };
}
