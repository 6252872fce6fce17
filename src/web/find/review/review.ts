import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { WireReview, WireReviewUnit } from '../../../shared/contract/review.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { isEmptyVerdict, listMissing, NO_VERDICT, toVerdict, type GivenVerdict } from './verdict.ts';

export type ReviewHead = Omit<WireReview, 'units' | 'chosen'>;

export type ReviewState = {
  /** Undefined until the server has answered. */
  readonly head: ReviewHead | undefined;
  /** By key: the units that the server has told of, as it had them last. */
  readonly units: ReadonlyMap<string, WireReviewUnit>;
  /** By key: what the server does not have yet, whether it is under way, refused or not complete. */
  readonly mine: ReadonlyMap<string, GivenVerdict>;
  /** The unit that is decided on; undefined if none is shown. */
  readonly at: string | undefined;
  /** Decisions are taken when the unit is on the screen. */
  readonly phase: 'opening' | 'shown';
  /** Counts up when the scheme requires more of the verdict that was just given: its field gets the focus. */
  readonly asked: number;
};

export const reviewOf = definePart(() =>
  createStore<ReviewState>(() => ({
    head: undefined,
    units: new Map(),
    mine: new Map(),
    at: undefined,
    phase: 'opening',
    asked: 0,
  })),
);

export function useReview<T>(select: (state: ReviewState) => T): T {
  return useStore(reviewOf(usePage()), select);
}

/** What the reader has said of a unit, written or not. */
export function verdictIn({ mine, units }: ReviewState, key: string): GivenVerdict {
  const unit = units.get(key);
  return mine.get(key) ?? (unit === undefined ? NO_VERDICT : toVerdict(unit.decision));
}

/** Whether the reader is done with a unit: something is said, and nothing that the scheme requires is missing. */
export function isDecidedIn(state: ReviewState, key: string): boolean {
  const verdict = verdictIn(state, key);
  return state.head !== undefined && !isEmptyVerdict(verdict) && listMissing(state.head.scheme, verdict).length === 0;
}

/** Positions of units in the order of the review, as far as they are known. */
export const reviewPlacesOf = definePart(() => new Map<number, string>());

/** What is not seen. */
type ReviewNotes = {
  /** Of this run of the server. */
  run: AbortController;
  /** Counts answers to decisions, which are newer than any answer that was asked for before. */
  answers: number;
  /** By key: the answer that was the last. */
  readonly answeredAt: Map<string, number>;
  /** By key: what the server had of decisions that a run of it before has not acknowledged. */
  readonly bases: Map<string, GivenVerdict | undefined>;
  /** For how long units were on the screen when they were decided. */
  readonly shownMs: Map<string, number>;
  /** When the unit came on the screen. */
  shownAt: number;
  /** Counts units that were opened. */
  steps: number;
  /** Where the last unit was, for the way on from a file that is part of none. */
  lastPosition: number;
  /** What the user can take back, newest last: what was decided at once, as it was before. */
  readonly history: (readonly { readonly key: string; readonly before: GivenVerdict }[])[];
};

export const reviewNotesOf = definePart((): ReviewNotes => ({
  run: new AbortController(),
  answers: 0,
  answeredAt: new Map(),
  bases: new Map(),
  shownMs: new Map(),
  shownAt: 0,
  steps: 0,
  lastPosition: -1,
  history: [],
}));

export function unitAt(page: Page): WireReviewUnit | undefined {
  const { at, units } = reviewOf(page).getState();
  return at === undefined ? undefined : units.get(at);
}
