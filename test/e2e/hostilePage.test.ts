import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openPage } from '../support/browser.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';
import { writeImage } from '../support/writeImage.ts';

/** Starts a foreign web server with one empty page. Returns its port. */
async function serveOtherPage(): Promise<number> {
  const other = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>other</title><body>');
  });
  await new Promise<void>((settle) => other.listen(0, '127.0.0.1', settle));
  onTestFinished(() => {
    other.close();
    other.closeAllConnections();
  });
  const address = other.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

async function putRoi(server: TestServer): Promise<string> {
  const body = JSON.stringify({ num_roi: 1, roi_coords: [[1, 2, 3, 4]], roi_frames: [] });
  const headers = { 'Content-Type': 'application/json' };
  const response = await server.request('/api/file/0/annotations', { method: 'PUT', headers, body });
  return response.text();
}

// A browser treats the same host with another port as the same site, and localhost as another site.
test.each(['localhost', '127.0.0.1'])(
  'a page from %s gets nothing out of the server and changes nothing',
  async (host) => {
    const server = await serve(writeImage());
    const rois = await putRoi(server);
    const { page } = await openPage();
    await page.goto(`http://${host}:${await serveOtherPage()}/`);
    const answers = statusesOf(page, server.baseUrl);

    expect(await attack(page, server.baseUrl)).toEqual({
      fetch: 'nothing',
      'fetch with credentials': 'nothing',
      'fetch without cors': 'nothing',
      'fetch that a simple request may be': 'nothing',
      'fetch with PUT': 'nothing',
      XMLHttpRequest: 'nothing',
      sendBeacon: 'sent',
      image: 'nothing',
      script: 'nothing',
      style: 'nothing',
      'module worker': 'nothing',
      prefetch: 'nothing',
      video: 'nothing',
      object: 'nothing',
      EventSource: 'nothing',
      WebSocket: 'nothing',
      'iframe of the API': 'nothing',
      'iframe of the page': 'nothing',
      form: 'nothing',
    });
    // The browser reports only some of the responses. Every request that reached the server was refused with 403.
    expect(new Set(answers)).toEqual(new Set([403]));
    expect(await (await server.request('/api/file/0/annotations')).text()).toBe(rois);
  },
);

test('a page that opens ours in a window cannot reach into it', async () => {
  const server = await serve(writeImage());
  const { page } = await openPage();
  await page.goto(`http://localhost:${await serveOtherPage()}/`);

  const popup = page.waitForEvent('popup');
  await page.evaluate((url) => {
    Reflect.set(window, 'opened', window.open(url));
  }, `${server.baseUrl}/`);
  await (await popup).locator('[data-cell="0"][data-status="ready"]').waitFor();

  // The opener policy separates the two: the opener sees a closed window, and our page has no opener.
  expect(await page.evaluate(() => Reflect.get(window, 'opened')?.closed)).toBe(true);
  expect(await (await popup).evaluate(() => window.opener === null)).toBe(true);
});

test('a page that opens the API in a window is refused', async () => {
  const server = await serve(writeImage());
  const { page } = await openPage();
  await page.goto(`http://localhost:${await serveOtherPage()}/`);
  const popup = page.waitForEvent('popup');

  await page.evaluate((url) => void window.open(url), `${server.baseUrl}/api/files`);

  const opened = await popup;
  await opened.getByText('"forbidden_origin"').waitFor();
  expect(await opened.locator('#root').count()).toBe(0);
});

