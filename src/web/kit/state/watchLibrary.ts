import { RequestRefused } from '../api/send.ts';
import type { WireAttachment } from '../../../shared/contract/attachments.ts';
import { fetchAttachments } from '../api/attachments.ts';
import { fetchFiles, fetchSeries } from '../api/files.ts';
import { sortAttachments } from './attachments.ts';
import { waitForFirstImageOrItsWindow } from './firstImage.ts';
import { libraryOf } from './library.ts';
import type { Page } from './page.ts';
import { waitForNews } from './news.ts';
import { buildSeriesStacks, indexStacks } from './stacks.ts';
import { wait } from './wait.ts';
import { waitUntil } from './waitUntil.ts';
import { type FileListState, watchFiles } from './watchFiles.ts';

/** Fills the library from the server until the signal aborts. */
export async function watchLibrary(page: Page, signal: AbortSignal): Promise<void> {
  const files = watchFiles({
    fetchPage: fetchFiles,
    onChange: (state) => storeFiles(page, state),
    wait: (ms, ended) => waitOrRetry(page, ms, ended),
    waitForNews: (ms, ended) => waitForNews(page, ms, ended),
    signal,
  });
  await Promise.all([files, watchSeries(page, signal)]);
}

function storeFiles(page: Page, { files, summary, connection }: FileListState): void {
  const known = libraryOf(page).getState();
  const isOtherServer =
    known.summary !== undefined && summary !== undefined && known.summary.server_start_ms !== summary.server_start_ms;
  libraryOf(page).setState({
    files,
    summary,
    connection: connection === 'ok' ? 'live' : connection,
    ...(isOtherServer ? { ...NO_SERIES, serverRuns: known.serverRuns + 1 } : {}),
  });
}

const NO_ATTACHMENTS = { attachments: [], unplaced: [], listedAttachments: [] };
const NO_SERIES = { stacks: new Map(), stackOfFile: new Map(), isSeriesComplete: false, ...NO_ATTACHMENTS };

const SHORTEST_PAUSE_MS = 1_000;
/** Building and sending all series again takes processor time from the scan, more so on a slow machine. */
const WHILE_SCANNING = { shortestMs: 5_000, timesLast: 10 };

/**
 * Requests the series whenever the file list has changed, with pauses of several times the last request's duration,
 * until all files are found and in order: from then on they change only if files of a watched folder come or go.
 */
async function watchSeries(page: Page, signal: AbortSignal): Promise<void> {
  let asked: string | undefined;
  /** The files of the series; undefined until it is known how many a scan has found in the end. */
  let seriesOf: string | undefined;
  await waitForFirstImageOrItsWindow(page, signal);
  while (!signal.aborted) {
    const { summary, serverRuns, isSeriesComplete } = libraryOf(page).getState();
    const found = `${summary?.server_start_ms}/${summary?.scanned}/${summary?.gone.join()}`;
    const current = `${found}/${summary?.revision}`;
    if (summary === undefined || (asked === current && isSeriesComplete)) {
      await waitForChange(page, signal);
      continue;
    }
    asked = current;
    const beganMs = performance.now();
    try {
      if (isSeriesComplete && summary.scan_complete) seriesOf ??= found;
      if (isSeriesComplete && (seriesOf ?? found) === found) {
        // The list of files, by which attachments are placed, may be complete later than the series.
        if (!summary.more && summary.attachments > 0) await reloadAttachments(page, signal);
        continue;
      }
      seriesOf = summary.scan_complete ? found : undefined;
      const { series, scan_complete, geometry_complete } = await fetchSeries(signal);
      const known = libraryOf(page).getState();
      if (known.serverRuns !== serverRuns) continue;
      const stacks = buildSeriesStacks(series, known.stacks);
      const isComplete = scan_complete && geometry_complete;
      const attached = isComplete ? await loadAttachments(page, signal) : NO_ATTACHMENTS;
      if (libraryOf(page).getState().serverRuns !== serverRuns) continue;
      const stackOfFile = indexStacks(stacks.values());
      libraryOf(page).setState({ stacks, stackOfFile, isSeriesComplete: isComplete, ...attached });
    } catch (error) {
      if (signal.aborted) return;
      // `watchFiles` reports whether the server can be reached at all.
      if (error instanceof RequestRefused && error.code === 'unauthorized') return;
      asked = undefined;
      seriesOf = '';
    }
    const tookMs = performance.now() - beganMs;
    const { shortestMs, timesLast } = WHILE_SCANNING;
    if (summary.scan_complete) await wait(Math.max(SHORTEST_PAUSE_MS, 3 * tookMs), signal);
    else await waitForScan(page, Math.max(shortestMs, timesLast * tookMs), signal);
  }
}

/** Waits until the scan is complete, for `ms` at most. */
async function waitForScan(page: Page, ms: number, signal: AbortSignal): Promise<void> {
  const isOver = () => libraryOf(page).getState().summary?.scan_complete === true;
  await waitUntil(isOver, { stores: [libraryOf(page)], longestMs: ms, signal });
}

/** After the user has laid an attachment over other images. */
export async function reloadAttachments(page: Page, signal = new AbortController().signal): Promise<void> {
  const { serverRuns } = libraryOf(page).getState();
  const placed = await loadAttachments(page, signal);
  if (libraryOf(page).getState().serverRuns === serverRuns) libraryOf(page).setState(placed);
}

/** Where model output lies is known once all stacks are. */
async function loadAttachments(page: Page, signal: AbortSignal) {
  const { files, summary } = libraryOf(page).getState();
  if (summary === undefined || summary.attachments === 0) return NO_ATTACHMENTS;
  const found: WireAttachment[] = [];
  for (;;) {
    const { attachments, total } = await fetchAttachments(found.length, signal);
    found.push(...attachments);
    if (attachments.length === 0 || found.length >= total) return sortAttachments(found, files);
  }
}

async function waitOrRetry(page: Page, ms: number, signal: AbortSignal): Promise<void> {
  const asked = new AbortController();
  const unsubscribe = libraryOf(page).subscribe(({ retries }, before) => {
    if (retries !== before.retries) asked.abort();
  });
  await wait(ms, AbortSignal.any([signal, asked.signal]));
  unsubscribe();
}

async function waitForChange(page: Page, signal: AbortSignal): Promise<void> {
  const changed = new AbortController();
  const unsubscribe = libraryOf(page).subscribe((state, before) => {
    if (state.summary !== before.summary || state.serverRuns !== before.serverRuns) changed.abort();
  });
  await wait(10_000, AbortSignal.any([signal, changed.signal]));
  unsubscribe();
}
