import { type EventSign, followEvents } from '../api/events.ts';
import { onConnectionLost } from '../api/send.ts';
import { createNews, type News } from './createNews.ts';
import { waitForFirstImage } from './firstImage.ts';

/**
 * The server's news for this page. A browser opens six connections to a server over HTTP/1.1, for all pages together, and
 * a stream of events holds one of them: so of all visible pages one listens and tells the others. A page that is hidden
 * does not listen, and asks when it is seen again. Pages that no news reach ask every few seconds, hidden ones too: where
 * the browser has no locks, as over plain HTTP from another machine, or where the events do not come through.
 */
export function startPageNews(signal: AbortSignal): News {
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
  // A stream of events notices a broken network late. Whether the server can be reached, the next question shows.
  signal.addEventListener(
    'abort',
    onConnectionLost(() => news.note('lost')),
  );

  const lead = async (seen: AbortSignal) => {
    // Not there outside of secure contexts.
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
  void whileVisible(lead, { signal, onReturn: () => news.note('lost') });
  return news;
}

const HELLO = 'hello';

function isSign(data: unknown): data is EventSign | 'lost' {
  return data === 'news' || data === 'alive' || data === 'lost';
}

/** Begins when the first image is there, which has the line to the server for itself. */
async function whileVisible(
  work: (seen: AbortSignal) => Promise<void>,
  { signal, onReturn }: { readonly signal: AbortSignal; readonly onReturn: () => void },
): Promise<void> {
  let seen: AbortController | undefined;
  const follow = () => {
    const isVisible = document.visibilityState === 'visible' && !signal.aborted;
    if (!isVisible) seen?.abort();
    else if (seen === undefined || seen.signal.aborted) {
      // What happened while it was hidden nobody has told it.
      if (seen !== undefined) onReturn();
      seen = new AbortController();
      void work(seen.signal);
    }
  };
  await waitForFirstImage(signal);
  document.addEventListener('visibilitychange', follow, { signal });
  signal.addEventListener('abort', () => seen?.abort());
  follow();
}
