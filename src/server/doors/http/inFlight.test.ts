import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { trackInFlight } from './inFlight.ts';

/** Four times the pauses of a client that must not be dropped, because a busy machine may lengthen them. */
const STALL_MS = 1_000;

async function serve(listener: RequestListener): Promise<Socket> {
  const server: Server = createServer({ keepAliveTimeout: STALL_MS });
  const inFlight = trackInFlight(server, { writeStallMs: STALL_MS });
  server.on('request', (request, response) => {
    inFlight.begin(request.socket, response);
    listener(request, response);
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening on TCP');
  const client = connect(address.port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  onTestFinished(() => void client.destroy());
  return client;
}

test('a client that does not read its response is dropped', async () => {
  let closed = false;
  const client = await serve((_request, response) => {
    // More than the buffers of the kernel hold, so that most of it stays unsent in the server.
    response.end(Buffer.alloc(64 * 2 ** 20));
    response.once('close', () => (closed = true));
  });
  client.pause();

  await until(() => closed);

  expect(closed).toBe(true);
});

test('a client that reads slowly but steadily gets everything', async () => {
  const size = 8 * 2 ** 20;
  const client = await serve((_request, response) => response.end(Buffer.alloc(size)));
  let received = 0;
  // Each pause is shorter than the limit, but their sum is longer.
  client.on('data', (chunk) => {
    const before = Math.floor(received / 2 ** 20);
    received += chunk.length;
    if (Math.floor(received / 2 ** 20) === before) return;
    client.pause();
    setTimeout(() => client.resume(), STALL_MS / 4);
  });

  await until(() => received >= size);

  expect(client.destroyed).toBe(false);
});

test('a route that takes its time is waited for', async () => {
  const client = await serve((_request, response) => void setTimeout(() => response.end('late'), STALL_MS * 2));
  let text = '';
  client.on('data', (chunk) => (text += chunk.toString()));

  await until(() => text.includes('late'));

  expect(text).toContain('200 OK');
});

test('a connection without a request is dropped', async () => {
  const client = await serve((_request, response) => response.end('done'));
  client.resume();

  await until(() => client.destroyed || client.readableEnded);

  expect(client.readableEnded).toBe(true);
});
