import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { answerWith } from './answer.ts';

const EVERY_HEADER = [
  ['X-Frame-Options', 'DENY'],
  ['Cache-Control', 'no-store'],
] as const;

/** The headers of the response as received, by lower-case name. */
async function ask(listener: RequestListener): Promise<Record<string, string>> {
  const server = createServer({ ServerResponse: answerWith(EVERY_HEADER) }, listener);
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${port}/`, { headers: { Connection: 'close' } });
  return Object.fromEntries(headers);
}

test.each<[string, RequestListener]>([
  ['is written with headers', (_, response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end('a')],
  ['is written with a list of headers', (_, response) => response.writeHead(200, ['Content-Type', 'text/plain']).end()],
  ['has a reason of its own', (_, response) => response.writeHead(200, 'Fine', { 'Content-Type': 'text/plain' }).end()],
  [
    'has its headers set before',
    (_, response) => response.setHeader('Content-Type', 'text/plain').writeHead(200).end(),
  ],
  ['is never given a head', (_, response) => response.setHeader('Content-Type', 'text/plain').end('a')],
])('an answer that %s has the headers of every answer beside its own', async (_, listener) => {
  expect(await ask(listener)).toMatchObject({
    'content-type': 'text/plain',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
  });
});

// A header that is sent twice is read as both values joined by a comma.
test.each<[string, RequestListener]>([
  ['written', (_, response) => response.writeHead(200, { 'cache-control': 'no-cache' }).end()],
  ['written as a list', (_, response) => response.writeHead(200, ['CACHE-CONTROL', 'no-cache']).end()],
  ['set before', (_, response) => response.setHeader('Cache-Control', 'no-cache').end()],
  [
    'set before others are written',
    (_, response) => response.setHeader('cache-control', 'no-cache').writeHead(200, { A: 'b' }).end(),
  ],
])('a header that is %s replaces the one of every answer', async (_, listener) => {
  expect(await ask(listener)).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-cache' });
});
