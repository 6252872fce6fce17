import { expect, test } from 'vitest';
import { createLimitedServer } from './limitedServer.ts';

// The limits of the design; Node's own defaults are 60 s, 300 s, 5 s and no limit of connections.
test('headers have 10 s to arrive, requests 30 s, idle connections 10 s, and there are 256 at most', () => {
  const server = createLimitedServer();
  expect(server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 10_000,
    maxConnections: 256,
  });
});
