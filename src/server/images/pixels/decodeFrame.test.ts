import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createImagePixel } from '../../../../test/support/createImagePixel.ts';
import { syntheticImage } from '../../../../test/support/syntheticImage.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { DecodedFrame, DecodeOptions } from './codecs/codec.ts';
import { findCodec } from './codecs/registry.ts';
import { decodeFrame } from './decodeFrame.ts';
import type { ImagePixel } from './imagePixel.ts';

const SYNTAX = '1.2.840.10008.1.2.';

describe('a lossless stream gives back the image it was made from', () => {
  test.each([
    ['jpeg-lossless-sv1_8u_gray.jpg', '4.70'],
    ['jpeg-lossless-sv1_10u_gray.jpg', '4.70'],
    ['jpeg-lossless-sv1_12u_gray.jpg', '4.70'],
    ['jpeg-lossless-sv1_16u_gray.jpg', '4.70'],
    ['jpeg-lossless-sv1_12s_gray.jpg', '4.70'],
    ['jpeg-lossless-sv1_16s_gray.jpg', '4.70'],
    ['jpeg-lossless-sv6_12u_gray.jpg', '4.57'],
    ['jpeg-lossless-sv1_8u_rgb.jpg', '4.70'],
    ['jpeg-lossless-gdcm_12u_rgb.jpg', '4.70'],
    ['jpeg-lossless-gdcm_16u_rgb.jpg', '4.70'],
    ['jpegls-lossless-gdcm_12u_rgb.jls', '4.80'],
    ['jpegls-lossless_8u_gray.jls', '4.80'],
    ['jpegls-lossless_10u_gray.jls', '4.80'],
    ['jpegls-lossless_12u_gray.jls', '4.80'],
    ['jpegls-lossless_16u_gray.jls', '4.80'],
    ['jpegls-lossless_12s_gray.jls', '4.80'],
    ['jpegls-lossless-cooked_10u_gray.jls', '4.80'],
    ['jpegls-lossless-cooked_12u_gray.jls', '4.80'],
    ['jpegls-lossless_16s_gray.jls', '4.80'],
    ['jpegls-lossless_8u_rgb_ilv-none.jls', '4.80'],
    ['jpegls-lossless_8u_rgb_ilv-line.jls', '4.80'],
    ['jpegls-lossless_8u_rgb_ilv-sample.jls', '4.80'],
    ['j2k-lossless_8u_gray.j2k', '4.90'],
    ['j2k-lossless_10u_gray.j2k', '4.90'],
    ['j2k-lossless_12u_gray.j2k', '4.90'],
    ['j2k-lossless_16u_gray.j2k', '4.90'],
    ['j2k-lossless_8s_gray.j2k', '4.90'],
    ['j2k-lossless_12s_gray.j2k', '4.90'],
    ['j2k-lossless_16s_gray.j2k', '4.90'],
    ['j2k-lossless_12u_gray_tiles16.j2k', '4.90'],
    ['j2k-lossless_8u_rgb_mct.j2k', '4.90'],
    ['j2k-lossless_8u_rgb_no-mct.j2k', '4.90'],
    ['j2k-lossless_12u_rgb_mct.j2k', '4.92'],
    ['j2k-lossless_12u_gray_rpcl-precincts-sop-eph.j2k', '4.90'],
    ['j2k-lossless_8u_rgb_mct_pcrl-precincts-sop.j2k', '4.90'],
    ['j2k-lossless_16u_gray_cprl-precincts-tiles16-eph.j2k', '4.90'],
    ['j2k-lossless_8u_rgb_no-mct_rlcp-precincts-layers.j2k', '4.90'],
    ['j2k-lossless_12u_gray_offset-tiles-lrcp.j2k', '4.90'],
    ['j2k-lossless_8u_rgb_mct_progressions-tile-parts.j2k', '4.90'],
    ['j2k-lossless_8u_rgb_mct_repeated-progressions.j2k', '4.90'],
    ['j2k-lossless_16u_gray_bypass-precincts.j2k', '4.90'],
    ['j2k-lossless_12u_gray_all-modes-precincts.j2k', '4.90'],
    ['j2k-lossless_12u_gray_tiles-precincts-ppm.j2k', '4.90'],
    ['j2k-lossless_12u_gray_tiles-precincts-ppt.j2k', '4.90'],
    // OpenJPEG decodes both families, OpenJPH only HTJ2K.
    ['j2k-lossless_8u_rgb_no-mct.j2k', '4.201'],
    ['htj2k-lossless_8u_gray.jph', '4.201'],
    ['htj2k-lossless_12u_gray.jph', '4.202'],
    ['htj2k-lossless_16u_gray.jph', '4.201'],
    ['htj2k-lossless_12s_gray.jph', '4.201'],
    ['htj2k-lossless_16s_gray.jph', '4.201'],
    ['htj2k-lossless_8u_rgb_mct.jph', '4.202'],
    ['htj2k-lossless_8u_rgb_no-mct.jph', '4.201'],
    ['jxl-lossless_8u_gray.jxl', '4.110'],
    ['jxl-lossless_12u_gray.jxl', '4.110'],
    ['jxl-lossless_16u_gray.jxl', '4.110'],
    ['jxl-lossless_8u_rgb.jxl', '4.110'],
    ['jxl-lossless_16u_rgb.jxl', '4.110'],
  ])('%s as %s', async (name, syntax) => {
    const image = describeStream(name);

    const decoded = await decode(name, syntax);

    expect(toArray(decoded)).toEqual(syntheticImage(image));
    expect(decoded.photometricInterpretation).toBe(image.samplesPerPixel === 3 ? 'RGB' : 'MONOCHROME2');
    expect(decoded.bitsAllocated).toBe(image.bits > 8 ? 16 : 8);
    expect(decoded.damage).toBeUndefined();
  });

  test('a one-bit image, with one byte per sample', async () => {
    const decoded = await decode('j2k-lossless_1u_gray.j2k', '4.90', { bitsAllocated: 1, bitsStored: 1 });

    // The fixture is the upper bit of the 8-bit image.
    expect(toArray(decoded)).toEqual(syntheticImage({ bits: 8 }).map((value) => value >> 7));
    expect(decoded.bitsAllocated).toBe(1);
  });
});

