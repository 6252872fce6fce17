import { METHODS } from 'node:http';
import { describe, expect, test } from 'vitest';
import { serveSharedWith, serveWith, type SharedOptions } from '../support/serve.ts';
import { type RawResponse, sendRaw } from '../support/rawHttp.ts';

type Refusal = 'bad_request' | 'forbidden_host' | 'forbidden_origin' | 'unauthorized';
const STATUS = { bad_request: 400, forbidden_host: 403, forbidden_origin: 403, unauthorized: 401 } as const;

/** Sends one request over a raw socket, exactly as given. */
async function ask(request: string, options: SharedOptions = {}): Promise<RawResponse | undefined> {
  const { port } = await serveSharedWith({ ...options, scans: false });
  return sendRaw({ port }, request);
}

function get(target: string, headers: readonly string[] = ['Host: localhost']): string {
  return `GET ${target} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`;
}

/** What all refusals have in common, whichever layer sends them. */
function outcomeOf(response: RawResponse | undefined) {
  const { code, error, ...rest } = JSON.parse(response?.body ?? '{}');
  const header = (name: string) => response?.headers.get(name);
  return {
    status: response?.status,
    code,
    hasMessage: typeof error === 'string',
    otherKeys: Object.keys(rest),
    mediaType: header('content-type'),
    sniffing: header('x-content-type-options'),
    caching: header('cache-control'),
    cors: header('access-control-allow-origin'),
  };
}

function refusal(code: Refusal): ReturnType<typeof outcomeOf> {
  return {
    status: STATUS[code],
    code,
    hasMessage: true,
    otherKeys: [],
    mediaType: 'application/json',
    sniffing: 'nosniff',
    caching: 'no-store',
    cors: undefined,
  };
}

describe('the Host header', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'localhost:80',
    'localhost:1',
    'localhost:65535',
    '127.0.0.1',
    '127.0.0.1:8080',
    '[::1]',
    '[::1]:8080',
    'viewer.example',
    'Viewer.Example:443',
  ])('%s is accepted', async (host) => {
    const response = await ask(get('/api/health', [`Host: ${host}`]), { server: { allowHosts: ['viewer.example'] } });
    expect(response?.status).toBe(200);
  });

  test.each([
    'localhost.',
    'localhost:99999',
    'localhost:65536',
    'localhost:',
    'localhost:80:80',
    'localhost:8o',
    'localhost:-1',
    'localhost:000080',
    'evil.localhost',
    'localhost.evil.example',
    'localhost@evil.example',
    'evil.example#localhost',
    'user@localhost',
    '127.1',
    '127.0.0.2',
    '2130706433',
    '0x7f000001',
    '0.0.0.0',
    '[::]',
    '::1',
    '[::1',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    'evil.example',
    'evil.example:80',
    'http://localhost',
    'localhost/',
    'localhost,localhost',
    'localhost, evil.example',
    'local host',
    'l\u00f6calhost',
    '',
    ' ',
    'a'.repeat(8000),
  ])('%s is refused', async (host) => {
    expect(outcomeOf(await ask(get('/api/health', [`Host: ${host}`])))).toEqual(refusal('forbidden_host'));
  });

  test('is refused if it is missing', async () => {
    expect(outcomeOf(await ask(get('/api/health', [])))).toEqual(refusal('forbidden_host'));
  });

  test('is refused if it is missing in HTTP/1.0', async () => {
    expect(outcomeOf(await ask('GET /api/health HTTP/1.0\r\n\r\n'))).toEqual(refusal('forbidden_host'));
  });

  test.each([
    ['Host: localhost', 'Host: localhost'],
    ['Host: localhost', 'Host: evil.example'],
    ['Host: evil.example', 'host: localhost'],
  ])('is refused if it is sent twice: %s, %s', async (...hosts) => {
    expect(outcomeOf(await ask(get('/api/health', hosts)))).toEqual(refusal('forbidden_host'));
  });

  test('is checked for the page as well as for the API', async () => {
    expect(outcomeOf(await ask(get('/', ['Host: evil.example'])))).toEqual(refusal('forbidden_host'));
  });
});

