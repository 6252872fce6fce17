import type { PageOrders, PageReport } from '../../../shared/contract/view.ts';
import { fetchJson, send } from './send.ts';

/** Says what this page is and did, and returns what it is to do next. */
export function sendPageReport(report: PageReport, signal?: AbortSignal): Promise<PageOrders> {
  return fetchJson('api/view/page', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(report),
    priority: 'low',
    // The last report is sent while the page goes.
    keepalive: report.state === 'left',
    signal: signal ?? null,
  });
}

export async function sendPicture(request: number, png: Blob, signal: AbortSignal): Promise<void> {
  await send(`api/view/picture/${request}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'image/png' },
    body: png,
    signal,
  });
}
