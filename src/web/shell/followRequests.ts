import type { PageAnswer, PageReport } from '../../shared/contract/view.ts';
import { sendPageReport } from '../kit/api/view.ts';
import type { Page } from '../kit/state/page.ts';
import { newsOf } from '../kit/state/news.ts';
import { startPageNews } from '../kit/state/pageNews.ts';
import { answerRequest } from './answerRequest.ts';

/** As often as the list of files is asked for, if no events arrive. */
const ASK_EVERY_MS = 5_000;

/**
 * Follows what the server tells. Says to it that this page is open, and does what programs ask of the page through it: see
 * /api/view. Returns a function that stops it.
 */
export function followRequests(page: Page): () => void {
  const stopped = new AbortController();
  const { signal } = stopped;
  const id = randomId();
  let focusedAtMs = document.hasFocus() ? Date.now() : 0;
  let isBusy = false;
  let isAskedAgain = false;

  const describe = (answer: PageAnswer | null): PageReport => ({
    page: id,
    state: document.visibilityState === 'visible' ? 'visible' : 'hidden',
    focused_at_ms: focusedAtMs,
    answer,
  });

  const report = async (): Promise<void> => {
    isAskedAgain = isBusy;
    if (isBusy) return;
    isBusy = true;
    try {
      let { next } = await sendPageReport(describe(null), signal);
      while (next !== null) {
        const answer = await answerRequest(page, next, signal);
        ({ next } = await sendPageReport(describe(answer), signal));
      }
    } catch {
      // The server cannot be reached, which the page says elsewhere. The next run of the server gets a new report.
    }
    isBusy = false;
    if (isAskedAgain && !signal.aborted) void report();
  };

  const onFocus = () => {
    focusedAtMs = Date.now();
    void report();
  };
  const leave = () => void sendPageReport({ ...describe(null), state: 'left' }).catch(() => undefined);
  addEventListener('focus', onFocus, { signal });
  document.addEventListener('visibilitychange', () => void report(), { signal });
  addEventListener('pagehide', leave, { signal });
  // The browser has kept the page and shows it again.
  addEventListener('pageshow', ({ persisted }) => void (persisted && report()), { signal });
  const timer = setInterval(() => {
    if (newsOf(page).getState().news?.isLive() !== true) void report();
  }, ASK_EVERY_MS);
  const stops = [startPageNews(page, () => void report()), page.onRestart(() => void report())];
  void report();
  return () => {
    stopped.abort();
    clearInterval(timer);
    for (const stop of stops) stop();
  };
}

/** Not `randomUUID`, which browsers have only where pages are secure. */
function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
