import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { appendFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpClient } from '../../src/server/bytes/origins/remote/httpClient.ts';
import { createInFlight } from '../../src/server/bytes/origins/remote/inFlight.ts';
import { createRemoteReader } from '../../src/server/bytes/origins/remote/remoteReader.ts';
import type { RemoteStore, StoreEntry, StoreReader } from '../../src/server/bytes/origins/remote/remoteStore.ts';
import { createS3Store, type StoreCredentials } from '../../src/server/bytes/origins/remote/s3Store.ts';
import { createWebStore } from '../../src/server/bytes/origins/remote/webStore.ts';
import { type Fault, type ObjectServer, serveObjects } from '../support/objectServer.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const BYTES = Uint8Array.from({ length: 5000 }, (_, i) => i % 251);
const SPAN = { from: 1000, to: 3000 };

/** A folder with one object of 5,000 bytes. */
function writeObject(): string {
  const folder = createTempFolder();
  writeBelow(folder, 'a/one.dcm', BYTES);
  return folder;
}

type Context = {
  readonly fault?: Fault;
  readonly url?: string;
  /** Of tests that wait for a silent server. Others wait as long as the program does, because the machine may be busy. */
  readonly quietMs?: number;
  readonly wholeMs?: number;
  readonly silentMs?: number;
  readonly credentials?: (options: { readonly renewed: boolean }) => Promise<StoreCredentials | undefined>;
};

/** A reader of a bucket on a real server. */
async function createReader(context: Context = {}) {
  const { fault, url, quietMs = 10_000, wholeMs = 18_000, silentMs = quietMs } = context;
  const { credentials = async () => undefined } = context;
  const folder = writeObject();
  const server: ObjectServer = await serveObjects(folder, fault === undefined ? {} : { fault });
  const http = createHttpClient({ quietMs });
  onTestFinished(() => http.close());
  const inFlight = createInFlight(64);
  const store = createS3Store({
    scheme: 's3',
    bucket: 'bucket',
    prefix: 'a/',
    endpoint: new URL(url ?? server.url),
    region: undefined,
    findCredentials: credentials,
  });
  const reader = createRemoteReader({ store, http, inFlight, limits: { wholeMs, silentMs, pauseMs: 10_000 } });
  const read = (key = 'a/one.dcm') => reader.readSpan(key, SPAN, { urgency: 'waited' });
  return { folder, server, http, inFlight, store, reader, read };
}

async function listAll(store: RemoteStore, reader: StoreReader): Promise<StoreEntry[]> {
  const entries: StoreEntry[] = [];
  for await (const page of store.list(reader, { recursive: true })) entries.push(...page);
  return entries;
}

function answerTimes(count: number, answer: (request: IncomingMessage, response: ServerResponse) => void): Fault {
  let left = count;
  return (request, response) => {
    if (left === 0) return undefined;
    left -= 1;
    answer(request, response);
    return true;
  };
}

