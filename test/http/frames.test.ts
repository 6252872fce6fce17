import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { colorRow, ctRow } from '../support/imageElements.ts';
import { grayOf, readPng } from '../support/readPng.ts';
import { serve, serveShared, serveWith } from '../support/serve.ts';

const CT = writeDicom(ctRow());
const COLOR = writeDicom(colorRow());
const REPORT = writeDicom({ SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11', SOPInstanceUID: '2.25.3', Modality: 'SR' });
const FRAME = '/api/file/0/frame/0';

describe('a display frame', () => {
  test('is shown with the requested window', async () => {
    const server = await serve(CT);
    const response = await server.request(`${FRAME}?wc=40&ww=400`);

    expect(grayOf(await bytesOf(response))).toEqual([0, 128, 255]); // -161, 40 and 240 HU
    expect(frameHeaders(response)).toEqual({
      'x-cache': 'MISS',
      'x-frame-window-center': '40',
      'x-frame-window-width': '400',
      'x-frame-window-applied': 'linear',
    });
  });

  test('is shown with the window of the file by default', async () => {
    const server = await serveShared(CT);
    const response = await server.request(FRAME);

    // (-161 - 49.5) / 349 + 0.5 is below 0; (40 - 49.5) / 349 + 0.5 = 0.4728, times 255 = 120.6; 240 is beyond 224.
    expect(grayOf(await bytesOf(response))).toEqual([0, 121, 255]);
    expect(response.headers.get('x-frame-window-center')).toBe('50');
  });

  test('is shown from its smallest to its largest value in full dynamic mode, whatever the window', async () => {
    const server = await serveShared(CT);
    const response = await server.request(`${FRAME}?mode=full_dynamic&wc=0&ww=1`);

    // (40 + 161) / 401 * 255 = 127.8.
    expect(grayOf(await bytesOf(response))).toEqual([0, 128, 255]);
    expect(response.headers.get('x-frame-window-width')).toBe('402');
  });

  test('that is a preview is not cached, and is made from a cached frame', async () => {
    const server = await serve(CT);
    const ask = async (query: string) => {
      const response = await server.request(`${FRAME}?wc=40&ww=400${query}`);
      return `${response.headers.get('x-cache')} ${grayOf(await bytesOf(response)).join(' ')}`;
    };

    expect(await ask('&preview=true')).toBe('MISS 0 128 255');
    expect(await ask('&preview=true')).toBe('MISS 0 128 255');
    expect(await ask('&preview=false')).toBe('MISS 0 128 255');
    expect(await ask('&preview=true')).toBe('HIT 0 128 255');
    expect((await server.request(`${FRAME}?preview=1`)).status).toBe(400);
  });

  test.each([`${FRAME}?unit=HU`, `${FRAME}?wc=40&ww=400&unit=HU`, `${FRAME}/thumbnail?unit=`])(
    'is refused in the unit of a mapping, and not shown in another: %s',
    async (path) => {
      const server = await serveShared(CT);
      const response = await server.request(path);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'invalid_query', error: expect.stringContaining('unit: ') });
    },
  );

  test('of a color image is the same with any window, and reports none', async () => {
    const server = await serve(COLOR);
    const response = await server.request(`${FRAME}?wc=10&ww=10`);

    expect([...readPng(await bytesOf(response)).pixels]).toEqual([255, 0, 0, 10, 20, 30]);
    expect(frameHeaders(response)).toEqual({ 'x-cache': 'MISS' });
  });

  test('comes from the cache the second time, but only for the same window', async () => {
    const server = await serve(CT);
    const cacheOf = async (query: string) => (await server.request(FRAME + query)).headers.get('x-cache');

    expect(await cacheOf('?wc=40&ww=400')).toBe('MISS');
    expect(await cacheOf('?ww=400&wc=40.0')).toBe('HIT');
    expect(await cacheOf('?wc=41&ww=400')).toBe('MISS');
    expect(await cacheOf('')).toBe('MISS');
    expect(await cacheOf('?mode=default')).toBe('HIT');
  });

  test('has the same headers for HEAD as for GET, without a body', async () => {
    const server = await serve(CT);
    const get = await server.request(FRAME);
    const { length } = await bytesOf(get);

    const head = await server.request(FRAME, { method: 'HEAD' });

    expect(await bytesOf(head)).toHaveLength(0);
    expect(head.headers.get('content-length')).toBe(String(length));
    expect(frameHeaders(head)).toEqual({ ...frameHeaders(get), 'x-cache': 'HIT' });
  });

  test('is shown with the window of its own functional group', async () => {
    const server = await serve(
      writeDicom(
        ctRow({
          SOPClassUID: '1.2.840.10008.5.1.4.1.1.2.1',
          NumberOfFrames: '2',
          SharedFunctionalGroupsSequence: [windowOf('1')],
          PerFrameFunctionalGroupsSequence: [windowOf('77'), {}],
          PixelData: Int16Array.of(863, 1064, 1264, 863, 1064, 1264),
        }),
      ),
    );
    const centerOf = async (frame: number) =>
      (await server.request(`/api/file/0/frame/${frame}`)).headers.get('x-frame-window-center');

    expect([await centerOf(0), await centerOf(1)]).toEqual(['77', '1']);
  });
});

