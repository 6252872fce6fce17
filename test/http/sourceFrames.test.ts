import { describe, expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { colorRow } from '../support/imageElements.ts';
import { hideRgb, insertSegment, readStream, writeJpeg } from '../support/jpegElements.ts';
import { readPng } from '../support/readPng.ts';
import { serve, serveShared, type TestServer } from '../support/serve.ts';

const YBR = readStream('jpeg-baseline-q90_8u_ybr422.jpg');
const RGB = readStream('jpeg-baseline-q90_8u_rgb.jpg');
const FRAME = '/api/file/0/frame/0?format=source';

type Answer = { readonly mediaType: string | null; readonly cache: string | null; readonly bytes: Buffer };

async function ask(server: TestServer): Promise<Answer> {
  const response = await server.request(FRAME);
  expect(response.status).toBe(200);
  const { headers } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  return { mediaType: headers.get('content-type'), cache: headers.get('x-cache'), bytes };
}

describe('format=source returns the stored JPEG', () => {
  test('byte for byte, and from the cache the second time', async () => {
    const server = await serve(writeJpeg([YBR]));

    const first = await ask(server);
    expect(first).toMatchObject({ mediaType: 'image/jpeg', cache: 'MISS' });
    expect(first.bytes.equals(YBR)).toBe(true);
    const second = await ask(server);
    expect(second).toMatchObject({ mediaType: 'image/jpeg', cache: 'HIT' });
    expect(second.bytes.equals(YBR)).toBe(true);
  });

  test('in one piece if it is stored in several fragments', async () => {
    const server = await serve(writeJpeg([YBR.subarray(0, 400), YBR.subarray(400, 402), YBR.subarray(402)]));

    expect((await ask(server)).bytes.equals(YBR)).toBe(true);
  });

  test('of RGB that the stream itself declares', async () => {
    const server = await serve(writeJpeg([RGB], { PhotometricInterpretation: 'RGB' }));

    expect(await ask(server)).toMatchObject({ mediaType: 'image/jpeg', bytes: Buffer.from(RGB) });
  });

  test('with the ICC profile of the file in its own segments', async () => {
    // More than the 65,519 bytes that fit into one segment.
    const profile = Buffer.alloc(70_000, 'profile ');
    profile.write('RGB ', 16, 'latin1');
    profile.write('acsp', 36, 'latin1');
    const server = await serve(writeJpeg([YBR], { ICCProfile: new Uint8Array(profile) }));

    const { mediaType, bytes } = await ask(server);
    expect(mediaType).toBe('image/jpeg');
    // The start marker and the JFIF segment of 18 bytes come first.
    const [first, second] = [20, 20 + 2 + 0xffff];
    const marker = (at: number) => bytes.toString('latin1', at, at + 18);
    expect(marker(first)).toBe('\xff\xe2\xff\xffICC_PROFILE\0\x01\x02');
    // 70,000 - 65,519 = 4,481 bytes are left. With 16 bytes of the marker the length is 0x1191.
    expect(marker(second)).toBe('\xff\xe2\x11\x91ICC_PROFILE\0\x02\x02');
    const parts = [bytes.subarray(first + 18, second), bytes.subarray(second + 18, second + 18 + 4_481)];
    expect(Buffer.concat(parts).equals(profile)).toBe(true);
    const rest = Buffer.concat([bytes.subarray(0, first), bytes.subarray(second + 18 + 4_481)]);
    expect(rest.equals(YBR)).toBe(true);
  });
});

const OVERLAY: DataSetInput = {
  '60000010': 24,
  '60000011': 33,
  '60000040': 'G',
  '60000050': [1, 1],
  '60000100': 1,
  '60000102': 0,
  '60003000': new Uint8Array(100).fill(255),
};

describe('format=source returns PNG if a browser would not show the same picture', () => {
  test.each<[string, Uint8Array]>([
    ['RGB that only the data set tells', writeJpeg([hideRgb(RGB)], { PhotometricInterpretation: 'RGB' })],
    ['JFIF around what Adobe calls RGB', writeJpeg([insertSegment(RGB, 0xe0, jfif())])],
    ['a picture that its Exif turns', writeJpeg([insertSegment(YBR, 0xe1, exif())])],
    ['a profile in the stream', writeJpeg([insertSegment(YBR, 0xe2, Buffer.from('ICC_PROFILE\0\x01\x01'))])],
    ['an overlay', writeJpeg([YBR], OVERLAY)],
    ['a stream without its end', writeJpeg([YBR.subarray(0, YBR.length - 2)])],
    ['gray', writeGray()],
    ['samples as they are', writeDicom(colorRow())],
  ])('%s', async (_, file) => {
    const server = await serve(file);

    const { mediaType, cache, bytes } = await ask(server);
    expect({ mediaType, cache }).toEqual({ mediaType: 'image/png', cache: 'MISS' });
    const usual = await (await server.request('/api/file/0/frame/0')).arrayBuffer();
    expect(readPng(bytes).pixels).toEqual(readPng(new Uint8Array(usual)).pixels);
  });
});

test.each(['wc=40&ww=400', 'mode=full_dynamic', 'mode=default'])('format=source with %s is refused', async (window) => {
  const server = await serveShared(writeJpeg([YBR]));

  const response = await server.request(`${FRAME}&${window}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_query' });
});

test('another format is refused, and png is the default', async () => {
  const server = await serveShared(writeJpeg([YBR]));

  expect((await server.request('/api/file/0/frame/0?format=jpeg')).status).toBe(400);
  expect((await server.request('/api/file/0/frame/0?format=png')).headers.get('content-type')).toBe('image/png');
});

test('a stream that cannot be decoded is an error, and is not sent', async () => {
  const server = await serve(writeJpeg([new Uint8Array(64).fill(7)]));

  const response = await server.request(FRAME);
  expect(await response.json()).toMatchObject({ code: 'pixel_decode_failed' });
});

function writeGray(): Uint8Array {
  const gray = readStream('jpeg-baseline-q90_8u_gray.jpg');
  return writeJpeg([gray], {
    SamplesPerPixel: 1,
    PlanarConfiguration: undefined,
    PhotometricInterpretation: 'MONOCHROME2',
  });
}

function jfif(): Buffer {
  return Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1');
}

/** Orientation (0x0112) 6: rotate by a quarter turn. */
function exif(): Buffer {
  return Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0', 'latin1');
}
