import { useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from './page.ts';

export const INSPECTOR_TABS = ['layers', 'marks', 'tags', 'references'] as const;
export type InspectorTab = (typeof INSPECTOR_TABS)[number];
/** Sort order of the explorer: as the files were found, by name, or by study date. */
export type ExplorerOrder = (typeof EXPLORER_ORDERS)[number];
export const EXPLORER_ORDERS = ['found', 'name', 'newest'] as const;
export type Theme = 'system' | 'light' | 'dark';
/** What the user is doing: the toolbar has the tools for it. */
export const TASKS = ['look', 'measure', 'annotate', 'compare'] as const;
export type TaskName = (typeof TASKS)[number];

/** A DICOM file that is not in the list. */
export type SkippedFile = { readonly id: number; readonly path: string; readonly reason: string };

export type PanelsState = {
  readonly isExplorerOpen: boolean;
  readonly isInspectorOpen: boolean;
  readonly explorerWidthPx: number;
  readonly inspectorWidthPx: number;
  readonly tab: InspectorTab;
  /**
   * Why that tab is open: the page has chosen it, or the user works in it or has chosen it. Only the tab of the page changes
   * by itself, and only that of the user is in the address.
   */
  readonly tabBy: 'page' | 'use' | 'user';
  readonly task: TaskName;
  readonly explorerView: 'study' | 'folder';
  readonly explorerOrder: ExplorerOrder;
  readonly theme: Theme;
  /** Pixels of the page in a millimetre of this screen, as the user has measured it; 0 if not. */
  readonly screenPxPerMm: number;
  readonly tagSearch: string;
  /** Its tags are shown instead of those of the image. */
  readonly skippedFile: SkippedFile | undefined;
  /** The dialog over the page, of which there is at most one. */
  readonly dialog: 'palette' | 'keys' | 'picture' | 'film' | 'labels' | undefined;
  /** The dose-volume histograms beside the images. */
  readonly isDvhOpen: boolean;
  /** Where the table and gallery of all files are: over the cells, or behind them while the user looks at one of its rows. */
  readonly cohortAt: 'closed' | 'front' | 'behind';
  /** What they show, as in the address. */
  readonly cohortText: string;
  /** The layers that are compared, and how, as in the address; undefined if the comparison is closed. */
  readonly compareText: string | undefined;
  /** The link names an image that is not among the files. */
  readonly isAddressUnknown: boolean;
};

const AT_FIRST: PanelsState = {
  isExplorerOpen: true,
  isInspectorOpen: true,
  explorerWidthPx: 240,
  inspectorWidthPx: 290,
  tab: 'tags',
  tabBy: 'page',
  task: 'look',
  explorerView: 'study',
  explorerOrder: 'found',
  theme: 'system',
  screenPxPerMm: 0,
  tagSearch: '',
  skippedFile: undefined,
  dialog: undefined,
  isDvhOpen: false,
  cohortAt: 'closed',
  cohortText: '',
  compareText: undefined,
  isAddressUnknown: false,
};

export const panelsOf = definePart(() => createStore<PanelsState>(() => AT_FIRST));

export function usePanels<T>(select: (state: PanelsState) => T): T {
  return useStore(panelsOf(usePage()), select);
}

export function setPanels(page: Page, change: Partial<PanelsState>): void {
  panelsOf(page).setState(change);
}

export function showTab(page: Page, tab: InspectorTab): void {
  setPanels(page, { isInspectorOpen: true, tab, tabBy: 'user' });
}

export function parseTab(text: string | undefined): InspectorTab | undefined {
  // Its earlier name, which is in links.
  return text === 'context' ? 'layers' : INSPECTOR_TABS.find((tab) => tab === text);
}

const STORAGE_KEY = 'negato-panels';

/** Restores the panels as they were left in this browser, and saves their state from then on. */
export function rememberPanels(page: Page): void {
  const widths = matchMedia('(min-width: 1800px)').matches ? { explorerWidthPx: 320, inspectorWidthPx: 400 } : {};
  setPanels(page, { ...widths, ...readPanels(), ...closedDrawers() });
  // A panel that becomes a drawer is closed, because it would cover the image. When it has room again, its saved state is
  // restored.
  followWidth(() => {
    const { isExplorerOpen, isInspectorOpen } = { ...AT_FIRST, ...readPanels(), ...closedDrawers() };
    setPanels(page, { isExplorerOpen, isInspectorOpen });
  });
  panelsOf(page).subscribe((panels, before) => {
    const isKept = (name: keyof PanelsState) => !(areDrawers() && Object.values<string>(OPEN).includes(name));
    const changed = KEPT.filter((name) => panels[name] !== before[name] && isKept(name));
    if (changed.length > 0) keepPanels({ ...readPanels(), ...pick(panels, changed) });
    // Two open drawers would hide the whole image.
    if (areDrawers() && panels.isExplorerOpen && panels.isInspectorOpen)
      setPanels(page, before.isExplorerOpen ? { isExplorerOpen: false } : { isInspectorOpen: false });
  });
}

/** On narrow pages, panels are drawers: they lie over the image and start closed. */
const DRAWER = 'screen and (max-width: 1099px)';
const OPEN = { explorer: 'isExplorerOpen', inspector: 'isInspectorOpen' } as const;

export type SidePanelName = keyof typeof OPEN;

export function areDrawers(): boolean {
  return matchMedia(DRAWER).matches;
}

export function useAreDrawers(): boolean {
  return useSyncExternalStore(followWidth, areDrawers);
}

function followWidth(onChange: () => void): () => void {
  const query = matchMedia(DRAWER);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Width of the image area that a drawer covers. */
export function useCoveredPx(panel: SidePanelName): number {
  const widthPx = usePanels((panels) =>
    panels[OPEN[panel]] ? panels[panel === 'explorer' ? 'explorerWidthPx' : 'inspectorWidthPx'] : 0,
  );
  return useAreDrawers() ? widthPx : 0;
}

function closedDrawers(): Partial<PanelsState> {
  return areDrawers() ? { isInspectorOpen: false, isExplorerOpen: false } : {};
}

const KEPT = [
  'isExplorerOpen',
  'isInspectorOpen',
  'explorerWidthPx',
  'inspectorWidthPx',
  'explorerView',
  'explorerOrder',
  'task',
  'theme',
  'screenPxPerMm',
] as const satisfies (keyof PanelsState)[];

/** Only what the user has changed is saved, so that the defaults for another screen still apply. */
function keepPanels(kept: Partial<PanelsState>): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
  } catch {
    // The browser may refuse to store anything. The next page then starts with the defaults.
  }
}

function readPanels(): Partial<PanelsState> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    // An older version may have stored other values, so only those of the right type are used.
    const right = Object.entries(kept).filter(([name, value]) =>
      KEPT.some((known) => known === name && typeof AT_FIRST[known] === typeof value && isChoice(known, value)),
    );
    return Object.fromEntries(right);
  } catch {
    return {};
  }
}

const CHOICES: Readonly<Partial<Record<keyof PanelsState, readonly unknown[]>>> = {
  explorerView: ['study', 'folder'],
  explorerOrder: EXPLORER_ORDERS,
  task: TASKS,
  theme: ['system', 'light', 'dark'],
};

function isChoice(name: keyof PanelsState, value: unknown): boolean {
  return CHOICES[name]?.includes(value) ?? true;
}

function pick(panels: PanelsState, names: readonly (keyof PanelsState)[]): Partial<PanelsState> {
  return Object.fromEntries(names.map((name) => [name, panels[name]]));
}
