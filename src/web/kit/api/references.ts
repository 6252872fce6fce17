import type { ReferencedByResponse, ReferencesResponse } from '../../../shared/contract/references.ts';
import { fetchJson } from './send.ts';

/** The objects that a file refers to. */
export function fetchReferences(fileIndex: number, signal: AbortSignal): Promise<ReferencesResponse> {
  return fetchJson(`api/file/${fileIndex}/references`, { signal });
}

/** The objects that refer to a file. */
export function fetchReferencedBy(fileIndex: number, signal: AbortSignal): Promise<ReferencedByResponse> {
  return fetchJson(`api/file/${fileIndex}/referenced-by`, { signal });
}