test('only a page that the user named shows the viewer in a frame, and it cannot reach into it', async () => {
  const named = await serveOtherPage();
  const stranger = await serveOtherPage();
  const server = await serveWith({
    inputs: [writeImage()],
    server: { embedders: [`http://127.0.0.1:${named}`], fixedToken: TOKEN, tokenMode: 'required' },
  });
  const { page } = await openPage();

  await page.goto(`http://127.0.0.1:${named}/`);
  const framed = page.frameLocator('iframe');
  await addFrame(page, `${server.baseUrl}/#token=${TOKEN}`);
  await framed.locator('[data-cell="0"][data-status="ready"]').waitFor();
  expect(await page.evaluate(() => document.querySelector('iframe')?.contentDocument)).toBeNull();
  expect(await fetchText(page, `${server.baseUrl}/api/files`)).toBe('nothing');

  // Without the token, in a browser that does not have it yet, the frame has no data.
  const { page: other } = await openPage();
  await other.goto(`http://127.0.0.1:${named}/`);
  const refused = other.waitForResponse((response) => response.url().includes('/api/'));
  await addFrame(other, `${server.baseUrl}/`);
  expect((await refused).status()).toBe(401);

  await page.goto(`http://127.0.0.1:${stranger}/`);
  await addFrame(page, `${server.baseUrl}/#token=${TOKEN}`);
  await vi.waitFor(() => expect(page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/'));
});

test('a ticket opens the page once, also in a frame; a sandboxed frame reads and writes nothing', async () => {
  const named = await serveOtherPage();
  const server = await serveWith({
    inputs: [writeImage()],
    server: { embedders: [`http://127.0.0.1:${named}`], fixedToken: TOKEN, tokenMode: 'required' },
  });
  const issue = async () => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const { ticket } = await (await server.request('/api/tickets', { method: 'POST', headers })).json();
    return `${server.baseUrl}/#ticket=${ticket}`;
  };

  // An opaque origin: its requests have `Origin: null`, so that not even the code of the page is sent.
  const { page: sandboxing } = await openPage();
  await sandboxing.goto(`http://127.0.0.1:${named}/`);
  const kept = await issue();
  const requested: string[] = [];
  sandboxing.on('request', (request) => requested.push(new URL(request.url()).pathname));
  const code = sandboxing.waitForEvent('requestfailed', (request) => request.url().endsWith('.js'));
  await addFrame(sandboxing, kept, 'allow-scripts');
  await code;
  expect(requested.filter((path) => path.startsWith('/api/'))).toEqual([]);
  const sandboxed = sandboxing.frames().find((frame) => frame.url().startsWith(server.baseUrl))!;
  expect(await sandboxed.locator('#root').innerHTML()).toBe('');

  // The ticket is still good: in a frame of the page that the user named, and after a reload of that frame.
  const { page } = await openPage();
  await page.goto(`http://127.0.0.1:${named}/`);
  await addFrame(page, kept);
  await page.frameLocator('iframe').locator('[data-cell="0"][data-status="ready"]').waitFor();
  const frame = page.frames().find((one) => one.url().startsWith(server.baseUrl))!;
  expect(frame.url()).not.toContain('ticket');
  await page.evaluate(() => document.querySelector('iframe')?.remove());
  await addFrame(page, kept);
  await page.frameLocator('iframe').locator('[data-cell="0"][data-status="ready"]').waitFor();

  // Whoever finds it later, in a saved notebook for example, has nothing.
  const { page: later } = await openPage();
  await later.goto(kept);
  await later.getByText('No access').first().waitFor();
});

const TOKEN = 'a-token-of-at-least-thirty-two-characters';

async function addFrame(page: Page, url: string, sandbox?: string): Promise<void> {
  await page.evaluate(
    ([src, restrictions]) => {
      const frame = document.createElement('iframe');
      if (restrictions !== undefined) frame.setAttribute('sandbox', restrictions);
      frame.src = src;
      frame.width = '900';
      frame.height = '600';
      document.body.append(frame);
    },
    [url, sandbox] as const,
  );
}

function fetchText(page: Page, url: string): Promise<string> {
  return page.evaluate(async (target) => {
    try {
      return await (await fetch(target)).text();
    } catch {
      return 'nothing';
    }
  }, url);
}

function statusesOf(page: Page, baseUrl: string): readonly number[] {
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().startsWith(baseUrl)) statuses.push(response.status());
  });
  return statuses;
}

