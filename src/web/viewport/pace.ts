/** How long frames take to come, and so how many may be on their way at once. */
export type Pace = {
  readonly note: (elapsedMs: number) => void;
  readonly isSlow: () => boolean;
  /** A frame takes so long that the one which is looked at must not wait until another has come. */
  readonly isVerySlow: () => boolean;
  /** How many frames that nobody waits for yet may be in flight beside so many that somebody waits for. */
  readonly prefetchLimit: (urgent: number) => number;
};

// A browser opens six connections to a server over HTTP/1.1. One is taken by the events, one stays free for the frame
// that is looked at.
const MOST = 4;
/** Two already fill a thin line, one of them on its way while the other is asked for; more would make each of them late. */
export const MOST_WHEN_SLOW = 2;
const SLOW_MS = 150;
const VERY_SLOW_MS = 400;

export function createPace(isThin: () => boolean): Pace {
  let typicalMs = 0;
  const isSlow = () => typicalMs > SLOW_MS || isThin();
  const isVerySlow = () => typicalMs > VERY_SLOW_MS;
  return {
    note(elapsedMs) {
      typicalMs = typicalMs === 0 ? elapsedMs : typicalMs * 0.75 + elapsedMs * 0.25;
    },
    isSlow,
    isVerySlow,
    prefetchLimit(urgent) {
      if (!isSlow()) return MOST;
      return isVerySlow() && urgent > 0 ? 0 : MOST_WHEN_SLOW - urgent;
    },
  };
}
