import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { createLoader } from '../loading/createLoader.ts';
import { libraryStore, useLibrary } from '../state/library.ts';

/** What is known of one file. While it is asked again, the answer before stays. */
export type FileAnswer<T> = { readonly value: T | undefined; readonly error: Error | undefined };

/** Answers of the server about files, each asked for once, and once more when all files are known. */
export interface FileAnswers<T> {
  /** Calls back when an answer has changed. */
  subscribe(listener: () => void): () => void;
  /** The answer, when it is there; undefined where it failed. */
  load(fileIndex: number): Promise<T | undefined>;
  find(fileIndex: number): T | undefined;
  /** The answers that are there, by file. */
  all(): ReadonlyMap<number, T>;
  retry(fileIndex: number): void;
  /** Asks for it, and again when all files are known: sources may have been found since. */
  use(fileIndex: number): FileAnswer<T>;
  /** What follows from the answers; the same object while they are the same. */
  useDerived<R>(derive: (state: unknown) => R): R;
}

/** An answer from before all files were known may change. */
type Question = { readonly fileIndex: number; readonly isFinal: boolean };

export function createFileAnswers<T>(
  fetchAnswer: (fileIndex: number, signal: AbortSignal) => Promise<T>,
): FileAnswers<T> {
  const loader = createLoader<Question, T>({
    keyOf: ({ fileIndex, isFinal }) => `${fileIndex}${isFinal ? '' : ' so far'}`,
    load: ({ fileIndex }, { signal }) => fetchAnswer(fileIndex, signal),
    // One answer for each segmentation that was shown: they stay as long as the files do.
    bytesOf: () => 0,
    budgetBytes: Infinity,
    pace: { admits: () => true, admitsPrefetch: () => false, keepsUnwanted: () => true },
  });
  const asked = new Set<number>();
  /** Changes with every answer, because components compare what they follow. */
  const changes = createStore<{ readonly count: number }>(() => ({ count: 0 }));
  const tell = () => changes.setState(({ count }) => ({ count: count + 1 }));
  loader.onOutcome(tell);

  const findOutcome = (fileIndex: number) =>
    loader.find({ fileIndex, isFinal: true }) ?? loader.find({ fileIndex, isFinal: false });
  const findAnswer = (fileIndex: number): FileAnswer<T> => {
    const outcome = findOutcome(fileIndex);
    if (outcome === undefined) return NOTHING_YET;
    return outcome.status === 'ready'
      ? { value: outcome.value, error: undefined }
      : { ...NOTHING_YET, error: outcome.error };
  };
  const load = async (fileIndex: number, isFinal = isScanComplete()): Promise<T | undefined> => {
    asked.add(fileIndex);
    // A failure stays until it is tried again.
    const isOver =
      findOutcome(fileIndex)?.status === 'failed' || loader.find({ fileIndex, isFinal: true }) !== undefined;
    if (!isOver) await loader.load({ fileIndex, isFinal });
    return findAnswer(fileIndex).value;
  };

  // Another run of the server gives its files other numbers.
  libraryStore.subscribe(({ serverRuns }, before) => {
    if (serverRuns === before.serverRuns) return;
    loader.clear();
    asked.clear();
    tell();
  });

  return {
    subscribe: changes.subscribe,
    load,
    find: (fileIndex) => findAnswer(fileIndex).value,
    all() {
      const answers = [...asked].map((fileIndex) => [fileIndex, findAnswer(fileIndex).value] as const);
      return new Map(answers.flatMap(([fileIndex, value]) => (value === undefined ? [] : [[fileIndex, value]])));
    },
    retry(fileIndex) {
      loader.retry([true, false].map((isFinal) => ({ fileIndex, isFinal })));
      void load(fileIndex);
    },
    use(fileIndex) {
      const isComplete = useLibrary(isScanComplete);
      useEffect(() => void load(fileIndex, isComplete), [fileIndex, isComplete]);
      const outcome = useStore(changes, () => findOutcome(fileIndex));
      return outcome === undefined ? NOTHING_YET : findAnswer(fileIndex);
    },
    useDerived: (derive) => useStore(changes, derive),
  };
}

const NOTHING_YET = { value: undefined, error: undefined };

export function isScanComplete(): boolean {
  const { summary } = libraryStore.getState();
  return summary?.scan_complete === true && !summary.more;
}