// SHA-256 of the samples decoded by dcmdjpeg (DCMTK 3.6.7, color with +cp) and opj_decompress (OpenJPEG 2.5.0).
describe('a lossy stream decodes to the same values as with a second decoder', () => {
  test.each([
    ['jpeg-baseline-q90_8u_gray.jpg', '4.50', '3e9a83aca71ad94ad75f2b987a278ebf72cd2fc6a587aa9b5a205f61d5bec11a'],
    ['jpeg-spectral-q90_8u_gray.jpg', '4.53', '3e9a83aca71ad94ad75f2b987a278ebf72cd2fc6a587aa9b5a205f61d5bec11a'],
    ['jpeg-extended-q90_12u_gray.jpg', '4.51', 'bc176f18ad72b9c0676a8cfebf54c880655ac97242c6b495b32a15e48b406a5c'],
    ['jpeg-progressive-q90_12u_gray.jpg', '4.55', 'bc176f18ad72b9c0676a8cfebf54c880655ac97242c6b495b32a15e48b406a5c'],
    ['jpeg-baseline-q90_8u_ybr422.jpg', '4.50', '8cd6f25507be3df2e96ce67f7653f83eb766b073bc0b4f6a1ff064d894235836'],
    ['jpeg-baseline-q90_8u_ybr444.jpg', '4.50', '495f1e0d09657e90d110b045e40ac3d5a912c335d21667ff6881e8ae781fcc1d'],
    ['jpeg-baseline-q90_8u_rgb.jpg', '4.50', '7c51db690328b40fbc433848ccdce414f291ae66d271a4c825de2866053a6da5'],
    ['j2k-lossy-r4_8u_gray.j2k', '4.91', '36f0fdfef8a8fab2aa6691dad36435e7a6dd2dbb7c50b31e127403b48d79a45e'],
  ])('%s as %s', async (name, syntax, expected) => {
    const { samples } = await decode(name, syntax);

    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(expected);
  });

  // NEAR is 2, which is the largest error that the encoder may leave.
  test('near-lossless JPEG-LS stays within its error bound', async () => {
    expect(largestError(await decode('jpegls-near2_8u_gray.jls', '4.81'), { bits: 8 })).toBe(2);
  });

  // djxl 0.7 leaves a mean error of 1.26 and 1.22 against the synthetic image; smoothing differs between versions.
  test.each([
    ['jxl-lossy-d1_8u_rgb.jxl', '4.112', 'XYB'],
    ['jxl-recompressed-jpeg_8u_rgb.jxl', '4.111', 'YBR_FULL'],
  ])('%s is RGB, as close to the image as the output of djxl', async (name, syntax, photometricInterpretation) => {
    const decoded = await decode(name, syntax, { photometricInterpretation });

    const expected = syntheticImage({ bits: 8, samplesPerPixel: 3 });
    const errors = expected.map((value, i) => Math.abs(value - Number(decoded.samples[i])));
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(1.3);
    expect(decoded.photometricInterpretation).toBe('RGB');
    expect(decoded.changes).toContain('color_converted');
  });

  test('lossy HTJ2K stays close to the image', async () => {
    expect(largestError(await decode('htj2k-lossy_8u_gray.jph', '4.203'), { bits: 8 })).toBeLessThanOrEqual(4);
  });
});

