import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { PageAnswer, PageReport, PageRequest, ShownView } from '../../src/shared/contract/view.ts';
import type { TestServer } from './serve.ts';

export const SHOWN: ShownView = {
  address: 'cell=2.25.1,1',
  rows: 1,
  columns: 1,
  active_cell: 0,
  cells: [
    {
      cell: 0,
      file_index: 0,
      frame_index: 0,
      position: 0,
      positions: 1,
      status: 'ready',
      error: null,
      window: { center: 40, width: 400 },
    },
  ],
};

/** The signature of a PNG and a byte that tells it from others. */
export const PICTURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 7);

export type PretendedPage = {
  /** What it was asked for, in order. */
  readonly asked: readonly PageRequest[];
  /** Sends a report now. */
  report(change?: Partial<PageReport>): Promise<PageRequest | null>;
};

export type PretendOptions = Partial<Pick<PageReport, 'page' | 'state' | 'focused_at_ms'>> & {
  /** Instead of its view or its picture. Undefined: it never answers. */
  readonly answer?: (request: PageRequest) => PageAnswer | undefined;
  /** Whether it fetches what it is asked for. */
  readonly isAwake?: boolean;
};

/** A client that behaves to the server as a page does, until the test ends. */
export async function pretendPage(
  server: Pick<TestServer, 'request'>,
  { answer, isAwake = true, ...given }: PretendOptions = {},
): Promise<PretendedPage> {
  const asked: PageRequest[] = [];
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const report = async (change: Partial<PageReport> = {}): Promise<PageRequest | null> => {
    const body: PageReport = {
      page: 'a pretended page',
      state: 'visible',
      focused_at_ms: 1,
      answer: null,
      ...given,
      ...change,
    };
    const headers = { 'Content-Type': 'application/json' };
    const response = await server.request('/api/view/page', { method: 'PUT', headers, body: JSON.stringify(body) });
    const { next } = await response.json();
    return next;
  };
  const follow = async () => {
    let last: PageAnswer | null = null;
    while (!ended.signal.aborted) {
      const next = await report({ answer: last });
      last = null;
      if (next === null) await delay(5);
      else {
        asked.push(next);
        if (next.picture !== null && answer === undefined) await givePicture(server, next.request);
        else last = (answer ?? ((one) => ({ request: one.request, view: SHOWN, failure: null })))(next) ?? null;
        if (answer !== undefined && last === null) return;
      }
    }
  };
  await report();
  if (isAwake) follow().catch(() => undefined);
  return { asked, report };
}

export async function givePicture(server: Pick<TestServer, 'request'>, request: number): Promise<unknown> {
  const headers = { 'Content-Type': 'image/png' };
  const response = await server.request(`/api/view/picture/${request}`, { method: 'PUT', headers, body: PICTURE });
  return response.json();
}
