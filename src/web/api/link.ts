/** How fast bytes come from the server, by what the page has fetched so far. */
export type Link = {
  readonly note: (transfer: Transfer) => void;
  /** Compressing a frame, and undoing that, takes less time than the bytes that it saves. */
  readonly isThin: () => boolean;
  /** So many requests at once keep the line busy: the answer to one comes while the next are still on their way. */
  readonly requestsToFill: () => number;
  /** How long the usual answer is on the line, alone. */
  readonly answerMs: () => number;
};

/** As the browser tells it of every request. */
export type Transfer = Pick<
  PerformanceResourceTiming,
  'requestStart' | 'responseStart' | 'responseEnd' | 'encodedBodySize' | 'transferSize'
>;

/** 64 Mbit/s. */
const THIN_BYTES_PER_MS = 8_000;
/** Where any request was done sooner the server is near: what took long was a busy browser, not the line. */
const FAR_MS = 20;
/** Less than this comes in one go and tells nothing. */
const TELLING_BYTES = 16_384;
/** What each transfer leaves of the weight of those before it. */
const MEMORY = 0.75;

export function createLink(): Link {
  let bytes = 0;
  let busyMs = 0;
  let busyUntil = 0;
  let transfers = 0;
  let leastMs = Infinity;
  let roundTripMs = Infinity;
  // A busy browser hears of the beginning of an answer when its end is already there. So the first times are believed to
  // within a round trip, later ones more and more: a far line that is taken for a fast one costs much more than the reverse.
  const doubtMs = () => roundTripMs * (1 - (1 - MEMORY) * transfers);
  const answerMs = () => (transfers === 0 ? 0 : busyMs / transfers);
  return {
    note({ requestStart, responseStart, responseEnd, encodedBodySize, transferSize }) {
      // Nothing of what the browser had itself came over the line.
      if (transferSize === 0) return;
      leastMs = Math.min(leastMs, responseEnd - requestStart);
      roundTripMs = Math.min(roundTripMs, responseStart - requestStart);
      if (encodedBodySize < TELLING_BYTES) return;
      // Those that come side by side share the line: the time is counted once.
      const tookMs = Math.max(0, responseEnd - Math.max(responseStart, busyUntil));
      busyUntil = Math.max(busyUntil, responseEnd);
      bytes = bytes * MEMORY + encodedBodySize;
      busyMs = busyMs * MEMORY + tookMs;
      transfers = transfers * MEMORY + 1;
    },
    isThin: () => transfers > 0 && leastMs >= FAR_MS && bytes < (busyMs + doubtMs()) * THIN_BYTES_PER_MS,
    // Until something is known of it, a line is one that two requests fill.
    requestsToFill: () => (transfers === 0 ? 2 : 1 + Math.ceil(roundTripMs / Math.max(1, answerMs()))),
    answerMs,
  };
}

/** Lets a link know of every request of this page, those before it too. */
export function watchLink(link: Link): void {
  const note = (entries: PerformanceEntryList) => {
    for (const entry of entries) {
      // What comes when something happens tells nothing of the line.
      const isTelling = entry instanceof PerformanceResourceTiming && !entry.name.endsWith('/api/events');
      if (isTelling) link.note(entry);
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: 'resource' });
  // At once, and not when the observer has its turn: the first frame is asked for before that.
  note(performance.getEntriesByType('resource'));
}
