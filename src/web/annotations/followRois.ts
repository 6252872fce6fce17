import type { FileRecord } from '../../shared/contract/files.ts';
import { cellOf, stackOfCell } from '../state/cells.ts';
import { findFile, libraryStore } from '../state/library.ts';
import { findShownFrame, visibleCells } from '../state/shownFrame.ts';
import { reportOf, viewportsStore } from '../state/viewports.ts';
import { wait } from '../state/wait.ts';
import { pageRois } from './pageRois.ts';
import { isUnsaved } from './roiState.ts';

/** Keeps the page's ROIs in step with what is shown and with the server. Returns how to stop it. */
export function followRois(): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const stops = [viewportsStore.subscribe(loadShown), libraryStore.subscribe(followLibrary)];
  void loadStacks(signal);
  addEventListener('online', () => pageRois.retry(), { signal });
  addEventListener('beforeunload', holdUnsaved, { signal });
  document.addEventListener('visibilitychange', reloadShown, { signal });
  return () => {
    ending.abort();
    for (const stop of stops) stop();
  };
}

/** What is on the screen comes first. */
function loadShown(): void {
  if (!canLoad()) return;
  for (const file of listShownFiles()) if (!isKnown(file.index)) void pageRois.load(file);
}

function listShownFiles(): readonly FileRecord[] {
  return visibleCells().flatMap((cell) => {
    const { tiles, status } = reportOf(cell);
    if (tiles === undefined) return findShownFrame(cell)?.file ?? [];
    return status === 'ready' ? tiles.fileIndices.flatMap((index) => findFile(index) ?? []) : [];
  });
}

/** Others may have edited while the page was out of sight. */
function reloadShown(): void {
  if (document.visibilityState !== 'visible') return;
  for (const { index } of listShownFiles()) void pageRois.reload(index);
}

type Library = ReturnType<typeof libraryStore.getState>;

function followLibrary(now: Library, before: Library): void {
  if (now.serverRuns !== before.serverRuns) pageRois.noteRestart();
  if (now.connection === 'live' && before.connection !== 'live') pageRois.retry();
  const isListed = now.summary?.scan_complete === true && !now.summary.more && canLoad();
  if (isListed && pageRois.store.getState().parked.length > 0) void pageRois.unpark(now.files);
  loadShown();
}

const PAUSE_MS = 300;

/** One after the other, the nearest first, the files of all stacks that are open: they are there when one scrolls. */
async function loadStacks(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const next = findNearestUnknown();
    // A failed import fails for each of them.
    const isWorthIt = canLoad() && libraryStore.getState().summary?.annotations.import_state !== 'failed';
    if (next === undefined || !isWorthIt || document.hidden) await wait(PAUSE_MS, signal);
    else await pageRois.load(next);
  }
}

function findNearestUnknown() {
  let nearest: { distance: number; fileIndex: number } | undefined;
  for (const cell of visibleCells()) {
    // Images come before ROIs.
    if (viewportsStore.getState().reports.get(cell)?.status !== 'ready') continue;
    const { position } = cellOf(cell);
    for (const [at, { fileIndex }] of (stackOfCell(cell)?.frames ?? []).entries()) {
      const distance = Math.abs(at - position);
      if ((nearest?.distance ?? Infinity) > distance && !isKnown(fileIndex)) nearest = { distance, fileIndex };
    }
  }
  return findFile(nearest?.fileIndex);
}

function isKnown(fileIndex: number): boolean {
  return pageRois.store.getState().files.has(fileIndex);
}

/** During an import the server would keep each request waiting, and with it one of the few connections. */
function canLoad(): boolean {
  const { summary, connection } = libraryStore.getState();
  const state = summary?.annotations.import_state;
  return connection === 'live' && state !== undefined && state !== 'waiting' && state !== 'running';
}

function holdUnsaved(event: BeforeUnloadEvent): void {
  if ([...pageRois.store.getState().files.values()].some(isUnsaved)) event.preventDefault();
}
