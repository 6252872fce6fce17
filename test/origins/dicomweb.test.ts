import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { createDicomwebStore } from '../../src/server/bytes/origins/remote/dicomwebStore.ts';
import { createHttpClient } from '../../src/server/bytes/origins/remote/httpClient.ts';
import { createInFlight } from '../../src/server/bytes/origins/remote/inFlight.ts';
import { parseRemoteInput } from '../../src/server/bytes/origins/remote/remoteInput.ts';
import { createRemoteReader } from '../../src/server/bytes/origins/remote/remoteReader.ts';
import type { StoreEntry } from '../../src/server/bytes/origins/remote/remoteStore.ts';
import { ctElements } from '../support/ctElements.ts';
import { type DicomwebServerOptions, serveDicomwebStandIn, type StoredInstance } from '../support/dicomwebServer.ts';
import { encodeRle } from '../support/encodeRle.ts';
import type { Fault } from '../support/objectServer.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { readToldOfFiles } from '../support/toldOfFiles.ts';

/** An instance of a series of a study, by their numbers. */
function write(
  [study, series, instance]: readonly [number, number, number],
  more: DataSetInput = {},
  transferSyntaxUid?: string,
): StoredInstance {
  const uids = {
    study: `2.25.${study}`,
    series: `2.25.${study}.${series}`,
    instance: `2.25.${study}.${series}.${instance}`,
  };
  const elements = ctElements({
    StudyInstanceUID: uids.study,
    SeriesInstanceUID: uids.series,
    SOPInstanceUID: uids.instance,
    SeriesNumber: String(series),
    InstanceNumber: String(instance),
    ...more,
  });
  return { ...uids, bytes: writeDicom(elements, transferSyntaxUid === undefined ? {} : { transferSyntaxUid }) };
}

const SAMPLES = Uint16Array.from({ length: 6 * 256 * 256 }, (_, i) => (i * 2654435761) & 0xfff);
const BIG = { Rows: 256, Columns: 256 };

/** Two studies with three series. They are read in different ways: in one range, in several, by frames, and inflated. */
function writeStudies(): StoredInstance[] {
  const long = { '00091010': { vr: 'OB', value: new Uint8Array(200_000) }, ContentDate: '20240202' } as const;
  const stream = encodeRle(new Uint8Array(SAMPLES.buffer, 0, 2 * 256 * 256), 2, 1);
  return [
    write([1, 1, 1]),
    write([1, 1, 2], long),
    write([1, 1, 3], { PatientName: 'Müller^Jürgen', SpecificCharacterSet: 'ISO_IR 192' }),
    write([1, 2, 1], { ...BIG, NumberOfFrames: '6', PixelData: SAMPLES }),
    write([1, 2, 2], { ...BIG, PixelData: { fragments: [stream] } }, '1.2.840.10008.1.2.5'),
    write([2, 1, 1], {}, '1.2.840.10008.1.2.1.99'),
    write([2, 1, 2], {}, '1.2.840.10008.1.2'),
  ];
}

const addressOf = (url: string) => `dicomweb+${url}`;
const bySopInstance = ({ sop_instance_uid: uid }: { readonly sop_instance_uid: string }) => uid;

test('the same files as local files and from DICOMweb servers of all sorts give the same records, tags, frames and bytes', async () => {
  const stored = writeStudies();
  const folder = createTempFolder();
  for (const { instance, bytes } of stored) writeBelow(folder, `${instance}.dcm`, bytes);
  // The same server is the one to compare with, and sends instances alone and in ranges.
  const local = await serveWith({ inputs: [folder], dicomweb: true });
  const expected = await readToldOfFiles(local, bySopInstance);
  expect(expected.size).toBe(7);
  const others = await Promise.all(
    [
      { form: 'sized' } as const,
      { form: 'chunked' } as const,
      { form: 'sized', metadata: 'plain' } as const,
      { form: 'alone', metadata: 'gzip' } as const,
    ].map((options) => serveDicomwebStandIn(() => stored, options)),
  );

  for (const url of [`${local.baseUrl}/dicomweb`, ...others.map((other) => other.url)]) {
    const server = await serveWith({ inputs: [addressOf(url)], remote: {} });
    expect(await readToldOfFiles(server, bySopInstance)).toEqual(expected);
    expect([...server.catalog.skippedByReason()]).toEqual([]);
    // One instance of each series comes first, so that all series are shown soon.
    const first = server.catalog.files.slice(0, 3).map(({ seriesInstanceUid }) => seriesInstanceUid);
    expect(first).toEqual(['2.25.1.1', '2.25.1.2', '2.25.2.1']);
    expect(server.catalog.files[0]?.path).toBe(`${addressOf(url)}/studies/2.25.1/series/2.25.1.1/instances/2.25.1.1.1`);
    await server.close();
  }
  // Nothing but GET was sent, or a stand-in would not have known the request.
  for (const { requests } of others) expect(requests.some(({ headers }) => headers.referer !== undefined)).toBe(false);
});

