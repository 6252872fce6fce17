/** When a request arrived, and when it was handled the last time: it may be handled again while the server is busy. */
export type Arrival = { readonly atMs: number; readonly triedMs: number };

const arrivals = new WeakMap<AbortSignal, Arrival>();

/** Sets when the request of this signal arrived: its later steps do not queue behind newer requests. */
export function setArrival(signal: AbortSignal, { atMs, triedMs = atMs }: { atMs: number; triedMs?: number }): void {
  arrivals.set(signal, { atMs, triedMs });
}

/**
 * How long a request may wait for memory and threads, all steps before its answer together. With the work itself, it is
 * then answered within 15 s, also on a busy machine, unless its own work takes longer than usual.
 */
export const PATIENCE_MS = 8_000;

/**
 * How long each step may wait that makes more of an answer whose head was sent: the client cannot be told any more that it
 * should ask again, so an answer that is late is better than one that is broken off.
 */
const BEGUN_PATIENCE_MS = 60_000;

/** Work of `signal` is done for the request of `of`, if it is that of a request. */
export function followArrival(signal: AbortSignal, of: AbortSignal | undefined): void {
  const arrival = of && arrivals.get(of);
  if (arrival !== undefined) arrivals.set(signal, arrival);
}

/** How long the next step of the request of this signal may still wait; undefined if it is the work of no request. */
export function patienceOf(signal: AbortSignal | undefined): number | undefined {
  const arrival = signal && arrivals.get(signal);
  return arrival && leftOf(arrival, PATIENCE_MS);
}

export function leftOf({ triedMs }: Arrival, patienceMs: number): number {
  if (triedMs === Infinity) return BEGUN_PATIENCE_MS;
  return Math.min(patienceMs, Math.max(0, triedMs + patienceMs - performance.now()));
}

/** When the request of this signal arrived; now if that is unknown. */
export function arrivalOf(signal: AbortSignal | undefined): Arrival {
  const now = performance.now();
  return (signal && arrivals.get(signal)) ?? { atMs: now, triedMs: now };
}

/** The head of the answer has been sent: each step that makes more of it may wait for itself. */
export function beginAnswer(signal: AbortSignal): void {
  setArrival(signal, { ...arrivalOf(signal), triedMs: Infinity });
}

/** The request of this signal is handled again: it keeps its place, and all of its steps may wait anew. */
export function tryAgain(signal: AbortSignal | undefined): void {
  if (signal !== undefined) setArrival(signal, { ...arrivalOf(signal), triedMs: performance.now() });
}
