import { expect, test } from 'vitest';
import { writeImage } from '../support/writeImage.ts';
import { givePicture, PICTURE, pretendPage, SHOWN } from '../support/pretendPage.ts';
import { serve, type TestServer } from '../support/serve.ts';

async function change(server: TestServer, body: object): Promise<{ status: number; body: unknown }> {
  const response = await server.request('/api/view', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

function takePicture(server: TestServer, body: object = {}): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return server.request('/api/view/picture', { method: 'POST', headers, body: JSON.stringify(body) });
}

test('without a page nothing is shown, a wait for one is refused, and so is a picture', async () => {
  const server = await serve(writeImage());

  expect(await (await server.request('/api/view')).json()).toEqual({ pages: 0, view: null });
  expect(await change(server, { file: 0, wait: true })).toMatchObject({ status: 409, body: { code: 'no_page' } });
  const picture = await takePicture(server);
  expect([picture.status, await picture.json()]).toMatchObject([409, { code: 'no_page' }]);
});

test('a wish without a page is shown by the next page that opens, and by no further one', async () => {
  const server = await serve(writeImage());
  expect(await change(server, { frame: 0 })).toEqual({ status: 200, body: { pages: 0, view: null } });
  expect(await change(server, { file: 0 })).toEqual({ status: 200, body: { pages: 0, view: null } });

  const first = await pretendPage(server, { page: 'the first page', isAwake: false });
  const second = await pretendPage(server, { page: 'the second page', isAwake: false });

  expect(await first.report()).toMatchObject({ show: { file: 0 }, picture: null });
  expect(await second.report()).toBeNull();
});

test('wishes that nobody has followed yet add up, and a new place replaces them', async () => {
  const server = await serve(writeImage());
  const window = { center: 40, width: 400 };
  await change(server, { address: 'cell=2.25.9,1' });
  await change(server, { file: 0 });
  await change(server, { window });
  const page = await pretendPage(server, { isAwake: false });
  expect(await page.report()).toMatchObject({ show: { file: 0, window } });

  const other = await pretendPage(server, { page: 'another page', focused_at_ms: 9, isAwake: false });
  await change(server, { sop: '2.25.1' });
  await change(server, { frame: 0, window });
  expect(await other.report()).toMatchObject({ show: { sop: '2.25.1', frame: 0, window } });
});

test('a wish of a page that leaves before it followed is shown by another page', async () => {
  const server = await serve(writeImage());
  const first = await pretendPage(server, { page: 'the first page', focused_at_ms: 2, isAwake: false });
  const second = await pretendPage(server, { page: 'the second page', isAwake: false });
  await change(server, { file: 0 });

  await first.report({ state: 'left' });

  expect(await second.report()).toMatchObject({ show: { file: 0 } });
});

test('a page that reloads gets the wish that it has not followed', async () => {
  const server = await serve(writeImage());
  const page = await pretendPage(server, { isAwake: false });
  await change(server, { file: 0 });
  await page.report({ state: 'left' });

  const reloaded = await pretendPage(server, { page: 'the same page again', isAwake: false });

  expect(await reloaded.report()).toMatchObject({ show: { file: 0 } });
});

test('what the page says comes back, and a wish reaches it with everything that was asked', async () => {
  const server = await serve(writeImage());
  const page = await pretendPage(server);

  expect(await (await server.request('/api/view')).json()).toEqual({ pages: 1, view: SHOWN });
  const wish = { sop: '2.25.1', frame: 0, window: { center: 40, width: 400 }, cell: 0 };
  expect(await change(server, { ...wish, wait: true })).toEqual({ status: 200, body: { pages: 1, view: SHOWN } });

  expect(page.asked.map(({ show }) => show)).toEqual([null, wish]);
});

test('a picture arrives as the page sent it', async () => {
  const server = await serve(writeImage());
  const page = await pretendPage(server);

  const response = await takePicture(server, { cell: 0, size: 'stored', overlays: false });

  expect(response.headers.get('content-type')).toBe('image/png');
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(PICTURE);
  expect(page.asked[0]?.picture).toEqual({ cell: 0, size: 'stored', overlays: false });
});

test('a picture that nobody waits for is not accepted', async () => {
  const server = await serve(writeImage());
  await pretendPage(server);
  await (await takePicture(server)).arrayBuffer();

  expect(await givePicture(server, 1)).toEqual({ accepted: false });
  expect(await givePicture(server, 99)).toEqual({ accepted: false });
});

test('of several pages the visible one that had the focus last is asked', async () => {
  const server = await serve(writeImage());
  await pretendPage(server, { page: 'hidden page', state: 'hidden', focused_at_ms: 9 });
  await pretendPage(server, { page: 'earlier page', focused_at_ms: 3 });
  const last = await pretendPage(server, { page: 'last page', focused_at_ms: 5 });
  await pretendPage(server, { page: 'never focused', focused_at_ms: 0 });

  await server.request('/api/view');

  expect(last.asked).toHaveLength(1);
});

test('a failure of the page is the failure of the request', async () => {
  const server = await serve(writeImage());
  const failure = { code: 'not_found', message: '2.25.9 is not open' } as const;
  await pretendPage(server, { answer: ({ request }) => ({ request, view: null, failure }) });

  expect(await change(server, { sop: '2.25.9', wait: true })).toEqual({
    status: 404,
    body: { code: 'not_found', error: '2.25.9 is not open' },
  });
});

test('a request of a client that has left is not kept for the page', async () => {
  const server = await serve(writeImage());
  const page = await pretendPage(server, { isAwake: false });
  const leaving = new AbortController();
  const asking = server.request('/api/view', { signal: leaving.signal }).catch(() => 'left');
  await expect.poll(() => page.report()).not.toBeNull();

  leaving.abort();

  expect(await asking).toBe('left');
  await expect.poll(() => page.report()).toBeNull();
});

test('pages are told by an event', async () => {
  const server = await serve(writeImage());
  const leaving = new AbortController();
  const response = await server.request('/api/events', { signal: leaving.signal });
  await change(server, { file: 0 });
  await pretendPage(server, { isAwake: false });
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes('event: view')) break;
  }
  leaving.abort();
  expect(text).toContain('event: view\ndata: {"request":1}\n\n');
});

