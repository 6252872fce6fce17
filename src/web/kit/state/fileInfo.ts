import { createStore } from 'zustand/vanilla';
import { useStore } from 'zustand';
import type { InfoResponse } from '../../../shared/contract/info.ts';
import { fetchInfo } from '../api/files.ts';
import { definePart, type Page, usePage } from './page.ts';

/** Responses of /info that have been requested so far, by file index. */
export const fileInfoOf = definePart((page) => {
  const store = createStore<{ readonly infos: ReadonlyMap<number, InfoResponse> }>(() => ({ infos: new Map() }));
  page.onRestart(() => store.setState({ infos: new Map() }));
  return store;
});

export function useFileInfo(fileIndex: number | undefined): InfoResponse | undefined {
  const page = usePage();
  return useStore(fileInfoOf(page), ({ infos }) => (fileIndex === undefined ? undefined : infos.get(fileIndex)));
}

export function findInfo(page: Page, fileIndex: number): InfoResponse | undefined {
  return fileInfoOf(page).getState().infos.get(fileIndex);
}

/**
 * Requests the info unless it is already known. After a failure it stays absent, because the frames report what is
 * wrong.
 */
export async function loadInfo(page: Page, fileIndex: number, signal: AbortSignal): Promise<InfoResponse | undefined> {
  const known = findInfo(page, fileIndex);
  if (known !== undefined) return known;
  try {
    const info = await fetchInfo(fileIndex, page.untilRestart(signal));
    fileInfoOf(page).setState(({ infos }) => ({ infos: new Map(infos).set(fileIndex, info) }));
    return info;
  } catch {
    return undefined;
  }
}