describe('color is converted once, and only if the stream contains YCbCr', () => {
  test.each([
    ['jpeg-baseline-q90_8u_ybr422.jpg', 'YBR_FULL_422', ['chroma_expanded', 'color_converted']],
    ['jpeg-baseline-q90_8u_ybr422.jpg', 'RGB', ['chroma_expanded', 'color_converted']],
    ['jpeg-baseline-q90_8u_rgb.jpg', 'RGB', []],
    ['jpeg-baseline-q90_8u_rgb.jpg', 'YBR_FULL', []],
  ])('%s declared as %s', async (name, photometricInterpretation, changes) => {
    const decoded = await decode(name, '4.50', { photometricInterpretation });

    expect(decoded.photometricInterpretation).toBe('RGB');
    expect(decoded.changes).toEqual(changes);
    // The colors of the ramp, within the mean error of quality 90 and subsampled chroma.
    const errors = syntheticImage({ bits: 8, samplesPerPixel: 3 }).map(
      (value, i) => value - Number(decoded.samples[i]),
    );
    expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / errors.length)).toBeLessThan(2);
  });

  test('lossless JPEG keeps the samples and the color model of YBR_FULL', async () => {
    const decoded = await decode('jpeg-lossless-sv1_8u_rgb.jpg', '4.70', { photometricInterpretation: 'YBR_FULL' });

    expect(decoded.photometricInterpretation).toBe('YBR_FULL');
    expect(toArray(decoded)).toEqual(syntheticImage({ bits: 8, samplesPerPixel: 3 }));
  });

  test('a JPEG 2000 component transform gives RGB, whatever the data set declares', async () => {
    const decoded = await decode('j2k-lossless_8u_rgb_mct.j2k', '4.90', { photometricInterpretation: 'YBR_RCT' });

    expect(decoded.photometricInterpretation).toBe('RGB');
    expect(decoded.changes).toContain('color_converted');
  });

  test('JPEG 2000 without a component transform keeps YBR_FULL', async () => {
    const decoded = await decode('j2k-lossless_8u_rgb_no-mct.j2k', '4.90', { photometricInterpretation: 'YBR_FULL' });

    expect(decoded.photometricInterpretation).toBe('YBR_FULL');
  });
});

