import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { Exchange } from './exchange.ts';
import { waitWhileBusy } from './waitWhileBusy.ts';

type Handle = (c: Exchange, tries: number) => void;

/** A server that answers with `handle`; `handled` has the outcome of each request. */
async function listen(handle: Handle) {
  const handled: Promise<unknown>[] = [];
  let tries = 0;
  const answer = async (c: Exchange) => {
    try {
      await waitWhileBusy(c, () => handle(c, (tries += 1)));
      return 'answered';
    } catch (error) {
      if (!c.signal.aborted) c.send(503, [], '');
      return error instanceof ViewerError ? error.code : 'ended';
    }
  };
  const server = createServer((request, response) => void handled.push(answer(new Exchange(request, response))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, handled, tries: () => tries };
}

function refuse(): never {
  throw new ViewerError('decode_busy', 'other work needs the memory');
}

const headers = { Prefer: 'failure=body, wait=60' };

test('the answer has the headers of the last try only', async () => {
  const { url, tries } = await listen((c, count) => {
    c.setHeader('X-Try', String(count));
    if (count < 3) refuse();
    c.send(200, [], '');
  });
  const { status, headers: answered } = await fetch(url, { headers });
  expect([status, answered.get('x-try'), tries()]).toEqual([200, '3', 3]);
});

test('a request is not handled again after its client has left', async () => {
  const { url, handled, tries } = await listen(refuse);
  const leaving = new AbortController();
  const answer = fetch(url, { headers, signal: leaving.signal });
  await expect.poll(tries).toBeGreaterThan(1);
  leaving.abort();
  await expect(answer).rejects.toThrow('abort');
  expect(await handled[0]).toBe('ended');
});

test('a request that may change something is handled once', async () => {
  const { url, handled, tries } = await listen(refuse);
  for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
    expect((await fetch(url, { method, headers })).status).toBe(503);
  }
  expect(await Promise.all(handled)).toEqual(['decode_busy', 'decode_busy', 'decode_busy', 'decode_busy']);
  expect(tries()).toBe(4);
});

test('a client that wants to wait for a second is answered after a few tries, and other failures at once', async () => {
  const busy = await listen(refuse);
  expect((await fetch(busy.url, { headers: { Prefer: 'wait=1' } })).status).toBe(503);
  expect(busy.tries()).toBe(5);
  const broken = await listen(() => {
    throw new ViewerError('file_gone', 'it has changed');
  });
  expect((await fetch(broken.url, { headers })).status).toBe(503);
  expect(broken.tries()).toBe(1);
});
