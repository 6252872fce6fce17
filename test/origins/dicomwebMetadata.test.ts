import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseFilters } from '../../src/shared/fileFilter.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { ctElements } from '../support/ctElements.ts';
import { serveDicomwebStandIn, type StoredInstance } from '../support/dicomwebServer.ts';
import type { Fault } from '../support/objectServer.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { until } from '../support/until.ts';

const SERIES = '2.25.1.1';
const EXPLICIT = '1.2.840.10008.1.2.1';

/** An image of a stack with a slice for each millimeter. */
function writeSlice(number: number, more: DataSetInput = {}): StoredInstance {
  const instance = `${SERIES}.${number}`;
  const elements = ctElements({
    StudyInstanceUID: '2.25.1',
    SeriesInstanceUID: SERIES,
    SOPInstanceUID: instance,
    InstanceNumber: String(number),
    ImagePositionPatient: ['0', '0', String(number)],
    ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
    ...more,
  });
  return { study: '2.25.1', series: SERIES, instance, bytes: writeDicom(elements) };
}

const slices = (count: number) => Array.from({ length: count }, (_, i) => writeSlice(i + 1));

const isHeld = (url: string) => url.includes('/instances/') && !url.endsWith(`/instances/${SERIES}.1`);

/** Holds the answers to requests for instances, except for the first one, until they are released. */
function holdInstances() {
  const held: (() => void)[] = [];
  let isReleased = false;
  return {
    release() {
      isReleased = true;
      for (const answer of held.splice(0)) answer();
    },
    /** A server asks for an instance alone first, which this one refuses. */
    fault: ((request, response: ServerResponse) => {
      if (isReleased || !isHeld(request.url ?? '') || !request.headers.accept?.startsWith('multipart/'))
        return undefined;
      held.push(() => response.writeHead(503, { 'Retry-After': '0' }).end());
      return true;
    }) satisfies Fault,
  };
}

async function readFiles(server: TestServer, since = 0): Promise<FilesResponse> {
  return (await server.request(`/api/files?since=${since}`)).json();
}

const addressOf = ({ url }: { readonly url: string }) => `dicomweb+${url}`;

test('the images of a series are listed and stacked by its metadata, before any but the first is read', async () => {
  const hold = holdInstances();
  const pacs = await serveDicomwebStandIn(() => slices(4), { metadata: 'plain', fault: hold.fault });
  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {}, scans: false });
  server.catalog.start();
  await until(() => server.catalog.files.length === 4);

  const early = await readFiles(server);
  expect(early.scan_complete).toBe(false);
  expect(early.files.map((file) => [file.instance_number, file.rows, file.transfer_syntax_uid])).toEqual([
    ['1', 2, EXPLICIT],
    ['2', 2, ''],
    ['3', 2, ''],
    ['4', 2, ''],
  ]);
  const { series } = await (await server.request('/api/series')).json();
  expect(series[0].stacks.map(({ frames }: { frames: unknown[] }) => frames.length)).toEqual([4]);
  // A user who opens an image waits for it.
  const frame = server.request('/api/file/3/frame/0/raw');

  hold.release();
  await server.catalog.scanComplete;
  expect((await frame).status).toBe(200);
  const late = await readFiles(server, early.revision);
  expect(late.scan_complete).toBe(true);
  // Only what has changed is sent again.
  expect(late.files.map(({ index, transfer_syntax_uid: syntax }) => [index, syntax])).toEqual([
    [1, EXPLICIT],
    [2, EXPLICIT],
    [3, EXPLICIT],
  ]);
  expect(late.files.map((file) => file.file_bytes)).toEqual(
    slices(4)
      .slice(1)
      .map(({ bytes }) => bytes.length),
  );
  expect(late.gone).toEqual([]);
  expect((await readFiles(server, late.revision)).files).toEqual([]);
  // One request for all of them instead of searches.
  const urls = pacs.requests.map(({ url }) => url);
  expect(urls.filter((url) => url.endsWith('/metadata'))).toEqual([`/pacs/studies/2.25.1/series/${SERIES}/metadata`]);
  expect(urls.filter((url) => url.includes('/instances?'))).toHaveLength(1);
});

