import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { AnnotationJournalResponse, RecoveryBody } from '../../../../shared/contract/annotations.ts';
import { fetchJournal, recoverAnnotations } from '../../../kit/api/annotations.ts';
import { type LibraryState, libraryOf } from '../../../kit/state/library.ts';
import { wait } from '../../../kit/state/wait.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import { roisOf } from './roiFiles.ts';
import type { RoiState } from './roiState.ts';

export type RoiJournalState = {
  /** Undefined until the server has answered. */
  readonly report: AnnotationJournalResponse | undefined;
};

/** Whether the server's journal preserves ROIs across restarts, and what an earlier run has left in it. */
const journalOf = definePart((page) => {
  const store = createStore<RoiJournalState>(() => ({ report: undefined }));
  page.onRestart(() => store.setState({ report: undefined }));
  return store;
});

export function useRoiJournal<T>(select: (state: RoiJournalState) => T): T {
  return useStore(journalOf(usePage()), select);
}

const ASK_AGAIN_MS = 1_000;
/** Interval of asking while the journal cannot be written, because it may have recovered. */
const FAILING_MS = 5_000;

/**
 * Requests the report when all files are known, and again when the server was restarted or a save shows that the
 * journal has begun to fail or works again.
 */
export function followJournal(page: Page, signal: AbortSignal): void {
  const journal = journalOf(page);
  let asking: AbortController | undefined;
  const ask = () => {
    asking?.abort();
    asking = new AbortController();
    void askUntilKnown(page, AbortSignal.any([signal, asking.signal]));
  };
  const stops = [
    page.onRestart(() => {
      if (isListed(libraryOf(page).getState())) ask();
    }),
    libraryOf(page).subscribe((now, before) => {
      if (isListed(now) && !isListed(before)) ask();
    }),
    roisOf(page).store.subscribe(({ files }, before) => {
      if (files === before.files) return;
      const isFailing = journal.getState().report?.state === 'failing';
      if (journal.getState().report?.state !== 'off' && hasNews(files, before.files, isFailing)) ask();
    }),
  ];
  signal.addEventListener('abort', () => {
    for (const stop of stops) stop();
  });
  if (isListed(libraryOf(page).getState())) ask();
}

/** Whether a save shows that the journal has begun to fail, or works again. */
function hasNews(files: RoiState['files'], before: RoiState['files'], isFailing: boolean): boolean {
  // No array of all files: there may be 100,000.
  for (const [index, { stored }] of files) {
    if (stored?.durability === undefined || (stored.durability === 'memory') === isFailing) continue;
    if (stored !== before.get(index)?.stored) return true;
  }
  return false;
}

function isListed({ summary, connection }: LibraryState): boolean {
  return connection === 'live' && summary?.scan_complete === true;
}

async function askUntilKnown(page: Page, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const report = await fetchJournal(signal).catch(() => undefined);
    if (signal.aborted) return;
    if (report !== undefined) journalOf(page).setState({ report });
    if (report?.searched === true && report.state !== 'failing') return;
    await wait(report?.searched === true ? FAILING_MS : ASK_AGAIN_MS, signal);
  }
}

/** Restores or forgets the ROIs of the earlier run, then shows what the server has. */
export async function recoverRois(page: Page, action: RecoveryBody['action']): Promise<void> {
  journalOf(page).setState({ report: await recoverAnnotations(action) });
  await roisOf(page).reloadChanged();
}
