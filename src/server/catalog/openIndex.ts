import type { NamedPlace, SourceRef } from '../origins/origins.ts';
import type { TaskRunner } from '../workers/task.ts';
import type { Filter } from './filter.ts';
import { type IndexRows, readIndexRowsTask } from './indexTasks.ts';
import type { IndexDescription } from './readIndex.ts';

/** Indexes of files, and the rows of them that are opened. */
export type ChosenIndexes = {
  readonly indexes: readonly { readonly source: SourceRef; readonly description: IndexDescription }[];
  readonly where: string | undefined;
};

const TIMEOUT_MS = 60_000;
/** The text of a group of rows, decoded, several times over. */
const GROUP_BYTES = 128 * 2 ** 20;

export type OpenIndexOptions = {
  readonly tasks: TaskRunner;
  readonly filters: readonly Filter[];
  /** Where files on other machines may be: an index does not decide which machines are asked. */
  readonly places: readonly NamedPlace[];
  /** Called with what the user should know. */
  readonly onTrouble: (message: string) => void;
  readonly signal: AbortSignal;
};

/** Reads the chosen rows, group by group, in worker threads, the next group while one is added. */
export async function* openIndexes(
  { indexes, where }: ChosenIndexes,
  { tasks, filters, places, onTrouble, signal }: OpenIndexOptions,
): AsyncGenerator<IndexRows, void> {
  const memory = { bytes: GROUP_BYTES, isUpperBound: true };
  const groups = indexes.flatMap(({ source, description }) => description.groups.map((rows) => ({ source, ...rows })));
  const read = (at: number) => {
    const group = groups[at];
    if (group === undefined) return undefined;
    const input = { index: group.source, from: group.from, to: group.to, where, filters, places };
    const reading = tasks.run(readIndexRowsTask, input, { timeoutMs: TIMEOUT_MS, memory, signal });
    // A failure is thrown when its turn comes.
    reading.catch(() => undefined);
    return reading;
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
