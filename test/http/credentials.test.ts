import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createServer } from '../../src/server/http/createServer.ts';
import { ENDPOINT_NAMES, ENDPOINTS } from '../../src/shared/contract/endpoints.ts';
import { serveWith } from '../support/serve.ts';

const TOKEN = 'a-fixed-token-of-more-than-thirty-two-characters';
const TOKEN_MODE = { scans: false, server: { tokenMode: 'required', fixedToken: TOKEN } } as const;

/** Every route, and some that do not exist. */
const PATHS = [
  ...ENDPOINT_NAMES.map((name) => `/api${ENDPOINTS[name].path.replaceAll(/:\w+/g, '0')}`),
  ...Array.from({ length: 20 }, (_, i) => `/api/nothing-${i}`),
  '/api',
  '/api/',
];

describe('where a token is wanted', () => {
  test.each([
    ['no credentials', '', {}],
    ['a wrong token', '', { Authorization: `Bearer ${TOKEN.replace('a', 'b')}` }],
    ['an empty token', '', { Authorization: 'Bearer ' }],
    ['the beginning of the token', '', { Authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['another scheme', '', { Authorization: `Basic ${btoa(`user:${TOKEN}`)}` }],
    ['the token in the query', `?token=${TOKEN}&access_token=${TOKEN}`, {}],
    ['the token in a cookie', '', { Cookie: `token=${TOKEN}; negato-token=${TOKEN}` }],
    ['the token in another header', '', { 'X-Token': TOKEN, 'Proxy-Authorization': `Bearer ${TOKEN}` }],
  ])('%s opens no route, and all say the same', async (_, query, headers) => {
    const server = await serveWith(TOKEN_MODE);

    const answers = new Set<string>();
    for (const path of PATHS.slice(0, 20)) {
      const response = await server.request(path + query, { headers });
      answers.add(`${response.status} ${response.headers.get('www-authenticate')} ${await response.text()}`);
    }

    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^401 Bearer \{"code":"unauthorized","error":"[^"]+"\}$/);
  });

  test('no route of the table is forgotten', async () => {
    const server = await serveWith(TOKEN_MODE);
    for (const path of PATHS) {
      const { status } = await server.request(path);
      expect({ path, status }).toEqual({ path, status: 401 });
    }
  });

  test('the right token opens them', async () => {
    const server = await serveWith(TOKEN_MODE);
    expect(server.token).toBe(TOKEN);
    const response = await server.request('/api/health', { headers: { Authorization: `Bearer ${TOKEN}` } });
    expect(response.status).toBe(200);
  });

  test('the page comes without it, because it is what asks for it', async () => {
    const server = await serveWith(TOKEN_MODE);
    const response = await server.request('/');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    // Without the token this request would be refused, and count as a wrong guess.
    expect(response.headers.has('link')).toBe(false);
  });
});

test('without a fixed token every server makes up its own', async () => {
  const first = await serveWith({ scans: false, server: { tokenMode: 'required' } });
  const second = await serveWith({ scans: false, server: { tokenMode: 'required' } });
  expect(first.token).toMatch(/^[\w-]{43}$/);
  expect(second.token).not.toBe(first.token);
});

describe('a server that other machines can reach', () => {
  test('wants the token from everyone', async () => {
    const server = await serveWith({ scans: false, server: { listen: { kind: 'tcp', host: '0.0.0.0', port: 0 } } });
    expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.token).toBeDefined();
    expect((await server.request('/api/health')).status).toBe(401);
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', 'server.example'])('does not start on %s without a token', (host) => {
    const log = { debug: () => {}, warn: () => {}, error: () => {} };
    expect(() => createServer({ listen: { kind: 'tcp', host, port: 0 }, tokenMode: 'off', log })).toThrow(
      'needs a token',
    );
  });
});

describe.skipIf(process.platform !== 'linux')('where the system knows who is calling', () => {
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

  // Only root can start a process as somebody else.
  describe.skipIf(process.getuid?.() !== 0)('another user of the machine', () => {
    test('is asked for the token', async () => {
      const server = await serveWith({ scans: false, server: { fixedToken: TOKEN } });
      expect(await requestAs(65_534, `${server.baseUrl}/api/files`)).toBe('401');
      expect(await requestAs(12_345, `${server.baseUrl}/api/health`)).toBe('401');
    });

    test('gets in with it', async () => {
      const server = await serveWith({ scans: false, server: { fixedToken: TOKEN } });
      expect(await requestAs(65_534, `${server.baseUrl}/api/files`, TOKEN)).toBe('200');
    });

    test('gets the page, which holds nothing', async () => {
      const server = await serveWith({ scans: false });
      expect(await requestAs(65_534, `${server.baseUrl}/`)).toBe('200');
    });

    test('gets in without it where tokens are switched off', async () => {
      const server = await serveWith({ scans: false, server: { tokenMode: 'off' } });
      expect(await requestAs(65_534, `${server.baseUrl}/api/health`)).toBe('200');
    });

    test('cannot take all connections', async () => {
      const server = await serveWith({ scans: false });
      const open = `
        const net = require('node:net');
        let ended = 0;
        const all = Array.from({ length: 100 }, () => new Promise((settle) => {
          const socket = net.connect(${server.port}, '127.0.0.1');
          socket.on('error', () => {});
          socket.on('close', () => { if (++ended === 36) { console.log('36 ended'); process.exit(); } });
        }));`;
      // 100 connections, of which 64 may stay: the other 36 are ended.
      expect(await runAs(65_534, open)).toBe('36 ended');
      expect((await server.request('/api/health')).status).toBe(200);
    });
  });
});

/** The status of a request that another user's process sends. */
function requestAs(uid: number, url: string, token?: string): Promise<string> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return runAs(
    uid,
    `fetch(${JSON.stringify(url)}, { headers: ${JSON.stringify(headers)} }).then((r) => console.log(r.status))`,
  );
}

async function runAs(uid: number, script: string): Promise<string> {
  const options = { uid, gid: uid, env: {}, cwd: '/' };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], options);
  return stdout.trim();
}
