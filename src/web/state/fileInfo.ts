import { useStore } from 'zustand';
import type { InfoResponse } from '../../shared/contract/info.ts';
import { fetchInfo } from '../api/files.ts';
import { createAnswers } from './answers.ts';
import { definePart, type Page, usePage } from './page.ts';

const infosOf = definePart((page) => createAnswers(page, { ask: fetchInfo, keyOf: Number }));

/** Changes with every response of /info. */
export function fileInfoOf(page: Page) {
  return infosOf(page).changes;
}

export function useFileInfo(fileIndex: number | undefined): InfoResponse | undefined {
  const page = usePage();
  return useStore(fileInfoOf(page), () => (fileIndex === undefined ? undefined : findInfo(page, fileIndex)));
}

export function findInfo(page: Page, fileIndex: number): InfoResponse | undefined {
  return infosOf(page).find(fileIndex);
}

/**
 * Requests the info unless it is already known. After a failure it stays absent, because the frames report what is
 * wrong.
 */
export function loadInfo(page: Page, fileIndex: number, signal: AbortSignal): Promise<InfoResponse | undefined> {
  return infosOf(page).load(fileIndex, signal);
}
