import type { SeriesResponse } from '../../shared/contract/series.ts';
import { send } from './send.ts';

export async function fetchSeries(signal: AbortSignal): Promise<SeriesResponse> {
  const response = await send('api/series', { signal });
  const body: SeriesResponse = await response.json();
  return body;
}
