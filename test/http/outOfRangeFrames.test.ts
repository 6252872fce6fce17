import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { readStream } from '../support/jpegElements.ts';
import { serve } from '../support/serve.ts';
import { syntheticImage } from '../support/syntheticImage.ts';

const VALUES = syntheticImage({ bits: 16 });
const WORDS = new Uint8Array(Uint16Array.from(VALUES).buffer);
/** Bits Stored 12 holds values up to 4,095. */
const COUNT = String(VALUES.filter((value) => value > 4095).length);
const SYNTAX = '1.2.840.10008.1.2.';

/** The synthetic image: 24 rows of 33 columns. */
function write(
  pixelData: Uint8Array | { readonly fragments: Uint8Array[] },
  syntax: string,
  bitsStored = 12,
): Uint8Array {
  return writeDicom(
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
      SOPInstanceUID: '2.25.1',
      Modality: 'OT',
      SamplesPerPixel: 1,
      PhotometricInterpretation: 'MONOCHROME2',
      Rows: 24,
      Columns: 33,
      BitsAllocated: 16,
      BitsStored: bitsStored,
      HighBit: bitsStored - 1,
      PixelRepresentation: 0,
      PixelData: pixelData,
    },
    { transferSyntaxUid: SYNTAX + syntax },
  );
}

test.each([
  ['lossy JPEG 2000', { fragments: [readStream('j2k-lossless_16u_gray.j2k')] }, '4.91'],
  ['lossless JPEG 2000', { fragments: [readStream('j2k-lossless_16u_gray.j2k')] }, '4.90'],
  ['lossless JPEG', { fragments: [readStream('jpeg-lossless-sv1_16u_gray.jpg')] }, '4.70'],
  ['JPEG-LS', { fragments: [readStream('jpegls-lossless_16u_gray.jls')] }, '4.80'],
  ['HTJ2K', { fragments: [readStream('htj2k-lossless_16u_gray.jph')] }, '4.201'],
  ['JPEG XL', { fragments: [readStream('jxl-lossless_16u_gray.jxl')] }, '4.110'],
  ['RLE', { fragments: [encodeRle(WORDS, 2, 1)] }, '5'],
  ['uncompressed', WORDS, '1'],
])('samples of %s that Bits Stored cannot hold are counted in X-Frame-Out-Of-Range', async (_, data, syntax) => {
  const server = await serve(write(data, syntax));
  for (const form of ['', '?wc=2000&ww=4000', '/raw', '/raw?filter=predicted']) {
    for (const method of ['GET', 'GET', 'HEAD']) {
      const response = await server.request(`/api/file/0/frame/0${form}`, { method });
      expect(response.headers.get('x-frame-out-of-range'), `${method} ${form}`).toBe(COUNT);
      expect(response.headers.get('x-frame-damage')).toBeNull();
    }
  }
});

test('a frame whose samples Bits Stored can hold has no such header', async () => {
  const server = await serve(write(WORDS, '1', 16));
  expect((await server.request('/api/file/0/frame/0/raw')).headers.get('x-frame-out-of-range')).toBeNull();
});
