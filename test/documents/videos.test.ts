import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import { expect, test } from 'vitest';
import { splitH264 } from '../../src/server/say/documents/video/splitH264.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serve, serveShared } from '../support/serve.ts';

type Recorded = {
  readonly file: string;
  readonly format: string;
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly keys: readonly number[];
  readonly times?: readonly number[];
  readonly slices?: string;
};

/** As FFmpeg reads them: see makeVideos.py. */
const RECORDED: readonly Recorded[] = JSON.parse(readFileSync(join(import.meta.dirname, 'videos.json'), 'utf8'));
const recordedOf = (name: string) => RECORDED.find(({ file }) => file === name)!;

const readVideo = (name: string) => readFileSync(join(findLayersData()!, 'synthetic-phantom/video', name));

const H264 = '1.2.840.10008.1.2.4.102';

function writeVideo(fragments: readonly Uint8Array[], different: DataSetInput = {}) {
  return writeDicom(
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.4.1',
      SOPInstanceUID: '2.25.1',
      NumberOfFrames: '1',
      PixelData: { fragments },
      ...different,
    },
    { transferSyntaxUid: H264 },
  );
}

test.each(['h264_mp4.dcm', 'h264_ts.dcm', 'h264_annexb.dcm'])(
  '%s is sent as an MP4 file with the pictures and times that FFmpeg reads',
  needs(LAYERS_DATA),
  async (name) => {
    const server = await serveShared(readVideo(name));
    const expected = recordedOf(name);

    const response = await server.request('/api/file/0/video');

    expect(response.headers.get('content-type')).toBe('video/mp4');
    expect(response.headers.get('x-video-codec')).toBe('avc1.640029');
    expect(Number(response.headers.get('x-video-frames'))).toBe(expected.frames);
    const { codedWidth, codedHeight, packets } = await readPackets(new Uint8Array(await response.arrayBuffer()));
    expect([codedWidth, codedHeight]).toEqual([expected.width, expected.height]);
    expect(packets.length).toBe(expected.frames);
    expect(packets.flatMap(({ isKey }, at) => (isKey ? [at] : []))).toEqual(expected.keys);
    // A bare stream has no times of its own; its pictures are 40 ms apart, as the object says.
    const ms = packets.map((packet) => packet.ms);
    expect(ms.toSorted((a, b) => a - b)).toEqual(Array.from({ length: expected.frames }, (_, at) => at * 40));
    expect(expected.times ?? ms).toEqual(ms);
    expect(hashSlices(packets.map(({ data }) => data))).toBe(expected.slices);
  },
);

