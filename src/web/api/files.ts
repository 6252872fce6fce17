import type { FilesResponse } from '../../shared/contract/files.ts';
import { send } from './send.ts';

export type FilesPage = { readonly since: number; readonly limit: number };

export async function fetchFiles({ since, limit }: FilesPage, signal: AbortSignal): Promise<FilesResponse> {
  const response = await send(`api/files?since=${since}&limit=${limit}`, { signal });
  const body: FilesResponse = await response.json();
  return body;
}
