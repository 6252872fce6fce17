/** How long frames take to come, and so how many may be on their way at once. */
export type Pace = {
  readonly note: (elapsedMs: number) => void;
  readonly isSlow: () => boolean;
  /** How many frames that nobody waits for yet may be in flight. */
  readonly prefetchLimit: () => number;
};

// A browser opens six connections to a server over HTTP/1.1. One is taken by the events, one stays free for the frame
// that is looked at.
const MOST = 4;
/** Two already fill a thin line; more would only make each of them late. */
const MOST_WHEN_SLOW = 2;
const SLOW_MS = 150;

export function createPace(): Pace {
  let typicalMs = 0;
  const isSlow = () => typicalMs > SLOW_MS;
  return {
    note(elapsedMs) {
      typicalMs = typicalMs === 0 ? elapsedMs : typicalMs * 0.75 + elapsedMs * 0.25;
    },
    isSlow,
    prefetchLimit: () => (isSlow() ? MOST_WHEN_SLOW : MOST),
  };
}