test('images are read several at a time, and one that a user opens before the others', async () => {
  const last = `/instances/${SERIES}.200`;
  /** After the first 40 images, the stand-in waits until the user has opened one. */
  let sent = 0;
  let isOpened = false;
  const waiting: (() => void)[] = [];
  const holdBack: Fault = (request, response) => {
    if (request.url?.includes('/instances/') !== true) return undefined;
    const found = stored.find(({ instance }) => request.url!.endsWith(`/instances/${instance}`))!;
    const head = { 'Content-Type': 'application/dicom', 'Content-Length': found.bytes.length };
    const send = () => {
      if (sent >= 40 && !isOpened) return waiting.push(send);
      sent += 1;
      return response.writeHead(200, head).end(found.bytes);
    };
    send();
    return true;
  };
  const stored = slices(200);
  const pacs = await serveDicomwebStandIn(() => stored, { metadata: 'plain', fault: holdBack });
  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {}, scans: false });
  server.catalog.start();
  // As many at a time as a DICOMweb server gets, which are 8, without the two that are kept for users.
  await until(() => server.catalog.files.length === 200 && waiting.length === 6);

  const asked = server.request('/api/file/199/frame/0/raw');
  // It does not wait for the scan, whose requests have no answer yet.
  await until(() => pacs.requests.some(({ url }) => url.endsWith(last)));
  expect(waiting).toHaveLength(7);
  isOpened = true;
  for (const send of waiting.splice(0)) send();

  expect((await asked).status).toBe(200);
  await server.catalog.scanComplete;
  const order = pacs.requests.map(({ url }) => url).filter((url) => url.includes('/instances/'));
  // After the 48 that were requested before it, and perhaps as many that were about to be.
  expect(order.findIndex((url) => url.endsWith(last))).toBeLessThan(64);
  // Each once, the last one also for its frame.
  expect(order).toHaveLength(201);
});

test('an image that was read is sent while all reads of the scan are stalled', async () => {
  let stalled = 0;
  const stall: Fault = ({ url = '' }) => {
    if (!isHeld(url)) return undefined;
    stalled += 1;
    return true;
  };
  const pacs = await serveDicomwebStandIn(() => slices(40), { metadata: 'plain', form: 'alone', fault: stall });
  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {}, scans: false });
  server.catalog.start();
  // All that a scan may have in flight.
  await until(() => server.catalog.files.length === 40 && stalled >= 6);

  expect((await server.request('/api/file/0/frame/0/raw')).status).toBe(200);
  expect(stalled).toBe(6);
}, 60_000);

test('a frame whose server stalls is answered with what the server did, and is sent when it answers again', async () => {
  const hold = { isOn: false };
  const stall: Fault = ({ url = '' }) => (hold.isOn && isHeld(url) ? true : undefined);
  const pacs = await serveDicomwebStandIn(() => slices(4), { form: 'alone', fault: stall });
  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {} });
  hold.isOn = true;

  // As many at once as the smallest pool has threads: a third one would wait for a thread in vain.
  const refused = await Promise.all([1, 2].map((file) => server.request(`/api/file/${file}/frame/0/raw`)));
  refused.push(await server.request('/api/file/3/frame/0/raw'));

  for (const answer of refused) {
    expect([answer.status, await answer.json()]).toEqual([504, expect.objectContaining({ code: 'origin_timeout' })]);
  }
  hold.isOn = false;
  expect((await server.request('/api/file/1/frame/0/raw')).status).toBe(200);
}, 120_000);

test('the record of an image is that of the file, where its server tells something else', async () => {
  const told = [writeSlice(1), writeSlice(2, { Modality: 'MR' }), writeSlice(3, { InstanceNumber: '0003', Rows: 9 })];
  const stored = slices(3);
  const pacs = await serveDicomwebStandIn(() => stored, { metadata: 'plain', metadataOf: () => told });

  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {} });

  const { files, gone } = await readFiles(server);
  // It was found in the wrong place, so that it has another number now, and nothing is shown under the old one.
  expect(gone).toEqual([1]);
  const old = await server.request('/api/file/1/frame/0/raw');
  expect([old.status, (await old.json()).code]).toEqual([404, 'file_gone']);
  expect(
    files.filter(({ index }) => index !== 1).map((file) => [file.instance_number, file.modality, file.rows]),
  ).toEqual([
    ['1', 'CT', 2],
    ['3', 'CT', 2],
    ['2', 'CT', 2],
  ]);
});

