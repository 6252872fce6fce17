import type { ReviewQuery, ReviewResponse, ReviewUnitResponse, VerdictBody } from '../../../shared/contract/review.ts';
import { fetchJson } from './send.ts';

export async function fetchReview(
  { files, ...query }: ReviewQuery,
  signal: AbortSignal,
): Promise<ReviewResponse['review']> {
  const wanted = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const ofFiles = files === undefined ? '' : `&files=${files.join()}`;
  const { review }: ReviewResponse = await fetchJson(`api/review?${wanted}${ofFiles}`, { signal });
  return review;
}

export function fetchReviewUnit(unit: number, signal: AbortSignal): Promise<ReviewUnitResponse> {
  return fetchJson(`api/review/${unit}`, { signal });
}

/** Refused as `stale_verdict` if the decision has changed since `etag`. */
export function writeVerdict(
  unit: number,
  body: VerdictBody,
  etag: string,
  signal: AbortSignal,
): Promise<ReviewUnitResponse> {
  const headers = { 'Content-Type': 'application/json', 'If-Match': etag };
  return fetchJson(`api/review/${unit}`, { method: 'PUT', headers, body: JSON.stringify(body), signal });
}
