import type { DocumentResponse } from '../../shared/contract/documents.ts';
import { fetchJson } from './send.ts';

/** What an object is and says. */
export function fetchDocument(fileIndex: number, signal: AbortSignal): Promise<DocumentResponse> {
  return fetchJson(`api/file/${fileIndex}/document`, { signal });
}