describe('a raw frame', () => {
  test('consists of the stored samples, little endian, with headers that describe them', async () => {
    const server = await serve(writeDicom(ctRow({ PixelPaddingValue: { vr: 'SS', value: [-2000] } })));
    const response = await server.request(`${FRAME}/raw?wc=abc&ww=`);

    expect(new Int16Array(await response.arrayBuffer())).toEqual(Int16Array.of(863, 1064, 1264));
    expect(frameHeaders(response)).toEqual({
      'x-cache': 'MISS',
      'x-frame-rows': '1',
      'x-frame-columns': '3',
      'x-frame-bits-allocated': '16',
      'x-frame-pixel-representation': '1',
      'x-frame-samples-per-pixel': '1',
      'x-frame-photometric-interpretation': 'MONOCHROME2',
      'x-frame-rescale-slope': '1',
      'x-frame-rescale-intercept': '-1024',
      'x-frame-sample-kind': 'integer',
      'x-frame-presentation': 'raw',
      'x-frame-default-wc': '50',
      'x-frame-default-ww': '350',
      'x-frame-padding-low': '-2000',
      'x-frame-padding-high': '-2000',
    });
    expect((await server.request(`${FRAME}/raw`)).headers.get('x-cache')).toBe('HIT');
  });

  test('of big-endian planar color is little endian and interleaved by pixel', async () => {
    const planar = { PlanarConfiguration: 1, BitsAllocated: 16, BitsStored: 16, HighBit: 15 };
    const PixelData = Uint16Array.of(1000, 2000, 3000, 4000, 5000, 6000);
    const bigEndian = { transferSyntaxUid: '1.2.840.10008.1.2.2' };
    const server = await serve(writeDicom(colorRow({ ...planar, PixelData }), bigEndian));
    const response = await server.request(`${FRAME}/raw`);

    expect([...new Uint16Array(await response.arrayBuffer())]).toEqual([1000, 3000, 5000, 2000, 4000, 6000]);
    expect(response.headers.get('x-frame-photometric-interpretation')).toBe('RGB');
  });

  test('of one-bit samples has a byte for each, and its header still says 1', async () => {
    const bits = { Columns: 3, Rows: 2, BitsAllocated: 1, BitsStored: 1, HighBit: 0, PixelRepresentation: 0 };
    // Two frames of six bits, lowest bit first: 101010 and 110100.
    const PixelData = Uint8Array.of(0b11_010101, 0b00_0010);
    const server = await serve(writeDicom(ctRow({ ...bits, NumberOfFrames: '2', PixelData })));
    const response = await server.request('/api/file/0/frame/1/raw');

    expect([...(await bytesOf(response))]).toEqual([1, 1, 0, 1, 0, 0]);
    expect(response.headers.get('x-frame-bits-allocated')).toBe('1');
  });
});

