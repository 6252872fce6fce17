import { useEffect, useState } from 'react';

/** Who scrolls through a stack does not read about every image. */
const REST_MS = 120;

/** Begins `work`, now or later; what it answers gives it up. */
export type AtRest = (work: (signal: AbortSignal) => void) => () => void;

/**
 * For what a panel says about the image on the screen: it is asked for when the hand has rested on it, and given up when
 * that goes on. The first is asked for at once and kept until a later one begins, for a film never rests: what was said of
 * an image that it has passed is better than nothing.
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
      const controller = new AbortController();
      if (first === undefined) {
        first = controller;
        work(controller.signal);
        return () => undefined;
      }
      const earlier = first;
      const timer = setTimeout(() => {
        earlier.abort();
        work(controller.signal);
      }, REST_MS);
      return () => {
        clearTimeout(timer);
        controller.abort();
      };
    },
    end: () => first?.abort(),
  };
}
