import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createLimitedServer } from './limitedServer.ts';

// The limits that the server is designed for; Node's defaults are 60 s, 300 s and 5 s.
test('headers have 10 s to arrive, requests 30 s and idle connections 10 s', () => {
  const server = createLimitedServer();
  expect(server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 10_000,
  });
});

test('an incomplete request gets an error, and a connection without a request is closed without a response', async () => {
  const server = createLimitedServer();
  server.headersTimeout = 1;
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  const { port } = server.address() as AddressInfo;
  const silent = connect(port, '127.0.0.1');
  const halfWay = connect(port, '127.0.0.1');
  halfWay.write('GET /api/health HTTP/1.1\r\nHos');

  const answers = await Promise.all([text(silent), text(halfWay)]);

  expect(answers[0]).toBe('');
  expect(answers[1]).toMatch(/^HTTP\/1\.1 400 [^]*the request did not arrive in time/);
});
