import { existsSync, readdirSync, readlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { grayOf } from '../support/readPng.ts';
import { readParts } from '../support/readParts.ts';
import { serveSharedWith, serveWith } from '../support/serve.ts';
import { createTempFolder } from '../support/tempFolder.ts';

const RLE = '1.2.840.10008.1.2.5';
const EXPLICIT = '1.2.840.10008.1.2.1';
const DEFLATED = '1.2.840.10008.1.2.1.99';
const BIG_ENDIAN = '1.2.840.10008.1.2.2';

const CT_STUDY = '1.2.826.0.1.3680043.8.498.2';
const CT_SERIES = '1.2.826.0.1.3680043.8.498.3';
const CT = `/studies/${CT_STUDY}/series/${CT_SERIES}`;

const ct = (number: number, more: DataSetInput = {}, transferSyntaxUid = EXPLICIT) =>
  writeDicom(ctElements({ SOPInstanceUID: `1.2.3.${number}`, InstanceNumber: String(number), ...more }), {
    transferSyntaxUid,
  });

/** Two frames of 2 x 2 samples of 16 bits. */
const FRAMES = [Uint16Array.of(1, 2, 3, 4), Uint16Array.of(500, 600, 700, 800)] as const;
const frameBytes = (frame: number) => Buffer.from(FRAMES[frame]!.buffer);

const storedBytes = (frame: number) => Buffer.from(encodeRle(new Uint8Array(FRAMES[frame]!.buffer), 2, 1));

const mr = (transferSyntaxUid: string, more: DataSetInput = {}) =>
  writeDicom(
    {
      ...ctElements(),
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.4.1',
      SOPInstanceUID: '1.2.4.1',
      StudyInstanceUID: '1.2.4.2',
      SeriesInstanceUID: '1.2.4.3',
      StudyDate: '20250601',
      StudyTime: '101500',
      AccessionNumber: 'ACC-9',
      Modality: 'MR',
      PatientName: 'Roe^Richard',
      PatientID: 'P2',
      NumberOfFrames: '2',
      Rows: 2,
      Columns: 2,
      BitsStored: 16,
      HighBit: 15,
      ReferencedImageSequence: [{ ReferencedSOPInstanceUID: '1.2.3.1' }],
      PixelData:
        transferSyntaxUid === RLE
          ? { fragments: FRAMES.map((_, frame) => storedBytes(frame)) }
          : Uint16Array.of(...FRAMES[0], ...FRAMES[1]),
      ...more,
    },
    { transferSyntaxUid },
  );

const LONG = Uint8Array.from({ length: 6000 }, (_, index) => index % 251);
const FILES = [ct(1, { '00091001': { vr: 'OB', value: LONG } }), ct(2), mr(RLE)];
const MR = '/studies/1.2.4.2/series/1.2.4.3/instances/1.2.4.1';

const open = () => serveSharedWith({ inputs: FILES, dicomweb: true });

async function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return (await open()).request(`/dicomweb${path}`, { headers });
}

