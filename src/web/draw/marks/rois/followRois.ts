import type { FileRecord } from '../../../../shared/contract/files.ts';
import { RequestRefused } from '../../../kit/api/send.ts';
import { cellOf, stackOfCell } from '../../../kit/state/cells.ts';
import { findFile, libraryOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { findShownFrame, visibleCells } from '../../../show/pictures/shownFrame.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import { reportOf, viewportsOf } from '../../../show/pictures/viewports.ts';
import { wait } from '../../../kit/state/wait.ts';
import { roisOf } from './roiFiles.ts';
import { followJournal } from './roiJournal.ts';
import type { RoiState } from './roiState.ts';
import { canReadRois, syncRois } from './syncRois.ts';

/** Keeps the page's ROIs in step with what is shown and with the server. Returns a function that stops it. */
export function followRois(page: Page): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  /** Stacks for which the server has already said which files have ROIs. */
  const surveyed: Surveyed = new WeakSet();
  const stops = [
    syncRois(page),
    viewportsOf(page).subscribe(() => loadShown(page, surveyed)),
    libraryOf(page).subscribe(() => loadShown(page, surveyed)),
  ];
  // The image may have been there before this code.
  loadShown(page, surveyed);
  void loadStacks(page, surveyed, signal);
  followJournal(page, signal);
  addEventListener('online', () => roisOf(page).retry(), { signal });
  document.addEventListener('visibilitychange', () => reloadShown(page), { signal });
  return () => {
    ending.abort();
    for (const stop of stops) stop();
  };
}

type Surveyed = WeakSet<ViewStack>;

/** Loads the files on the screen first. */
function loadShown(page: Page, surveyed: Surveyed): void {
  if (!canReadRois(page)) return;
  for (const cell of visibleCells(page)) {
    if (!isImportFailed(page) && isSurveyDue(page, stackOfCell(page, cell), surveyed)) continue;
    for (const file of listShownFiles(page, cell)) if (!isKnown(page, file.index)) void roisOf(page).load(file);
  }
}

function listShownFiles(page: Page, cell: number): readonly FileRecord[] {
  const { tiles, status } = reportOf(page, cell);
  if (tiles === undefined) return [findShownFrame(page, cell)?.file].filter((file) => file !== undefined);
  return status === 'ready' ? tiles.fileIndices.flatMap((index) => findFile(page, index) ?? []) : [];
}

/** Other clients may have edited while the page was hidden. */
function reloadShown(page: Page): void {
  if (document.visibilityState !== 'visible') return;
  for (const { index } of visibleCells(page).flatMap((one) => listShownFiles(page, one)))
    void roisOf(page).reload(index);
}

const PAUSE_MS = 300;

/**
 * Loads the ROIs of all open stacks in advance, so that they are available while scrolling: one request returns which
 * files have any, and those files are loaded one after the other, nearest first.
 */
async function loadStacks(page: Page, surveyed: Surveyed, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const stack = visibleCells(page)
      .map((one) => stackOfCell(page, one))
      .find((one) => isSurveyDue(page, one, surveyed));
    const next = stack === undefined ? findNearestUnknown(page, surveyed) : undefined;
    // After a failed import every read would fail.
    const isWorthIt = canReadRois(page) && !isImportFailed(page) && !document.hidden;
    if (isWorthIt && stack !== undefined && (await survey(page, stack))) surveyed.add(stack);
    else if (isWorthIt && next !== undefined) await roisOf(page).load(next);
    else await wait(PAUSE_MS, signal);
  }
}

/** Whether the stack has several files, some of which are not loaded. */
function awaitsSurvey(page: Page, stack: ViewStack, surveyed: Surveyed): boolean {
  if (surveyed.has(stack)) return false;
  const isOfSeveral = stack.frames.some(({ fileIndex }) => fileIndex !== stack.fileIndex);
  return isOfSeveral && stack.frames.some(({ fileIndex }) => !isKnown(page, fileIndex));
}

/** The list of files arrives in pages, so the series may be known before all of their files are. */
function isSurveyDue(page: Page, stack: ViewStack | undefined, surveyed: Surveyed): stack is ViewStack {
  if (stack === undefined || !awaitsSurvey(page, stack, surveyed)) return false;
  return lastFileOf(stack) < libraryOf(page).getState().files.length;
}

/** The largest index of a file of the stack. */
function lastFileOf(stack: ViewStack): number {
  const last = lastFiles.get(stack) ?? stack.frames.reduce((most, { fileIndex }) => Math.max(most, fileIndex), -1);
  lastFiles.set(stack, last);
  return last;
}

const lastFiles = new WeakMap<ViewStack, number>();

/**
 * Returns whether the server answered. After a refusal the files are read one by one, and each reports its own error.
 */
async function survey(page: Page, stack: ViewStack): Promise<boolean> {
  try {
    await roisOf(page).survey(stack.frames.flatMap(({ fileIndex }) => findFile(page, fileIndex) ?? []));
    return true;
  } catch (error) {
    return error instanceof RequestRefused;
  }
}

function findNearestUnknown(page: Page, surveyed: Surveyed) {
  let nearest: { distance: number; fileIndex: number } | undefined;
  const { files } = roisOf(page).store.getState();
  for (const cell of visibleCells(page)) {
    // Images are loaded before ROIs.
    if (viewportsOf(page).getState().reports.get(cell)?.status !== 'ready') continue;
    const stack = stackOfCell(page, cell);
    if (stack === undefined || allKnown.get(stack) === files || awaitsSurvey(page, stack, surveyed)) continue;
    const { position } = cellOf(page, cell);
    let isAllKnown = true;
    for (const [at, { fileIndex }] of stack.frames.entries()) {
      if (files.has(fileIndex)) continue;
      isAllKnown = false;
      const distance = Math.abs(at - position);
      if ((nearest?.distance ?? Infinity) > distance) nearest = { distance, fileIndex };
    }
    if (isAllKnown) allKnown.set(stack, files);
  }
  return findFile(page, nearest?.fileIndex);
}

/** The state in which all files of a stack were known: 100,000 are not looked at several times a second. */
const allKnown = new WeakMap<ViewStack, RoiState['files']>();

function isKnown(page: Page, fileIndex: number): boolean {
  return roisOf(page).store.getState().files.has(fileIndex);
}

function isImportFailed(page: Page): boolean {
  return libraryOf(page).getState().summary?.annotations.import_state === 'failed';
}
