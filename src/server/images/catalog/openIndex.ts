import type { NamedPlace, SourceRef } from '../../bytes/origins/origins.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { FileCriterion } from '../../../shared/fileFilter.ts';
import { type IndexRows, readIndexRowsTask } from './indexTasks.ts';
import type { IndexDescription } from './readIndex.ts';
import { packResults } from './scanResult.ts';

/** Indexes of files, and the rows of them that are opened. */
export type ChosenIndexes = {
  readonly indexes: readonly { readonly source: SourceRef; readonly description: IndexDescription }[];
};

/** Each of them may have taken the whole time, and a thread. */
const MOST_FAILURES = 8;

export type OpenIndexOptions = {
  readonly tasks: TaskRunner;
  readonly filters: readonly FileCriterion[];
  /** Where files on other machines may be: an index does not decide which machines are asked. */
  readonly places: readonly NamedPlace[];
  /** Called with what the user should know. */
  readonly onTrouble: (message: string) => void;
  readonly signal: AbortSignal;
};

/** Reads the chosen rows, group by group, in worker threads, the next group while one is added. */
export async function* openIndexes(
  { indexes }: ChosenIndexes,
  { tasks, filters, places, onTrouble, signal }: OpenIndexOptions,
): AsyncGenerator<IndexRows, void> {
  const parts = indexes.flatMap(({ source, description }) => description.parts.map((rows) => ({ source, ...rows })));
  let failures = 0;
  const read = (at: number): Promise<IndexRows> | undefined => {
    const part = parts[at];
    if (part === undefined) return undefined;
    const { source: index, from, to } = part;
    if (failures >= MOST_FAILURES) return Promise.resolve(refusePart(from, to));
    const input = { index, from, to, filters, places };
    return tasks.run(readIndexRowsTask, input, { signal }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      // The other rows can still be used.
      failures += 1;
      const reason = error instanceof Error ? error.message : String(error);
      onTrouble(`rows ${from} to ${to - 1} of an index cannot be read: ${reason}`);
      return refusePart(from, to);
    });
  };
  let missing = 0;
  let example = '';
  let next = read(0);
  for (let at = 1; next !== undefined; at += 1) {
    const rows = await next;
    next = read(at);
    missing += rows.elsewhere.length;
    example ||= rows.elsewhere[0] ?? '';
    yield rows;
  }
  if (missing === 0) return;
  onTrouble(
    `${missing} files of the index are not shown: they are at addresses that this command does not name, such as ${example}`,
  );
}

function refusePart(from: number, to: number): IndexRows {
  const entry = {
    disposition: 'skipped',
    path: `rows ${from} to ${to - 1} of the index`,
    reason: 'index_damaged',
  } as const;
  return { results: packResults([entry]), elsewhere: [] };
}
