import type { SearchEnd } from '../../../shared/contract/search.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { TaskQuarantined, TaskTimeout, WorkerDied } from '../../machine/workers/taskErrors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { type FoundElements, searchTask, type SearchWish } from './searchTasks.ts';

/** Files that one task searches. */
const BATCH = 32;
/** Tasks at a time. */
const AHEAD = 2;
/** More matches are no answer to a question. */
const MOST_MATCHES = 10_000;
const MOST_OF_FILE = 200;

export type SearchedFiles = {
  readonly catalog: Pick<Catalog, 'files' | 'gone' | 'progress' | 'whenRead'>;
  readonly tasks: TaskRunner;
};

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Searches all elements of all files that are open when it begins, in their order. It ends with its client: the next files are
 * read when the lines before have been taken.
 */
export async function* searchAll(
  { catalog, tasks }: SearchedFiles,
  wished: Omit<SearchWish, 'mostOfFile'>,
  signal: AbortSignal,
): AsyncGenerator<Bytes, void> {
  const wish: SearchWish = { ...wished, text: wished.text.toLowerCase(), mostOfFile: MOST_OF_FILE };
  const { length } = catalog.files;
  const isAll = catalog.progress.scanComplete;
  const running: { readonly count: number; readonly output: Promise<FoundElements> }[] = [];
  let next = 0;
  let searched = 0;
  let matches = 0;
  let isWhole = true;

  const begin = () => {
    const files = catalog.files
      .slice(next, Math.min(next + BATCH, length))
      .filter(({ index }) => !catalog.gone.files.has(index));
    next = Math.min(next + BATCH, length);
    const output =
      files.length === 0 ? Promise.resolve(NOTHING) : searchBatch({ catalog, tasks }, files, { wish, signal });
    // It is awaited in the order of the files; one that fails meanwhile is no unhandled rejection.
    output.catch(() => undefined);
    running.push({ count: files.length, output });
  };

  while (next < length || running.length > 0) {
    while (next < length && running.length < AHEAD && matches < MOST_MATCHES) begin();
    const batch = running.shift();
    if (batch === undefined) break;
    const output = await batch.output;
    searched += batch.count;
    matches += output.matches;
    isWhole &&= output.isWhole;
    if (output.lines.length > 0) yield output.lines;
  }
  const end: SearchEnd = { done: true, files: searched, matches, is_complete: isWhole && isAll && next >= length };
  yield new TextEncoder().encode(`${JSON.stringify(end)}\n`);
}

const NOTHING: FoundElements = { lines: new Uint8Array(0), matches: 0, isWhole: true };

async function searchBatch(
  context: SearchedFiles,
  files: readonly DicomFile[],
  { wish, signal }: { readonly wish: SearchWish; readonly signal: AbortSignal },
): Promise<FoundElements> {
  await context.catalog.whenRead(files.map(({ index }) => index));
  const input = { files: files.map(({ source, index }) => ({ source, index })), wish };
  try {
    return await context.tasks.run(searchTask, input, { of: files, signal, priority: 'prefetch', isAwaited: true });
  } catch (error) {
    const isOfFile = error instanceof TaskTimeout || error instanceof WorkerDied || error instanceof TaskQuarantined;
    if (signal.aborted || !isOfFile) throw error;
    // One of them is harmful: the others are searched without it.
    if (files.length === 1) return { ...NOTHING, isWhole: false };
    const middle = files.length >>> 1;
    const first = await searchBatch(context, files.slice(0, middle), { wish, signal });
    const second = await searchBatch(context, files.slice(middle), { wish, signal });
    const lines = new Uint8Array(first.lines.length + second.lines.length);
    lines.set(first.lines);
    lines.set(second.lines, first.lines.length);
    return { lines, matches: first.matches + second.matches, isWhole: first.isWhole && second.isWhole };
  }
}
