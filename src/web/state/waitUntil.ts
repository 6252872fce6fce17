import type { StoreApi } from 'zustand/vanilla';
import { wait } from './wait.ts';

export type WaitOptions = {
  /** What the condition depends on. */
  readonly stores: readonly Pick<StoreApi<unknown>, 'subscribe'>[];
  readonly longestMs: number;
  readonly signal: AbortSignal;
};

/** Ends when the condition holds, when it has taken too long, or with the signal. */
export async function waitUntil(holds: () => boolean, { stores, longestMs, signal }: WaitOptions): Promise<void> {
  const done = new AbortController();
  const look = () => {
    if (holds()) done.abort();
  };
  const stops = stores.map((store) => store.subscribe(look));
  look();
  await wait(longestMs, AbortSignal.any([signal, done.signal]));
  for (const stop of stops) stop();
}
