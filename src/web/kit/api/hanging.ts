import type { HangingResponse } from '../../../shared/contract/hanging.ts';
import { fetchJson } from './send.ts';

export function fetchHanging(signal: AbortSignal): Promise<HangingResponse> {
  return fetchJson('api/hanging', { signal });
}
