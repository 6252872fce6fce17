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
  readonly tagSearch: string;
  /** The one thing that lies over the page. */
  readonly overlay: 'palette' | 'keys' | undefined;
  /** The link names an image that is not among the files. */
  readonly isAddressUnknown: boolean;
};

const AT_FIRST: PanelsState = {
  isExplorerOpen: true,
  isInspectorOpen: true,
  tab: 'tags',
  explorerView: 'study',
  theme: 'system',
  tagSearch: '',
  overlay: undefined,
  isAddressUnknown: false,
};

export const panelsStore = createStore<PanelsState>(() => AT_FIRST);

export function usePanels<T>(select: (state: PanelsState) => T): T {
  return useStore(panelsStore, select);
}

export function setPanels(change: Partial<PanelsState>): void {
  panelsStore.setState(change);
}

export function isInspectorTab(text: string | undefined): text is InspectorTab {
  return INSPECTOR_TABS.some((tab) => tab === text);
}

const STORAGE_KEY = 'negato-panels';

/** Takes over how the panels were left in this browser, and remembers how they are from then on. */
export function rememberPanels(): void {
  // Where panels are drawers they would cover the image.
  const isWide = matchMedia('(min-width: 1100px)').matches;
  const isMedium = matchMedia('(min-width: 800px)').matches;
  setPanels({
    ...readPanels(),
    ...(isWide ? {} : { isInspectorOpen: false }),
    ...(isMedium ? {} : { isExplorerOpen: false }),
  });
  panelsStore.subscribe(({ isExplorerOpen, isInspectorOpen, explorerView, theme }) => {
    const kept = { explorerView, theme, ...(isWide ? { isExplorerOpen, isInspectorOpen } : {}) };
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
    } catch {
      // A browser may keep nothing; then the next page begins as the first one did.
    }
  });
}

function readPanels(): Partial<PanelsState> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    const { isExplorerOpen, isInspectorOpen, explorerView, theme }: Partial<Record<keyof PanelsState, unknown>> = kept;
    return {
      ...(typeof isExplorerOpen === 'boolean' ? { isExplorerOpen } : {}),
      ...(typeof isInspectorOpen === 'boolean' ? { isInspectorOpen } : {}),
      ...(explorerView === 'study' || explorerView === 'folder' ? { explorerView } : {}),
      ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
    };
  } catch {
    return {};
  }
}
