import { createStore } from 'zustand/vanilla';
import { useStore } from 'zustand';
import type { InfoResponse } from '../../shared/contract/info.ts';
import { fetchInfo } from '../api/info.ts';

/** Responses of /info that have been requested so far, by file index. */
export const fileInfoStore = createStore<{ readonly infos: ReadonlyMap<number, InfoResponse> }>(() => ({
  infos: new Map(),
}));

export function useFileInfo(fileIndex: number | undefined): InfoResponse | undefined {
  return useStore(fileInfoStore, ({ infos }) => (fileIndex === undefined ? undefined : infos.get(fileIndex)));
}

export function findInfo(fileIndex: number): InfoResponse | undefined {
  return fileInfoStore.getState().infos.get(fileIndex);
}

/**
 * Requests the info unless it is already known. After a failure it stays absent, because the frames report what is
 * wrong.
 */
export async function loadInfo(fileIndex: number, signal: AbortSignal): Promise<InfoResponse | undefined> {
  const known = findInfo(fileIndex);
  if (known !== undefined) return known;
  try {
    const info = await fetchInfo(fileIndex, signal);
    fileInfoStore.setState(({ infos }) => ({ infos: new Map(infos).set(fileIndex, info) }));
    return info;
  } catch {
    return undefined;
  }
}

/** For a server restart, after which the file indices refer to other files. */
export function forgetInfos(): void {
  fileInfoStore.setState({ infos: new Map() });
}