describe('a request from a web page', () => {
  test.each([
    ['no page at all', []],
    ['our own page', ['Origin: http://localhost:8080']],
    ['our own page behind TLS', ['Origin: https://localhost:8080']],
    ['our own page, as the browser says', ['Sec-Fetch-Site: same-origin']],
    ['the address bar', ['Sec-Fetch-Site: none']],
    ['our own page, said twice', ['Origin: http://localhost:8080', 'Sec-Fetch-Site: same-origin']],
  ])('is accepted from %s', async (_, headers) => {
    const response = await ask(get('/api/health', ['Host: localhost:8080', ...headers]));
    expect(response?.status).toBe(200);
  });

  test.each([
    'http://evil.example',
    'null',
    'http://localhost',
    'http://localhost:80801',
    'http://localhost:8081',
    'http://127.0.0.1:8080',
    'http://LOCALHOST:8080',
    'http://localhost:8080/',
    'http://localhost:8080.evil.example',
    'http://evil.localhost:8080',
    'ftp://localhost:8080',
    'file://',
    'localhost:8080',
    '//localhost:8080',
    'http://localhost:8080 http://evil.example',
    'http://localhost:8080, http://localhost:8080',
    'chrome-extension://abcdefgh',
    'http://user@localhost:8080',
    '',
    '*',
  ])('is refused from the origin %s', async (origin) => {
    expect(outcomeOf(await ask(get('/api/health', ['Host: localhost:8080', `Origin: ${origin}`])))).toEqual(
      refusal('forbidden_origin'),
    );
  });

  test.each(['cross-site', 'same-site', 'Same-Origin', 'unknown', ''])('is refused from the site %s', async (site) => {
    expect(outcomeOf(await ask(get('/api/health', ['Host: localhost', `Sec-Fetch-Site: ${site}`])))).toEqual(
      refusal('forbidden_origin'),
    );
  });

  test('is refused if one of two origins is a different one', async () => {
    const headers = ['Host: localhost', 'Origin: http://localhost', 'Origin: http://evil.example'];
    expect(outcomeOf(await ask(get('/api/health', headers)))).toEqual(refusal('forbidden_origin'));
  });

  test.each(['OPTIONS', 'PUT', 'POST', 'DELETE'])('may not %s', async (method) => {
    const request = `${method} /api/files HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n`;
    expect(outcomeOf(await ask(request))).toEqual(refusal('forbidden_origin'));
  });
});

describe('the request target', () => {
  test.each([
    '/api/health',
    '/api/health?',
    '/api/health?x=%41&y=%25',
    '/%61pi/health',
    '/api/health?next=/../x',
    '/api/%68ealth',
  ])('%s leads to the endpoint', async (target) => {
    expect((await ask(get(target)))?.status).toBe(200);
  });

  test.each([
    '//api/health',
    '/./api/health',
    '/../api/health',
    '/x/../api/health',
    '/api/./health',
    '/api/..',
    '/api/%2e%2e/files',
    '/%2e/api/health',
    '/.%2e/api/health',
    '/api/health#x',
    '/api\\health',
    '/api/%5chealth',
    '/api/%00',
    '/api/%0d%0aSet-Cookie:x',
    '/api/%',
    '/api/%zz',
    '/api/%25',
    '/api/%2561',
    '/api/%3fx',
    '/api/%23x',
    '/api/%20',
    '/api/%e9',
    '/api/%c3%a9',
    '/api/\u00e9',
    '/api/\u007f',
    'http://localhost/api/health',
    'http://evil.example/api/health',
    'api/health',
    '*',
    `/${'a'.repeat(4096)}`,
    `/api/health?${'a'.repeat(4096)}`,
  ])('%s is refused', async (target) => {
    expect(outcomeOf(await ask(get(target)))).toEqual(refusal('bad_request'));
  });

  test('may be 4,096 bytes long', async () => {
    const target = `/api/health?${'a'.repeat(4096 - '/api/health?'.length)}`;
    expect((await ask(get(target)))?.status).toBe(200);
  });
});

