import { expect, test } from 'vitest';
import { serveWith, type TestServer } from '../support/serve.ts';

const TOKEN = 'a-fixed-token-of-more-than-thirty-two-characters';
const TOKEN_MODE = { scans: false, server: { tokenMode: 'required', fixedToken: TOKEN } } as const;

function post(
  server: TestServer,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return server.request(path, {
    method: 'POST',
    headers: { ...json, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function issue(server: TestServer): Promise<string> {
  const response = await post(server, '/api/tickets', undefined, { Authorization: `Bearer ${TOKEN}` });
  const { ticket } = await response.json();
  return ticket;
}

test('whoever has a ticket gets the token, once; nobody gets a ticket without the token', async () => {
  const server = await serveWith(TOKEN_MODE);
  expect((await post(server, '/api/tickets')).status).toBe(401);
  const ticket = await issue(server);
  expect(ticket).not.toContain(TOKEN);

  expect(await (await post(server, '/api/token', { ticket })).json()).toEqual({ token: TOKEN });

  const again = await post(server, '/api/token', { ticket });
  expect([again.status, (await again.json()).code]).toEqual([401, 'unauthorized']);
});

test('another page cannot trade a ticket, and the ticket stays good for ours', async () => {
  const server = await serveWith(TOKEN_MODE);
  const ticket = await issue(server);

  for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }, { 'Sec-Fetch-Site': 'same-site' }]) {
    expect((await post(server, '/api/token', { ticket }, headers)).status).toBe(403);
  }

  expect((await post(server, '/api/token', { ticket }, { Origin: server.baseUrl })).status).toBe(200);
});

test.each([{}, { ticket: '' }, { ticket: 7 }, { ticket: 'x', token: 'y' }, { ticket: 'x'.repeat(129) }])(
  'the body %j is no ticket',
  async (body) => {
    const server = await serveWith(TOKEN_MODE);
    expect((await post(server, '/api/token', body)).status).toBe(422);
  },
);

test('only POST to this one address is open without the token', async () => {
  const server = await serveWith(TOKEN_MODE);
  for (const path of ['/api/token', '/api/token/', '/api/tokens']) {
    expect((await server.request(path)).status).toBe(401);
  }
  expect((await post(server, '/api/token/', { ticket: 'x' })).status).toBe(401);
});

test('with a base path, everything is below it and nothing beside it', async () => {
  const server = await serveWith({ scans: false, server: { basePath: '/node/c12/8042' } });
  const origin = new URL(server.baseUrl).origin;
  expect(server.baseUrl).toBe(`${origin}/node/c12/8042`);

  const health = await fetch(`${server.baseUrl}/api/health`);
  expect([health.status, (await health.json()).status]).toEqual([200, 'ok']);
  for (const path of ['/', '/api/health', '/node/c12/80420/api/health']) {
    expect((await fetch(origin + path)).status).toBe(404);
  }
  const bare = await fetch(server.baseUrl, { redirect: 'manual' });
  expect([bare.status, bare.headers.get('location')]).toEqual([308, '/node/c12/8042/']);
  const foreign = await fetch(`${server.baseUrl}/api/health`, { headers: { Origin: 'https://evil.example' } });
  expect(foreign.status).toBe(403);
});
