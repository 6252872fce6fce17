import type { ComparisonQuery, ComparisonResponse } from '../../../shared/contract/comparison.ts';
import { fetchJson } from './send.ts';

/** How far two layers over one stack agree. */
export function fetchComparison(
  { pairs, ...query }: ComparisonQuery,
  signal: AbortSignal,
): Promise<ComparisonResponse> {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) written.set(name, String(value));
  if (pairs !== undefined) written.set('pairs', pairs.join(','));
  return fetchJson(`api/compare?${written}`, { signal });
}