type Limits = { readonly quietMs?: number; readonly wholeMs?: number };

/** The store of an address, and its reader. */
function openStore(address: string, { quietMs = 10_000, wholeMs = 18_000 }: Limits = {}) {
  const input = parseRemoteInput(address);
  if (input.kind !== 'dicomweb') throw new Error('it is no address of a DICOMweb server');
  const http = createHttpClient({ quietMs });
  onTestFinished(() => http.close());
  const store = createDicomwebStore({ ...input, findToken: async () => undefined });
  const limits = { wholeMs, silentMs: quietMs, pauseMs: 10_000 };
  return { store, reader: createRemoteReader({ store, http, inFlight: createInFlight(8), limits }) };
}

const IDS = [
  [1, 1, 1],
  [1, 1, 2],
  [1, 1, 3],
  [1, 2, 1],
  [2, 1, 1],
] as const;

/** What an address of a server lists: numbers of instances in order, and reasons of what is not shown. */
async function listBelow(path: string, options: DicomwebServerOptions = {}) {
  const stored = IDS.map((id) => write(id));
  const pacs = await serveDicomwebStandIn(() => stored, options);
  const { store, reader } = openStore(addressOf(pacs.url + path));
  const listed: string[] = [];
  const skipped: StoreEntry[] = [];
  for await (const page of store.list(reader, { recursive: true })) {
    for (const entry of page) {
      if ('key' in entry) listed.push(entry.key.split('/2.25.').at(-1)!);
      else skipped.push({ ...entry, path: entry.path.replace(addressOf(pacs.url), '') });
    }
  }
  return { pacs, listed, skipped };
}

describe('an address opens', () => {
  // One instance of each series comes first.
  const ALL = ['1.1.1', '1.2.1', '2.1.1', '1.1.2', '1.1.3'];
  test.each([
    ['a whole server', '', ALL],
    ['a whole server, written with its studies', '/studies/', ALL],
    ['what a search finds', '?StudyInstanceUID=2.25.2', ['2.1.1']],
    ['as many studies as the user wants', '?limit=1&offset=1', ['2.1.1']],
    ['a study', '/studies/2.25.1', ['1.1.1', '1.2.1', '1.1.2', '1.1.3']],
    ['a series', '/studies/2.25.1/series/2.25.1.1', ['1.1.1', '1.1.2', '1.1.3']],
    ['an instance', '/studies/2.25.1/series/2.25.1.1/instances/2.25.1.1.2', ['1.1.2']],
  ])('%s', async (_, path, expected) => {
    const { listed, skipped } = await listBelow(path);

    expect([listed, skipped]).toEqual([expected, []]);
  });

  test('nothing that is there, which is said', async () => {
    const { listed, skipped } = await listBelow('/studies/2.25.9');

    expect([listed, skipped]).toEqual([[], [{ path: '/studies/2.25.9', reason: 'input_path_unavailable' }]]);
  });
});

