import type { FilesResponse } from '../../shared/contract/files.ts';
import { type FilesPage, filesPath } from '../../shared/filesPath.ts';
import { send } from './send.ts';

export async function fetchFiles(page: FilesPage, signal: AbortSignal): Promise<FilesResponse> {
  const response = await send(filesPath(page), { signal });
  const body: FilesResponse = await response.json();
  return body;
}
