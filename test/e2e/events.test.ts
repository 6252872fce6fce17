import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { serve } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { openViewer, showsImage } from '../support/viewerPage.ts';

/** Longer than the interval at which a page polls. */
const LONG_MS = 6_000;

function countFiles(requests: readonly string[]): number {
  return requests.filter((url) => url.includes('/api/files')).length;
}

function listenTo(page: Page): string[] {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  return requests;
}

/** Headless browsers never hide a page, so the page is told that it is hidden. */
async function hide(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

test('pages of one server share a stream of events, poll only after an event, and notice when the server stops', async () => {
  const server = await serve(writeSlice({ number: 0 }));
  const { page, requests } = await openViewer(server);
  const second = await page.context().newPage();
  const ofSecond = listenTo(second);
  await second.goto(server.baseUrl);
  await showsImage(second);
  await expect.poll(() => requests.filter((url) => url.endsWith('/api/events')).length).toBe(1);
  await page.waitForTimeout(1_000);
  const before = [countFiles(requests), ofSecond.filter((path) => path === '/api/files').length];

  await page.waitForTimeout(LONG_MS);
  expect([countFiles(requests), ofSecond.filter((path) => path === '/api/files').length]).toEqual(before);
  expect(ofSecond).not.toContain('/api/events');

  // A hidden page keeps the stream, so that it need not poll, and the other one still opens none.
  const ended: string[] = [];
  page.on('requestfailed', (request) => ended.push(new URL(request.url()).pathname));
  await hide(page);
  await page.waitForTimeout(1_000);
  expect([ended, ofSecond.filter((path) => path === '/api/events')]).toEqual([[], []]);

  // When the page that holds the stream of events is closed, the other one opens its own.
  await page.goto('about:blank');
  await expect.poll(() => ofSecond.filter((path) => path === '/api/events').length).toBe(1);
  await server.close();
  await second.getByText('Connection lost').first().waitFor();
});

test('the page polls if it receives no events', async () => {
  const server = await serve(writeSlice({ number: 0 }));
  const { page, requests } = await openPage();
  await page.route('**/api/events', (route) => route.abort());
  await page.goto(server.baseUrl);
  await showsImage(page);
  const before = countFiles(requests);
  await expect.poll(() => countFiles(requests)).toBeGreaterThan(before);
});