test('JPEG 2000 with a comment after its last tile counts as complete', async () => {
  const comment = Buffer.from('ff64000b0001' + Buffer.from('PADDING').toString('hex') + 'ffd9', 'hex');
  const padded = (bytes: Uint8Array) => Uint8Array.from([...bytes.subarray(0, -2), ...comment]);

  const decoded = await decode('j2k-lossless_12u_gray.j2k', '4.90', {}, padded);

  expect(toArray(decoded)).toEqual(syntheticImage({ bits: 12 }));
  expect(decoded.damage).toBeUndefined();
});

describe('a depth other than the declared one', () => {
  test('fewer bits in the stream are widened', async () => {
    const decoded = await decode('jpeg-lossless-sv1_8u_gray.jpg', '4.70', { bitsAllocated: 16, bitsStored: 12 });

    expect(decoded.samples).toBeInstanceOf(Uint16Array);
    expect(toArray(decoded)).toEqual(syntheticImage({ bits: 8 }));
    expect(decoded.changes).toContain('widened');
  });

  test('lossy values above Bits Stored are clamped', async () => {
    const whole = await decode('jpeg-extended-q90_12u_gray.jpg', '4.51');
    const decoded = await decode('jpeg-extended-q90_12u_gray.jpg', '4.51', { bitsAllocated: 16, bitsStored: 10 });

    expect(toArray(decoded)).toEqual(toArray(whole).map((value) => Math.min(value, 1023)));
    expect(decoded.changes).toContain('clamped');
  });

  test('values of a reversible stream are clamped if it may be truncated or is decoded at a lower resolution', async () => {
    const declared = { bitsAllocated: 16, bitsStored: 12 };
    const cut = await decode('j2k-lossless_16u_gray.j2k', '4.91', declared);
    const small = await decode('j2k-lossless_16u_gray.j2k', '4.90', { ...declared, enoughPixels: 8 });
    const smallWhole = await decode('j2k-lossless_16u_gray.j2k', '4.90', { enoughPixels: 8 });

    expect(toArray(cut)).toEqual(syntheticImage({ bits: 16 }).map((value) => Math.min(value, 4095)));
    expect(toArray(small)).toEqual(toArray(smallWhole).map((value) => Math.min(value, 4095)));
  });

  test('lossless words lose only the bits above Bits Stored, which contain no samples', async () => {
    const decoded = await decode('jpeg-lossless-sv1_16u_gray.jpg', '4.70', {
      bitsAllocated: 16,
      bitsStored: 12,
      planes: [15],
    });

    const words = syntheticImage({ bits: 16 });
    expect(toArray(decoded)).toEqual(words.map((word) => word & 0xfff));
    expect(Array.from(decoded.planes[0]!)).toEqual(words.map((word) => word >> 15));
  });
});

describe('a stream that contradicts its data set is refused, and the message has both values', () => {
  test.each([
    ['jpeg-baseline-q90_8u_gray.jpg', '4.50'],
    ['jpegls-lossless_8u_gray.jls', '4.80'],
    ['j2k-lossless_8u_gray.j2k', '4.90'],
    ['htj2k-lossless_8u_gray.jph', '4.201'],
    ['jxl-lossless_8u_gray.jxl', '4.110'],
  ])('%s in 100 rows', async (name, syntax) => {
    await expect(decode(name, syntax, { rows: 100 })).rejects.toMatchObject({
      code: 'pixel_decode_failed',
      message: expect.stringContaining(
        'the codestream has 24 rows, 33 columns, 1 component, the data set 100 rows, 33 columns, 1 component',
      ),
    });
  });
});

