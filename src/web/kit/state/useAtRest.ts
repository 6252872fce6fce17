import { useEffect, useState } from 'react';

/** Delay before a request, because a user who scrolls through a stack does not read about every image. */
const REST_MS = 120;

/** One request for information about an image. */
export type Turn = {
  /** Aborted when the request is abandoned. */
  readonly signal: AbortSignal;
  /** Shows the result, unless the request was abandoned. */
  readonly show: (update: () => void) => void;
};

/** Starts `work`, now or later. The returned function abandons it. */
export type AtRest = (work: (turn: Turn) => void) => () => void;

/**
 * For panels that describe the image on screen: the information is requested when the user has rested on the image, and
 * abandoned when the user moves on. The first request is sent at once and kept until a later one has something to show,
 * because cine playback never rests, or not for long enough: information about an image that has passed is better than
 * none.
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
