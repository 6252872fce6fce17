import type { FileRecord } from '../../shared/contract/files.ts';
import { RequestRefused } from '../api/send.ts';
import { cellOf, stackOfCell } from '../state/cells.ts';
import { findFile, libraryStore } from '../state/library.ts';
import type { Page } from '../state/page.ts';
import { findShownFrame, visibleCells } from '../pictures/shownFrame.ts';
import type { ViewStack } from '../state/stacks.ts';
import { reportOf, viewportsStore } from '../state/viewports.ts';
import { wait } from '../state/wait.ts';
import { pageRois } from './pageRois.ts';
import { followJournal } from './roiJournal.ts';
import { isUnsaved } from './roiState.ts';
import { listFiles } from './stackRois.ts';

/** Keeps the page's ROIs in step with what is shown and with the server. Returns a function that stops it. */
export function followRois(page: Page): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  /** Stacks for which the server has already said which files have ROIs. */
  const surveyed: Surveyed = new WeakSet();
  const stops = [
    page.onRestart(() => pageRois.noteRestart()),
    viewportsStore.subscribe(() => loadShown(surveyed)),
    libraryStore.subscribe((now, before) => followLibrary(now, before, surveyed)),
  ];
  void loadStacks(surveyed, signal);
  followJournal(page, signal);
  addEventListener('online', () => pageRois.retry(), { signal });
  addEventListener('beforeunload', holdUnsaved, { signal });
  document.addEventListener('visibilitychange', reloadShown, { signal });
  return () => {
    ending.abort();
    for (const stop of stops) stop();
  };
}

type Surveyed = WeakSet<ViewStack>;

/** Loads the files on the screen first. */
function loadShown(surveyed: Surveyed): void {
  if (!canLoad()) return;
  for (const cell of visibleCells()) {
    if (!isImportFailed() && awaitsSurvey(stackOfCell(cell), surveyed)) continue;
    for (const file of listShownFiles(cell)) if (!isKnown(file.index)) void pageRois.load(file);
  }
}

function listShownFiles(cell: number): readonly FileRecord[] {
  const { tiles, status } = reportOf(cell);
  if (tiles === undefined) return [findShownFrame(cell)?.file].filter((file) => file !== undefined);
  return status === 'ready' ? tiles.fileIndices.flatMap((index) => findFile(index) ?? []) : [];
}

/** Other clients may have edited while the page was hidden. */
function reloadShown(): void {
  if (document.visibilityState !== 'visible') return;
  for (const { index } of visibleCells().flatMap(listShownFiles)) void pageRois.reload(index);
}

type Library = ReturnType<typeof libraryStore.getState>;

function followLibrary(now: Library, before: Library, surveyed: Surveyed): void {
  if (now.connection === 'live' && before.connection !== 'live') pageRois.retry();
  const isListed = now.summary?.scan_complete === true && !now.summary.more && canLoad();
  if (isListed && pageRois.store.getState().parked.length > 0) void pageRois.unpark(now.files);
  loadShown(surveyed);
}

const PAUSE_MS = 300;

/**
 * Loads the ROIs of all open stacks in advance, so that they are available while scrolling: one request returns which
 * files have any, and those files are loaded one after the other, nearest first.
 */
async function loadStacks(surveyed: Surveyed, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const stack = visibleCells()
      .map(stackOfCell)
      .find((one) => awaitsSurvey(one, surveyed));
    const next = stack === undefined ? findNearestUnknown() : undefined;
    // After a failed import every read would fail.
    const isWorthIt = canLoad() && !isImportFailed() && !document.hidden;
    if (isWorthIt && stack !== undefined && (await survey(stack))) surveyed.add(stack);
    else if (isWorthIt && next !== undefined) await pageRois.load(next);
    else await wait(PAUSE_MS, signal);
  }
}

/** Whether the stack has several files, some of which are not loaded. */
function awaitsSurvey(stack: ViewStack | undefined, surveyed: Surveyed): stack is ViewStack {
  if (stack === undefined || surveyed.has(stack)) return false;
  const isOfSeveral = stack.frames.some(({ fileIndex }) => fileIndex !== stack.fileIndex);
  return isOfSeveral && stack.frames.some(({ fileIndex }) => !isKnown(fileIndex));
}

/**
 * Returns whether the server answered. After a refusal the files are read one by one, and each reports its own error.
 */
async function survey(stack: ViewStack): Promise<boolean> {
  try {
    await pageRois.survey([...listFiles(stack).keys()].flatMap((index) => findFile(index) ?? []));
    return true;
  } catch (error) {
    return error instanceof RequestRefused;
  }
}

function findNearestUnknown() {
  let nearest: { distance: number; fileIndex: number } | undefined;
  for (const cell of visibleCells()) {
    // Images are loaded before ROIs.
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

/** During an import the server would hold each request open, which would occupy one of the few connections. */
function canLoad(): boolean {
  const { summary, connection } = libraryStore.getState();
  const state = summary?.annotations.import_state;
  return connection === 'live' && state !== undefined && state !== 'waiting' && state !== 'running';
}

function isImportFailed(): boolean {
  return libraryStore.getState().summary?.annotations.import_state === 'failed';
}

function holdUnsaved(event: BeforeUnloadEvent): void {
  if ([...pageRois.store.getState().files.values()].some(isUnsaved)) event.preventDefault();
}
