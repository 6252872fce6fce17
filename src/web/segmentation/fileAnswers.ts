import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { libraryStore, useLibrary } from '../state/library.ts';

/** What is known of one file. While it is asked again, the answer before stays. */
export type FileAnswer<T> = { readonly value: T | undefined; readonly error: Error | undefined };

/** Answers of the server about files, each asked for once. */
export interface FileAnswers<T> {
  readonly store: StoreApi<{ readonly answers: ReadonlyMap<number, FileAnswer<T>> }>;
  /** The answer, when it is there; undefined where it failed. */
  load(fileIndex: number): Promise<T | undefined>;
  find(fileIndex: number): T | undefined;
  retry(fileIndex: number): void;
  /** Asks for it, and again when all files are known: sources may have been found since. */
  use(fileIndex: number): FileAnswer<T>;
}

const NOTHING_YET = { value: undefined, error: undefined };

export function createFileAnswers<T>(
  fetchAnswer: (fileIndex: number, signal: AbortSignal) => Promise<T>,
): FileAnswers<T> {
  const store = createStore<{ readonly answers: ReadonlyMap<number, FileAnswer<T>> }>(() => ({ answers: new Map() }));
  let inFlight = new Map<number, Promise<T | undefined>>();
  /** Asked for when all files were known: it does not change any more. */
  let final = new Set<number>();
  let controller = new AbortController();

  const put = (fileIndex: number, answer: FileAnswer<T>) =>
    store.setState(({ answers }) => ({ answers: new Map(answers).set(fileIndex, answer) }));

  const ask = async (fileIndex: number, isFinal: boolean): Promise<T | undefined> => {
    const { signal } = controller;
    try {
      const value = await fetchAnswer(fileIndex, signal);
      if (isFinal) final.add(fileIndex);
      put(fileIndex, { value, error: undefined });
      return value;
    } catch (error) {
      if (signal.aborted) return undefined;
      final.add(fileIndex);
      put(fileIndex, { value: undefined, error: error instanceof Error ? error : new Error(String(error)) });
      return undefined;
    } finally {
      inFlight.delete(fileIndex);
    }
  };
  const load = (fileIndex: number, isFinal = isScanComplete()) => {
    if (final.has(fileIndex)) return Promise.resolve(store.getState().answers.get(fileIndex)?.value);
    const running = inFlight.get(fileIndex) ?? ask(fileIndex, isFinal);
    inFlight.set(fileIndex, running);
    return running;
  };

  // Another run of the server gives its files other numbers.
  libraryStore.subscribe(({ serverRuns }, before) => {
    if (serverRuns === before.serverRuns) return;
    controller.abort();
    controller = new AbortController();
    inFlight = new Map();
    final = new Set();
    store.setState({ answers: new Map() });
  });

  return {
    store,
    load,
    find: (fileIndex) => store.getState().answers.get(fileIndex)?.value,
    retry(fileIndex) {
      final.delete(fileIndex);
      put(fileIndex, NOTHING_YET);
      void load(fileIndex);
    },
    use(fileIndex) {
      const isComplete = useLibrary(isScanComplete);
      useEffect(() => void load(fileIndex, isComplete), [fileIndex, isComplete]);
      return useStore(store, ({ answers }) => answers.get(fileIndex) ?? NOTHING_YET);
    },
  };
}

export function isScanComplete(): boolean {
  const { summary } = libraryStore.getState();
  return summary?.scan_complete === true && !summary.more;
}
