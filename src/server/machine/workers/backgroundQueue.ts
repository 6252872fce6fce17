import { setTimeout as delay } from 'node:timers/promises';
import { ViewerError } from '../../../shared/contract/errors.ts';

/** Work that no request waits for: a few items at a time, each once, after interactive work. */
export interface BackgroundQueue<Item> {
  want(items: readonly Item[]): void;
  /** Resolves when all wanted items are done, or after `waitMs` at the latest; the work continues. */
  settle(waitMs: number): Promise<void>;
  isSettled(): boolean;
  close(): void;
}

export type BackgroundWork<Item> = {
  /** Must use priority `prefetch` and the signal, which is aborted when the queue is closed. */
  readonly run: (item: Item, signal: AbortSignal) => Promise<void>;
  readonly onFailure: (item: Item, error: unknown) => void;
};

const AT_ONCE = 4;
/** Delay before a retry when the task queue is full. */
const BUSY_MS = 250;

export function createBackgroundQueue<Item>({ run, onFailure }: BackgroundWork<Item>): BackgroundQueue<Item> {
  const queue: Item[] = [];
  const running = new Set<Promise<void>>();
  const closed = new AbortController();

  async function work(item: Item): Promise<void> {
    try {
      await run(item, closed.signal);
    } catch (error) {
      if (closed.signal.aborted) return;
      if (error instanceof ViewerError && error.code === 'decode_busy') {
        await delay(BUSY_MS, undefined, { ref: false });
        queue.push(item);
      } else onFailure(item, error);
    }
  }

  function start(item: Item): void {
    const done = work(item).finally(() => running.delete(done));
    running.add(done);
  }

  async function workAll(): Promise<void> {
    while (queue.length + running.size > 0 && !closed.signal.aborted) {
      while (running.size < AT_ONCE && queue.length > 0) start(queue.shift()!);
      await Promise.race(running);
    }
  }

  return {
    want(items) {
      for (const item of items) queue.push(item);
    },
    async settle(waitMs) {
      if (queue.length + running.size === 0) return;
      const waited = new AbortController();
      await Promise.race([workAll(), delay(waitMs, undefined, { signal: waited.signal, ref: false })]).catch(
        () => undefined,
      );
      waited.abort();
    },
    isSettled: () => queue.length + running.size === 0,
    close: () => closed.abort(),
  };
}
