import type { SemanticContextResponse } from '../../shared/contract/semantics.ts';
import { send } from './send.ts';

/** What the pixel values of a segmentation, parametric map or dose mean. */
export async function fetchContext(fileIndex: number, signal: AbortSignal): Promise<SemanticContextResponse> {
  const response = await send(`api/file/${fileIndex}/semantic-context`, { signal });
  const body: SemanticContextResponse = await response.json();
  return body;
}
