import { describe, expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { readStream } from '../support/jpegElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { syntheticImage } from '../support/syntheticImage.ts';

const NATIVE = '1.2.840.10008.1.2.1';
const LOSSLESS = '1.2.840.10008.1.2.4.70';
const BASELINE = '1.2.840.10008.1.2.4.50';

/** The synthetic image: 24 rows of 33 columns. */
function write(elements: DataSetInput, transferSyntaxUid: string): Uint8Array {
  const gray = {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
    SOPInstanceUID: `2.25.${++instances}`,
    Modality: 'OT',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 24,
    Columns: 33,
    BitsAllocated: 16,
    BitsStored: 12,
    HighBit: 11,
    PixelRepresentation: 0,
  };
  return writeDicom({ ...gray, ...elements }, { transferSyntaxUid });
}

let instances = 100;

const NUMBER_OF_FRAMES = '\x28\0\x08\0IS\x02\0';

/** Replaces the value after these bytes with one that `writeDicom` would not write. */
function patch(file: Uint8Array, after: string, value: string): Uint8Array {
  const bytes = Buffer.from(file);
  bytes.write(value, bytes.indexOf(after, 0, 'latin1') + after.length, 'latin1');
  return bytes;
}

const WORDS = new Uint8Array(Uint16Array.from(syntheticImage({ bits: 12 })).buffer);
const STREAM = readStream('jpeg-lossless-sv1_12u_gray.jpg');
const COLOR = readStream('jpeg-baseline-q90_8u_ybr422.jpg');
const IN_COLOR = {
  SamplesPerPixel: 3,
  PhotometricInterpretation: 'YBR_FULL_422',
  PlanarConfiguration: 0,
  BitsAllocated: 8,
  BitsStored: 8,
  HighBit: 7,
};
const FORMS = ['', '?wc=2000&ww=4000', '/raw', '/raw?filter=predicted', '/thumbnail?size=64'];

describe('an incomplete frame is reported in X-Frame-Damage', () => {
  test('in every form, also from the cache and for HEAD', async () => {
    // Ten rows and five pixels of uncompressed samples: 335 of 792 pixels are present, 57.7 % are missing.
    const server = await serve(write({ PixelData: WORDS.slice(0, 2 * (10 * 33 + 5)) }, NATIVE));

    for (const form of FORMS) {
      for (const method of ['GET', 'GET', 'HEAD']) {
        const response = await server.request(`/api/file/0/frame/0${form}`, { method });
        expect(response.status).toBe(200);
        expect(response.headers.get('x-frame-damage'), `${method} ${form}`).toBe(
          'truncated;missing=0.577;intact-rows=10',
        );
      }
    }
    const raw = await server.request('/api/file/0/frame/0/raw');
    const samples = new Uint16Array(await raw.arrayBuffer());
    expect([...samples.subarray(0, 335)]).toEqual(syntheticImage({ bits: 12 }).slice(0, 335));
    expect(samples.subarray(335).every((sample) => sample === 0)).toBe(true);
    // Samples that a decoder filled in would shift the window of a stack.
    const percentiles = await (await server.request('/api/file/0/frame/0/percentiles')).json();
    expect(percentiles.count).toBe(330);
    expect(percentiles.percentiles[0]).toBe(Math.min(...syntheticImage({ bits: 12 }).slice(0, 330)));
  });

  test('if the file ends within one of several frames, uncompressed or in fragments; the others are complete', async () => {
    const native = write({ NumberOfFrames: '3', PixelData: Buffer.concat([WORDS, WORDS, WORDS]) }, NATIVE);
    const fragments = write({ NumberOfFrames: '3', PixelData: { fragments: [STREAM, STREAM, STREAM] } }, LOSSLESS);
    const server = await serve(
      native.slice(0, native.length - 100),
      fragments.slice(0, fragments.length - Math.floor(STREAM.length / 2)),
    );

    for (const file of [0, 1]) {
      expect(await damageOf(server, file, 0)).toBeNull();
      expect(await damageOf(server, file, 1)).toBeNull();
      expect(await damageOf(server, file, 2)).toMatch(/^truncated;missing=0\.\d+;intact-rows=\d+$/);
    }
  });

  test('if the fragment ends before its stream, and if a part in the middle is lost', async () => {
    const torn = Buffer.concat([COLOR.subarray(0, 380), COLOR.subarray(480)]);
    const server = await serve(
      write({ ...IN_COLOR, PixelData: { fragments: [COLOR.slice(0, 480)] } }, BASELINE),
      write({ ...IN_COLOR, PixelData: { fragments: [new Uint8Array(torn)] } }, BASELINE),
      write({ ...IN_COLOR, PixelData: { fragments: [COLOR] } }, BASELINE),
    );

    expect(await damageOf(server, 0, 0)).toMatch(/^truncated;missing=/);
    expect(await damageOf(server, 1, 0)).toBe('corrupt;intact-rows=0');
    expect(await damageOf(server, 2, 0)).toBeNull();
    // A damaged stream is not sent as stored, because a browser would show it as if it were complete.
    const sources = await Promise.all(
      [0, 1, 2].map((file) => server.request(`/api/file/${file}/frame/0?format=source`)),
    );
    expect(sources.map(({ headers }) => headers.get('content-type'))).toEqual(['image/png', 'image/png', 'image/jpeg']);
    expect(sources.map(({ headers }) => headers.has('x-frame-damage'))).toEqual([true, true, false]);
  });
});

describe('what other programs show is shown too, with a warning about the file', () => {
  const { SamplesPerPixel: _, ...withoutSamples } = IN_COLOR;
  const cases: [name: string, file: Uint8Array, warnings: string[]][] = [
    [
      'without Samples per Pixel',
      write({ SamplesPerPixel: undefined, PixelData: WORDS }, NATIVE),
      ['Samples per Pixel is missing; 1 is assumed because of MONOCHROME2.'],
    ],
    [
      'in color without Samples per Pixel',
      write({ ...withoutSamples, SamplesPerPixel: undefined, PixelData: { fragments: [COLOR] } }, BASELINE),
      ['Samples per Pixel is missing; 3 is assumed because of YBR_FULL_422.'],
    ],
    [
      'without Bits Stored',
      write({ BitsStored: undefined, PixelData: WORDS }, NATIVE),
      ['Bits Stored is missing; 12 is assumed because of High Bit.'],
    ],
    [
      'without Bits Stored and High Bit',
      write({ BitsStored: undefined, HighBit: undefined, PixelData: WORDS }, NATIVE),
      ['Bits Stored is missing; 16 is assumed because of Bits Allocated.'],
    ],
    [
      'without Pixel Representation',
      write({ PixelRepresentation: undefined, PixelData: WORDS }, NATIVE),
      ['Pixel Representation is missing; the samples are taken for unsigned numbers.'],
    ],
    [
      'with a letter in Number of Frames',
      patch(write({ NumberOfFrames: '10', PixelData: WORDS }, NATIVE), NUMBER_OF_FRAMES, '1A'),
      ['Number of Frames is "1A": its leading number, 1, is used.'],
    ],
    [
      'with bytes before the start of the stream',
      write({ PixelData: { fragments: [new Uint8Array(Buffer.concat([Buffer.from('abcd'), STREAM]))] } }, LOSSLESS),
      ['4 bytes before the start of the first image are skipped.'],
    ],
    [
      'with samples as they are in the fragment of a JPEG syntax',
      write({ PixelData: { fragments: [WORDS] } }, LOSSLESS),
      ['The samples are not compressed although the transfer syntax says so; they are shown as stored.'],
    ],
    ['that is as it should be', write({ PixelData: { fragments: [STREAM] } }, LOSSLESS), []],
  ];

  test('a file …', async () => {
    const server = await serve(...cases.map(([, file]) => file));

    for (const [index, [name, , warnings]] of cases.entries()) {
      const info: unknown = await (await server.request(`/api/file/${index}/info`)).json();
      expect({ name, info }).toMatchObject({
        name,
        info: { support_state: 'renderable', frame_count: 1, warnings },
      });
      const raw = await server.request(`/api/file/${index}/frame/0/raw`);
      expect([name, raw.status]).toEqual([name, 200]);
      expect(raw.headers.get('x-frame-damage')).toBeNull();
      if (raw.headers.get('x-frame-samples-per-pixel') === '3') continue;
      expect([...new Uint16Array(await raw.arrayBuffer())]).toEqual(syntheticImage({ bits: 12 }));
    }
  });
});

async function damageOf(server: TestServer, file: number, frame: number): Promise<string | null> {
  const response = await server.request(`/api/file/${file}/frame/${frame}`);
  expect(response.status).toBe(200);
  return response.headers.get('x-frame-damage');
}