test('an image that its server tells of and does not send is gone, and listed with the reason', async () => {
  const refuse: Fault = (request, response) => {
    if (request.url?.endsWith(`/instances/${SERIES}.2`) !== true) return undefined;
    response.writeHead(403).end();
    return true;
  };
  const pacs = await serveDicomwebStandIn(() => slices(3), { metadata: 'plain', fault: refuse });

  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {} });

  const { gone, discovery } = await readFiles(server);
  expect(gone).toEqual([1]);
  expect(discovery.map(({ path, reason }) => [path.split('/').at(-1), reason])).toEqual([
    [`${SERIES}.2`, 'origin_denied'],
  ]);
  expect((await server.request('/api/file/1/frame/0/raw')).status).toBe(404);
  // It has no place among the redactions of its series.
  const body = JSON.stringify({ num_roi: 1, roi_coords: [[0, 0, 2, 2]], roi_frames: [[0]] });
  const headers = { 'Content-Type': 'application/json' };
  await server.request('/api/file/0/redactions', { method: 'PUT', body, headers });
  const copied = await server.request('/api/file/0/redactions/series', { method: 'PUT' });
  expect(await copied.json()).toEqual({ file_indices: [2] });
});

test('objects that are no images of one frame are read when they are listed', async () => {
  const frames = { NumberOfFrames: '2', PixelData: new Uint16Array(12) };
  const report = {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.33',
    Modality: 'SR',
    Rows: undefined,
    PixelData: undefined,
  };
  const stored = [writeSlice(1), writeSlice(2, frames), writeSlice(3, report), writeSlice(4)];
  const pacs = await serveDicomwebStandIn(() => stored, { metadata: 'gzip' });

  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {} });

  expect(server.catalog.readLater).toEqual([3]);
  expect(server.catalog.files.map(({ objectKind, frameCount }) => [objectKind, frameCount])).toEqual([
    ['classic_image', 1],
    ['classic_image', 2],
    ['structured_report', 0],
    ['classic_image', 1],
  ]);
});

/** Answers requests for metadata so. */
const json = (text: string | Buffer, head: object = {}): Fault => {
  return (request, response) => {
    if (request.url?.endsWith('/metadata') !== true) return undefined;
    response.writeHead(200, { 'Content-Type': 'application/dicom+json', ...head }).end(text);
    return true;
  };
};

const object = (uid: unknown) => JSON.stringify({ '00080018': { vr: 'UI', Value: [uid] } });

describe('without metadata that can be used, instances are searched for, and nothing is missing', () => {
  const all = [1, 2, 3].map((number) => object(`${SERIES}.${number}`));
  const PACKED = { 'Content-Encoding': 'gzip' };
  test.each<[string, Fault]>([
    [
      'it is refused',
      (request, response) => (request.url?.endsWith('/metadata') ? (response.writeHead(406).end(), true) : undefined),
    ],
    ['it has no objects', json('[]')],
    ['it has fewer objects than the server has told of', json(`[${all.slice(0, 2).join(',')}]`)],
    ['it is cut off', json(`[${all.join(',')}`)],
    ['it is no JSON', json('<html>[{"}]')],
    ['it is no list', json(all[0]!)],
    ['an object has no UID', json(`[${all.slice(0, 2).join(',')},{}]`)],
    ['a UID would change the address', json(`[${all.slice(0, 2).join(',')},${object('../../x')}]`)],
    ['an object is very long', json(`[${all.join(',')},{"00100020":{"vr":"LO","Value":["${'x'.repeat(2 ** 20)}"]}}]`)],
    ['it is not packed as it says', json(`[${all.join(',')}]`, PACKED)],
    ['it has nothing but commas', json(`[${','.repeat(2 ** 20)}]`)],
    [
      'it has thousands of objects',
      json(`[${Array.from({ length: 2_100 }, (_, at) => object(`2.25.${at}`)).join(',')}]`),
    ],
    ['a value is nested very deeply', json(`[${all.join(',')},{"00280010":${'['.repeat(2e5)}${']'.repeat(2e5)}}]`)],
    ['it is a bomb', json(gzipSync(Buffer.alloc(64 * 2 ** 20, ' ')), PACKED)],
  ])('%s', async (_, fault) => {
    const pacs = await serveDicomwebStandIn(() => slices(3), { metadata: 'plain', fault });

    const server = await serveWith({ inputs: [addressOf(pacs)], remote: {} });

    expect(server.errors).toEqual([]);
    expect(server.catalog.files.map(({ instanceNumber }) => instanceNumber)).toEqual(['1', '2', '3']);
    expect([...server.catalog.skippedByReason()]).toEqual([]);
    expect(server.catalog.gone.files.size).toBe(0);
  });
});

