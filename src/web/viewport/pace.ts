import type { Link } from '../api/link.ts';

/** How long frames take to come, and so how many may be on their way at once. */
export type Pace = {
  readonly note: (elapsedMs: number) => void;
  readonly isSlow: () => boolean;
  /** A frame takes so long that the one which is looked at must not wait until another has come. */
  readonly isVerySlow: () => boolean;
  /** How many frames may be in flight where they come slowly: what fills the line, for more would make each of them late. */
  readonly mostWhenSlow: () => number;
  /** A hand that scrolls over a slow line asks so often and not oftener. */
  readonly apartWhenSlowMs: () => number;
  /** How many frames that nobody waits for yet may be in flight beside so many that somebody waits for. */
  readonly prefetchLimit: (urgent: number) => number;
};

// A browser opens six connections to a server over HTTP/1.1. One is taken by the events, one stays free for the frame
// that is looked at.
const MOST = 4;
const SLOW_MS = 150;
const VERY_SLOW_MS = 400;

/** What is to be known of a line. */
export type LinePace = Pick<Link, 'isThin' | 'requestsToFill' | 'answerMs'>;

export function createPace({ isThin, requestsToFill, answerMs }: LinePace): Pace {
  let typicalMs = 0;
  const isSlow = () => typicalMs > SLOW_MS || isThin();
  const mostWhenSlow = () => Math.min(requestsToFill(), MOST);
  const isVerySlow = () => typicalMs > VERY_SLOW_MS;
  return {
    note(elapsedMs) {
      typicalMs = typicalMs === 0 ? elapsedMs : typicalMs * 0.75 + elapsedMs * 0.25;
    },
    isSlow,
    isVerySlow,
    mostWhenSlow,
    // Two that are asked for at once come side by side, and both at the end: then the line is empty until the next begin.
    apartWhenSlowMs: answerMs,
    prefetchLimit(urgent) {
      // Until one has come nothing is known, and the first image has the line for itself.
      if (typicalMs === 0 && urgent > 0) return 0;
      if (!isSlow()) return MOST;
      return isVerySlow() && urgent > 0 ? 0 : mostWhenSlow() - urgent;
    },
  };
}