async function search(path: string): Promise<Record<string, { vr: string; Value?: unknown[] }>[]> {
  const answer = await ask(path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/dicom+json']);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tests look at its content
  return (await answer.json()) as never;
}

async function failureOf(answer: Response): Promise<[number, string]> {
  const { code } = JSON.parse(await answer.text());
  return [answer.status, code];
}

describe('a search', () => {
  test('for studies has the attributes of the standard, also those that no file has', async () => {
    const [study, ...others] = await search('/studies?PatientID=P1');

    expect(others).toEqual([]);
    // PS3.18 table 10.6.3-3.
    expect(study).toEqual({
      '00080020': { vr: 'DA', Value: ['20240131'] },
      '00080030': { vr: 'TM' },
      '00080050': { vr: 'SH' },
      '00080056': { vr: 'CS', Value: ['ONLINE'] },
      '00080061': { vr: 'CS', Value: ['CT'] },
      '00080090': { vr: 'PN' },
      '00081030': { vr: 'LO' },
      '00081190': { vr: 'UR', Value: [expect.stringMatching(`^http://.*/dicomweb/studies/${CT_STUDY}$`)] },
      '00100010': { vr: 'PN', Value: [{ Alphabetic: 'Doe^Jane' }] },
      '00100020': { vr: 'LO', Value: ['P1'] },
      '00100030': { vr: 'DA' },
      '00100040': { vr: 'CS' },
      '0020000D': { vr: 'UI', Value: [CT_STUDY] },
      '00200010': { vr: 'SH' },
      '00201206': { vr: 'IS', Value: [1] },
      '00201208': { vr: 'IS', Value: [2] },
    });
    expect(Object.keys(study!)).toEqual(Object.keys(study!).toSorted());
  });

  test.each([
    ['/studies', 2],
    ['/series', 2],
    ['/instances', 3],
    [`/studies/${CT_STUDY}/series`, 1],
    [`/studies/${CT_STUDY}/instances`, 2],
    [`${CT}/instances`, 2],
    ['/studies?PatientName=doe*', 1],
    ['/studies?00100010=*^R*', 1],
    ['/studies?StudyDate=20240101-20241231', 1],
    ['/studies?StudyDate=20240101-', 2],
    ['/studies?AccessionNumber=ACC-?', 1],
    ['/studies?AccessionNumber=acc-9', 0],
    ['/studies?ModalitiesInStudy=MR', 1],
    ['/studies?ModalitiesInStudy=MR,CT', 2],
    ['/studies?Modality=CT', 1],
    [`/studies?StudyInstanceUID=${CT_STUDY},1.2.4.2,9.9`, 2],
    [`/studies?StudyInstanceUID=${CT_STUDY}%5C1.2.4.2`, 2],
    ['/studies?SOPInstanceUID=1.2.3.2', 1],
    ['/studies?PatientID=', 2],
    ['/studies?PatientID=P1&PatientID=P2', 2],
    ['/studies?PatientID=none', 0],
    ['/series?PatientID=P2', 1],
    ['/instances?InstanceNumber=2', 1],
    ['/instances?Rows=2', 3],
    ['/instances?Columns=3', 2],
    ['/instances?ReferencedImageSequence.ReferencedSOPInstanceUID=1.2.3.1', 1],
    ['/instances?00081140.00081155=1.2.3.2', 0],
    ['/instances?limit=2', 2],
    ['/instances?offset=2', 1],
    ['/instances?Columns=3&offset=1', 1],
    ['/instances?Columns=3&limit=1', 1],
    ['/instances?offset=9', 0],
    ['/instances?limit=0', 0],
  ])('%s finds %i', async (path, count) => {
    expect(await search(path)).toHaveLength(count);
  });

  test('has further attributes if they are wanted, by keyword, by tag, or all', async () => {
    const [usual] = await search(`${CT}/instances`);
    const [more] = await search(`${CT}/instances?includefield=PatientID,00280002&includefield=StudyDescription`);
    const [all] = await search(`${CT}/instances?includefield=all`);

    expect(usual).not.toHaveProperty('00100020');
    expect(more).toMatchObject({ '00100020': { Value: ['P1'] }, '00280002': { Value: [1] } });
    expect(all).toMatchObject({ '00280103': { vr: 'US', Value: [0] }, '00083002': { vr: 'UI', Value: [EXPLICIT] } });
    expect(all).not.toHaveProperty('7FE00010');
  });

  test('says which parameters had no effect', async () => {
    const answer = await ask('/studies?fuzzymatching=true&_=17');
    expect(answer.headers.get('warning')).toContain('299 negato "The fuzzymatching parameter is not supported.');
    expect(answer.headers.get('warning')).toContain('not supported: _"');
  });

  test.each([
    ['/studies?PatientNmae=Doe', 400, 'invalid_query'],
    // Each would select everything if it had no effect.
    ['/studies?NumberOfStudyRelatedInstances=2', 400, 'invalid_query'],
    ['/series?00201209=2', 400, 'invalid_query'],
    ['/studies?0010001=Doe', 400, 'invalid_query'],
    ['/studies?001000100=Doe', 400, 'invalid_query'],
    ['/studies?limit=-1', 400, 'invalid_query'],
    ['/studies?offset=1e3', 400, 'invalid_query'],
    ['/studies?fuzzymatching=maybe', 400, 'invalid_query'],
    ['/studies?includefield=Nonsense', 400, 'invalid_query'],
    [`/studies?${'00081140.'.repeat(9)}00081155=1`, 400, 'invalid_query'],
    ['/studies/9.9/series', 404, 'not_found'],
    [`/studies/${CT_STUDY}/series/9.9/instances`, 404, 'not_found'],
    ['/studies/a$b/series', 400, 'invalid_path'],
    ['/nothing', 404, 'route_not_found'],
  ])('%s is refused as %i %s', async (path, status, code) => {
    expect(await failureOf(await ask(path))).toEqual([status, code]);
  });

  test.each([
    ['application/dicom+json', 200],
    ['application/json', 200],
    ['*/*', 200],
    ['text/html, */*;q=0.1', 200],
    ['multipart/related; type="application/dicom+xml"', 406],
    ['application/dicom+xml', 406],
  ])('with Accept: %s is answered with %i', async (Accept, status) => {
    expect((await ask('/studies', { Accept })).status).toBe(status);
  });
});

test('an instance that cannot be read whole is refused alone, and its study has what is outside of its sequences', async () => {
  let nested: DataSetInput = { CodeValue: 'deepest' };
  for (let level = 0; level < 200; level += 1) nested = { ContentSequence: [nested] };
  const server = await serveWith({ inputs: [ct(1), ct(2, nested), ct(3)], dicomweb: true });

  const all: Record<string, unknown>[] = await (await server.request(`/dicomweb/studies/${CT_STUDY}/metadata`)).json();
  const alone = await server.request(`/dicomweb${CT}/instances/1.2.3.2/metadata`);

  expect(all.map((instance) => instance['00080018'])).toEqual(
    ['1.2.3.1', '1.2.3.2', '1.2.3.3'].map((uid) => ({ vr: 'UI', Value: [uid] })),
  );
  expect(all.map((instance) => '0040A730' in instance)).toEqual([false, false, false]);
  expect([alone.status, (await alone.json()).code]).toEqual([422, 'document_too_large']);
});

const uidsOf = (list: Record<string, { Value?: string[] }>[]) => list.map((each) => each['00080018']?.Value?.[0]);

describe('one object among many', () => {
  const NUMBERS = Array.from({ length: 150 }, (_, index) => index + 1);
  // In the second batch of a search, so that the answer has begun.
  const BAD = 100;
  const ALL = NUMBERS.map((number) => `1.2.3.${number}`);

  test('that cannot be read whole is found with what is outside of its sequences', async () => {
    let nested: DataSetInput = { CodeValue: 'deepest' };
    for (let level = 0; level < 200; level += 1) nested = { ContentSequence: [nested] };
    const inputs = NUMBERS.map((number) => ct(number, number === BAD ? nested : {}));
    const server = await serveWith({ inputs, dicomweb: true });

    const answer = await server.request('/dicomweb/instances?includefield=all');
    const list: Record<string, { Value?: string[] }>[] = JSON.parse(await answer.text());

    expect([answer.status, uidsOf(list)]).toEqual([200, ALL]);
    expect(list[BAD - 1]).toMatchObject({ '00080056': { Value: ['ONLINE'] }, '00280010': { Value: [2] } });
  });

  test.each(['/instances?includefield=all', '/instances?PatientSex=*', `/studies/${CT_STUDY}/metadata`])(
    'that cannot be read is named as unavailable, and the others are there: %s',
    async (path) => {
      const bad = new Set<string>();
      const server = await serveWith({
        inputs: NUMBERS.map((number) => ct(number, { PatientSex: 'O' })),
        dicomweb: true,
        tasks: (pool) => ({
          ...pool,
          run(task, input, options) {
            const text = task.name.startsWith('dicomweb.') ? JSON.stringify(input) : '';
            if (![...bad].some((address) => text.includes(address))) return pool.run(task, input, options);
            return Promise.reject(new ViewerError('document_too_large', 'it is broken'));
          },
        }),
      });
      bad.add(`/instances/1.2.3.${BAD}"`);

      const answer = await server.request(`/dicomweb${path}`);
      const list: Record<string, { Value?: string[] }>[] = JSON.parse(await answer.text());

      expect([answer.status, uidsOf(list)]).toEqual([200, ALL]);
      expect(list[BAD - 1]).toMatchObject({
        '00080056': { vr: 'CS', Value: ['UNAVAILABLE'] },
        '0020000D': { vr: 'UI', Value: [CT_STUDY] },
        '0020000E': { vr: 'UI', Value: [CT_SERIES] },
      });
    },
  );
});

describe('metadata', () => {
  test('of a series are its instances in DICOM JSON, with addresses of long values', async () => {
    const answer = await ask(`${CT}/metadata`, { Accept: 'application/dicom+json' });
    const [first, second, ...others]: Record<string, { vr: string; BulkDataURI?: string }>[] = JSON.parse(
      await answer.text(),
    );

    expect(others).toEqual([]);
    expect(first).toMatchObject({ '00080018': { Value: ['1.2.3.1'] }, '00280010': { vr: 'US', Value: [2] } });
    expect(second).toMatchObject({ '00080018': { Value: ['1.2.3.2'] } });
    expect(first).not.toHaveProperty('7FE00010');
    const uri = first?.['00091001']?.BulkDataURI ?? '';
    expect(uri).toMatch(/^http:.*\/instances\/1\.2\.3\.1\/bulkdata\/00091001$/);
    const bulk = await fetch(uri, { headers: { Accept: 'multipart/related; type="application/octet-stream"' } });
    const { type, parts } = await readParts(bulk);
    expect([type, parts.length]).toEqual(['application/octet-stream', 1]);
    expect(parts[0]?.bytes.equals(LONG)).toBe(true);
    const part = await fetch(uri, { headers: { Accept: 'application/octet-stream', Range: 'bytes=10-19' } });
    expect([part.status, [...(await part.bytes())]]).toEqual([206, [...LONG.subarray(10, 20)]]);
  });

  test('of a study, a series and an instance are lists', async () => {
    for (const [path, count] of [
      [`/studies/${CT_STUDY}/metadata`, 2],
      [`${CT}/metadata`, 2],
      [`${CT}/instances/1.2.3.2/metadata`, 1],
    ] as const) {
      expect(await search(path)).toHaveLength(count);
    }
  });

  test('leave out a file that has gone, and say so', async () => {
    const folder = createTempFolder();
    writeFileSync(join(folder, '1.dcm'), ct(1));
    writeFileSync(join(folder, '2.dcm'), ct(2));
    const server = await serveWith({ inputs: [folder], dicomweb: true });
    unlinkSync(join(folder, '1.dcm'));

    const answer = await server.request(`/dicomweb${CT}/metadata`);
    expect(answer.headers.get('warning')).toContain('1 instances are no longer there');
    expect(await answer.json()).toMatchObject([{ '00080018': { Value: ['1.2.3.2'] } }]);
    expect(await failureOf(await server.request(`/dicomweb${CT}/instances/1.2.3.1`))).toEqual([404, 'file_gone']);
  });
});

test.runIf(existsSync('/proc/self/fd'))('a client that leaves early leaves no file open', async () => {
  const folder = createTempFolder();
  const long = new Uint8Array(8 * 2 ** 20);
  for (const number of [1, 2, 3])
    writeFileSync(join(folder, `${number}.dcm`), ct(number, { EncapsulatedDocument: long }));
  const server = await serveWith({ inputs: [folder], dicomweb: true });
  const countOpen = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      const path = join('/proc/self/fd', fd);
      return existsSync(path) && readlinkSync(path).startsWith(folder);
    }).length;

  // Some leave before the answer begins, others while they read it.
  for (let times = 0; times < 60; times += 1) {
    const signal = AbortSignal.timeout(times % 20);
    await server.request(`/dicomweb${CT}`, { signal }).then(
      async (answer) => answer.body?.getReader().read(),
      () => undefined,
    );
  }

  // The server opens files of clients that have already left.
  await new Promise((next) => setTimeout(next, 500));
  await expect.poll(countOpen, { timeout: 60_000 }).toBe(0);
});

