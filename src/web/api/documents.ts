import type { DocumentResponse } from '../../shared/contract/documents.ts';
import type { PlanResponse } from '../../shared/contract/plans.ts';
import type { MeasurementsResponse, ReportResponse } from '../../shared/contract/reports.ts';
import { fetchJson, send } from './send.ts';

/** What an object is and says. */
export function fetchDocument(fileIndex: number, signal: AbortSignal): Promise<DocumentResponse> {
  return fetchJson(`api/file/${fileIndex}/document`, { signal });
}

/** Children of an item that are asked for at once. */
const PAGE_ITEMS = 1_000;

/** A page of the content tree of a report: an item with what is below it, from one of its children on. */
export function fetchReport(
  fileIndex: number,
  { item, offset }: { readonly item: string; readonly offset: number },
  signal: AbortSignal,
): Promise<ReportResponse> {
  const query = `item=${item}&depth=16&offset=${offset}&limit=${PAGE_ITEMS}`;
  return fetchJson(`api/file/${fileIndex}/report?${query}`, { signal });
}

export function fetchMeasurements(fileIndex: number, signal: AbortSignal): Promise<MeasurementsResponse> {
  return fetchJson(`api/file/${fileIndex}/report/measurements`, { signal });
}

/** The measurements of a report with their codes. */
export async function fetchMeasurementsCsv(fileIndex: number): Promise<Blob> {
  const response = await send(`api/file/${fileIndex}/report/measurements?format=csv`);
  return response.blob();
}

/** A treatment plan or record. `part` is the beam or channel whose control points are wanted. */
export function fetchPlan(
  fileIndex: number,
  part: { readonly kind: 'beam' | 'channel'; readonly position: number } | undefined,
  signal: AbortSignal,
): Promise<PlanResponse> {
  const query = part === undefined ? '' : `?${part.kind}=${part.position}`;
  return fetchJson(`api/file/${fileIndex}/plan${query}`, { signal });
}
