import { type EventSign, followEvents, isVolumeEvent } from '../api/events.ts';
import { onConnectionLost } from '../api/send.ts';
import { noteAssistants } from './assistantNews.ts';
import { createNews } from './createNews.ts';
import { waitForFirstImage } from './firstImage.ts';
import { noteMarkNews } from './markNews.ts';
import type { Page } from './page.ts';
import { newsOf } from './news.ts';
import { noteReviewNews } from './reviewNews.ts';
import { noteVolumeProgress } from './volumeProgress.ts';

/**
 * Server news for this page. Over HTTP/1.1 a browser opens six connections to a server, for all pages together, and an
 * event stream occupies one of them. So only one of the pages listens, hidden or not, and it informs the others. Pages
 * that receive no news poll every few seconds: where the browser has no locks, as over plain HTTP from another machine,
 * or where the events do not get through. `onView` is called when pages are asked for something. Returns a function that
 * ends it.
 */
export function startPageNews(page: Page, onView: () => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  // Behind a proxy several servers can share an origin.
  const name = `negato-events ${location.pathname}`;
  const channel = new BroadcastChannel(name);
  const news = createNews({
    follow: followEvents,
    onSign: (sign) => channel.postMessage(sign),
    onEvent: (event) => {
      if (event === 'view') onView();
      else if (event === 'marks') noteMarkNews(page);
      else if (event === 'review') noteReviewNews(page);
      else if (event === 'assistants') noteAssistants(page);
      else noteVolumeProgress(page, event);
    },
  });
  newsOf(page).setState({ news });
  let isLeader = false;
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === HELLO && isLeader && news.isLive()) channel.postMessage('alive' satisfies EventSign);
    if (isSign(data)) news.note(data);
  });
  signal.addEventListener('abort', () => channel.close());
  // An event stream notices a broken network late. The next request shows whether the server can be reached.
  signal.addEventListener(
    'abort',
    onConnectionLost(() => news.note('lost')),
  );

  const lead = async (running: AbortSignal) => {
    // Undefined outside secure contexts.
    const locks: LockManager | undefined = navigator.locks;
    channel.postMessage(HELLO);
    await locks
      ?.request(name, { signal: running }, async () => {
        isLeader = true;
        await news.listen(running);
      })
      .catch(() => undefined);
    isLeader = false;
  };
  const askAgain = () => news.note('lost');
  const askWhenSeen = () => {
    // The machine may have slept, in which case the stream is broken without a sign.
    if (document.visibilityState === 'visible') askAgain();
  };
  document.addEventListener('visibilitychange', askWhenSeen, { signal });
  void whileRunning(page, lead, { signal, onReturn: askAgain });
  return () => {
    newsOf(page).setState({ news: undefined });
    ended.abort();
  };
}

const HELLO = 'hello';

function isSign(data: unknown): data is EventSign | 'lost' {
  return SIGNS.some((sign) => sign === data) || isVolumeEvent(data);
}

const SIGNS = ['news', 'marks', 'review', 'assistants', 'alive', 'view', 'lost'] as const;

/**
 * Works until the browser stops the page, as it does with a tab that was hidden for long or left by the back button,
 * and again when it continues. A stopped page must not keep the lock, because it cannot inform the others. Starts after
 * the first image, which has the connection to the server to itself.
 */
async function whileRunning(
  page: Page,
  work: (running: AbortSignal) => Promise<void>,
  { signal, onReturn }: { readonly signal: AbortSignal; readonly onReturn: () => void },
): Promise<void> {
  let run = new AbortController();
  const stop = () => run.abort();
  const start = () => {
    if (signal.aborted || !run.signal.aborted) return;
    run = new AbortController();
    onReturn();
    void work(run.signal);
  };
  await waitForFirstImage(page, signal);
  if (signal.aborted) return;
  document.addEventListener('freeze', stop, { signal });
  document.addEventListener('resume', start, { signal });
  window.addEventListener('pagehide', stop, { signal });
  window.addEventListener('pageshow', start, { signal });
  signal.addEventListener('abort', stop);
  void work(run.signal);
}