test.each([
  [{ file: 7 }, 404, 'not_found'],
  [{ file: 0, frame: 1 }, 404, 'frame_out_of_range'],
  [{ file: 0, sop: '2.25.1' }, 422, 'invalid_json'],
  [{ file: -1 }, 422, 'invalid_json'],
  [{ window: { center: 1, width: 0 } }, 422, 'invalid_json'],
  [{ cell: 16 }, 422, 'invalid_json'],
  [{ index: 0 }, 422, 'invalid_json'],
  [[], 422, 'invalid_json'],
])('the wish %j is refused before any page is asked', async (wish, status, code) => {
  const server = await serve(writeImage());
  expect(await change(server, wish)).toMatchObject({ status, body: { code } });
});

test('a picture must be a PNG, and a whole page has no stored size', async () => {
  const server = await serve(writeImage());
  const page = await pretendPage(server, { isAwake: false });
  const refused = await takePicture(server, { size: 'stored' });
  expect([refused.status, await refused.json()]).toMatchObject([422, { code: 'invalid_json' }]);

  const picture = takePicture(server);
  await expect.poll(() => page.report()).toMatchObject({ picture: {} });
  const put = (type: string, body: string) =>
    server.request('/api/view/picture/1', { method: 'PUT', headers: { 'Content-Type': type }, body });
  expect((await put('text/html', '<script>')).status).toBe(415);
  expect((await put('image/png', '<script>')).status).toBe(415);
  await givePicture(server, 1);
  expect((await picture).status).toBe(200);
});
