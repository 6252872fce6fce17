/** When a request arrived, and when it was handled the last time: it may be handled again while the server is busy. */
export type Arrival = { readonly atMs: number; readonly triedMs: number };

const arrivals = new WeakMap<AbortSignal, Arrival>();

/** Sets when the request of this signal arrived: its later steps do not queue behind newer requests. */
export function setArrival(signal: AbortSignal, { atMs, triedMs = atMs }: { atMs: number; triedMs?: number }): void {
  arrivals.set(signal, { atMs, triedMs });
}

/** When the request of this signal arrived; now if that is unknown. */
export function arrivalOf(signal: AbortSignal | undefined): Arrival {
  const now = performance.now();
  return (signal && arrivals.get(signal)) ?? { atMs: now, triedMs: now };
}

/** The head of the answer has been sent: each step that makes more of it may wait anew. */
export function beginAnswer(signal: AbortSignal): void {
  setArrival(signal, { ...arrivalOf(signal), triedMs: Infinity });
}

/** The request of this signal is handled again: it keeps its place, and all of its steps may wait anew. */
export function tryAgain(signal: AbortSignal | undefined): void {
  if (signal !== undefined) setArrival(signal, { ...arrivalOf(signal), triedMs: performance.now() });
}
