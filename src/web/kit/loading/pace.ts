/** A request in flight. */
export type Flight<Wish> = {
  readonly wish: Wish;
  /** No owner wants it now, although one may have when it began. */
  readonly isPrefetch: boolean;
  readonly beganAsPrefetch: boolean;
};

export type Traffic<Wish> = {
  readonly flights: readonly Flight<Wish>[];
  /** Some owner is scrolling. */
  readonly isMoving: boolean;
  /** Since the last request began. */
  readonly sinceLastMs: number;
};

/** Decides how many requests of a loader run at once, and which of them. */
export interface Pace<Wish> {
  /** Whether a wish that is wanted now may begin. */
  admits(wish: Wish, traffic: Traffic<Wish>): boolean;
  admitsPrefetch(traffic: Traffic<Wish>): boolean;
  /** Whether the request for a wish that no owner wants any more is left to finish. */
  keepsUnwanted(traffic: Traffic<Wish>, wish: Wish): boolean;
  /** Whether prefetches are aborted for a wish that is wanted now. */
  endsPrefetches?(traffic: Traffic<Wish>): boolean;
  /** Whether this wish starts before the other wishes that are wanted now. */
  isFirst?(wish: Wish): boolean;
  /** How long a request took. */
  note?(elapsedMs: number): void;
}