describe('the method', () => {
  const KNOWN_TO_NODE = METHODS.filter((method) => !['GET', 'HEAD', 'PUT', 'CONNECT'].includes(method));

  test.each(['/api/health', '/'])(
    'of a request for %s must be GET or HEAD, and the refusal lists these',
    async (path) => {
      for (const method of KNOWN_TO_NODE) {
        const response = await ask(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
        const { status, code } = outcomeOf(response);
        const allow = response?.headers.get('allow');
        expect({ method, status, code, allow }).toEqual({
          method,
          status: 405,
          code: 'method_not_allowed',
          allow: 'GET, HEAD',
        });
      }
    },
  );

  test.each([
    ['BREW /api/health', 'GET, HEAD'],
    ['get /api/health', 'GET, HEAD'],
    ['BREW /', 'GET, HEAD'],
    ['X-Y~1 /api/file/0/annotations', 'GET, HEAD, PUT'],
    ['CONNECT /api/health', 'GET, HEAD'],
  ])('of %s is refused with the methods of that address, %s', async (line, allow) => {
    const response = await ask(`${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(outcomeOf(response)).toEqual({ ...refusal('bad_request'), status: 405, code: 'method_not_allowed' });
    expect(response?.headers.get('allow')).toBe(allow);
  });

  test.each([
    ['BREW /api/nothing', 'route_not_found'],
    ['CONNECT /nothing', 'asset_not_found'],
    ['DELETE /api/nothing', 'route_not_found'],
  ])('does not matter for an address that does not exist: %s is %s', async (line, code) => {
    const response = await ask(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(outcomeOf(response)).toEqual({ ...refusal('bad_request'), status: 404, code });
    expect(response?.headers.get('allow')).toBeUndefined();
  });

  test('is judged before the body of a request', async () => {
    const rest = 'HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello';
    const unknown = await ask(`GET /api/nothing ${rest}`);
    expect(outcomeOf(unknown)).toMatchObject({ status: 404, code: 'route_not_found' });
    const other = await ask(`GET /api/marks/import ${rest}`);
    expect(outcomeOf(other)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(other?.headers.get('allow')).toBe('POST');
  });

  test('of a request for another host is refused', async () => {
    const response = await ask('CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(outcomeOf(response)).toEqual(refusal('bad_request'));
  });
});

describe('the framing of a request', () => {
  const HEAD = 'PUT /api/files HTTP/1.1\r\nHost: localhost\r\n';
  test.each([
    ['a length and chunks', `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`],
    ['a list of lengths', `${HEAD}Content-Length: 5, 5\r\n\r\nhello`],
    ['a negative length', `${HEAD}Content-Length: -1\r\n\r\n`],
    ['a length with a plus', `${HEAD}Content-Length: +5\r\n\r\nhello`],
    ['a hexadecimal length', `${HEAD}Content-Length: 0x5\r\n\r\nhello`],
    ['a length that is no number', `${HEAD}Content-Length: five\r\n\r\nhello`],
    ['an empty length', `${HEAD}Content-Length:\r\n\r\n`],
    ['a length beyond all bounds', `${HEAD}Content-Length: 99999999999999999999999\r\n\r\n`],
    ['an unknown transfer coding', `${HEAD}Transfer-Encoding: rot13\r\n\r\n`],
    ['chunked before another coding', `${HEAD}Transfer-Encoding: chunked, gzip\r\n\r\n`],
    ['a header line without a colon', `GET /api/health HTTP/1.1\r\nHost: localhost\r\nbroken\r\n\r\n`],
    ['a space before the colon', `GET /api/health HTTP/1.1\r\nHost : localhost\r\n\r\n`],
    ['a folded header', `GET /api/health HTTP/1.1\r\nX: a\r\n b\r\nHost: localhost\r\n\r\n`],
    ['a header with a NUL', `GET /api/health HTTP/1.1\r\nHost: local\0host\r\n\r\n`],
    ['a header name with a space', `GET /api/health HTTP/1.1\r\nHost: localhost\r\nA B: c\r\n\r\n`],
    ['lines that end with LF only', `GET /api/health HTTP/1.1\nHost: localhost\n\n`],
    ['a bare CR in a header', `GET /api/health HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n`],
    ['no version', `GET /api/health\r\nHost: localhost\r\n\r\n`],
    ['an unknown version', `GET /api/health HTTP/3.7\r\nHost: localhost\r\n\r\n`],
    ['HTTP/2 prior knowledge', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`],
    ['a TLS hello', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03`.padEnd(64, '\0')],
    ['a method that is no token', `GE(T /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ['an unknown method of an unknown version', `BREW /api/health HTTP/3.7\r\nHost: localhost\r\n\r\n`],
    ['a space in the target', `GET /api/ health HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ['headers beyond 16 KiB', `GET /api/health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['more than 64 headers', `GET /api/health HTTP/1.1\r\nHost: localhost\r\n${'X: y\r\n'.repeat(64)}\r\n`],
    ['a body on a GET', `GET /api/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello`],
    ['chunks on a GET', `GET /api/health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['an unmet expectation', `GET /api/health HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n\r\n`],
  ])('is refused with %s', async (_, request) => {
    expect(outcomeOf(await ask(request))).toEqual(refusal('bad_request'));
  });

  test('is refused with a chunk that is larger than any body may be', async () => {
    const request = `${HEAD}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`;
    expect((await ask(request))?.status).toBeGreaterThanOrEqual(400);
  });

  test('allows two requests on one connection, which are answered in order', async () => {
    const { port } = await serveWith({ scans: false });
    const both = get('/api/files').replace('Connection: close\r\n', '') + get('/api/nothing');
    const first = await sendRaw({ port }, both);
    expect(first?.status).toBe(200);
  });

  test('an upgrade to another protocol is ignored', async () => {
    const headers = ['Host: localhost', 'Upgrade: websocket', 'Connection: Upgrade'];
    const response = await ask(`GET /api/health HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    expect(response?.status).toBe(200);
  });

  test('no body is requested if the request is refused', async () => {
    const request = `${HEAD}Origin: http://evil.example\r\nContent-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n`;
    const response = await ask(request);
    expect(outcomeOf(response)).toEqual(refusal('forbidden_origin'));
    expect(response?.headers.get('connection')).toBe('close');
  });
});
