import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

export const INSPECTOR_TABS = ['tags', 'rois'] as const;
export type InspectorTab = (typeof INSPECTOR_TABS)[number];
export type Theme = 'system' | 'light' | 'dark';

export type PanelsState = {
  readonly isExplorerOpen: boolean;
  readonly isInspectorOpen: boolean;
  readonly tab: InspectorTab;
  readonly explorerView: 'study' | 'folder';
  readonly theme: Theme;
  /** The one thing that lies over the page. */
  readonly overlay: 'palette' | 'keys' | undefined;
  /** The link names an image that is not among the files. */
  readonly isAddressUnknown: boolean;
};

export const panelsStore = createStore<PanelsState>(() => ({
  isExplorerOpen: true,
  isInspectorOpen: true,
  tab: 'tags',
  explorerView: 'study',
  theme: 'system',
  overlay: undefined,
  isAddressUnknown: false,
}));

export function usePanels<T>(select: (state: PanelsState) => T): T {
  return useStore(panelsStore, select);
}

export function setPanels(change: Partial<PanelsState>): void {
  panelsStore.setState(change);
}

export function isInspectorTab(text: string | undefined): text is InspectorTab {
  return INSPECTOR_TABS.some((tab) => tab === text);
}