const busy = (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(503, { 'Retry-After': '0' }).end();

test('a server that is overloaded for a moment is asked again, with fewer requests at a time', async () => {
  const { read, inFlight, server } = await createReader({ fault: answerTimes(2, busy) });

  expect((await read()).bytes).toEqual(BYTES.subarray(SPAN.from, SPAN.to));

  expect(server.requests).toHaveLength(3);
  expect(inFlight.limit).toBe(8);
});

test.each([
  ['is overloaded', 'origin_busy', busy],
  ['fails', 'origin_unavailable', (_: IncomingMessage, response: ServerResponse) => void response.writeHead(500).end()],
  ['closes the connection', 'origin_unavailable', (request: IncomingMessage) => void request.socket.destroy()],
  [
    'sends fewer bytes than it says',
    'origin_unavailable',
    (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(206, { 'Content-Range': 'bytes 1000-2999/5000', ETag: '"1"' });
      response.end('short');
    },
  ],
  [
    'sends more bytes than it says',
    'origin_unavailable',
    (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(206, { 'Content-Range': 'bytes 1000-2999/5000', ETag: '"1"' });
      response.end(new Uint8Array(9000));
    },
  ],
  [
    'compresses the object',
    'origin_unavailable',
    (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(206, { 'Content-Range': 'bytes 1000-2999/5000', 'Content-Encoding': 'gzip' });
      response.end(gzipSync('x'));
    },
  ],
  ['never answers', 'origin_timeout', () => undefined],
  [
    'sends a byte now and then',
    'origin_timeout',
    (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(206, { 'Content-Range': 'bytes 1000-2999/5000' });
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    },
  ],
  ['refuses', 'origin_denied', (_: IncomingMessage, response: ServerResponse) => void response.writeHead(403).end()],
  [
    'lost the object',
    'file_gone',
    (_: IncomingMessage, response: ServerResponse) => void response.writeHead(404).end(),
  ],
])('a server that %s is %s', async (_, code, answer) => {
  const isSilent = code === 'origin_timeout';
  const limits = isSilent ? { quietMs: 500, wholeMs: 1_500 } : {};
  const { read } = await createReader({ fault: answerTimes(Infinity, answer), ...limits });

  await expect(read()).rejects.toMatchObject({ code });
});

test('a server that is not there is origin_unavailable', async () => {
  const { read } = await createReader({ url: 'http://127.0.0.1:9' });

  await expect(read()).rejects.toMatchObject({
    code: 'origin_unavailable',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('while a server is silent, one request at a time waits for it and others fail at once', async () => {
  const fault = answerTimes(Infinity, () => undefined);
  const { read, server } = await createReader({ fault, quietMs: 300, wholeMs: 1_000 });
  await expect(read()).rejects.toMatchObject({ code: 'origin_timeout' });
  const before = server.requests.length;

  const results = await Promise.allSettled(Array.from({ length: 20 }, () => read()));

  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  // One probe, with at most three tries.
  expect(server.requests.length - before).toBeLessThanOrEqual(3);
});

test('one slow answer of a server that answers others does not hold up the others', async () => {
  const { read, reader } = await createReader({
    fault: (request) => (request.headers.range === 'bytes=0-9' ? true : undefined),
    quietMs: 2_000,
    wholeMs: 3_000,
    silentMs: 60_000,
  });
  await read();
  const slow = reader.readSpan('a/one.dcm', { from: 0, to: 10 }, { urgency: 'waited' });
  await expect(slow).rejects.toMatchObject({ code: 'origin_timeout' });

  const results = await Promise.allSettled(Array.from({ length: 20 }, () => read()));

  expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('an object that changes between two reads is gone, and never a mixture', async () => {
  const { folder, reader, read } = await createReader();
  const { state } = await read();
  appendFileSync(`${folder}/a/one.dcm`, 'more');

  const second = reader.readSpan('a/one.dcm', { from: 0, to: 10 }, { expected: state, urgency: 'waited' });

  await expect(second).rejects.toMatchObject({ code: 'file_gone' });
});

test('a server that ignores conditions is found out by its ETag', async () => {
  const { folder, reader, read } = await createReader({
    fault: (request) => {
      delete request.headers['if-match'];
      return undefined;
    },
  });
  const { state } = await read();
  appendFileSync(`${folder}/a/one.dcm`, 'more');

  const second = reader.readSpan('a/one.dcm', { from: 0, to: 10 }, { expected: state, urgency: 'waited' });

  await expect(second).rejects.toMatchObject({ code: 'file_gone' });
});

test('a server that ignores ranges gives the same bytes', async () => {
  const { read } = await createReader({
    fault: (request) => {
      delete request.headers.range;
      return undefined;
    },
  });

  const { bytes, state } = await read();

  expect(bytes).toEqual(BYTES.subarray(SPAN.from, SPAN.to));
  expect(state.size).toBe(5000);
});

test('credentials that have expired are found anew, once', async () => {
  const found: string[] = [];
  const { read, server } = await createReader({
    credentials: async ({ renewed }) => {
      found.push(renewed ? 'new' : 'old');
      const sessionToken = renewed ? 'new' : 'old';
      return { kind: 'keys', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken };
    },
    fault: (request, response) => {
      if (request.headers['x-amz-security-token'] === 'new') return undefined;
      response.writeHead(400).end('<Error><Code>ExpiredToken</Code></Error>');
      return true;
    },
  });

  await read();
  await read();

  expect(found).toEqual(['old', 'new']);
  expect(server.requests).toHaveLength(3);
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
  '//localhost/a/one.dcm',
  'https://127.0.0.1/',
])('a redirect to %s is not followed', async (location) => {
  const redirect = answerTimes(Infinity, (_, response) => void response.writeHead(302, { Location: location }).end());
  const { read, server } = await createReader({ fault: redirect });

  await expect(read()).rejects.toMatchObject({ code: 'origin_denied' });

  expect(server.requests).toHaveLength(1);
});

test('a redirect on the same machine is followed, but not in a circle', async () => {
  const { read, server } = await createReader({
    fault: (request, response) => {
      if (request.url?.includes('moved') === true) return undefined;
      response.writeHead(307, { Location: '/bucket/a/one.dcm?moved' }).end();
      return true;
    },
  });
  expect((await read()).bytes).toHaveLength(2000);
  expect(server.requests.map(({ url }) => url)).toEqual(['/bucket/a/one.dcm', '/bucket/a/one.dcm?moved']);

  const circle = answerTimes(Infinity, (_, response) => void response.writeHead(307, { Location: '/bucket/a' }).end());
  const { read: readCircle } = await createReader({ fault: circle });
  await expect(readCircle()).rejects.toMatchObject({ code: 'origin_denied' });
});

test.each(['b/one.dcm', 'a', '../a/one.dcm', ''])(
  'the key %j outside of what was opened is not asked for',
  async (key) => {
    const { read, server } = await createReader();

    await expect(read(key)).rejects.toMatchObject({ code: 'origin_denied' });

    expect(server.requests).toEqual([]);
  },
);

test.each([
  [
    'repeats its pages',
    '<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>',
    /repeats/,
  ],
  ['has no next page', '<IsTruncated>true</IsTruncated>', /cut off/],
])('a listing that %s ends', async (_, content, message) => {
  const xml = `<ListBucketResult>${content}<Contents><Key>a/x</Key></Contents></ListBucketResult>`;
  const { store, reader } = await createReader({
    fault: answerTimes(Infinity, (_r, response) => void response.end(xml)),
  });

  const listing = listAll(store, reader);

  await expect(listing).rejects.toMatchObject({ code: 'origin_unavailable', message: expect.stringMatching(message) });
});

test('a listing names no objects outside of its folder', async () => {
  const keys = ['b/x', 'a/', 'a/../b/x', 'a/y'].map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
  const xml = `<ListBucketResult>${keys}</ListBucketResult>`;
  const { store, reader } = await createReader({ fault: answerTimes(1, (_, response) => void response.end(xml)) });

  const page = await listAll(store, reader);

  // Dots in a key mean nothing to object storage, but a proxy would resolve them: it is listed, and never requested.
  expect(page).toEqual([
    { path: 's3://bucket/a/../b/x', reason: 'unreadable' },
    { path: 's3://bucket/a/y', key: 'a/y', mark: '' },
  ]);
  expect(store.locate('a/../b/x', {})).toBeUndefined();
  expect(store.locate('a/%2E%2e/b/x', {})).toBeUndefined();
  expect(store.locate('a/y..z', {})).toBeDefined();
});

test('a list of addresses leads neither to another machine nor out of its folder', async () => {
  const folder = createTempFolder();
  const outside = [
    'http://169.254.169.254/x',
    '../bucket/a',
    '/web/other.dcm',
    'https://127.0.0.1/web/a/b',
    'file:///etc/passwd',
  ];
  writeBelow(folder, 'a/list.txt', `x.dcm\n${outside.join('\n')}\nsub/../y.dcm`);
  const server = await serveObjects(folder);
  const http = createHttpClient();
  onTestFinished(() => http.close());
  const store = createWebStore({ url: new URL(`${server.url}/web/a/list.txt`), findToken: async () => undefined });
  const reader = createRemoteReader({ store, http, inFlight: createInFlight(4) });

  const entries = await listAll(store, reader);

  expect(entries).toEqual([
    { key: '/web/a/x.dcm', path: `${server.url}/web/a/x.dcm` },
    ...outside.map((path) => ({ path, reason: 'origin_denied' })),
    { key: '/web/a/y.dcm', path: `${server.url}/web/a/y.dcm` },
  ]);
  for (const key of ['/web/a/../b', '/web/a/%2e%2e/b', '/web/b', '/bucket/a/x.dcm']) {
    expect(store.locate(key, {})).toBeUndefined();
  }
});
