import { expect, test } from 'vitest';
import type { AnnotationPayload, RoiBox } from '../../src/shared/contract/annotations.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctRow } from '../support/imageElements.ts';
import { grayOf } from '../support/readPng.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

/** Rows 5 to 9 and columns 10 to 19: in slice n, the sample at (x, y) is 1024 + 10 n + x + 2 y, at least 1044. */
const BOX: RoiBox = [5, 10, 10, 20];

async function putBoxes(server: TestServer, index: number, boxes: readonly RoiBox[], frames: number[][] = []) {
  const body = { num_roi: boxes.length, roi_coords: boxes, roi_frames: frames };
  return server.request(`/api/file/${index}/redactions`, {
    method: 'PUT',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
}

async function readRaw(server: TestServer, path: string): Promise<Int16Array> {
  const response = await server.request(path);
  expect(response.status).toBe(200);
  return new Int16Array(await response.arrayBuffer());
}

function isInBox(at: number): boolean {
  const [y, x] = [Math.floor(at / SLICE_COLUMNS), at % SLICE_COLUMNS];
  return y >= 5 && y < 10 && x >= 10 && x < 20;
}

test('a redacted box is the darkest sample in raw and packed samples, in one pixel and in percentiles, and black in pictures', async () => {
  const server = await serve(writeSlice({ number: 1 }), writeSlice({ number: 1, series: 2 }));
  const before = await readRaw(server, '/api/file/0/frame/0/raw');
  const readLevels = async () => {
    const response = await server.request('/api/file/0/frame/0');
    return grayOf(new Uint8Array(await response.arrayBuffer()));
  };
  const levelsBefore = await readLevels();

  expect((await putBoxes(server, 0, [BOX])).status).toBe(200);

  const after = await readRaw(server, '/api/file/0/frame/0/raw');
  // The darkest sample is the first one: 1024 + 10.
  expect([...after]).toEqual(Array.from(before, (sample, at) => (isInBox(at) ? 1034 : sample)));
  const packed = await server.request('/api/file/0/frame/0/raw?filter=predicted');
  expect(packed.headers.get('x-cache')).toBe('MISS');
  const pixel = await readRaw(server, '/api/file/0/frame/0/raw/pixel?row=7&column=12');
  expect([...pixel]).toEqual([1034]);
  // In the picture, the box is as dark as the first sample.
  expect(await readLevels()).toEqual(levelsBefore.map((level, at) => (isInBox(at) ? levelsBefore[0] : level)));
  expect(await readRaw(server, '/api/file/1/frame/0/raw')).toEqual(before);
  const { percentiles } = await (await server.request('/api/file/0/frame/0/percentiles')).json();
  // 50 of 600 samples are the darkest one, 10 HU.
  expect(percentiles.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 10));
});

test('a redaction of some frames leaves the others as they are', async () => {
  const PixelData = Int16Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9);
  const server = await serve(writeDicom(ctRow({ NumberOfFrames: '3', PixelData })));
  const readFrame = async (frame: number) => [...(await readRaw(server, `/api/file/0/frame/${frame}/raw`))];

  // All of frame 1, in which no sample is left that could fill it, and the first pixel of frame 2.
  await putBoxes(
    server,
    0,
    [
      [0, 0, 1, 3],
      [0, 0, 1, 1],
    ],
    [[1], [2]],
  );

  expect([await readFrame(0), await readFrame(1), await readFrame(2)]).toEqual([
    [1, 2, 3],
    [0, 0, 0],
    [8, 8, 9],
  ]);
});

test('planes and values of a volume have the redactions of its slices, also those that were in memory', async () => {
  const server = await serve(...[0, 1, 2].map((number) => writeSlice({ number })));
  const readPlane = async () => {
    const query = 'position=0,7,0&orientation=1,0,0,0,0,1&spacing=2,1&rows=3&columns=30';
    const bytes = await (await server.request(`/api/file/0/plane/raw?${query}`)).arrayBuffer();
    return bytes.byteLength === 3 * 30 * 4 ? new Float32Array(bytes) : new Int16Array(bytes);
  };
  const readValue = async () => (await server.request('/api/file/0/volume/value?at=12,7,2')).json();
  const [before, valueBefore] = [await readPlane(), await readValue()];

  await putBoxes(server, 1, [BOX]);

  // Row 1 of the plane is row 7 of slice 1. At column 12 it has 10 + 12 + 14 HU, and the darkest sample 10 HU.
  const after = await readPlane();
  expect(before[30 + 12]! - after[30 + 12]!).toBe(26);
  expect([after[12], after[30 + 9]]).toEqual([before[12], before[30 + 9]]);
  expect(await readValue()).not.toEqual(valueBefore);
});