describe('a server that sends fewer results than requested', () => {
  test('is asked for the next ones, until it has sent as many as it has told of, or none', async () => {
    for (const tellsCounts of [true, false]) {
      const { listed, skipped } = await listBelow('', { pageSize: 1, tellsCounts });
      expect([listed.length, skipped]).toEqual([5, []]);
    }
  });

  test('and always the first ones is listed with what is missing', async () => {
    const { listed, skipped } = await listBelow('', { pageSize: 2, knowsOffset: false });

    // Two of the three instances of the first series.
    expect(listed).toEqual(['1.1.1', '1.2.1', '2.1.1', '1.1.2']);
    expect(skipped).toEqual([{ path: '/studies/2.25.1/series/2.25.1.1', reason: 'origin_failed' }]);
  });
});

const refuseOneSeries: Fault = (request, response) => {
  if (request.url?.includes('/series/2.25.1.1/instances?') !== true) return undefined;
  response.writeHead(403).end();
  return true;
};

test('a series that cannot be searched is listed, and the others are shown', async () => {
  const { listed, skipped } = await listBelow('', { fault: refuseOneSeries });

  expect(listed).toEqual(['1.2.1', '2.1.1']);
  expect(skipped).toEqual([{ path: '/studies/2.25.1/series/2.25.1.1', reason: 'origin_denied' }]);
});

test('UIDs that would change the address are not requested', async () => {
  const uids = ['../../x', '2.25.1?x', '', '..', '2.25.1/../2', 'a'.repeat(129)];
  const fault: Fault = (request, response) => {
    if (request.url?.includes('/studies?') !== true) return undefined;
    const page = request.url.includes('offset=0') ? uids : [];
    response.end(JSON.stringify(page.map((uid) => ({ '0020000D': { vr: 'UI', Value: [uid] } }))));
    return true;
  };
  const { pacs, listed, skipped } = await listBelow('', { fault });

  expect(listed).toEqual([]);
  expect(skipped).toEqual(uids.map(() => ({ path: '', reason: 'origin_failed' })));
  expect(pacs.requests.every(({ url }) => url.startsWith('/pacs/studies?'))).toBe(true);
});

test.each([
  ['no JSON', '<html>'],
  ['no list', '{"0020000D":{}}'],
])('a search that is answered with %s fails', async (_, body) => {
  const fault: Fault = (_request, response) => {
    response.end(body);
    return true;
  };

  await expect(listBelow('', { fault })).rejects.toMatchObject({ code: 'origin_unavailable' });
});

test('an instance that comes as a whole only is requested once for all of its frames, and for the file', async () => {
  const instances = [write([1, 1, 1], { ...BIG, NumberOfFrames: '6', PixelData: SAMPLES })];
  const pacs = await serveDicomwebStandIn(() => instances);
  const server = await serveWith({ inputs: [addressOf(pacs.url)], remote: {} });
  const count = () => pacs.requests.filter(({ url }) => url.endsWith('/instances/2.25.1.1.1')).length;
  // The scan learns that it is not sent alone, and reads its beginning.
  expect(count()).toBe(2);

  const answers = await Promise.all(
    ['frame/0/raw', 'frame/5/raw', 'frame/3/raw', 'file'].map((path) => server.request(`/api/file/0/${path}`)),
  );

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await answers[3]!.bytes()).toEqual(new Uint8Array(instances[0]!.bytes));
  expect(count()).toBe(3);
});

const NOISE = Uint16Array.from({ length: 3 * 432 * 432 }, (_, i) => Math.imul(i, 2654435761) >>> 20);
const EXPLICIT = '1.2.840.10008.1.2.1';
const RLE = '1.2.840.10008.1.2.5';

let long: readonly Required<StoredInstance>[] | undefined;

/** Two instances of more than 1 MiB with three frames each: plain and compressed. */
function writeLong(): readonly Required<StoredInstance>[] {
  return (long ??= makeLong());
}

function makeLong(): Required<StoredInstance>[] {
  const size = { Rows: 432, Columns: 432, NumberOfFrames: '3' };
  const plain = [0, 1, 2].map((frame) => new Uint8Array(NOISE.buffer, frame * 2 * 432 * 432, 2 * 432 * 432));
  const packed = plain.map((frame) => evenLength(encodeRle(frame, 2, 1)));
  return [
    { ...write([1, 1, 1], { ...size, PixelData: NOISE }), frames: plain, transferSyntaxUid: EXPLICIT },
    { ...write([1, 1, 2], { ...size, PixelData: { fragments: packed } }, RLE), frames: packed, transferSyntaxUid: RLE },
  ];
}