describe('a thumbnail', () => {
  const wide = writeDicom(ctRow({ Rows: 100, Columns: 400, PixelData: new Int16Array(40_000).fill(1064) }));

  test.each([
    ['', 32, 128],
    ['?size=16', 4, 16],
    ['?size=1024', 100, 400],
  ])('with the query "%s" is %i x %i', async (query, rows, columns) => {
    const server = await serveShared(wide);
    expect(readPng(await bytesOf(await server.request(`${FRAME}/thumbnail${query}`)))).toMatchObject({ rows, columns });
  });

  test('is shown with the requested window, and reports it', async () => {
    const server = await serveShared(CT);
    const response = await server.request(`${FRAME}/thumbnail?wc=40&ww=400`);

    expect(grayOf(await bytesOf(response))).toEqual([0, 128, 255]); // -161, 40 and 240 HU
    expect(frameHeaders(response)).toMatchObject({ 'x-frame-window-center': '40', 'x-frame-window-width': '400' });
    const refused = await server.request(`${FRAME}/thumbnail?wc=40`);
    expect(await refused.json()).toMatchObject({ code: 'invalid_window' });
  });

  test('shows pixels that are not square in their true shape', async () => {
    const server = await serve(
      writeDicom(ctRow({ Rows: 2, Columns: 4, PixelData: new Int16Array(8), PixelAspectRatio: ['2', '1'] })),
    );
    // Two rows of pixels that are twice as high as wide, and four columns, make a square.
    const png = readPng(await bytesOf(await server.request(`${FRAME}/thumbnail`)));
    expect(png).toMatchObject({ rows: 2, columns: 2 });
  });

  test('comes from the cache the second time, but only for the same size and window', async () => {
    const server = await serve(wide);
    const cacheOf = async (query: string) => (await server.request(FRAME + query)).headers.get('x-cache');
    expect(await cacheOf('/thumbnail')).toBe('MISS');
    expect(await cacheOf('/thumbnail?size=128')).toBe('HIT');
    expect(await cacheOf('/thumbnail?wc=40&ww=400')).toBe('MISS');
    expect(await cacheOf('/thumbnail?size=127')).toBe('MISS');
  });
});

describe('checks are made in the order path, query, file, pixel data, frame, window, support', () => {
  test.each([
    ['/api/file/x/frame/0?wc=abc', 400, 'invalid_path'],
    ['/api/file/0/frame/-1?wc=abc', 400, 'invalid_path'],
    ['/api/file/9/frame/0?wc=abc', 400, 'invalid_query'],
    ['/api/file/9/frame/0?mode=loud', 400, 'invalid_query'],
    ['/api/file/9/frame/0?wc=1&wc=1', 400, 'invalid_query'],
    ['/api/file/9/frame/0/thumbnail?size=15', 400, 'invalid_query'],
    ['/api/file/9/frame/0/thumbnail?size=1025', 400, 'invalid_query'],
    ['/api/file/9/frame/0?wc=1', 404, 'not_found'],
    ['/api/file/9/frame/0/raw', 404, 'not_found'],
    ['/api/file/1/frame/0?wc=1', 404, 'no_pixel_data'],
    ['/api/file/1/frame/7/thumbnail', 404, 'no_pixel_data'],
    ['/api/file/0/frame/7?wc=1', 404, 'frame_out_of_range'],
    ['/api/file/0/frame/1/raw', 404, 'frame_out_of_range'],
    ['/api/file/0/frame/4294967296', 404, 'frame_out_of_range'],
    ['/api/file/0/frame/0?wc=40', 400, 'invalid_window'],
    ['/api/file/0/frame/0?ww=40', 400, 'invalid_window'],
    ['/api/file/0/frame/0?wc=40&ww=0', 400, 'invalid_window'],
    ['/api/file/0/frame/0?wc=40&ww=-1', 400, 'invalid_window'],
    ['/api/file/0/frame/0?wc=NaN&ww=4', 400, 'invalid_window'],
    ['/api/file/0/frame/0?wc=40&ww=Infinity', 400, 'invalid_window'],
    ['/api/file/0/frame/0?wc=1e999&ww=4', 400, 'invalid_window'],
    ['/api/file/2/frame/0?wc=40', 400, 'invalid_window'],
    ['/api/file/2/frame/0', 422, 'unsupported_pixel_layout'],
    ['/api/file/3/frame/0/raw', 422, 'unsupported_transfer_syntax'],
  ])('%s is refused as %i %s', async (url, status, code) => {
    const cmyk = writeDicom(
      colorRow({ PhotometricInterpretation: 'CMYK', SamplesPerPixel: 4, PixelData: new Uint8Array(8) }),
    );
    const video = writeDicom(colorRow({ PixelData: { fragments: [new Uint8Array(16)] } }), {
      transferSyntaxUid: '1.2.840.10008.1.2.4.102',
    });
    const server = await serveShared(CT, REPORT, cmyk, video);

    const response = await server.request(url);

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code, error: expect.stringMatching(/\w/) });
  });
});

