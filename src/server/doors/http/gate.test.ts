import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type GateRequest, type GateRules, judgeRequest } from './gate.ts';

const TOKEN = 'a-token-of-at-least-thirty-two-characters';

const RULES: GateRules = {
  allowedHosts: new Set(['localhost', '127.0.0.1', '[::1]', 'viewer.example']),
  token: 'unless_same_user',
  matchesToken: (given) => given === TOKEN,
  anyOrigin: false,
  mayBeFramed: false,
  dicomwebOrigins: new Set(),
};

function judge(
  request: Partial<GateRequest> & { headers?: readonly string[] },
  rules: Partial<GateRules> = {},
): string {
  const { headers = [], ...rest } = request;
  const verdict = judgeRequest(
    {
      method: 'GET',
      httpVersion: '1.1',
      target: '/api/health',
      rawHeaders: ['Host', 'localhost', ...headers],
      caller: 'same_user',
      ...rest,
    },
    { ...RULES, ...rules },
  );
  return verdict.admitted ? verdict.target : verdict.code;
}

describe('callers that are admitted', () => {
  const bearer = ['Authorization', `Bearer ${TOKEN}`];
  test.each([
    { token: 'unless_same_user', caller: 'same_user', headers: [], allowed: true },
    { token: 'unless_same_user', caller: 'other_user', headers: [], allowed: false },
    { token: 'unless_same_user', caller: 'unknown', headers: [], allowed: false },
    { token: 'unless_same_user', caller: 'other_user', headers: bearer, allowed: true },
    { token: 'unless_same_user', caller: 'unknown', headers: bearer, allowed: true },
    { token: 'always', caller: 'same_user', headers: [], allowed: false },
    { token: 'always', caller: 'same_user', headers: bearer, allowed: true },
    { token: 'never', caller: 'other_user', headers: [], allowed: true },
    { token: 'always', caller: 'same_user', headers: ['Authorization', `bearer ${TOKEN}`], allowed: true },
    { token: 'always', caller: 'same_user', headers: [...bearer, ...bearer], allowed: false },
    { token: 'always', caller: 'same_user', headers: ['Authorization', `Basic ${TOKEN}`], allowed: false },
    { token: 'always', caller: 'same_user', headers: ['Authorization', TOKEN], allowed: false },
    { token: 'always', caller: 'same_user', headers: ['Authorization', 'Bearer '], allowed: false },
    { token: 'always', caller: 'same_user', headers: ['Authorization', `Bearer ${TOKEN}x`], allowed: false },
    { token: 'always', caller: 'same_user', headers: ['Cookie', `token=${TOKEN}`], allowed: false },
  ] as const)('token $token, $caller, $headers: $allowed', ({ allowed, headers, caller, token }) => {
    expect(judge({ headers, caller }, { token })).toBe(allowed ? '/api/health' : 'unauthorized');
  });

  test('the page is served to every caller that may connect, because it contains no data', () => {
    expect(judge({ target: '/', caller: 'other_user' })).toBe('/');
    expect(judge({ target: '/assets/index-1a2b.js', caller: 'unknown' }, { token: 'always' })).toBe(
      '/assets/index-1a2b.js',
    );
  });
});

test.each(['/api', '/api/', '/api/files', '/%61pi/files', '/api%2Ffiles', '/a%70%69/health?x=/../y', '/api?x=1'])(
  '%s is part of the API, however it is spelled',
  (target) => {
    expect(judge({ target, caller: 'unknown' })).toBe('unauthorized');
  },
);

test('an admitted target is passed on without percent signs in its path, and with its query as it was', () => {
  expect(judge({ target: '/%61pi/file/0/tags/select?path=%280008%2C0018%29' })).toBe(
    '/api/file/0/tags/select?path=%280008%2C0018%29',
  );
});

test('the gate never throws and admits nothing that a URL parser would read differently', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom(...Array.from('/.%2eEfFaApi61?#\\;: ')) }),
      ),
      fc.array(fc.string({ unit: 'binary' })),
      fc.constantFrom('same_user', 'other_user', 'unknown'),
      (text, headers, caller) => {
        const target = `/${text}`;
        const verdict = judgeRequest(
          { method: 'GET', httpVersion: '1.1', target, rawHeaders: ['Host', 'localhost', ...headers], caller },
          RULES,
        );
        if (!verdict.admitted) return;
        const url = new URL(`http://localhost${verdict.target}`);
        expect(decodeURIComponent(url.pathname)).toBe(verdict.target.split('?')[0]);
        expect(verdict.isApi).toBe(url.pathname === '/api' || url.pathname.startsWith('/api/'));
      },
    ),
    { numRuns: 2000 },
  );
});

test('without a web page in between, an explicit origin must be our own host', () => {
  const headers = ['Origin', 'http://localhost:8080'];
  expect(judge({ rawHeaders: ['Host', 'localhost:8080', ...headers] })).toBe('/api/health');
  expect(judge({ rawHeaders: ['Host', 'localhost:8081', ...headers] })).toBe('forbidden_origin');
});

describe('a link from another page', () => {
  const navigation = ['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'];
  test('may lead to our page', () => {
    expect(judge({ target: '/', headers: navigation })).toBe('/');
  });
  test('may not lead into the API', () => {
    expect(judge({ headers: navigation })).toBe('forbidden_origin');
  });
  test('may not load our page into a frame', () => {
    const framed = ['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'iframe'];
    expect(judge({ target: '/', headers: framed })).toBe('forbidden_origin');
  });
  test('may load our page into a frame if the user has named pages, but nothing else', () => {
    const framed = ['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'iframe'];
    const bearer = ['Authorization', `Bearer ${TOKEN}`];
    expect(judge({ target: '/', headers: framed }, { mayBeFramed: true })).toBe('/');
    expect(judge({ headers: [...framed, ...bearer] }, { mayBeFramed: true })).toBe('forbidden_origin');
    expect(judge({ target: '/', headers: [...framed, 'Origin', 'https://other.example'] }, { mayBeFramed: true })).toBe(
      'forbidden_origin',
    );
  });
});

test('more than 64 headers are refused', () => {
  const many = Array.from({ length: 64 }, (_, i) => [`X-${i}`, 'x']).flat();
  expect(judge({ headers: many })).toBe('bad_request');
  expect(judge({ headers: many.slice(2) })).toBe('/api/health');
});

test('any host name is accepted if the user allowed all of them', () => {
  expect(judge({ rawHeaders: ['Host', 'hub.example:8000'] })).toBe('forbidden_host');
  expect(judge({ rawHeaders: ['Host', 'hub.example:8000'] }, { allowedHosts: new Set(['*']) })).toBe('/api/health');
});