test('the pictures of a bare stream are shown by the Frame Time Vector of the object', needs(LAYERS_DATA), async () => {
  const { frames } = recordedOf('h264_annexb.dcm');
  const stream = await readStored('h264_annexb.dcm');
  // 20 ms and 60 ms in turn; the value of the first is never used, and the last pictures have none.
  const known = frames - 5;
  const increments = Array.from({ length: known }, (_, at) => (at === 0 ? 999 : at % 2 === 1 ? 20 : 60));
  const server = await serveShared(writeVideo([stream], { FrameTimeVector: increments.map(String) }));

  const response = await server.request('/api/file/0/video');

  const { packets } = await readPackets(new Uint8Array(await response.arrayBuffer()));
  const steps = [...increments.slice(1), ...Array.from({ length: 5 }, () => mean(increments.slice(1)))];
  const shown = steps.reduce((times, step) => [...times, times.at(-1)! + step], [0]);
  expect(packets.map(({ ms }) => ms).toSorted((a, b) => a - b)).toEqual(shown.map(Math.round));
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The stream of a file, as it is stored. */
async function readStored(name: string): Promise<Uint8Array> {
  const server = await serveShared(readVideo(name));
  const bytes = new Uint8Array(await (await server.request('/api/file/0/video?as=save')).arrayBuffer());
  return bytes.length % 2 === 0 ? bytes : Uint8Array.from([...bytes, 0]);
}

async function readPackets(bytes: Uint8Array<ArrayBuffer>) {
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
  const track = (await input.getPrimaryVideoTrack())!;
  const packets: { isKey: boolean; ms: number; data: Uint8Array }[] = [];
  for await (const { type, timestamp, data } of new EncodedPacketSink(track).packets()) {
    packets.push({ isKey: type === 'key', ms: Math.round(timestamp * 1000), data });
  }
  return { codedWidth: track.codedWidth, codedHeight: track.codedHeight, packets };
}

/** Of units with their length in front, as in an MP4 file. */
function hashSlices(packets: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const packet of packets) {
    for (let at = 0; at + 4 < packet.length;) {
      const length = new DataView(packet.buffer, packet.byteOffset + at).getUint32(0);
      let unit = packet.subarray(at + 4, at + 4 + length);
      at += 4 + length;
      while (unit.at(-1) === 0) unit = unit.subarray(0, -1);
      if ([1, 5].includes(unit[0]! & 31)) hash.update(unit);
    }
  }
  return hash.digest('hex');
}

test.each([
  ['mpeg2_ps.dcm', '.mpg'],
  ['mpeg2_es.dcm', '.mpg'],
])('%s is refused with a sentence, and can be saved as %s', needs(LAYERS_DATA), async (name, extension) => {
  const server = await serveShared(readVideo(name));
  const response = await server.request('/api/file/0/video');
  expect([response.status, (await response.json()).code]).toEqual([422, 'unsupported_video']);
  const saved = await server.request('/api/file/0/video?as=save');
  expect(saved.headers.get('content-disposition')).toMatch(new RegExp(`attachment; .*\\${extension}"$`));
});

test('ranges of a video lie over the borders of its fragments, and its padding is left out', async () => {
  // A file of 16 + 9 bytes, in fragments of even length, of which the last ends in a byte of padding.
  const file = [0, 0, 0, 16, ...encode('ftypisom'), 0, 0, 2, 0, 0, 0, 0, 9, ...encode('mdat'), 7];
  const fragments = [file.slice(0, 6), file.slice(6, 8), [], [...file.slice(8), 0]].map((part) =>
    Uint8Array.from(part),
  );
  const server = await serveShared(writeVideo(fragments));
  const ask = async (range?: string) => {
    const response = await server.request(
      '/api/file/0/video',
      range === undefined ? {} : { headers: { Range: range } },
    );
    return [response.status, [...new Uint8Array(await response.arrayBuffer())]];
  };
  expect(await ask()).toEqual([200, file]);
  expect(await ask('bytes=4-9')).toEqual([206, file.slice(4, 10)]);
  expect(await ask('bytes=-3')).toEqual([206, file.slice(-3)]);
  expect((await ask('bytes=25-'))[0]).toBe(416);
});

const encode = (text: string) => [...new TextEncoder().encode(text)];

test.each([
  ['without fragments', writeVideo([]), 404, 'no_pixel_data'],
  ['of zeros', writeVideo([new Uint8Array(64)]), 422, 'unsupported_video'],
  ['with a fragment that is longer than its file', overrun(writeVideo([new Uint8Array(64)])), 422, 'unsupported_video'],
  ['of transport packets without a program', writeVideo([transportOf(64)]), 422, 'malformed_content'],
  [
    'of a bare stream without parameters',
    writeVideo([Uint8Array.of(0, 0, 1, 0x09, 0xf0, 0, 0, 1, 0x65, 0x88)]),
    422,
    'unsupported_video',
  ],
  [
    'that is an image',
    writeDicom({ SOPClassUID: '1.2.840.10008.5.1.4.1.1.7', SOPInstanceUID: '2.25.2' }),
    400,
    'bad_request',
  ],
])('a video %s is refused', async (_, file, status, code) => {
  const server = await serveShared(file);
  const response = await server.request('/api/file/0/video');
  expect([response.status, (await response.json()).code]).toEqual([status, code]);
});

/** With a last fragment of 2 GiB, of which nearly nothing is there. */
function overrun(file: Uint8Array): Uint8Array {
  const bytes = Buffer.from(file);
  bytes.writeUInt32LE(0x7fff_fff0, bytes.lastIndexOf(Buffer.of(0xfe, 0xff, 0x00, 0xe0)) + 4);
  return bytes;
}

/** Packets that hold nothing: number 0x1FFF. */
function transportOf(packets: number): Uint8Array {
  const bytes = new Uint8Array(188 * packets).fill(0xff);
  for (let at = 0; at < bytes.length; at += 188) bytes.set([0x47, 0x1f, 0xff, 0x10], at);
  return bytes;
}

test('bytes that only begin like a bare stream never hang or throw anything but a refusal', () => {
  let seed = 1;
  const next = () => (seed = (seed * 48_271) % 2_147_483_647);
  const outcomes = Array.from({ length: 200 }, () => {
    const bytes = Uint8Array.from({ length: 400 }, () => (next() % 3 === 0 ? next() % 4 : next() % 256));
    bytes.set([0, 0, 1, 0x67, 0x64, 0, 0x29], 0);
    bytes.set([0, 0, 1, 0x68, 0xee], 40);
    bytes.set([0, 0, 1, 0x65], 50);
    return split(bytes);
  });
  expect(new Set(outcomes)).toEqual(new Set(['split', 'refused']));
});

function split(bytes: Uint8Array): string {
  try {
    const { units, width, height } = splitH264(bytes);
    return units.every(({ start, end }) => start < end) && Math.min(width, height) > 0 ? 'split' : 'wrong';
  } catch (error) {
    return error instanceof ViewerError ? 'refused' : String(error);
  }
}

const roiOn = (frame: number) => ({ num_roi: 1, roi_coords: [[0, 0, 2, 2]], roi_frames: [[frame]] });

const markOn = (frame_index: number) => ({
  kind: 'box',
  place: { type: 'frame', file_index: 0, frame_index },
  points: [
    [0, 0],
    [2, 2],
  ],
});

test('ROIs and marks can be on any frame of the stream of a video, whatever the object declares', async () => {
  const server = await serve(writeVideo([Uint8Array.of(0, 0, 0, 8)], { Rows: 4, Columns: 4 }));
  const send = async (method: string, path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' };
    return (await server.request(path, { method, headers, body: JSON.stringify(body) })).json();
  };
  // The only declared frame is not the same as all frames.
  expect(await send('PUT', '/api/file/0/annotations', roiOn(0))).toEqual(roiOn(0));
  expect(await send('PUT', '/api/file/0/annotations', roiOn(74))).toEqual(roiOn(74));
  expect(await send('POST', '/api/marks', markOn(74))).toMatchObject({ place: { frame_index: 74 } });
  // Two hours at 60 frames a second.
  expect(await send('POST', '/api/marks', markOn(432_000))).toMatchObject({ code: 'invalid_mark' });
});
