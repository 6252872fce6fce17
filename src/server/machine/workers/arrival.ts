const arrivals = new WeakMap<AbortSignal, number>();

/** Sets when the request of this signal arrived: its later steps do not queue behind newer requests. */
export function setArrival(signal: AbortSignal, atMs: number): void {
  arrivals.set(signal, atMs);
}

/** When the request of this signal arrived; now if that is unknown. */
export function arrivalOf(signal: AbortSignal | undefined): number {
  return (signal && arrivals.get(signal)) ?? performance.now();
}