test('hostile values in metadata make no difference to what is shown', async () => {
  const bad = [
    null,
    true,
    -1,
    1e308,
    'x',
    '1e9',
    { Alphabetic: 7 },
    [[[[]]]],
    { __proto__: 1 },
    '9'.repeat(3_000),
    '\u0000',
    {},
  ];
  const tags = [
    '00280010',
    '00280011',
    '00280100',
    '00280002',
    '00280008',
    '00200032',
    '00200037',
    '00100010',
    '00080060',
  ];
  const objects = bad.flatMap((value, at) =>
    tags.map((tag, of) => ({
      '00280010': { vr: 'US', Value: [2] },
      '00280011': { vr: 'US', Value: [3] },
      '00280100': { vr: 'US', Value: [16] },
      '00080018': { vr: 'UI', Value: [`${SERIES}.${at * tags.length + of + 2}`] },
      [tag]: at % 2 === 0 ? { vr: 'XX', Value: [value] } : value,
    })),
  );
  const stored = slices(objects.length + 1);
  const first = { '00080018': { vr: 'UI', Value: [`${SERIES}.1`] } };
  const fault: Fault = (request, response) => {
    if (request.url?.endsWith('/metadata') !== true) return undefined;
    response.end(JSON.stringify([first, ...objects]));
    return true;
  };
  const pacs = await serveDicomwebStandIn(() => stored, { metadata: 'plain', fault });

  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {} });

  expect(server.errors).toEqual([]);
  const { files, gone } = await readFiles(server);
  const there = files.filter(({ index }) => !gone.includes(index));
  expect(there.map((file) => Number(file.instance_number)).toSorted((a, b) => a - b)).toEqual(
    stored.map((_, at) => at + 1),
  );
  expect(
    there.every((file) => file.rows === 2 && file.modality === 'CT' && file.transfer_syntax_uid === EXPLICIT),
  ).toBe(true);
});

test('a run with filters reads all instances, because a filter is about the files', async () => {
  const pacs = await serveDicomwebStandIn(() => slices(3), { metadata: 'plain' });
  const parsed = parseFilters(['Modality=CT']);
  const filters = parsed.ok ? parsed.filters : [];

  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {}, catalog: { filters } });

  expect(server.catalog.files).toHaveLength(3);
  expect(pacs.requests.some(({ url }) => url.endsWith('/metadata'))).toBe(false);
});

test('a place that is named twice has its images twice, and all of them are read', async () => {
  const pacs = await serveDicomwebStandIn(() => slices(3), { metadata: 'plain' });

  const server = await serveWith({ inputs: [addressOf(pacs), addressOf(pacs)], remote: {} });

  expect(server.catalog.files.map(({ instanceNumber }) => instanceNumber)).toEqual(['1', '2', '3', '1', '2', '3']);
  expect(server.catalog.files.every(({ transferSyntaxUid }) => transferSyntaxUid === EXPLICIT)).toBe(true);
});