function evenLength(bytes: Uint8Array): Uint8Array {
  return bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Uint8Array.of(0)]);
}

/** Hashes of all samples of the two long instances. */
async function hashFrames(server: TestServer): Promise<string[]> {
  const hashes: string[] = [];
  for (const path of [0, 1].flatMap((file) => [0, 1, 2].map((frame) => `/api/file/${file}/frame/${frame}/raw`))) {
    const response = await server.request(path);
    expect([path, response.status]).toEqual([path, 200]);
    hashes.push(
      createHash('sha256')
        .update(await response.bytes())
        .digest('hex'),
    );
  }
  return hashes;
}

const HASHES = [0, 1, 2].map((frame) =>
  createHash('sha256')
    .update(new Uint8Array(NOISE.buffer, frame * 2 * 432 * 432, 2 * 432 * 432))
    .digest('hex'),
);

/** Sends the beginning of an instance, and its rest never. */
const neverEnds =
  (stored: readonly StoredInstance[]): Fault =>
  (request, response) => {
    const only = stored.find(({ instance }) => request.url?.endsWith(`/instances/${instance}`) === true);
    if (only === undefined) return undefined;
    const head = { 'Content-Type': 'application/dicom', 'Content-Length': only.bytes.length };
    response.writeHead(200, head).write(only.bytes.subarray(0, 256 * 1024));
    return true;
  };

test('frames of a long instance are requested one by one, and nobody waits for the rest of it', async () => {
  const stored = writeLong();
  const pacs = await serveDicomwebStandIn(() => stored, { fault: neverEnds(stored) });
  const server = await serveWith({ inputs: [addressOf(pacs.url)], remote: {} });
  expect(server.catalog.files.map(({ frameCount }) => frameCount)).toEqual([3, 3]);

  expect(await hashFrames(server)).toEqual([...HASHES, ...HASHES]);

  const wanted = pacs.requests.filter(({ url }) => url.includes('/frames/'));
  expect(wanted.map(({ url }) => url.slice(url.indexOf('/instances/')))).toEqual(
    [1, 2].flatMap((instance) => [1, 2, 3].map((frame) => `/instances/2.25.1.1.${instance}/frames/${frame}`)),
  );
  expect(wanted.every(({ headers }) => headers.accept?.endsWith('; transfer-syntax=*'))).toBe(true);
});

const PLAIN = 0;
const PACKED = 1;
type Sent = Pick<StoredInstance, 'frames' | 'transferSyntaxUid'>;

test.each<[string, number, (frames: readonly Uint8Array[]) => Sent]>([
  ['in another transfer syntax', PLAIN, (frames) => ({ frames, transferSyntaxUid: '1.2.840.10008.1.2.4.90' })],
  ['too short', PLAIN, (frames) => ({ frames: frames.map((frame) => frame.subarray(2)) })],
  ['too long', PLAIN, (frames) => ({ frames: frames.map((frame) => Buffer.concat([frame, frame])) })],
  ['decoded', PACKED, () => ({ frames: writeLong()[PLAIN]!.frames, transferSyntaxUid: EXPLICIT })],
  ['decoded without a word', PACKED, () => ({ frames: writeLong()[PLAIN]!.frames })],
  ['not at all', PACKED, () => ({})],
])('a server that sends frames %s is asked for the instance', async (_, which, change) => {
  const { frames, transferSyntaxUid: _told, ...instance } = writeLong()[which]!;
  const pacs = await serveDicomwebStandIn(() => [{ ...instance, ...change(frames) }]);
  const server = await serveWith({ inputs: [addressOf(pacs.url)], remote: {} });

  const response = await server.request('/api/file/0/frame/2/raw');

  expect(
    createHash('sha256')
      .update(await response.bytes())
      .digest('hex'),
  ).toBe(HASHES[2]);
  expect(pacs.requests.some(({ url }) => url.endsWith('/frames/3'))).toBe(true);
});

