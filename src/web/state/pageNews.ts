import { type EventSign, followEvents } from '../api/events.ts';
import { onConnectionLost } from '../api/send.ts';
import { createNews, type News } from './createNews.ts';
import { waitForFirstImage } from './firstImage.ts';
import type { Page } from './page.ts';

/**
 * Server news for this page. Over HTTP/1.1 a browser opens six connections to a server, for all pages together, and an
 * event stream occupies one of them. So only one of the visible pages listens, and it informs the others. A hidden page
 * does not listen, and queries the server when it becomes visible again. Pages that receive no news poll every few
 * seconds, even when hidden: where the browser has no locks, as over plain HTTP from another machine, or where the
 * events do not get through.
 */
export function startPageNews(page: Page, signal: AbortSignal): News {
  // Behind a proxy several servers can share an origin.
  const name = `negato-events ${location.pathname}`;
  const channel = new BroadcastChannel(name);
  const news = createNews({ follow: followEvents, onSign: (sign) => channel.postMessage(sign) });
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

  const lead = async (seen: AbortSignal) => {
    // Undefined outside secure contexts.
    const locks: LockManager | undefined = navigator.locks;
    channel.postMessage(HELLO);
    await locks
      ?.request(name, { signal: seen }, async () => {
        isLeader = true;
        await news.listen(seen);
      })
      .catch(() => undefined);
    isLeader = false;
  };
  void whileVisible(page, lead, { signal, onReturn: () => news.note('lost') });
  return news;
}

const HELLO = 'hello';

function isSign(data: unknown): data is EventSign | 'lost' {
  return data === 'news' || data === 'alive' || data === 'lost';
}

/** Starts after the first image, which has the connection to the server to itself. */
async function whileVisible(
  page: Page,
  work: (seen: AbortSignal) => Promise<void>,
  { signal, onReturn }: { readonly signal: AbortSignal; readonly onReturn: () => void },
): Promise<void> {
  let seen: AbortController | undefined;
  const follow = () => {
    const isVisible = document.visibilityState === 'visible' && !signal.aborted;
    if (!isVisible) seen?.abort();
    else if (seen === undefined || seen.signal.aborted) {
      // The page received no news while it was hidden.
      if (seen !== undefined) onReturn();
      seen = new AbortController();
      void work(seen.signal);
    }
  };
  await waitForFirstImage(page, signal);
  document.addEventListener('visibilitychange', follow, { signal });
  signal.addEventListener('abort', () => seen?.abort());
  follow();
}
