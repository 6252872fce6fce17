import type { Link } from '../api/link.ts';
import type { Flight, Pace, Traffic } from './pace.ts';

// A browser opens six connections to a server over HTTP/1.1, for all of its tabs. The event stream takes one of them,
// in one of the tabs, and one stays free for the frame that the user is looking at.
const MOST = 4;
const SLOW_MS = 150;
const VERY_SLOW_MS = 400;

/** Required facts about the connection to the server. */
export type LineFacts = Pick<Link, 'isThin' | 'requestsToFill' | 'answerMs'>;

export type LinePaceOptions<Wish> = LineFacts & {
  /** Small pictures that are shown until the whole frame has loaded. */
  readonly isPreview: (wish: Wish) => boolean;
  /** Wishes of one stream follow each other while the user moves, faster than they can be met. */
  readonly streamOf?: (wish: Wish) => string | undefined;
};

/** A third request of a stream would only delay the first two. */
const MOST_OF_STREAM = 2;

/** Adapts the number of requests to the time that they take, so that the frame on screen never waits for others. */
export function createLinePace<Wish>(options: LinePaceOptions<Wish>): Pace<Wish> {
  const { isThin, requestsToFill, answerMs, isPreview, streamOf = () => undefined } = options;
  let typicalMs = 0;
  const isSlow = () => typicalMs > SLOW_MS || isThin();
  const isVerySlow = () => typicalMs > VERY_SLOW_MS;
  /** On a slow link, as many requests as fill it. With more, each of them would be late. */
  const mostWhenSlow = () => Math.min(requestsToFill(), MOST);

  /**
   * While the user scrolls over a slow link, requests start one after the other: if they shared the link, none would
   * arrive in time. Two that start together also end together, and then the link is idle until the next two begin.
   */
  const mustWait = ({ flights, isMoving, sinceLastMs }: Traffic<Wish>) => {
    if (!isSlow() || !isMoving || flights.length === 0) return false;
    return flights.length >= mostWhenSlow() || sinceLastMs < answerMs();
  };

  const prefetchLimit = (urgent: number) => {
    // Before the first answer nothing is known, and the first image has the link to itself.
    if (typicalMs === 0 && urgent > 0) return 0;
    if (!isSlow()) return MOST;
    return isVerySlow() && urgent > 0 ? 0 : mostWhenSlow() - urgent;
  };

  return {
    admits(wish, traffic) {
      const stream = streamOf(wish);
      if (stream !== undefined) {
        const isOfStream = (flight: Flight<Wish>) => !flight.beganAsPrefetch && streamOf(flight.wish) === stream;
        return traffic.flights.filter(isOfStream).length < MOST_OF_STREAM;
      }
      if (!isSlow()) return true;
      if (mustWait(traffic)) return false;
      // A preview has the link to itself: the whole frame would make it late.
      return isPreview(wish) || !traffic.flights.some((flight) => !flight.isPrefetch && isPreview(flight.wish));
    },
    admitsPrefetch(traffic) {
      const running = traffic.flights.filter(({ isPrefetch }) => isPrefetch).length;
      return running < prefetchLimit(traffic.flights.length - running) && !mustWait(traffic);
    },
    // The user may still look at frames that were passed while scrolling over a slow link.
    // In a stream nothing would ever arrive if each wish ended the one before; what is whole is only wanted at rest.
    keepsUnwanted: ({ isMoving }, wish) => isMoving && (streamOf(wish) === undefined ? isSlow() : isPreview(wish)),
    endsPrefetches: ({ isMoving }) => isVerySlow() && !isMoving,
    isFirst: isPreview,
    note(elapsedMs) {
      typicalMs = typicalMs === 0 ? elapsedMs : typicalMs * 0.75 + elapsedMs * 0.25;
    },
  };
}
