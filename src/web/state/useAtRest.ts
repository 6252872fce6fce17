import { useEffect, useState } from 'react';

/** Who scrolls through a stack does not read about every image. */
const REST_MS = 120;

/** One image's turn to be told about. */
export type Turn = {
  /** Aborted when the turn is given up. */
  readonly signal: AbortSignal;
  /** Shows what is known, unless the turn was given up. */
  readonly show: (update: () => void) => void;
};

/** Begins `work`, now or later; what it answers gives it up. */
export type AtRest = (work: (turn: Turn) => void) => () => void;

/**
 * For what a panel says about the image on the screen: it is asked for when the hand has rested on it, and given up when
 * that goes on. The first is asked for at once and kept until a later one has something to show, for a film never rests,
 * or not for long enough: what was said of an image that it has passed is better than nothing.
 */
export function useAtRest(): AtRest {
  const [{ begin, end }] = useState(createAtRest);
  useEffect(() => end, [end]);
  return begin;
}

export function createAtRest(): { readonly begin: AtRest; readonly end: () => void } {
  let first: AbortController | undefined;
  return {
    begin(work) {
      const turn = new AbortController();
      const { signal } = turn;
      const earlier = first;
      const show = (update: () => void) => {
        if (signal.aborted) return;
        earlier?.abort();
        update();
      };
      if (earlier === undefined) {
        first = turn;
        work({ signal, show });
        return () => undefined;
      }
      const timer = setTimeout(() => work({ signal, show }), REST_MS);
      return () => {
        clearTimeout(timer);
        turn.abort();
      };
    },
    end: () => first?.abort(),
  };
}
