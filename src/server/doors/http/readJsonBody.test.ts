import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { Exchange } from './exchange.ts';
import { readJsonBody } from './readJsonBody.ts';

/** Where a route reads bodies, and what it got: the text, or the code of the error. */
async function startReading() {
  const got = { result: undefined as unknown, readBytes: 0 };
  const answer = async (c: Exchange) => {
    got.result = await readJsonBody(c, 1000).then(
      (bytes) => new TextDecoder().decode(bytes),
      (error: unknown) => (error instanceof ViewerError ? error.code : error),
    );
    got.readBytes = c.incoming.socket.bytesRead;
    c.send(200, [], '');
  };
  const server = createServer((incoming, outgoing) => void answer(new Exchange(incoming, outgoing)));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, got };
}

async function read(body: string, headers: Record<string, string> = { 'Content-Type': 'application/json' }) {
  const { url, got } = await startReading();
  await fetch(url, { method: 'PUT', body, headers });
  return got.result;
}

test('a JSON body is read', async () => {
  expect(await read('{"a":[1,"ä",null]}')).toBe('{"a":[1,"ä",null]}');
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
  'the media type %s is JSON',
  async (type) => {
    expect(await read('1', { 'Content-Type': type })).toBe('1');
  },
);

test.each(['text/plain', 'application/jsonp', 'application/json; charset=latin1', 'multipart/form-data', ''])(
  'the media type %s is not',
  async (type) => {
    expect(await read('1', { 'Content-Type': type })).toBe('unsupported_media_type');
  },
);

test('a compressed body is refused, because its size is not known', async () => {
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  expect(await read('1', headers)).toBe('unsupported_media_type');
});

describe('the size of a body', () => {
  test('may reach the limit', async () => {
    expect(await read(`"${'x'.repeat(998)}"`)).toBe(`"${'x'.repeat(998)}"`);
  });

  test('is refused beyond it', async () => {
    expect(await read(`"${'x'.repeat(999)}"`)).toBe('payload_too_large');
  });

  test('is counted if no length is declared, and the connection ends', async () => {
    const { url, got } = await startReading();
    const client = request(url, { method: 'PUT', headers: { 'Content-Type': 'application/json' } });
    client.on('error', () => undefined);
    const write = () => {
      if (!client.destroyed) client.write(' '.repeat(100), () => setImmediate(write));
    };
    write();
    await once(client, 'close');
    expect(got.result).toBe('payload_too_large');
    // The system hands over at most 64 KiB at once.
    expect(got.readBytes).toBeLessThan(2 ** 16 + 2000);
  });
});
