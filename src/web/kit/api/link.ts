/** Estimates the speed of the connection to the server from what the page has fetched so far. */
export type Link = {
  readonly note: (transfer: Transfer) => void;
  /** Whether compressing and decompressing a frame takes less time than transferring the bytes that it saves. */
  readonly isThin: () => boolean;
  /**
   * Number of concurrent requests that keep the link busy: one response arrives while the next requests are on their
   * way.
   */
  readonly requestsToFill: () => number;
  /** Transfer time of a typical response when it is alone on the link. */
  readonly answerMs: () => number;
};

/** As reported by the browser for every request. */
export type Transfer = Pick<
  PerformanceResourceTiming,
  'requestStart' | 'responseStart' | 'responseEnd' | 'encodedBodySize' | 'transferSize'
>;

/** 64 Mbit/s. */
const THIN_BYTES_PER_MS = 8_000;
/** If any request took less time, the server is near, and longer times are due to a busy browser, not to the link. */
const FAR_MS = 20;
/** Smaller transfers arrive in one piece and say nothing about the speed. */
const TELLING_BYTES = 16_384;
/** Each transfer multiplies the weight of the earlier ones by this factor. */
const MEMORY = 0.75;

export function createLink(): Link {
  let bytes = 0;
  let busyMs = 0;
  let busyUntil = 0;
  let transfers = 0;
  let leastMs = Infinity;
  let roundTripMs = Infinity;
  // A busy browser may notice the start of a response when its end has already arrived. So the first times are trusted
  // only to within a round trip, and later ones more and more: mistaking a distant link for a fast one costs much more
  // than the reverse.
  const doubtMs = () => roundTripMs * (1 - (1 - MEMORY) * transfers);
  const answerMs = () => (transfers === 0 ? 0 : busyMs / transfers);
  return {
    note({ requestStart, responseStart, responseEnd, encodedBodySize, transferSize }) {
      // The browser had the response in its cache, so nothing came over the link.
      if (transferSize === 0) return;
      leastMs = Math.min(leastMs, responseEnd - requestStart);
      roundTripMs = Math.min(roundTripMs, responseStart - requestStart);
      if (encodedBodySize < TELLING_BYTES) return;
      // Concurrent transfers share the link, so their time is counted once.
      const tookMs = Math.max(0, responseEnd - Math.max(responseStart, busyUntil));
      busyUntil = Math.max(busyUntil, responseEnd);
      bytes = bytes * MEMORY + encodedBodySize;
      busyMs = busyMs * MEMORY + tookMs;
      transfers = transfers * MEMORY + 1;
    },
    isThin: () => transfers > 0 && leastMs >= FAR_MS && bytes < (busyMs + doubtMs()) * THIN_BYTES_PER_MS,
    // Until there is a measurement, two requests are assumed to fill the link.
    requestsToFill: () => (transfers === 0 ? 2 : 1 + Math.ceil(roundTripMs / Math.max(1, answerMs()))),
    answerMs,
  };
}

/** Reports every request of this page to a link, including earlier ones. */
export function watchLink(link: Link): void {
  const note = (entries: PerformanceEntryList) => {
    for (const entry of entries) {
      // The event stream sends data when something happens, so its timing says nothing about the link.
      const isTelling = entry instanceof PerformanceResourceTiming && !entry.name.endsWith('/api/events');
      if (isTelling) link.note(entry);
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: 'resource' });
  // Done at once, because the first frame is requested before the observer is called.
  note(performance.getEntriesByType('resource'));
}