// These functions run in the attacking page, which has no access to the scope of the test.
/* oxlint-disable unicorn/consistent-function-scoping */

/** Tries every way in which a page can send a request. Returns the outcome of each. */
function attack(page: Page, baseUrl: string): Promise<Record<string, string>> {
  return page.evaluate(async (base) => {
    const url = `${base}/api/files`;
    const rois = `${base}/api/file/0/annotations`;
    const noRois = '{"num_roi":0,"roi_coords":[]}';
    const fetched = async (target: string, init: RequestInit = {}) => {
      try {
        return (await (await fetch(target, init)).text()) || 'nothing';
      } catch {
        return 'nothing';
      }
    };
    const loaded = (tag: string, attributes: Record<string, string>) =>
      new Promise<string>((settle) => {
        const element = document.createElement(tag);
        element.addEventListener('load', () => settle('loaded'));
        element.addEventListener('loadeddata', () => settle('loaded'));
        element.addEventListener('error', () => settle('nothing'));
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
        document.body.append(element);
      });
    const framed = (target: string) =>
      new Promise<string>((settle) => {
        const frame = document.createElement('iframe');
        frame.addEventListener('load', () => {
          settle(frame.contentDocument?.body.textContent || 'nothing');
        });
        frame.src = target;
        document.body.append(frame);
      });
    const requested = () =>
      new Promise<string>((settle) => {
        const request = new XMLHttpRequest();
        request.addEventListener('load', () => settle(request.responseText));
        request.addEventListener('error', () => settle('nothing'));
        request.open('GET', url);
        request.send();
      });
    const connected = (open: () => EventTarget) =>
      new Promise<string>((settle) => {
        const connection = open();
        connection.addEventListener('open', () => settle('open'));
        connection.addEventListener('message', () => settle('message'));
        connection.addEventListener('error', () => settle('nothing'));
      });
    const worked = () => {
      try {
        void new Worker(url, { type: 'module' });
        return 'started';
      } catch {
        return 'nothing';
      }
    };
    const submitted = () =>
      new Promise<string>((settle) => {
        const frame = document.createElement('iframe');
        frame.name = 'answer';
        document.body.append(frame);
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', action: rois, target: 'answer', enctype: 'text/plain' });
        document.body.append(form);
        frame.addEventListener('load', () => {
          settle(frame.contentDocument?.body.textContent || 'nothing');
        });
        form.submit();
      });
    const json = { 'Content-Type': 'application/json' };
    return {
      fetch: await fetched(url),
      'fetch with credentials': await fetched(url, { credentials: 'include' }),
      'fetch without cors': await fetched(url, { mode: 'no-cors' }),
      'fetch that a simple request may be': await fetched(rois, { method: 'POST', body: noRois, mode: 'no-cors' }),
      'fetch with PUT': await fetched(rois, { method: 'PUT', body: noRois, headers: json }),
      XMLHttpRequest: await requested(),
      sendBeacon: navigator.sendBeacon(rois, noRois) ? 'sent' : 'nothing',
      image: await loaded('img', { src: `${base}/api/file/0/frame/0` }),
      script: await loaded('script', { src: url }),
      style: await loaded('link', { rel: 'stylesheet', href: url }),
      'module worker': worked(),
      prefetch: await loaded('link', { rel: 'prefetch', href: url }),
      video: await loaded('video', { src: `${base}/api/file/0/frame/0` }),
      object: await loaded('object', { data: `${base}/api/file/0/frame/0` }),
      EventSource: await connected(() => new EventSource(`${base}/api/events`)),
      WebSocket: await connected(() => new WebSocket(`${base.replace('http', 'ws')}/api/events`)),
      'iframe of the API': await framed(url),
      'iframe of the page': await framed(`${base}/`),
      form: await submitted(),
    };
  }, baseUrl);
}
