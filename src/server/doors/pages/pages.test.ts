import { expect, test } from 'vitest';
import type { PageReport, ShownView } from '../../../shared/contract/view.ts';
import { createPages, type Pages } from './pages.ts';

const VIEW: ShownView = { address: '', rows: 1, columns: 1, active_cell: 0, cells: [] };
const SOON = { fetchMs: 20, answerMs: 20 };
const { signal } = new AbortController();

function reportOf(page: string, change: Partial<PageReport> = {}): PageReport {
  return { page, state: 'visible', focused_at_ms: 1, answer: null, ...change };
}

/** A page that fetches each request as soon as it is told of it, and answers. */
function follow(pages: Pages, page: string): void {
  pages.report(reportOf(page));
  pages.subscribe(() =>
    queueMicrotask(() => {
      const next = pages.report(reportOf(page));
      if (next !== undefined) {
        pages.report(reportOf(page, { answer: { request: next.request, view: VIEW, failure: null } }));
      }
    }),
  );
}

test('a page that fetches nothing is forgotten, and the next one is asked', async () => {
  const pages = createPages(SOON);
  pages.report(reportOf('it is gone', { focused_at_ms: 9 }));
  follow(pages, 'it is there');

  expect(await pages.ask({ kind: 'look' }, signal)).toEqual(VIEW);
  expect(pages.count()).toBe(1);
});

test('if no page fetches, there is none', async () => {
  const pages = createPages(SOON);
  pages.report(reportOf('it is gone'));

  await expect(pages.ask({ kind: 'look' }, signal)).rejects.toMatchObject({ code: 'no_page' });
  expect(pages.count()).toBe(0);
});

test('a page that fetches and does not answer stays, and the request fails', async () => {
  const pages = createPages(SOON);
  pages.report(reportOf('it works'));

  const asked = pages.ask({ kind: 'look' }, signal);
  pages.report(reportOf('it works'));

  await expect(asked).rejects.toMatchObject({ code: 'page_timeout' });
  expect(pages.count()).toBe(1);
});

test('a page is given one request after the other, and an answer to another request changes nothing', async () => {
  const pages = createPages();
  const page = 'a page of this test';
  pages.report(reportOf(page));
  const [first, second] = [pages.ask({ kind: 'look' }, signal), pages.ask({ kind: 'look' }, signal)];

  expect(pages.report(reportOf(page))?.request).toBe(1);
  expect(pages.report(reportOf(page, { answer: { request: 2, view: VIEW, failure: null } }))?.request).toBe(1);
  expect(pages.report(reportOf(page, { answer: { request: 1, view: VIEW, failure: null } }))?.request).toBe(2);
  expect(pages.report(reportOf(page, { answer: { request: 2, view: VIEW, failure: null } }))).toBeUndefined();

  expect(await Promise.all([first, second])).toEqual([VIEW, VIEW]);
});

test('pages and requests are bounded', async () => {
  const pages = createPages();
  for (let number = 0; number < 100; number++) pages.report(reportOf(`page ${number} of many`));
  expect(pages.count()).toBe(64);

  const many = Array.from({ length: 33 }, () => pages.ask({ kind: 'look' }, new AbortController().signal));
  await expect(many[32]).rejects.toMatchObject({ code: 'page_timeout' });
  for (let number = 0; number < 100; number++) pages.report(reportOf(`page ${number} of many`, { state: 'left' }));
  for (const one of many.slice(0, 32)) await expect(one).rejects.toMatchObject({ code: 'no_page' });
});