test.each([EXPLICIT, DEFLATED])(
  'the icon of an instance of %s with redactions is not sent, nor by its address',
  async (transferSyntaxUid) => {
    const ICON = Buffer.from(Uint8Array.from({ length: 64 }, (_, index) => 255 - index));
    const folder = createTempFolder();
    const icon = {
      SamplesPerPixel: 1,
      Rows: 8,
      Columns: 8,
      BitsAllocated: 8,
      PixelData: { vr: 'OB', value: ICON } as const,
    };
    writeFileSync(join(folder, '1.dcm'), ct(1, { IconImageSequence: [icon] }, transferSyntaxUid));
    const server = await serveWith({ inputs: [folder], dicomweb: true });
    await server.request('/api/file/0/redactions', {
      method: 'PUT',
      body: JSON.stringify({ num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [] }),
      headers: { 'Content-Type': 'application/json' },
    });

    const paths = ['/metadata', '/bulkdata/00880200.0.7FE00010', '', '/bulkdata/7FE00010'];
    for (const path of paths) {
      const answer = await server.request(`/dicomweb${CT}/instances/1.2.3.1${path}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect([path, bytes.includes(ICON), bytes.includes(ICON.toString('base64'))]).toEqual([path, false, false]);
    }
    const found = await (await server.request('/dicomweb/instances?includefield=all')).text();
    expect(found.includes(ICON.toString('base64'))).toBe(false);
  },
);

test('instances with redactions are left out of a series, which says so', async () => {
  const folder = createTempFolder();
  for (const number of [1, 2]) writeFileSync(join(folder, `${number}.dcm`), ct(number));
  const server = await serveWith({ inputs: [folder], dicomweb: true });
  const redactFile = async (index: number) =>
    server.request(`/api/file/${index}/redactions`, {
      method: 'PUT',
      body: JSON.stringify({ num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [] }),
      headers: { 'Content-Type': 'application/json' },
    });
  expect((await redactFile(0)).status).toBe(200);

  const answer = await server.request(`/dicomweb${CT}`);
  expect(answer.headers.get('warning')).toContain('1 instances are redacted and not sent');
  expect((await answer.text()).split('Content-Type: application/dicom')).toHaveLength(2);

  await redactFile(1);
  expect(await failureOf(await server.request(`/dicomweb${CT}`))).toEqual([403, 'masked']);
});

describe('bulk data', () => {
  test.each([
    ['bulkdata/00091002', 404, 'tag_not_found'],
    ['bulkdata/00081140', 404, 'tag_not_found'],
    ['bulkdata/00081140.0', 400, 'invalid_path'],
    ['bulkdata/xyz', 400, 'invalid_path'],
  ])('%s is refused as %i %s', async (path, status, code) => {
    expect(await failureOf(await ask(`${CT}/instances/1.2.3.1/${path}`))).toEqual([status, code]);
  });

  test('of a big-endian file are little endian, and those in sequences are found', async () => {
    const words = Uint16Array.from({ length: 3000 }, (_, index) => index);
    const inside: DataSetInput = { ReferencedImageSequence: [{}, { '00091001': { vr: 'OW', value: words } }] };
    const file = writeDicom(ctElements(inside), { transferSyntaxUid: BIG_ENDIAN });
    const server = await serveSharedWith({ inputs: [file], dicomweb: true });
    const answer = await server.request(
      `/dicomweb${CT}/instances/1.2.826.0.1.3680043.8.498.1/bulkdata/00081140.1.00091001`,
    );
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(words.buffer))).toBe(true);
  });
});

describe('instances', () => {
  test('are the bytes of the files, one part each', async () => {
    const { type, parts } = await readParts(await ask(CT));

    expect(type).toBe('application/dicom');
    expect(parts.map(({ mediaType }) => mediaType)).toEqual([
      `application/dicom; transfer-syntax=${EXPLICIT}`,
      `application/dicom; transfer-syntax=${EXPLICIT}`,
    ]);
    expect(parts.map(({ bytes }, index) => bytes.equals(FILES[index]!))).toEqual([true, true]);
  });

  test('are a plain file if the client wants one of them so, or a range of it', async () => {
    const answer = await ask(`${CT}/instances/1.2.3.2`, { Accept: 'application/dicom' });
    expect(answer.headers.get('content-type')).toBe('application/dicom');
    expect(Buffer.from(await answer.arrayBuffer()).equals(FILES[1]!)).toBe(true);

    const range = await ask(`${CT}/instances/1.2.3.2`, { Accept: 'application/dicom', Range: 'bytes=128-131' });
    expect([range.status, await range.text()]).toEqual([206, 'DICM']);
  });

  test.each([
    ['multipart/related; type="application/dicom"; transfer-syntax=*', 200],
    [`multipart/related; type="application/dicom"; transfer-syntax=${RLE}`, 200],
    [`multipart/related; type="application/dicom"; transfer-syntax=${EXPLICIT}`, 406],
    [`multipart/related; type="application/dicom"; transfer-syntax=${EXPLICIT}, application/dicom;q=0.5`, 200],
    ['multipart/related; type="image/jpeg"', 406],
    ['image/png', 406],
  ])('%s: %i, because files are never converted', async (Accept, status) => {
    expect((await ask(MR, { Accept })).status).toBe(status);
  });
});

describe('frames', () => {
  const OCTETS = 'application/octet-stream';

  test.each([
    // What viewers send.
    [`multipart/related; type=${OCTETS}; transfer-syntax=*`, OCTETS, RLE],
    [`multipart/related; type="${OCTETS}"; transfer-syntax=${RLE}`, OCTETS, RLE],
    ['multipart/related; type="image/dicom-rle"', 'image/dicom-rle', RLE],
    ['multipart/related; type="*/*"; transfer-syntax=*', 'image/dicom-rle', RLE],
    [`multipart/related; type="${OCTETS}"`, OCTETS, EXPLICIT],
    [`multipart/related; type="${OCTETS}"; transfer-syntax=${EXPLICIT}`, OCTETS, EXPLICIT],
    ['multipart/related; type="*/*"', OCTETS, EXPLICIT],
    ['*/*', OCTETS, EXPLICIT],
    ['multipart/related; type="image/jpeg", multipart/related; type="application/octet-stream"', OCTETS, EXPLICIT],
  ])('%s: %s in %s', async (Accept, type, syntax) => {
    const answer = await readParts(await ask(`${MR}/frames/2,1`, { Accept }));

    expect(answer.type).toBe(type);
    expect(answer.parts.map(({ mediaType }) => mediaType)).toEqual(Array(2).fill(`${type}; transfer-syntax=${syntax}`));
    const expected = [1, 0].map((frame) => (syntax === RLE ? storedBytes(frame) : frameBytes(frame)));
    expect(answer.parts.map(({ bytes }, index) => bytes.subarray(0, expected[index]!.length))).toEqual(expected);
  });

  test.each([
    [`multipart/related; type="${OCTETS}"; transfer-syntax=1.2.840.10008.1.2.4.90`],
    ['multipart/related; type="image/jpeg"'],
    // Two frames are no single part.
    [OCTETS],
  ])('%s is refused', async (Accept) => {
    expect(await failureOf(await ask(`${MR}/frames/1,2`, { Accept }))).toEqual([406, 'not_acceptable']);
  });

  test('one of them may be sent without parts', async () => {
    const answer = await ask(`${MR}/frames/2`, { Accept: OCTETS });
    expect(answer.headers.get('content-type')).toBe(`${OCTETS}; transfer-syntax=${EXPLICIT}`);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(frameBytes(1));
  });

  test('of uncompressed files are little endian, whatever the file', async () => {
    const server = await serveSharedWith({ inputs: [mr(BIG_ENDIAN)], dicomweb: true });
    const Accept = `multipart/related; type="${OCTETS}"; transfer-syntax=*`;
    const { parts } = await readParts(await server.request(`/dicomweb${MR}/frames/1,2`, { headers: { Accept } }));
    expect(parts.map(({ bytes }) => bytes)).toEqual([frameBytes(0), frameBytes(1)]);
  });

  test.each([
    [`${MR}/frames/3`, 404, 'frame_out_of_range'],
    [`${MR}/frames/0`, 400, 'invalid_path'],
    [`${MR}/frames/1,1`, 400, 'invalid_path'],
    [`${MR}/frames/1,,2`, 400, 'invalid_path'],
    [`${CT}/instances/9.9/frames/1`, 404, 'not_found'],
  ])('%s is refused as %i %s', async (path, status, code) => {
    expect(await failureOf(await ask(path))).toEqual([status, code]);
  });
});

test('an answer that is broken off is in the log, with the reason and no value of the request', async () => {
  const warnings: string[] = [];
  const log = { debug: () => {}, warn: (message: string) => void warnings.push(message), error: () => {} };
  // The header of a frame has the number of its segments, of which there are at most 15.
  const PixelData = { fragments: [storedBytes(0), Buffer.alloc(64, 0xff)] };
  const server = await serveWith({ inputs: [mr(RLE, { PixelData })], dicomweb: true, server: { log } });
  const headers = { Accept: 'multipart/related; type="application/octet-stream"' };

  const answer = await server.request(`/dicomweb${MR}/frames/1,2`, { headers });
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow('terminated');
  const route = 'GET /dicomweb/studies/:study/series/:series/instances/:instance/frames/:frames';
  expect(warnings).toEqual([`${route} was broken off: pixel_decode_failed`]);
});

/** Rows and columns of a baseline JPEG. They follow the marker FF C0, a length and the precision. */
function sizeOfJpeg(bytes: Buffer): readonly number[] {
  const at = bytes.indexOf(Buffer.of(0xff, 0xc0));
  return [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
}

describe('rendered pictures', () => {
  const INSTANCE = `${CT}/instances/1.2.3.2`;

  test('are JPEG, or PNG with exactly the gray levels of the window', async () => {
    const jpeg = await ask(`${INSTANCE}/rendered`);
    expect(jpeg.headers.get('content-type')).toBe('image/jpeg');
    expect(sizeOfJpeg(Buffer.from(await jpeg.arrayBuffer()))).toEqual([2, 3]);

    const png = await ask(`${INSTANCE}/rendered?window=3,5,linear`, { Accept: 'image/png' });
    // ((x - 2.5) / 4 + 0.5) * 255 for 0 to 5, between 0 and 255. PS3.3 C.11.2.1.2.1.
    expect(grayOf(await png.bytes())).toEqual([0, 32, 96, 159, 223, 255]);
  });

  test('of several frames are parts, and fit into the viewport', async () => {
    const Accept = 'multipart/related; type="image/jpeg"';
    const { type, parts } = await readParts(await ask(`${MR}/frames/1,2/rendered?viewport=1,9&quality=50`, { Accept }));
    expect([type, parts.length]).toEqual(['image/jpeg', 2]);
    expect(parts.map(({ bytes }) => sizeOfJpeg(bytes))).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(await failureOf(await ask(`${MR}/frames/1,2/rendered`))).toEqual([406, 'not_acceptable']);
  });

  test.each([`/studies/${CT_STUDY}`, CT, INSTANCE, `${MR}/frames/2`])('%s has a thumbnail', async (path) => {
    const answer = await ask(`${path}/thumbnail`, { Accept: 'image/avif,image/webp,image/png,*/*;q=0.8' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  test.each([
    ['window=1,2', 400, 'invalid_query'],
    ['window=1,2,sigmoid', 400, 'invalid_query'],
    ['window=1,0,linear', 400, 'invalid_window'],
    ['quality=0', 400, 'invalid_query'],
    ['quality=101', 400, 'invalid_query'],
    ['viewport=0,1', 400, 'invalid_query'],
    ['viewport=10,10,0,0,5,5', 400, 'invalid_query'],
    ['accept=image/gif', 406, 'not_acceptable'],
  ])('with %s are refused as %i %s', async (query, status, code) => {
    expect(await failureOf(await ask(`${INSTANCE}/rendered?${query}`))).toEqual([status, code]);
  });
});

test('copies of an instance are one, and files without UIDs are counted', async () => {
  const server = await serveWith({ inputs: [ct(1), ct(1), ct(2, { SeriesInstanceUID: '' })], dicomweb: true });
  const answer = await server.request('/dicomweb/instances');

  expect(await answer.json()).toHaveLength(1);
  expect(answer.headers.get('warning')).toContain('1 open files have no UIDs');
  expect(answer.headers.get('warning')).toContain('1 open files are copies');
});

// Recorded from OHIF 3.12.10 while it showed its list of studies and drew a stack, with other UIDs.
test('the requests of OHIF are answered', async () => {
  const JSON_TYPE = 'application/dicom+json';
  const fields = 'limit=101&offset=0&fuzzymatching=false&includefield=00081030%2C00080060';
  const requests = [
    [`/studies?${fields}`, JSON_TYPE],
    [`/studies?${fields}&StudyInstanceUID=${CT_STUDY}`, JSON_TYPE],
    [`/studies?00100020=P1&${fields}`, JSON_TYPE],
    [`/studies/${CT_STUDY}/series?includefield=00080021%2C00080031%2C0008103E%2C00200011`, JSON_TYPE],
    [`${CT}/metadata`, JSON_TYPE],
  ] as const;
  const counts: number[] = [];
  for (const [path, Accept] of requests) {
    const answer = await ask(path, { Accept });
    const list: Record<string, unknown>[] = JSON.parse(await answer.text());
    counts.push(list.length);
    // Its list of studies fails if one of them has no modality.
    expect(!path.startsWith('/studies?') || list.every((study) => '00080061' in study)).toBe(true);
  }
  expect(counts).toEqual([2, 1, 1, 1, 2]);

  const Accept = 'multipart/related; type=application/octet-stream; transfer-syntax=*';
  const { parts } = await readParts(await ask(`${CT}/instances/1.2.3.2/frames/1`, { Accept }));
  expect(parts.map(({ mediaType }) => mediaType)).toEqual([`application/octet-stream; transfer-syntax=${EXPLICIT}`]);
  // The samples 0 to 5 of the CT image.
  expect(parts[0]?.bytes).toEqual(Buffer.from(Uint16Array.of(0, 1, 2, 3, 4, 5).buffer));
});

test('addresses in answers are below the base path, where they are answered', async () => {
  const { request } = await serveSharedWith({ inputs: FILES, dicomweb: true, server: { basePath: '/node/8042' } });

  const [found] = await (await request('/dicomweb/studies')).json();
  const [first] = await (await request(`/dicomweb${CT}/metadata`)).json();

  const study: string = found['00081190'].Value[0];
  expect(study).toMatch(/^http:..127\.0\.0\.1:\d+\/node\/8042\/dicomweb\/studies\/[\d.]+$/);
  const bulk: string = first['00091001'].BulkDataURI;
  expect(bulk).toMatch(/\d\/node\/8042\/dicomweb\/studies\//);
  expect((await fetch(bulk)).status).toBe(200);
  expect((await fetch(study)).status).toBe(200);
});

test('only GET and HEAD are answered', async () => {
  const server = await open();
  const answer = await server.request('/dicomweb/studies', { method: 'POST' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('without --dicomweb there is nothing', async () => {
  const server = await serveSharedWith({ inputs: FILES });
  expect((await server.request('/dicomweb/studies')).status).toBe(404);
});

describe('pages of other origins', () => {
  const ORIGIN = 'https://viewer.example:3000';
  const TOKEN = 'a-token-of-at-least-thirty-two-characters';
  const serveNamed = () =>
    serveSharedWith({
      inputs: FILES,
      dicomweb: true,
      server: { dicomwebOrigins: [ORIGIN], tokenMode: 'required', fixedToken: TOKEN },
    });
  const bearer = { Authorization: `Bearer ${TOKEN}` };

  test('read DICOMweb if the user has named them, with the token if one is required', async () => {
    const server = await serveNamed();
    const headers = { Origin: ORIGIN, 'Sec-Fetch-Site': 'cross-site' };
    const preflight = await server.request('/dicomweb/studies', {
      method: 'OPTIONS',
      headers: {
        ...headers,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    const answer = await server.request('/dicomweb/studies', { headers: { ...headers, ...bearer } });
    const refused = await server.request('/dicomweb/studies', { headers });

    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      expect.stringContaining('Authorization'),
    ]);
    expect([answer.status, refused.status]).toEqual([200, 401]);
    for (const each of [preflight, answer, refused]) {
      expect(each.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(each.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    }
  });

  test.each([
    ['/dicomweb/studies', 'https://viewer.example'],
    ['/dicomweb/studies', 'http://viewer.example:3000'],
    ['/dicomweb/studies', 'https://viewer.example:3000.evil.example'],
    ['/dicomweb/studies', 'null'],
    ['/api/files', ORIGIN],
    ['/dicomwebx/studies', ORIGIN],
  ])('get nothing else: %s from %s', async (path, Origin) => {
    const server = await serveNamed();
    const answer = await server.request(path, { headers: { Origin, 'Sec-Fetch-Site': 'cross-site', ...bearer } });

    expect(await failureOf(answer)).toEqual([403, 'forbidden_origin']);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
