import { setTimeout as pause } from 'node:timers/promises';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { isHarmful } from '../../machine/workers/taskErrors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ElementColumn } from '../catalog/elementColumns.ts';
import type { HarvestedValues } from './tableData.ts';
import { type HarvestOutput, harvestTask } from './tableTasks.ts';

/** A column whose values are read from all files, in their order. */
export type HarvestedColumn = {
  readonly column: ElementColumn;
  /** Files that were read. */
  readonly done: number;
  /** How many of them could not be read. */
  readonly unread: number;
  /** Why no more files are read for it. */
  readonly failure: string | undefined;
};

/** Reads elements from files in the background: those of all open files, and of each that is added. */
export interface Harvest {
  readonly columns: () => readonly HarvestedColumn[];
  /** Replaces the columns. Those that are the same keep what was read; what is read for the others alone is given up. */
  want(columns: readonly ElementColumn[]): void;
  /** Reads for all columns again, because the values are lost. */
  restart(): void;
  /** Ends those that are not complete, with the reason. */
  fail(reason: string): void;
  /** Grows when something was read, or the columns are others. */
  readonly changes: () => number;
  /** Resolves when all files were read for all columns, or after `waitMs` at the latest. */
  settle(waitMs: number): Promise<void>;
  close(): void;
}

export type HarvestContext = {
  readonly catalog: Pick<Catalog, 'files' | 'whenRead' | 'subscribe'>;
  readonly tasks: TaskRunner;
  /** Takes the values. More is read when it has them. */
  readonly onValues: (values: HarvestedValues) => Promise<void>;
};

/** Files that one task reads. */
const BATCH = 128;
/** Tasks at a time. The threads are also there for what users wait for. */
const LANES = 2;
/** Delay before a retry when the task queue is full. */
const BUSY_MS = 250;

type Entry = {
  readonly column: ElementColumn;
  next: number;
  done: number;
  unread: number;
  failure: string | undefined;
};

export function createHarvest({ catalog, tasks, onValues }: HarvestContext): Harvest {
  let entries: Entry[] = [];
  let changes = 0;
  const closed = new AbortController();
  const lanes = new Set<Promise<void>>();
  const running = new Map<AbortController, readonly Entry[]>();
  const isWanted = (entry: Entry) => entries.includes(entry) && entry.failure === undefined;

  /** The next files, for all columns for which these are the next. */
  function takeBatch(): { readonly first: number; readonly end: number; readonly for: readonly Entry[] } | undefined {
    const open = entries.filter(({ next, failure }) => failure === undefined && next < catalog.files.length);
    if (open.length === 0) return undefined;
    const first = Math.min(...open.map(({ next }) => next));
    // Up to where another column is, so that all of them are read together from there on.
    const later = open.flatMap(({ next }) => (next > first ? [next] : []));
    const end = Math.min(first + BATCH, catalog.files.length, ...later);
    const those = open.filter(({ next }) => next === first);
    for (const entry of those) entry.next = end;
    return { first, end, for: those };
  }

  async function readBatch(first: number, end: number, those: readonly Entry[], signal: AbortSignal): Promise<void> {
    const files = catalog.files.slice(first, end);
    const indices = files.map(({ index }) => index);
    await catalog.whenRead(indices);
    const columns = those.map(({ column }) => column);
    let output: HarvestOutput;
    try {
      const input = { sources: files.map(({ source }) => source), columns };
      output = await tasks.run(harvestTask, input, { of: files, signal, priority: 'prefetch' });
    } catch (error) {
      if (error instanceof ViewerError && error.code === 'decode_busy') {
        await pause(BUSY_MS, undefined, { signal, ref: false });
        return readBatch(first, end, those, signal);
      }
      if (signal.aborted || !(isHarmful(error) || error instanceof ViewerError)) throw error;
      if (end - first > 1) {
        // One of them is harmful: the others are read without it.
        const middle = (first + end) >>> 1;
        await readBatch(first, middle, those, signal);
        return readBatch(middle, end, those, signal);
      }
      output = { values: columns.map(() => [null]), unread: 1 };
    }
    await onValues({ first, names: columns.map(({ name }) => name), values: output.values });
    for (const entry of those) {
      entry.done += end - first;
      entry.unread += output.unread;
    }
    changes += 1;
  }

  async function work(): Promise<void> {
    for (let batch = takeBatch(); batch !== undefined && !closed.signal.aborted; batch = takeBatch()) {
      const { first, end, for: those } = batch;
      const giveUp = new AbortController();
      running.set(giveUp, those);
      try {
        await readBatch(first, end, those, giveUp.signal);
      } catch (error) {
        if (!giveUp.signal.aborted) {
          for (const entry of those) entry.failure ??= 'the files could not be read';
          changes += 1;
          if (!(error instanceof ViewerError)) throw error;
        }
      } finally {
        running.delete(giveUp);
      }
    }
  }

  function start(): void {
    while (!closed.signal.aborted && lanes.size < LANES && entries.some(isOpen)) {
      const lane = runLane();
      lanes.add(lane);
      void lane.finally(() => endLane(lane));
    }
  }

  async function runLane(): Promise<void> {
    // What fails was told to those who wait for the column.
    await work().catch(() => undefined);
  }

  function endLane(lane: Promise<void>): void {
    lanes.delete(lane);
    // Files may have been added since the last look.
    if (lanes.size === 0) start();
  }

  const isOpen = ({ next, failure }: Entry) => failure === undefined && next < catalog.files.length;

  function giveUpOthers(): void {
    for (const [controller, those] of running) if (!those.some(isWanted)) controller.abort(new Error('not wanted'));
  }

  const unsubscribe = catalog.subscribe(start);

  return {
    columns: () => entries,
    want(columns) {
      const known = new Map(entries.map((entry) => [entry.column.name, entry]));
      entries = columns.map((column) => {
        const entry = known.get(column.name);
        const isKept = entry !== undefined && entry.failure === undefined;
        return isKept ? entry : { column, next: 0, done: 0, unread: 0, failure: undefined };
      });
      changes += 1;
      giveUpOthers();
      start();
    },
    restart() {
      entries = entries.map(({ column, failure }) => ({ column, next: 0, done: 0, unread: 0, failure }));
      changes += 1;
      giveUpOthers();
      start();
    },
    fail(reason) {
      for (const entry of entries) if (entry.done < catalog.files.length) entry.failure ??= reason;
      changes += 1;
      giveUpOthers();
    },
    changes: () => changes,
    async settle(waitMs) {
      if (lanes.size === 0) return;
      const waited = new AbortController();
      const all = async () => {
        while (lanes.size > 0) await Promise.all(lanes);
      };
      await Promise.race([
        all(),
        pause(waitMs, undefined, { signal: waited.signal, ref: false }).catch(() => undefined),
      ]);
      waited.abort();
    },
    close() {
      closed.abort();
      unsubscribe();
      for (const controller of running.keys()) controller.abort(new Error('closed'));
    },
  };
}