test('a frame that needs more than --memory allows is refused, and the message names --memory', async () => {
  const server = await serveWith({ inputs: [CT], memoryBytes: 2 ** 20 });
  const response = await server.request(FRAME);
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    code: 'decode_memory_exceeded',
    error: expect.stringContaining('--memory'),
  });
});

test('a frame too large for any memory is refused for its size, not for the memory', async () => {
  const server = await serve(writeDicom(ctRow({ Rows: 60_000, Columns: 60_000 })));
  const response = await server.request(FRAME);
  expect([response.status, (await response.json()).code]).toEqual([404, 'frame_out_of_range']);
  expect((await (await server.request('/api/file/0/info')).json()).support_reason).toBe('pixel_layout.too_large');
});

function windowOf(center: string) {
  return { FrameVOILUTSequence: [{ WindowCenter: center, WindowWidth: '100' }] };
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

/** The headers that belong to a frame, with lower-case names. */
function frameHeaders(response: Response): Record<string, string> {
  return Object.fromEntries([...response.headers].filter(([name]) => /^x-(cache|frame-(?!options))/.test(name)));
}

describe('a raw pixel', () => {
  test('is a raw frame of one row and one column', async () => {
    const server = await serve(CT, COLOR);
    const ask = async (path: string) => {
      const response = await server.request(path);
      return { bytes: [...(await bytesOf(response))], headers: frameHeaders(response) };
    };
    const frame = await ask(`${FRAME}/raw`);

    const gray = await ask(`${FRAME}/raw/pixel?row=0&column=1`);
    const color = await ask('/api/file/1/frame/0/raw/pixel?row=0&column=1');

    // 1064 is 0x0428.
    expect(gray.bytes).toEqual([0x28, 0x04]);
    expect(gray.headers).toEqual({ ...frame.headers, 'x-cache': 'HIT', 'x-frame-rows': '1', 'x-frame-columns': '1' });
    expect(color.bytes).toEqual([10, 20, 30]);
  });

  test.each([
    ['?row=1&column=0', 400, 'invalid_query'],
    ['?row=0&column=3', 400, 'invalid_query'],
    ['?row=0', 400, 'invalid_query'],
    ['?row=-1&column=0', 400, 'invalid_query'],
    ['?row=0&column=0.5', 400, 'invalid_query'],
  ])('outside the frame is refused: %s', async (query, status, code) => {
    const server = await serveShared(CT);
    const response = await server.request(`${FRAME}/raw/pixel${query}`);
    expect({ status: response.status, ...(await response.json()) }).toMatchObject({ status, code });
  });
});
