import type { PresentationResponse } from '../../../shared/contract/presentation.ts';
import { fetchJson } from './send.ts';

/** What a presentation state or a key object selection says. */
export function fetchPresentation(fileIndex: number, signal: AbortSignal): Promise<PresentationResponse> {
  return fetchJson(`api/file/${fileIndex}/presentation`, { signal });
}