test('a file with redactions is not sent as it is stored', async () => {
  const server = await serve(writeSlice({ number: 0 }));
  expect((await server.request('/api/file/0/file')).status).toBe(200);

  await putBoxes(server, 0, [BOX]);
  const refused = await server.request('/api/file/0/file');

  expect([refused.status, (await refused.json()).code]).toEqual([403, 'masked']);
  await putBoxes(server, 0, []);
  expect((await server.request('/api/file/0/file')).status).toBe(200);
});

test('redactions have the rules and entity tags of ROIs, and are copied to the files of the series with the same size', async () => {
  const other = { Rows: SLICE_ROWS / 2, PixelData: new Int16Array((SLICE_ROWS / 2) * SLICE_COLUMNS) };
  const server = await serve(
    ...[0, 1].map((number) => writeSlice({ number })),
    writeSlice({ number: 2 }, other),
    writeSlice({ number: 3, series: 2 }),
  );
  const outside = await putBoxes(server, 0, [[0, 0, SLICE_ROWS + 1, 5]]);
  expect([outside.status, (await outside.json()).code]).toEqual([400, 'invalid_annotation']);
  const put = await putBoxes(server, 0, [BOX]);
  const read = await server.request('/api/file/0/redactions');
  expect(read.headers.get('etag')).toBe(put.headers.get('etag'));
  const stale = await server.request('/api/file/0/redactions', {
    method: 'PUT',
    body: JSON.stringify({ num_roi: 0, roi_coords: [] }),
    headers: { 'Content-Type': 'application/json', 'If-Match': '"another"' },
  });
  expect(stale.status).toBe(412);

  const copied = await server.request('/api/file/0/redactions/series', { method: 'PUT' });

  expect(await copied.json()).toEqual({ file_indices: [1] });
  const boxes: AnnotationPayload = await (await server.request('/api/file/1/redactions')).json();
  expect(boxes).toEqual({ num_roi: 1, roi_coords: [BOX], roi_frames: [] });
});

test('a file with redactions is not sent over DICOMweb as it is stored, and is rendered with them', async () => {
  const uids = { StudyInstanceUID: '2.25.1', SeriesInstanceUID: '2.25.2', SOPInstanceUID: '2.25.3' };
  const path = writeBelow(createTempFolder(), 'a.dcm', writeDicom(ctRow(uids)));
  const server = await serveWith({ inputs: [path], dicomweb: true });
  const instance = '/dicomweb/studies/2.25.1/series/2.25.2/instances/2.25.3';
  const ask = async (form: string) => (await server.request(`${instance}${form}`)).status;
  const asked = ['', '/frames/1', '/rendered'];
  expect(await Promise.all(asked.map(ask))).toEqual([200, 200, 200]);

  await putBoxes(server, 0, [[0, 0, 1, 1]]);

  expect(await Promise.all(asked.map(ask))).toEqual([403, 403, 200]);
});

test.each(['OB', 'OW', 'US', 'UN'])(
  'no answer has the icon of a file with redactions, whose samples are %s',
  async (vr) => {
    const samples = new TextEncoder().encode('ICONSAMPLESHERE!');
    const words = [...new Uint16Array(samples.buffer)];
    const value = vr === 'US' ? words : samples;
    const IconImageSequence = [{ Rows: 2, Columns: 8, BitsAllocated: 8, PixelData: { vr, value } }];
    const server = await serve(writeDicom({ ...ctRow(), IconImageSequence }));
    expect((await putBoxes(server, 0, [[0, 0, 1, 1]])).status).toBe(200);

    const icon = '/api/file/0/tags/select?path=(0088,0200)/0/(7fe0,0010)';
    for (const path of [
      icon,
      '/api/file/0/tags?depth=4',
      '/api/file/0/tags/table',
      '/api/file/0/frame/0/thumbnail?size=64',
      '/api/file/0/info',
    ]) {
      const text = Buffer.from(await (await server.request(path)).arrayBuffer()).toString('latin1');
      for (const form of [
        'ICONSAMPLES',
        Buffer.from(samples).toString('base64').slice(0, 12),
        words.slice(0, 3).join(','),
      ]) {
        expect([path, form, text.includes(form)]).toEqual([path, form, false]);
      }
    }
  },
);
