import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { type Answer, type Answers, createAnswers } from '../../kit/state/answers.ts';
import { libraryOf, useLibrary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';

/** Answers of the server about files, each requested once, and once more when all files are known. */
export type FileAnswers<T> = Answers<number, T>;

export function createFileAnswers<T>(
  page: Page,
  ask: (fileIndex: number, signal: AbortSignal) => Promise<T>,
): FileAnswers<T> {
  return createAnswers(page, { ask, keyOf: Number, stateOf: () => isScanComplete(page), keepsFailures: true });
}

/** Requests answers, and again when all files are known, because sources may have been found since. */
export function useFileAnswers<T>(answers: FileAnswers<T>, fileIndices: readonly number[]): void {
  const page = usePage();
  const isComplete = useLibrary(() => isScanComplete(page));
  useEffect(() => {
    for (const index of fileIndices) void answers.load(index);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- `isComplete` triggers a new request
  }, [answers, fileIndices, isComplete]);
}

/** Requests the answer about one file. */
export function useFileAnswer<T>(answers: FileAnswers<T>, fileIndex: number): Pick<Answer<T>, 'value' | 'error'> {
  useFileAnswers(
    answers,
    useMemo(() => [fileIndex], [fileIndex]),
  );
  const value = useStore(answers.changes, () => answers.find(fileIndex));
  const error = useStore(answers.changes, () => answers.findError(fileIndex));
  return { value, error };
}

export function isScanComplete(page: Page): boolean {
  const { summary } = libraryOf(page).getState();
  return summary?.scan_complete === true && !summary.more;
}
