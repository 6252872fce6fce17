import { connect } from 'node:net';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { open, sendRaw } from '../support/rawHttp.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { until } from '../support/until.ts';

const REPORT = writeDicom({
  SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11',
  SOPInstanceUID: '1.2.826.0.1.3680043.10.3.1',
});

/** Tasks that end when the test calls `finishAll`. */
function createSlowTasks() {
  const waiting: (() => void)[] = [];
  const started = { count: 0 };
  return {
    started,
    finishAll: () => {
      for (const finish of waiting) finish();
    },
    run: () =>
      new Promise<never>((_, reject) => {
        started.count++;
        waiting.push(() => reject(new Error('finished by the test')));
      }),
  };
}

test('a closing server finishes a running request and refuses new ones', async () => {
  const tasks = createSlowTasks();
  const server = await serveWith({ inputs: [REPORT], domains: { tasks } });
  const running = server.request('/api/file/0/info');
  await until(() => tasks.started.count === 1);

  const closed = server.server.close();
  const refused = await server.request('/api/health');
  tasks.finishAll();

  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('connection')).toBe('close');
  expect(await refused.json()).toMatchObject({ code: 'shutting_down' });
  expect((await running).status).toBe(500);
  await closed;
  await expect(server.request('/api/health')).rejects.toThrow('fetch failed');
});

test('a request that does not end is cut off', async () => {
  const tasks = createSlowTasks();
  const server = await serveWith({ inputs: [REPORT], domains: { tasks } });
  const running = server.request('/api/file/0/info').then(
    () => 'answered',
    () => 'cut off',
  );
  await until(() => tasks.started.count === 1);

  await server.server.close();

  expect(await running).toBe('cut off');
});

test('connections without a request do not delay the shutdown', async () => {
  const server = await serveWith({ scans: false });
  const idle = connect(server.port, '127.0.0.1');
  const ended = new Promise((end) => idle.once('close', end));
  await sendRaw(server, 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n');

  await server.close();

  await ended;
  expect(idle.destroyed).toBe(true);
});

test('closing ends event streams', async () => {
  const server = await serveWith({ scans: false });
  const events = await server.request('/api/events');

  await server.close();

  expect(await events.text()).toMatch(/^event: progress\n/);
});

test('a server on a unix socket responds there without a token, and removes the socket', async () => {
  const folder = createTempFolder();
  chmodSync(folder, 0o700);
  const path = join(folder, 'negato.sock');
  const server = await serveWith({ scans: false, server: { listen: { kind: 'unix', path } } });

  const response = await sendRaw({ path }, 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n');

  expect(server).toMatchObject({ socket: path, token: undefined });
  expect(response?.status).toBe(200);
  await server.close();
  expect(readdirSync(folder)).toEqual([]);
});

test('the gate also checks requests on a unix socket', async () => {
  const folder = createTempFolder();
  chmodSync(folder, 0o700);
  const path = join(folder, 'negato.sock');
  await serveWith({ scans: false, server: { listen: { kind: 'unix', path } } });

  const response = await sendRaw({ path }, 'GET /api/health HTTP/1.1\r\nHost: evil.example\r\n\r\n');

  expect(response?.status).toBe(403);
});

test('a port in use is an error at once', async () => {
  const server = await serveWith({ scans: false });
  const listen = { kind: 'tcp', host: '127.0.0.1', port: server.port } as const;
  await expect(serveWith({ scans: false, server: { listen } })).rejects.toThrow('EADDRINUSE');
});

test('the idle timer is notified at the beginning and at the end of every request', async () => {
  const counts = { began: 0, ended: 0 };
  const requests = { requestBegan: () => void counts.began++, requestEnded: () => void counts.ended++ };
  const server = await serveWith({ scans: false, server: { requests } });

  await (await server.request('/api/health')).text();
  await (await server.request('/api/nothing')).text();
  const left = open(server);
  left.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => counts.began === 3);
  expect(counts.ended).toBe(2);
  left.destroy();

  await until(() => counts.ended === 3);
  expect(counts).toEqual({ began: 3, ended: 3 });
});
