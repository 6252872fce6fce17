import { askWhileBusy } from '../../machine/workers/askWhileBusy.ts';
import type { CachePart, MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { References } from '../references/references.ts';
import type { SeriesList } from '../series/seriesList.ts';
import type { Tables } from '../tables/tables.ts';
import type { PackedFacts } from './factTasks.ts';
import type { FindingList } from './finding.ts';

export type AuditContext = {
  readonly catalog: Pick<Catalog, 'files' | 'gone' | 'progress' | 'whenRead' | 'skippedByReason' | 'notShown'>;
  readonly tasks: TaskRunner;
  readonly memory: Pick<MemoryAccount, 'plan'>;
  /** Facts of files that were read before. */
  readonly kept: CachePart<PackedFacts>;
  readonly references: Pick<References, 'instances' | 'read'>;
  readonly series: Pick<SeriesList, 'inspect'>;
  readonly tables: Pick<Tables, 'choose'>;
};

/** How far a part of an audit is. */
export type AuditProgress = { readonly doing: string; readonly done: number; readonly total: number };

/** One run of audits: the files that it looks at, and who waits for it. */
export type AuditRun = {
  /** Those that are there and were chosen, in their order. */
  readonly files: readonly DicomFile[];
  /** By index. */
  readonly isChosen: (file: number) => boolean;
  /** Whether another run may follow, for which what is read is kept. */
  readonly isKept: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: AuditProgress) => void;
};

/** Adds what a part of an audit finds to a list. Returns whether no limit has cut what it looked at. */
export type AuditPart = (context: AuditContext, run: AuditRun, found: FindingList) => Promise<boolean>;

/** An audit waits until the threads have time for it, however long. */
const LONGEST_WAIT_MS = 3_600_000;

export function waitUntilFree<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  return askWhileBusy(work, () => ({ waitMs: LONGEST_WAIT_MS, signal }));
}

/** The results in the order of the items. Work on some items is begun ahead, and ends with the caller. */
export async function* workAhead<Item, Result>(
  items: Iterable<Item>,
  most: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<{ readonly item: Item; readonly result: Result }, void> {
  const running: { readonly item: Item; readonly result: Promise<Result> }[] = [];
  const iterator = items[Symbol.iterator]();
  const begin = () => {
    const next = iterator.next();
    if (next.done === true) return;
    const result = work(next.value);
    // It is awaited in its turn; one that fails before that is no unhandled rejection.
    result.catch(() => undefined);
    running.push({ item: next.value, result });
  };
  while (running.length < most) {
    const before = running.length;
    begin();
    if (running.length === before) break;
  }
  for (let first = running.shift(); first !== undefined; first = running.shift()) {
    const result = await first.result;
    begin();
    yield { item: first.item, result };
  }
}
