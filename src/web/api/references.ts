import type { ReferencedByResponse, ReferencesResponse } from '../../shared/contract/references.ts';
import { send } from './send.ts';

/** The objects that a file refers to. */
export async function fetchReferences(fileIndex: number, signal: AbortSignal): Promise<ReferencesResponse> {
  const response = await send(`api/file/${fileIndex}/references`, { signal });
  const body: ReferencesResponse = await response.json();
  return body;
}

/** The objects that refer to a file. */
export async function fetchReferencedBy(fileIndex: number, signal: AbortSignal): Promise<ReferencedByResponse> {
  const response = await send(`api/file/${fileIndex}/referenced-by`, { signal });
  const body: ReferencedByResponse = await response.json();
  return body;
}