test('a volume of images that are listed only is made of the images that are read', async () => {
  const hold = holdInstances();
  const size = { Rows: 4, Columns: 4, PixelSpacing: ['1', '1'], FrameOfReferenceUID: '2.25.9' };
  const stored = [1, 2, 3, 4].map((number) =>
    writeSlice(number, { ...size, PixelData: new Uint16Array(16).fill(number) }),
  );
  const pacs = await serveDicomwebStandIn(() => stored, { metadata: 'plain', fault: hold.fault });
  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {}, scans: false });
  server.catalog.start();
  await until(() => server.catalog.files.length === 4);

  const volume = server.request('/api/file/0/volume');
  hold.release();

  expect((await (await volume).json()).volume.places).toBe(4);
});

test('redactions of a series reach images that are listed only', async () => {
  const hold = holdInstances();
  const pacs = await serveDicomwebStandIn(() => slices(3), { metadata: 'plain', fault: hold.fault });
  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {}, scans: false });
  server.catalog.start();
  await until(() => server.catalog.files.length === 3);
  const body = JSON.stringify({ num_roi: 1, roi_coords: [[0, 0, 2, 2]], roi_frames: [[0]] });
  const headers = { 'Content-Type': 'application/json' };
  const put = await server.request('/api/file/0/redactions', { method: 'PUT', body, headers });
  expect(put.status).toBe(200);

  const copied = server.request('/api/file/0/redactions/series', { method: 'PUT' });
  hold.release();

  expect((await (await copied).json()).file_indices).toEqual([1, 2]);
  await server.catalog.scanComplete;
  expect((await server.request('/api/file/2/file')).status).toBe(403);
});

const failFor =
  (isFailing: (url: string) => boolean): Fault =>
  (request, response) => {
    if (request.url?.endsWith('/metadata') !== true || !isFailing(request.url)) return undefined;
    response.writeHead(404).end();
    return true;
  };

test('a server that fails for one series is asked for the metadata of others, and one that always fails is not', async () => {
  // Ten series of two images.
  const stored = Array.from({ length: 20 }, (_, at) => {
    const series = `${SERIES}.${Math.floor(at / 2)}`;
    const slice = writeSlice(at, { SeriesInstanceUID: series });
    return { ...slice, series };
  });
  const countRequests = async (fault: Fault) => {
    const pacs = await serveDicomwebStandIn(() => stored, { metadata: 'plain', fault });
    const server = await serveWith({ inputs: [addressOf(pacs)], remote: {} });
    expect(server.catalog.files).toHaveLength(20);
    return pacs.requests.filter(({ url }) => url.endsWith('/metadata')).length;
  };

  expect(await countRequests(failFor((url) => url.includes(`${SERIES}.3/`)))).toBe(10);
  // Two are requested at a time.
  expect(await countRequests(failFor(() => true))).toBeLessThanOrEqual(4);
});

test('a server that does not say how many instances a series has is searched, because metadata may be incomplete', async () => {
  const options = { metadata: 'plain', metadataOf: () => slices(2) } as const;
  const silent = await serveDicomwebStandIn(() => slices(3), { ...options, tellsCounts: false });
  const counting = await serveDicomwebStandIn(() => slices(3), options);

  for (const address of [addressOf(silent), `${addressOf(counting)}/studies/2.25.1/series/${SERIES}`]) {
    const server = await serveWith({ inputs: [address], remote: {} });
    expect(server.catalog.files.map(({ instanceNumber }) => instanceNumber)).toEqual(['1', '2', '3']);
  }
});

test('a request for an image that cannot be read in time is answered as busy, and later as usual', async () => {
  const hold = holdInstances();
  const pacs = await serveDicomwebStandIn(() => slices(3), { metadata: 'plain', fault: hold.fault });
  const catalog = { readPatienceMs: 200 };
  const server = await serveWith({ inputs: [addressOf(pacs)], remote: {}, scans: false, catalog });
  server.catalog.start();
  await until(() => server.catalog.files.length === 3);

  const busy = await server.request('/api/file/2/frame/0/raw');
  expect([busy.status, (await busy.json()).code]).toEqual([503, 'origin_busy']);
  expect(busy.headers.get('retry-after')).not.toBeNull();
  hold.release();
  await server.catalog.scanComplete;
  expect((await server.request('/api/file/2/frame/0/raw')).status).toBe(200);
});
