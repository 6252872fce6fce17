import type { FilesResponse } from '../../../shared/contract/files.ts';
import type { InfoResponse } from '../../../shared/contract/info.ts';
import type { SeriesResponse } from '../../../shared/contract/series.ts';
import { type FilesPage, filesPath } from '../../../shared/filesPath.ts';
import { fetchJson } from './send.ts';

export function fetchFiles(page: FilesPage, signal: AbortSignal): Promise<FilesResponse> {
  return fetchJson(filesPath(page), { signal });
}

export function fetchSeries(signal: AbortSignal): Promise<SeriesResponse> {
  return fetchJson('api/series', { signal });
}

export function fetchInfo(fileIndex: number, signal: AbortSignal): Promise<InfoResponse> {
  return fetchJson(`api/file/${fileIndex}/info`, { signal });
}
