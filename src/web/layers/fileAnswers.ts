import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { createLoader } from '../loading/createLoader.ts';
import { libraryOf, useLibrary } from '../state/library.ts';
import { type Page, usePage } from '../state/page.ts';

/** What is known of one file. While it is requested again, the previous answer stays. */
export type FileAnswer<T> = { readonly value: T | undefined; readonly error: Error | undefined };

/** Answers of the server about files, each requested once, and once more when all files are known. */
export interface FileAnswers<T> {
  /** Changes with every answer. */
  readonly changes: StoreApi<{ readonly count: number }>;
  /** Resolves with the answer; undefined if the request failed. */
  load(fileIndex: number, isFinal?: boolean): Promise<T | undefined>;
  find(fileIndex: number): T | undefined;
  /** The available answers, by file. */
  all(): ReadonlyMap<number, T>;
  findError(fileIndex: number): Error | undefined;
  retry(fileIndex: number): void;
  /** Requests answers again that a decision of the user has changed, of one file or of all that were requested. */
  renew(fileIndex?: number): Promise<void>;
  /** Changes with `renew`, once the new answer is there. */
  versionOf(fileIndex: number): number;
}

/** An answer from before all files were known is not final, and one from before a decision of the user is outdated. */
type Question = { readonly fileIndex: number; readonly isFinal: boolean; readonly version: number };

export function createFileAnswers<T>(
  page: Page,
  fetchAnswer: (fileIndex: number, signal: AbortSignal) => Promise<T>,
): FileAnswers<T> {
  const loader = createLoader<Question, T>({
    keyOf: ({ fileIndex, isFinal, version }) => `${fileIndex}${isFinal ? '' : ' so far'} ${version}`,
    load: ({ fileIndex }, { signal }) => fetchAnswer(fileIndex, signal),
    // One answer for each layer that was shown; they are kept as long as the files.
    bytesOf: () => 0,
    budgetBytes: Infinity,
    pace: { admits: () => true, admitsPrefetch: () => false, keepsUnwanted: () => true },
  });
  /** Files that have been requested. */
  const asked = new Set<number>();
  /** How often answers were renewed. */
  const versions = new Map<number, number>();
  const changes = createStore<{ readonly count: number }>(() => ({ count: 0 }));
  const tell = () => changes.setState(({ count }) => ({ count: count + 1 }));
  loader.onOutcome(tell);
  page.onRestartFirst(() => {
    loader.clear();
    asked.clear();
    versions.clear();
  });
  page.onRestart(tell);

  const currentOf = (fileIndex: number) => versions.get(fileIndex) ?? 0;
  const findIn = (fileIndex: number, version: number) =>
    loader.find({ fileIndex, isFinal: true, version }) ?? loader.find({ fileIndex, isFinal: false, version });
  /** Until a renewed answer is there, the one before holds. */
  const versionOf = (fileIndex: number) => {
    const current = currentOf(fileIndex);
    return current > 0 && findIn(fileIndex, current) === undefined ? current - 1 : current;
  };
  const findOutcome = (fileIndex: number) => findIn(fileIndex, versionOf(fileIndex));
  const find = (fileIndex: number) => {
    const outcome = findOutcome(fileIndex);
    return outcome?.status === 'ready' ? outcome.value : undefined;
  };
  const load = async (fileIndex: number, isFinal = isScanComplete(page)): Promise<T | undefined> => {
    // A failure stays until the user retries.
    const version = currentOf(fileIndex);
    const isOver =
      findIn(fileIndex, version)?.status === 'failed' ||
      loader.find({ fileIndex, isFinal: true, version }) !== undefined;
    asked.add(fileIndex);
    if (!isOver) await loader.load({ fileIndex, isFinal, version });
    return find(fileIndex);
  };

  return {
    changes,
    load,
    find,
    all() {
      const answers = [...asked].map((fileIndex) => [fileIndex, find(fileIndex)] as const);
      return new Map(answers.flatMap(([fileIndex, value]) => (value === undefined ? [] : [[fileIndex, value]])));
    },
    findError(fileIndex) {
      const outcome = findOutcome(fileIndex);
      return outcome?.status === 'failed' ? outcome.error : undefined;
    },
    retry(fileIndex) {
      const version = currentOf(fileIndex);
      loader.retry([true, false].map((isFinal) => ({ fileIndex, isFinal, version })));
      void load(fileIndex);
    },
    async renew(fileIndex) {
      const files = fileIndex === undefined ? [...asked] : asked.has(fileIndex) ? [fileIndex] : [];
      for (const index of files) versions.set(index, currentOf(index) + 1);
      // One after the other, because there may be many.
      for (const index of files) await load(index);
    },
    versionOf,
  };
}

/** Requests the answer, and again when all files are known, because sources may have been found since. */
export function useFileAnswer<T>(answers: FileAnswers<T>, fileIndex: number): FileAnswer<T> {
  const page = usePage();
  const isComplete = useLibrary(() => isScanComplete(page));
  useEffect(() => void answers.load(fileIndex, isComplete), [answers, fileIndex, isComplete]);
  const value = useStore(answers.changes, () => answers.find(fileIndex));
  const error = useStore(answers.changes, () => answers.findError(fileIndex));
  return { value, error };
}

export function isScanComplete(page: Page): boolean {
  const { summary } = libraryOf(page).getState();
  return summary?.scan_complete === true && !summary.more;
}
