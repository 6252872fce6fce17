import { describe, expect, test } from 'vitest';
import { sendRaw } from '../support/rawHttp.ts';
import { serveWith } from '../support/serve.ts';

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

test.each(['/', '/api/health', '/api/events', '/api/nothing', '/nothing', '/api/file/x/info', '/api/../x'])(
  '%s is answered with the headers that keep other pages out',
  async (path) => {
    const { port } = await serveWith({ scans: false });

    const response = await sendRaw({ port }, `HEAD ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const headers = Object.fromEntries(response?.headers ?? []);

    expect(headers).toMatchObject(EVERYWHERE);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('server');
  },
);

test('the page makes the browser request the first files at once, at an address that works behind a path prefix', async () => {
  const server = await serveWith({ scans: false });

  const link = (await server.request('/')).headers.get('link') ?? '';

  const [, path] = /^<([^>]+)>; rel=preload; as=fetch; crossorigin$/.exec(link) ?? [];
  expect(path).toBe('api/files?since=0&limit=1000');
  expect((await server.request(`/${path}`)).status).toBe(200);
  expect((await server.request('/api/health')).headers.has('link')).toBe(false);
});

describe('the content security policy of the page', () => {
  test('allows our own scripts and styles, and nothing inline, evaluated or foreign', async () => {
    const server = await serveWith({ scans: false });

    const policy = (await server.request('/')).headers.get('content-security-policy') ?? '';

    const directives = new Map(
      policy.split('; ').map((part) => [part.split(' ')[0], part.split(' ').slice(1).join(' ')]),
    );
    expect(Object.fromEntries(directives)).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'object-src': "'none'",
      'require-trusted-types-for': "'script'",
    });
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });
});

describe('the page', () => {
  test('is requested again each time, while its files, which are named by their content, are cached forever', async () => {
    const server = await serveWith({ scans: false });
    const page = await server.request('/');
    const html = await page.text();
    const files = [...html.matchAll(/(?:src|href)="(\.\/assets\/[^"]+)"/g)].map(([, url = '']) => url);

    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) {
      const response = await server.request(file.slice(1));
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(file).toMatch(/-[\w-]{8}\.(js|css)$/);
    }
  });

  test('has only relative references, so that it works behind a path prefix', async () => {
    const server = await serveWith({ scans: false });
    const html = await (await server.request('/')).text();
    expect(html).not.toMatch(/(src|href)="(\/|https?:)/);
  });

  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ])('for a client that accepts %s is encoded as %s', async (accepted, encoding) => {
    const server = await serveWith({ scans: false });

    const response = await server.request('/', { headers: { 'Accept-Encoding': accepted } });

    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(await response.text()).toMatch(/^<!doctype html>/);
  });
});
