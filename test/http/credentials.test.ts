import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../src/server/doors/http/createServer.ts';
import { ENDPOINT_NAMES, ENDPOINTS } from '../../src/shared/contract/endpoints.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctRow } from '../support/imageElements.ts';
import { serve, serveWith } from '../support/serve.ts';
import { needs } from '../support/needs.ts';

const TOKEN = 'a-fixed-token-of-more-than-thirty-two-characters';
const TOKEN_MODE = { scans: false, server: { tokenMode: 'required', fixedToken: TOKEN } } as const;

/** Every route, and some that do not exist. */
const PATHS = [
  ...ENDPOINT_NAMES.map((name) => `/api${ENDPOINTS[name].path.replaceAll(/:\w+/g, '0')}`),
  ...Array.from({ length: 20 }, (_, i) => `/api/nothing-${i}`),
  '/api',
  '/api/',
];

describe('if a token is required', () => {
  test.each([
    ['no credentials', '', {}],
    ['a wrong token', '', { Authorization: `Bearer ${TOKEN.replace('a', 'b')}` }],
    ['an empty token', '', { Authorization: 'Bearer ' }],
    ['the beginning of the token', '', { Authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['another scheme', '', { Authorization: `Basic ${btoa(`user:${TOKEN}`)}` }],
    ['the token in the query', `?token=${TOKEN}&access_token=${TOKEN}`, {}],
    ['the token in a cookie', '', { Cookie: `token=${TOKEN}; negato-token=${TOKEN}` }],
    ['the token in another header', '', { 'X-Token': TOKEN, 'Proxy-Authorization': `Bearer ${TOKEN}` }],
  ])('%s opens no route, and all responses are the same', async (_, query, headers) => {
    const server = await serveWith(TOKEN_MODE);

    const answers = new Set<string>();
    for (const path of PATHS.slice(0, 20)) {
      const response = await server.request(path + query, { headers });
      answers.add(`${response.status} ${response.headers.get('www-authenticate')} ${await response.text()}`);
    }

    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^401 Bearer \{"code":"unauthorized","error":"[^"]+"\}$/);
  });

  test('all routes of the table are tested', async () => {
    const server = await serveWith(TOKEN_MODE);
    for (const path of PATHS) {
      const { status } = await server.request(path);
      expect({ path, status }).toEqual({ path, status: 401 });
    }
  });

  test('the right token opens all routes', async () => {
    const server = await serveWith(TOKEN_MODE);
    expect(server.token).toBe(TOKEN);
    const response = await server.request('/api/health', { headers: { Authorization: `Bearer ${TOKEN}` } });
    expect(response.status).toBe(200);
  });

  test('the page needs no token, because it asks the user for it', async () => {
    const server = await serveWith(TOKEN_MODE);
    const response = await server.request('/');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    // A preload would be sent without the token, so it would be refused and count as a wrong guess.
    expect(response.headers.has('link')).toBe(false);
  });
});

test('without a fixed token every server generates its own', async () => {
  const first = await serveWith({ scans: false, server: { tokenMode: 'required' } });
  const second = await serveWith({ scans: false, server: { tokenMode: 'required' } });
  expect(first.token).toMatch(/^[\w-]{43}$/);
  expect(second.token).not.toBe(first.token);
});

describe('a server that other machines can reach', () => {
  test('requires the token from every client', async () => {
    const server = await serveWith({ scans: false, server: { listen: { kind: 'tcp', host: '0.0.0.0', port: 0 } } });
    expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.token).toBeDefined();
    expect((await server.request('/api/health')).status).toBe(401);
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', 'server.example'])('does not start on %s without a token', (host) => {
    const log = { debug: () => {}, warn: () => {}, error: () => {} };
    expect(() => createServer({ listen: { kind: 'tcp', host, port: 0 }, tokenMode: 'off', log })).toThrow(
      'requires a token',
    );
  });
});

describe('if the system knows the user of a connection', needs('Linux'), () => {
  test('the user who started the server needs no token', async () => {
    const server = await serveWith({ scans: false });
    expect(server.token).toBeUndefined();
    expect((await server.request('/api/health')).status).toBe(200);
  });

  test('and over IPv6 neither', async () => {
    const server = await serveWith({ scans: false, server: { listen: { kind: 'tcp', host: '::1', port: 0 } } });
    expect(server.token).toBeUndefined();
    expect((await server.request('/api/health')).status).toBe(200);
  });

  // Only root can start a process as another user.
  describe('another user of the machine', needs('the user root'), () => {
    test('is asked for the token', async () => {
      const server = await serveWith({ scans: false, server: { fixedToken: TOKEN } });
      expect(await requestAs(65_534, `${server.baseUrl}/api/files`)).toBe('401');
      expect(await requestAs(12_345, `${server.baseUrl}/api/health`)).toBe('401');
    });

    test('is admitted with it', async () => {
      const server = await serveWith({ scans: false, server: { fixedToken: TOKEN } });
      expect(await requestAs(65_534, `${server.baseUrl}/api/files`, TOKEN)).toBe('200');
    });

    test('gets the page, which asks for the token', async () => {
      const server = await serveWith({ scans: false, server: { fixedToken: TOKEN } });
      expect(await requestAs(65_534, `${server.baseUrl}/`)).toBe('200');
    });

    test('is reset if there is no token', async () => {
      const server = await serveWith({ scans: false });
      expect(await requestAs(65_534, `${server.baseUrl}/`)).toBe('ECONNRESET');
    });

    test('is admitted without it if tokens are switched off', async () => {
      const server = await serveWith({ scans: false, server: { tokenMode: 'off' } });
      expect(await requestAs(65_534, `${server.baseUrl}/api/health`)).toBe('200');
    });

    test.each([
      ['that nobody else can know', {}],
      ['that others may know', { fixedToken: TOKEN }],
    ])('cannot lock the user out with 300 connections, with a token %s', async (_, options) => {
      const server = await serveWith({ scans: false, server: options });
      const hammer = startAs(
        65_534,
        `const net = require('node:net');
        const open = () => {
          const socket = net.connect(${server.port}, '127.0.0.1');
          socket.on('connect', () => { if (!process.said) console.log(process.said = 'connected'); });
          socket.on('error', () => {}).on('close', () => setTimeout(open, 50));
        };
        for (let i = 0; i < 300; i++) open();`,
      );
      await once(hammer.stdout, 'data');

      const statuses = new Set<number>();
      for (let i = 0; i < 20; i++) {
        const response = await server.request('/api/health', { headers: { Connection: 'close' } });
        statuses.add(response.status);
      }

      expect(statuses).toEqual(new Set([200]));
    });

    // Both sockets are bound to one port. The other user's request is sent and its connection is reset. The next
    // connection from that port is the user's own, possibly at the moment when the system is asked who the first one
    // was.
    test('is not mistaken for the user who connects from the same port a moment later', async () => {
      const server = await serve(writeDicom(ctRow()));
      const collide = `
        const net = require('node:net');
        const { setTimeout: wait } = require('node:timers/promises');
        const body = JSON.stringify({ num_roi: 1, roi_coords: [[0, 0, 1, 1]] });
        const put = 'PUT /api/file/0/annotations HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\n' +
          'Content-Length: ' + body.length + '\\r\\n\\r\\n' + body;
        const connectAs = async (uid, localPort) => {
          process.seteuid(uid);
          const socket = net.connect({ port: ${server.port}, host: '127.0.0.1', localAddress: '127.0.0.1', localPort });
          socket.on('error', () => {});
          const outcome = Promise.race(
            ['connect', 'close'].map((name) => new Promise((settle) => socket.once(name, () => settle(name)))),
          );
          await new Promise((next) => process.nextTick(next)); // The system's socket is made in this tick.
          process.seteuid(0);
          const event = await outcome;
          return event === 'connect' ? socket : undefined;
        };
        (async () => {
          let collisions = 0;
          for (let i = 0; i < 200; i++) {
            const port = 20_000 + Math.floor(Math.random() * 10_000);
            const stranger = await connectAs(65_534, port);
            if (stranger === undefined) continue;
            await new Promise((sent) => stranger.write(put, sent));
            if (i % 3 > 0) await wait(i % 3);
            stranger.resetAndDestroy();
            const owner = await connectAs(0, port);
            if (owner === undefined) continue;
            collisions++;
            await wait(8);
            owner.resetAndDestroy();
          }
          console.log(collisions);
        })();`;

      expect(Number(await runAs(0, collide))).toBeGreaterThan(100);
      const annotations = await server.request('/api/file/0/annotations');
      expect(await annotations.json()).toMatchObject({ num_roi: 0 });
      expect(annotations.headers.get('etag')).toMatch(/-0"$/);
    });
  });
});

/** The status that a request of another user's process gets. */
function requestAs(uid: number, url: string, token?: string): Promise<string> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return runAs(
    uid,
    // Not fetch: if the connection is reset early, it may end without any answer.
    `require('node:http')
      .get(${JSON.stringify(url)}, { headers: ${JSON.stringify(headers)} }, (answer) => {
        console.log(answer.statusCode);
        answer.resume();
      })
      .on('error', (error) => console.log(error.code))`,
  );
}

async function runAs(uid: number, script: string): Promise<string> {
  const options = { uid, gid: uid, env: {}, cwd: '/' };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], options);
  return stdout.trim();
}

/** Runs a script as another user until the test ends. */
function startAs(uid: number, script: string) {
  const child = spawn(process.execPath, ['-e', script], {
    uid,
    gid: uid,
    env: {},
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
