import { createStore } from 'zustand/vanilla';
import { definePart } from './page.ts';

type ViewRequests = {
  /** Number of signs that pages are asked for something. */
  readonly signs: number;
  /** Whether such signs arrive; otherwise the page asks now and then. */
  readonly isTold: () => boolean;
};

/** Programs can ask what the page shows, and change it. */
export const viewRequestsOf = definePart(() => createStore<ViewRequests>(() => ({ signs: 0, isTold: () => false })));
