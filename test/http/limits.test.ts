import { expect, test } from 'vitest';
import { open } from '../support/rawHttp.ts';
import { serveWith } from '../support/serve.ts';
import { until } from '../support/until.ts';

test('with 600 silent connections every request is answered, and 256 of them stay open', async () => {
  const server = await serveWith({ scans: false });
  let ended = 0;
  const sockets = Array.from({ length: 600 }, () => open(server));
  for (const socket of sockets) socket.on('error', () => undefined).on('close', () => ended++);
  await Promise.all(sockets.map((socket) => new Promise((connected) => socket.once('connect', connected))));

  for (let i = 0; i < 20; i++) {
    const response = await server.request('/api/health', { headers: { Connection: 'close' } });
    expect(response.status).toBe(200);
  }

  // At most 20 more than necessary, because each request was a connection of its own.
  expect(ended).toBeGreaterThanOrEqual(600 - 256);
  expect(ended).toBeLessThanOrEqual(600 - 256 + 20);
  for (const socket of sockets) socket.destroy();
});

test('100 requests written at once on one connection are all answered, in order', async () => {
  const server = await serveWith({ scans: false });
  const socket = open(server);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));

  socket.write(
    Array.from(
      { length: 100 },
      (_, i) => `GET ${i % 2 === 0 ? '/api/health' : '/api/x'} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    ).join(''),
  );
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  await until(() => statuses().length === 100);

  expect(statuses()).toEqual(Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? '200' : '404')));
  socket.destroy();
});

test('a request that is only half sent does not delay others', async () => {
  const server = await serveWith({ scans: false });
  const slow = Array.from({ length: 100 }, () => open(server));
  for (const socket of slow) socket.write('GET /api/health HTTP/1.1\r\nHost: local');

  expect((await server.request('/api/health')).status).toBe(200);
  for (const socket of slow) socket.destroy();
});