test('an instance that was replaced on the server is gone', async () => {
  let instances = [write([1, 1, 1], { ...BIG, PixelData: SAMPLES.subarray(0, 256 * 256) })];
  const pacs = await serveDicomwebStandIn(() => instances);
  const server = await serveWith({ inputs: [addressOf(pacs.url)], remote: {} });
  instances = [write([1, 1, 1], { ...BIG, PixelData: SAMPLES.subarray(0, 256 * 256), PatientComments: 'changed' })];

  const answer = await server.request('/api/file/0/frame/0/raw');

  expect([answer.status, (await answer.json()).code]).toEqual([404, 'file_gone']);
});

test('secrets of an address reach its server and nothing else', async () => {
  const SECRET = 'c4n4ry';
  const instances = [write([1, 1, 1], { ...BIG, PixelData: SAMPLES.subarray(0, 256 * 256) })];
  const pacs = await serveDicomwebStandIn(() => instances);
  const withSecrets = (url: string) => `${addressOf(url).replace('//', `//user:${SECRET}@`)}?PatientID=${SECRET}`;
  const server = await serveWith({ inputs: [withSecrets(pacs.url), withSecrets(`${pacs.url}x`)], remote: {} });

  const told: string[] = [];
  for (const path of ['files', 'series', 'health?detail=decode', 'file/0/info', 'file/0/tags', 'file/0/frame/0']) {
    const response = await server.request(`/api/${path}`);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    told.push(JSON.stringify([...response.headers]), Buffer.from(await response.bytes()).toString('latin1'));
  }
  told.push(JSON.stringify(server.errors));

  expect(told.filter((text) => text.includes(SECRET))).toEqual([]);
  expect(server.errors).toEqual([`${addressOf(pacs.url)}x does not have the object (404)`]);
  const authorization = `Basic ${Buffer.from(`user:${SECRET}`).toString('base64')}`;
  expect(pacs.requests.every(({ headers }) => headers.authorization === authorization)).toBe(true);
  // Only the search has the query.
  const [search, ...others] = pacs.requests.filter(({ url }) => url.startsWith('/pacs/'));
  expect(search?.url).toContain(`PatientID=${SECRET}`);
  expect(others.some(({ url }) => url.includes('/instances/') && url.includes(SECRET))).toBe(false);
});

type Answer = (...exchange: Parameters<Fault>) => void;

/** Reads a part of an instance of a server that answers every request so. */
async function readWith(answer: Answer, limits?: Limits) {
  const fault: Fault = (request, response) => {
    answer(request, response);
    return true;
  };
  const pacs = await serveDicomwebStandIn(() => [], { fault });
  const { reader } = openStore(addressOf(pacs.url), limits);
  return reader.readSpan('1.2/3.4/5.6', { from: 10, to: 20 }, { urgency: 'waited' });
}

const PART = 'multipart/related; type="application/dicom"; boundary=b';
const inPart =
  (head: string, body: string, tail = '\r\n--b--'): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'Content-Type': PART }).end(`--b\r\n${head}\r\n${body}${tail}`);
const BODY = 'x'.repeat(10) + '0123456789' + 'y'.repeat(10);

test('a part of an instance is read of an answer in parts', async () => {
  const { bytes, state } = await readWith(inPart('', BODY));

  expect([Buffer.from(bytes).toString(), state]).toEqual(['0123456789', { mark: '', size: 30 }]);
});

