import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpClient, followWithin, HttpFailure } from './httpClient.ts';
import { hostOf } from './webHost.ts';

const targetOf = (address: string) => {
  const url = new URL(address);
  return { host: hostOf(url), path: address.replace(/^https?:\/\/[^/]*/, '') };
};

test.each([
  ['http://host/a/b', 'c', '/a/c'],
  ['http://host/a/b', '/c?d', '/c?d'],
  ['http://host/a/b', 'http://host:80/c', '/c'],
  ['https://host/a', 'https://HOST:443/c', '/c'],
  ['http://host:81/a', '//host:81/c', '/c'],
  ['http://[::1]:9000/a', '/c', '/c'],
  ['http://[::1]:9000/a', 'http://[0:0:0:0:0:0:0:1]:9000/c', '/c'],
  ['http://[::1]/a', 'http://[::1]:80/c', '/c'],
  // Two ways to write the same address: 127.0.0.1 is 7f00:0001.
  ['http://[::ffff:7f00:1]/a', 'http://[::ffff:127.0.0.1]/c', '/c'],
  // The address of a key that begins with a slash.
  ['http://host//elsewhere/a', 'c', '//elsewhere/c'],
])('%s may redirect to %s', (from, location, path) => {
  expect(followWithin(targetOf(from), location)).toBe(path);
});

test.each([
  ['http://host/a', 'https://host/a'],
  ['https://host/a', 'http://host/a'],
  ['http://host/a', 'http://host:81/a'],
  ['http://host/a', 'http://host.evil/a'],
  ['http://host/a', '//evil/a'],
  ['http://host/a', '\\\\evil\\a'],
  ['http://host/a', 'http://host@evil/a'],
  ['http://host/a', 'file:///etc/passwd'],
  ['http://host/a', 'http://169.254.169.254/latest/meta-data'],
  ['http://host//evil/a', '//evil/b'],
  ['http://[::1]:9000/a', 'http://[::1]:9001/a'],
  ['http://[::1]/a', 'http://[::2]/a'],
  ['http://[::1]/a', 'http://127.0.0.1/a'],
  ['http://[::1]/a', 'http://[::ffff:127.0.0.1]/a'],
  ['http://[::ffff:127.0.0.1]/a', 'http://127.0.0.1/a'],
  ['http://[::ffff:127.0.0.1]/a', 'http://[::ffff:169.254.169.254]/a'],
  ['http://127.0.0.1/a', 'http://[::ffff:127.0.0.1]/a'],
  ['http://[::1]/a', 'http://[::1%25lo]/a'],
  ['http://[::1]/a', 'http://[::1/a'],
])('%s may not redirect to %s', (from, location) => {
  expect(() => followWithin(targetOf(from), location)).toThrow(HttpFailure);
});

test('a redirect of a machine with an IPv6 address is followed', async ({ skip }) => {
  const server = createServer((request, response) => {
    if (request.url === '/a') response.writeHead(302, { Location: 'b' }).end();
    else response.end(request.headers.host);
  });
  const isListening = await new Promise<boolean>((resolve) => {
    server.on('error', () => resolve(false));
    server.listen(0, '::1', () => resolve(true));
  });
  if (!isListening) skip('this machine has no IPv6');
  const http = createHttpClient();
  onTestFinished(() => {
    http.close();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;

  const target = { ...targetOf(`http://[::1]:${port}/a`), headers: {} };
  const { status, bytes } = await http.get(target, { mostBytes: 100, deadlineMs: 10_000 });

  expect([status, Buffer.from(bytes).toString()]).toEqual([200, `[::1]:${port}`]);
});
