import type { SearchEnd } from '../../../shared/contract/search.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { isHarmful } from '../../machine/workers/taskErrors.ts';
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
type SearchedBatch = { readonly found: FoundElements; readonly count: number };

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
  const running: Promise<SearchedBatch>[] = [];
  const end = { files: 0, matches: 0, isWhole: true };

  const begin = (from: number) => {
    const files = catalog.files.slice(from, from + BATCH).filter(({ index }) => !catalog.gone.files.has(index));
    const found = searchBatch({ catalog, tasks }, files, { wish, signal });
    const batch = found.then((elements) => ({ found: elements, count: files.length }));
    // It is awaited in the order of the files; one that fails meanwhile is no unhandled rejection.
    batch.catch(() => undefined);
    running.push(batch);
  };
  const take = async (batch: Promise<SearchedBatch>): Promise<Bytes> => {
    const { found, count } = await batch;
    end.files += count;
    end.matches += found.matches;
    end.isWhole &&= found.isWhole;
    return found.lines;
  };

  let next = 0;
  for (; next < length && end.matches < MOST_MATCHES; next += BATCH) {
    begin(next);
    if (running.length >= AHEAD) yield await take(running.shift()!);
  }
  for (const batch of running) yield await take(batch);
  const { files, matches, isWhole } = end;
  const last: SearchEnd = { done: true, files, matches, is_complete: isWhole && isAll && next >= length };
  yield new TextEncoder().encode(`${JSON.stringify(last)}\n`);
}

const NOTHING: FoundElements = { lines: new Uint8Array(0), matches: 0, isWhole: true };

async function searchBatch(
  context: SearchedFiles,
  files: readonly DicomFile[],
  { wish, signal }: { readonly wish: SearchWish; readonly signal: AbortSignal },
): Promise<FoundElements> {
  if (files.length === 0) return NOTHING;
  await context.catalog.whenRead(files.map(({ index }) => index));
  const input = { files: files.map(({ source, index }) => ({ source, index })), wish };
  try {
    return await context.tasks.run(searchTask, input, { of: files, signal, priority: 'prefetch', isAwaited: true });
  } catch (error) {
    if (signal.aborted || !isHarmful(error)) throw error;
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
