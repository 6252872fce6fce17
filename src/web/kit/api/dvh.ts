import type { DvhResponse } from '../../../shared/contract/dvh.ts';
import { fetchJson } from './send.ts';

/** The dose in one part of a structure set or segmentation. */
export function fetchDvh(
  { volumes, dose, part }: { readonly volumes: number; readonly dose: number; readonly part: number },
  signal: AbortSignal,
): Promise<DvhResponse> {
  return fetchJson(`api/file/${volumes}/dvh?dose=${dose}&parts=${part}`, { signal });
}