describe('a damaged stream', () => {
  const streams: [string, string][] = [
    ['jpeg-baseline-q90_8u_gray.jpg', '4.50'],
    ['jpeg-lossless-sv1_16u_gray.jpg', '4.70'],
    ['jpegls-lossless_12u_gray.jls', '4.80'],
    ['j2k-lossless_12u_gray.j2k', '4.90'],
    ['htj2k-lossless_12u_gray.jph', '4.201'],
    ['jxl-lossless_8u_gray.jxl', '4.110'],
  ];

  test.each(streams)(
    '%s truncated to two thirds is refused or reported as damaged, and the next frame is correct',
    async (name, syntax) => {
      const cut = decode(name, syntax, {}, (bytes) => bytes.subarray(0, (bytes.length * 2) / 3));

      const mark = await cut.then(
        ({ damage }) => damage?.kind ?? 'whole',
        (error: unknown) => (error instanceof ViewerError ? error.code : 'something else'),
      );
      expect(['truncated', 'pixel_decode_failed']).toContain(mark);
      const next = await decode(name, syntax);
      expect(largestError(next, describeStream(name))).toBeLessThan(name.includes('lossless') ? 1 : 64);
    },
  );

  test.each(streams)('only the first bytes of %s are refused', async (name, syntax) => {
    await expect(decode(name, syntax, {}, (bytes) => bytes.subarray(0, 12))).rejects.toMatchObject({
      code: 'pixel_decode_failed',
      message: expect.stringMatching(/^frame 0, /),
    });
  });

  test.each(streams)('text instead of a stream is refused: %s', async (name, syntax) => {
    await expect(decode(name, syntax, {}, () => Buffer.from('Invalid data string\0'))).rejects.toMatchObject({
      code: 'pixel_decode_failed',
    });
  });
});

test('a JPEG 2000 thumbnail is decoded at the lowest sufficient resolution', async () => {
  // 24 x 33 with two halvings: 6 x 9 has fewer than 10 on its longer edge, 12 x 17 has enough.
  const decoded = await decode('j2k-lossless_12u_gray.j2k', '4.90', { enoughPixels: 10 });

  expect([decoded.rows, decoded.columns, decoded.samples.length]).toEqual([12, 17, 12 * 17]);
  expect(decoded.changes).toContain('reduced');
});

test('an HTJ2K thumbnail is decoded at the lowest sufficient resolution', async () => {
  const decoded = await decode('htj2k-lossless_12u_gray.jph', '4.201', { enoughPixels: 10 });

  expect([decoded.rows, decoded.columns, decoded.samples.length]).toEqual([12, 17, 12 * 17]);
});

type Changes = Partial<ImagePixel> & DecodeOptions;

async function decode(
  name: string,
  syntax: string,
  { enoughPixels, planes, ...pixel }: Changes = {},
  damage = (bytes: Uint8Array): Uint8Array => bytes,
): Promise<DecodedFrame> {
  const { bits, signed, samplesPerPixel } = describeStream(name);
  const lookup = findCodec(SYNTAX + syntax);
  if (!lookup.found) throw new Error(lookup.reason);
  const stream = readFileSync(new URL(`../../../../test/fixtures/streams/${name}`, import.meta.url));
  const declared = createImagePixel({
    transferSyntaxUid: SYNTAX + syntax,
    samplesPerPixel,
    bitsAllocated: bits > 8 ? 16 : 8,
    bitsStored: bits,
    pixelRepresentation: signed ? 1 : 0,
    encapsulated: true,
    pixelDataVr: 'OB',
    ...pixel,
  });
  const highBit = declared.bitsStored - 1;
  const options = { ...(enoughPixels !== undefined && { enoughPixels }), ...(planes !== undefined && { planes }) };
  return decodeFrame(
    damage(new Uint8Array(stream)),
    { pixel: { ...declared, highBit }, codec: lookup.codec, frame: 0 },
    options,
  );
}

function toArray({ samples }: DecodedFrame): number[] {
  return Array.from<number | bigint>(samples).map(Number);
}

/** The image properties encoded in the name of a fixture. */
function describeStream(name: string) {
  const [, bits, sign, color] = /_(\d+)([us])_(gray|rgb|ybr)/.exec(name)!;
  return { bits: Number(bits), signed: sign === 's', samplesPerPixel: color === 'gray' ? 1 : 3 };
}

function largestError({ samples }: Pick<DecodedFrame, 'samples'>, image: Parameters<typeof syntheticImage>[0]): number {
  return Math.max(...syntheticImage(image).map((value, i) => Math.abs(value - Number(samples[i]))));
}