test.each<[string, string, Answer]>([
  ['is overloaded', 'origin_busy', (_, response) => void response.writeHead(503, { 'Retry-After': '0' }).end()],
  ['closes the connection', 'origin_unavailable', (request) => void request.socket.destroy()],
  ['refuses', 'origin_denied', (_, response) => void response.writeHead(403).end()],
  ['accepts no form', 'origin_denied', (_, response) => void response.writeHead(406).end()],
  ['lost the instance', 'file_gone', (_, response) => void response.writeHead(404).end()],
  [
    'answers with a page',
    'origin_unavailable',
    (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Log in</h1>'),
  ],
  [
    'names no boundary',
    'origin_unavailable',
    (_, response) => void response.writeHead(200, { 'Content-Type': 'multipart/related' }).end('x'),
  ],
  [
    'has another boundary',
    'origin_unavailable',
    (_, response) => void response.writeHead(200, { 'Content-Type': PART }).end(`--c\r\n\r\n${'x'.repeat(80_000)}`),
  ],
  ['sends a part of another type', 'origin_unavailable', inPart('Content-Type: text/html\r\n', BODY)],
  ['says that a part is shorter than it is', 'origin_unavailable', inPart('Content-Length: 15\r\n', BODY)],
  ['says that a part is longer than it is', 'origin_unavailable', inPart('Content-Length: 31\r\n', 'x'.repeat(15))],
  ['ends before the last boundary', 'origin_unavailable', inPart('', BODY, '')],
  ['sends two instances', 'origin_unavailable', inPart('', BODY, `\r\n--b\r\n\r\n${BODY}\r\n--b--`)],
  [
    'redirects to another machine',
    'origin_denied',
    (_, response) => void response.writeHead(302, { Location: 'http://169.254.169.254/latest/meta-data' }).end(),
  ],
  ['never answers', 'origin_timeout', () => undefined],
  [
    'sends a byte now and then',
    'origin_timeout',
    (_, response) => {
      response.writeHead(200, { 'Content-Type': PART }).write('--b\r\n\r\n');
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    },
  ],
])('a server that %s is %s', async (_, code, answer) => {
  const limits = code === 'origin_timeout' ? { quietMs: 500, wholeMs: 1_500 } : {};

  await expect(readWith(answer, limits)).rejects.toMatchObject({ code });
});

test('nothing outside of what the user named is requested', async () => {
  const { store } = openStore('dicomweb+http://127.0.0.1:9/pacs/studies/1.2/series/3.4');

  expect(await store.locate('1.2/3.4/5.6', {})).toMatchObject({
    path: '/pacs/studies/1.2/series/3.4/instances/5.6',
    headers: { Accept: 'application/dicom; transfer-syntax=*' },
  });
  for (const key of [
    '1.2/3.5/5.6',
    '1.3/3.4/5.6',
    '1.2/3.4',
    '1.2/3.4/..',
    '1.2/3.4/5.6/7',
    '1.2/3.4/5?x',
    '1.2/3.4/',
  ]) {
    expect(store.locate(key, {})).toBeUndefined();
  }
});

test('a server that requires a token gets that of the command, also below a base path', async () => {
  const TOKEN = 'a-token-of-at-least-thirty-two-characters';
  const options = { tokenMode: 'required', fixedToken: TOKEN, basePath: '/node/8042' } as const;
  const pacs = await serveWith({ inputs: [write([1, 1, 1]).bytes], dicomweb: true, server: options });
  const inputs = [addressOf(`${pacs.baseUrl}/dicomweb`)];

  const server = await serveWith({ inputs, remote: { bearerCommand: `echo ${TOKEN}` } });
  expect(server.catalog.files.map(({ sopInstanceUid }) => sopInstanceUid)).toEqual(['2.25.1.1.1']);
  const refused = await serveWith({ inputs, remote: { bearerCommand: 'echo another' } });
  expect([...refused.catalog.skippedByReason()]).toEqual([['origin_denied', 1]]);
  expect(refused.errors).toEqual([`${inputs[0]} refused the request (401)`]);
});

describe('a search that is slow', () => {
  const STORED = [1, 2, 3].flatMap((study) => [1, 2].map((instance) => write([study, 1, instance])));
  const SHORT = { wholeMs: 300, silentMs: 60_000, pauseMs: 0 };

  async function listSlowly(isSlow: (url: string) => boolean, listingMs?: number) {
    const slow: Fault = (request, response) => {
      if (!isSlow(request.url ?? '')) return undefined;
      // Longer than the usual limits of this test, shorter than the other one by far.
      setTimeout(() => response.writeHead(503).end(), 100_000).unref();
      return true;
    };
    const server = await serveDicomwebStandIn(() => STORED, { pageSize: 1, tellsCounts: false, fault: slow });
    const http = createHttpClient({ quietMs: 200 });
    onTestFinished(() => http.close());
    const store = createDicomwebStore({ url: new URL(server.url), uids: [], findToken: async () => undefined });
    const reader = createRemoteReader({ store, http, inFlight: createInFlight(8), limits: SHORT, listingMs });
    const entries: StoreEntry[] = [];
    const failed = (async () => {
      for await (const page of store.list(reader, { recursive: true })) entries.push(...page);
      return undefined;
    })().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    const failure = await failed;
    return { failure, keys: entries.flatMap((entry) => ('key' in entry ? [entry.key] : [])).toSorted(), entries };
  }

  test('lists all of what it had found, and names the option that waits longer', async () => {
    const { keys, failure } = await listSlowly((url) => /\/pacs\/studies\?.*offset=2/.test(url));

    expect(keys).toEqual(STORED.slice(0, 4).map(({ study, series, instance }) => `${study}/${series}/${instance}`));
    expect(failure).toMatch(/--origin-timeout SECONDS waits longer$/);
  });

  test('of a series keeps the instances of the pages before, and lists the series with the reason', async () => {
    const { keys, entries, failure } = await listSlowly((url) => /2\.25\.1\.1\/instances\?.*offset=2/.test(url));

    expect([keys.length, failure]).toEqual([6, undefined]);
    expect(entries.filter((entry) => 'reason' in entry)).toEqual([
      { path: expect.stringMatching(/2\.25\.1\/series\/2\.25\.1\.1$/), reason: 'origin_failed' },
    ]);
  });

  test('is waited for as long as the user wants', async () => {
    const waiting = new Set<string>();
    const late: Fault = (request, response) => {
      const { url = '' } = request;
      if (!url.startsWith('/pacs/studies?') || waiting.has(url)) return undefined;
      waiting.add(url);
      // After both usual limits.
      setTimeout(() => response.writeHead(204).end(), 700);
      return true;
    };
    const list = async (listingMs: number | undefined) => {
      waiting.clear();
      const server = await serveDicomwebStandIn(() => STORED, { fault: late });
      const http = createHttpClient({ quietMs: 200 });
      onTestFinished(() => http.close());
      const store = createDicomwebStore({ url: new URL(server.url), uids: [], findToken: async () => undefined });
      const limits = { ...SHORT, wholeMs: 150 };
      const reader = createRemoteReader({ store, http, inFlight: createInFlight(8), limits, listingMs });
      return store.list(reader, { recursive: true }).next();
    };

    await expect(list(undefined)).rejects.toThrow('--origin-timeout');
    expect(await list(100_000)).toMatchObject({ value: [{ reason: 'input_path_unavailable' }] });
  });
});

/** Orthanc knows a study by the patient, too, and tells the numbers of each patient. */
const repeat: Fault = (request, response) => {
  const [, level] = /\/(studies|series)\?.*offset=0/.exec(request.url ?? '') ?? [];
  if (level === undefined) return undefined;
  const [tag, count, uid] =
    level === 'studies' ? ['0020000D', '00201206', '2.25.1'] : ['0020000E', '00201209', '2.25.1.1'];
  const results = [1, 2].map((number) => ({
    [tag]: { vr: 'UI', Value: [uid] },
    [count]: { vr: 'IS', Value: [level === 'studies' ? 1 : number] },
  }));
  response.writeHead(200, { 'Content-Type': 'application/dicom+json' }).end(JSON.stringify(results));
  return true;
};

test('what a server lists several times, as of two patients with the same UIDs, is listed once and to its end', async () => {
  const stored = [1, 2, 3, 4, 5].map((instance) => write([1, 1, instance]));
  const { url } = await serveDicomwebStandIn(() => stored, { fault: repeat, pageSize: 2 });

  const server = await serveWith({ inputs: [addressOf(url)], remote: {} });

  expect(server.catalog.files.map(({ sopInstanceUid }) => sopInstanceUid)).toEqual(
    stored.map(({ instance }) => instance),
  );
  expect(server.catalog.progress.skipped).toBe(0);
});
