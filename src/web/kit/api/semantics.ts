import type { SemanticContextResponse } from '../../../shared/contract/semantics.ts';
import { fetchJson } from './send.ts';

/** What the pixel values of a segmentation, parametric map or dose mean. */
export function fetchContext(fileIndex: number, signal: AbortSignal): Promise<SemanticContextResponse> {
  return fetchJson(`api/file/${fileIndex}/semantic-context`, { signal });
}
