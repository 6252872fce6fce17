import { useStore } from 'zustand';
import type { InfoResponse } from '../../../shared/contract/info.ts';
import { fetchInfo } from '../api/files.ts';
import { createAnswers } from './answers.ts';
import { definePart, type Page, usePage } from './page.ts';

/** What /info says of files, by their index. The texts of an image ask again and again, so many are kept. */
export const fileInfoOf = definePart((page) =>
  createAnswers<number, InfoResponse>(page, { ask: fetchInfo, keyOf: (fileIndex) => fileIndex, most: 100_000 }),
);

export function useFileInfo(fileIndex: number | undefined): InfoResponse | undefined {
  const page = usePage();
  return useStore(fileInfoOf(page).changes, () => (fileIndex === undefined ? undefined : findInfo(page, fileIndex)));
}

export function findInfo(page: Page, fileIndex: number): InfoResponse | undefined {
  return fileInfoOf(page).find(fileIndex);
}

/** Undefined after a failure, because the frames report what is wrong. */
export function loadInfo(page: Page, fileIndex: number, signal: AbortSignal): Promise<InfoResponse | undefined> {
  return fileInfoOf(page).load(fileIndex, signal);
}
