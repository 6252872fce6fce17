import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createImagePixel } from '../../../../../../test/support/createImagePixel.ts';
import { type J2kImage, loadJ2kEncoder } from '../../../../../../test/support/encodeJ2k.ts';
import { DecodeError } from '../codec.ts';
import { findCodestream, readJ2kHeader } from '../j2kHeader.ts';
import { decodeWithOpenJpeg } from '../jpeg2000.ts';
import { decodeJ2k } from './decodeJ2k.ts';

const STREAMS = new URL('../../../../../../test/fixtures/streams/', import.meta.url);

let encode: Awaited<ReturnType<typeof loadJ2kEncoder>>;
beforeAll(async () => {
  encode = await loadJ2kEncoder();
});

/** Sizes whose product is at most 4096, as the standard demands. */
const BLOCKS = [
  [64, 64],
  [4, 4],
  [32, 16],
  [4, 1024],
  [1024, 4],
] as const;

const images = fc
  .record({
    rows: fc.integer({ min: 1, max: 70 }),
    columns: fc.integer({ min: 1, max: 70 }),
    components: fc.constantFrom(1, 1, 3),
    precision: fc.integer({ min: 1, max: 16 }),
    // The binding of the encoder takes signed samples of up to 8 bits for unsigned ones.
    signed: fc.boolean(),
    levels: fc.integer({ min: 0, max: 6 }),
    block: fc.constantFrom(...BLOCKS),
    progression: fc.integer({ min: 0, max: 4 }),
    values: fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 300 }),
    kind: fc.constantFrom('noise' as const, 'smooth' as const, 'sparse' as const),
  })
  .map(({ values, kind, block, ...shape }): J2kImage => {
    const { rows, columns, precision } = shape;
    // The encoder writes beyond its memory for color of more than 8 bits, and never ends with more levels than this.
    const components = precision > 8 ? 1 : shape.components;
    const levels = Math.min(shape.levels, Math.floor(Math.log2(Math.min(rows, columns))));
    const signed = shape.signed && precision > 8;
    const range = 2 ** precision;
    const samples = Array.from({ length: rows * columns * components }, (_, i) => {
      const value = values[i % values.length]!;
      const sample =
        kind === 'noise'
          ? value % range
          : kind === 'smooth'
            ? (range >> 1) + (value & 1)
            : value % 37 === 0
              ? range - 1
              : 0;
      return Math.min(sample, range - 1) - (signed ? range / 2 : 0);
    });
    return { ...shape, components, levels, signed, samples, blockWidth: block[0], blockHeight: block[1] };
  });

test('every size, depth, block and progression gives the samples that were encoded', () => {
  fc.assert(
    fc.property(images, (image) => {
      expect(toSamples(decode(encode(image)), image)).toEqual(Array.from(image.samples));
    }),
    { numRuns: 60 },
  );
});

test('the library returns the same samples, also of lossy streams and at lower resolutions', async () => {
  await fc.assert(
    fc.asyncProperty(images, fc.boolean(), fc.nat(6), async (image, isLossy, halvings) => {
      const level = Math.min(halvings, image.levels ?? 0);
      const stream = encode({ ...image, isLossy });
      expect(decode(stream, level)).toEqual((await decodeWithLibrary(stream, level)).bytes);
    }),
    { numRuns: 50 },
  );
});

test('a damaged stream is left to the library, unless the library finds nothing wrong with it', async () => {
  const changed = fc.record({ image: images, isLossy: fc.boolean(), at: fc.nat(2000), value: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(changed, async ({ image, isLossy, at, value }) => {
      const whole = encode({ ...image, isLossy });
      const dataStart = whole.findIndex((byte, i) => byte === 0xff && whole[i + 1] === 0x93) + 2;
      const stream = whole.with(dataStart + (at % (whole.length - 2 - dataStart)), value);
      const bytes = decode(stream);
      if (bytes === undefined) return;
      expect({ bytes, isDamaged: false }).toEqual(await decodeWithLibrary(stream, 0));
    }),
    { numRuns: 60 },
  );
});

test('whatever a header says, a stream is decoded, left to the library or refused', () => {
  const changes = fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(images, changes, (image, bytes) => {
      const stream = Uint8Array.from(encode(image));
      for (const [at, value] of bytes) stream[at % stream.length] = value;
      expect(failureOf(() => decode(stream)) ?? new DecodeError('none')).toBeInstanceOf(DecodeError);
    }),
    { numRuns: 400 },
  );
});

test.each([
  ['without its end', (stream: Uint8Array) => stream.subarray(0, -2)],
  ['with a byte more than its packets', (stream: Uint8Array) => lengthen(stream)],
  ['whose last bytes are zeros', (stream: Uint8Array) => Uint8Array.from(stream).fill(0, -102, -2)],
  ['with code-blocks of a special style', (stream: Uint8Array) => changeStyle(stream, 12, 1)],
  ['whose packet headers should have end markers', (stream: Uint8Array) => changeStyle(stream, 4, 4)],
])('a stream %s is left to the library', (_, change) => {
  const stream = encode(createImage());
  expect(decode(stream)).toHaveLength(32 * 32);
  expect(decode(change(stream))).toBeUndefined();
});

test('start markers of packets may be announced and left out', () => {
  const stream = encode(createImage());
  expect(decode(changeStyle(stream, 4, 2))).toEqual(decode(stream));
});

test.each([
  'j2k-lossless_12u_gray_rpcl-precincts-sop-eph',
  'j2k-lossless_8u_rgb_mct_pcrl-precincts-sop',
  'j2k-lossless_8u_rgb_no-mct_rlcp-precincts-layers',
  'j2k-lossless_8u_rgb_mct_progressions-tile-parts',
  'j2k-lossless_8u_rgb_mct_repeated-progressions',
  'j2k-lossy_8u_gray_rpcl-precincts-sop-eph',
])('precincts, markers and progressions of %s give the samples of the library, at all resolutions', async (name) => {
  const stream = Uint8Array.from(readFileSync(new URL(`${name}.j2k`, STREAMS)));
  for (const level of [0, 1, 2]) expect(decode(stream, level)).toEqual((await decodeWithLibrary(stream, level)).bytes);
});

function createImage(): J2kImage {
  const samples = Array.from({ length: 32 * 32 }, (_, i) => (i * 37) % 251);
  return { rows: 32, columns: 32, components: 1, precision: 8, signed: false, samples };
}

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

function decode(stream: Uint8Array, level = 0): Uint8Array | undefined {
  const codestream = findCodestream(stream);
  return decodeJ2k(codestream, readJ2kHeader(codestream), level);
}

async function decodeWithLibrary(stream: Uint8Array, level: number) {
  const codestream = findCodestream(stream);
  const header = readJ2kHeader(codestream);
  const { rows, columns, components: samplesPerPixel, precision } = header;
  const pixel = createImagePixel({ rows, columns, samplesPerPixel, bitsAllocated: precision > 8 ? 16 : 8 });
  const enoughPixels = Math.max(rows, columns) / 2 ** level;
  const { words, damage } = await decodeWithOpenJpeg(codestream, {
    header,
    pixel,
    canLose: false,
    options: { enoughPixels },
  });
  return {
    bytes: new Uint8Array(words.buffer, words.byteOffset, words.byteLength),
    isDamaged: damage !== undefined,
  };
}

function toSamples(bytes: Uint8Array | undefined, { precision, signed }: J2kImage): number[] {
  if (bytes === undefined) return [];
  if (precision <= 8) return Array.from(bytes);
  return Array.from(signed ? new Int16Array(bytes.buffer) : new Uint16Array(bytes.buffer));
}

/** Adds a byte to the only tile-part. */
function lengthen(stream: Uint8Array): Uint8Array {
  const longer = Buffer.from([...stream.subarray(0, -2), 0, ...stream.subarray(-2)]);
  const tilePart = longer.indexOf(Buffer.from([0xff, 0x90]));
  longer.writeUInt32BE(longer.readUInt32BE(tilePart + 6) + 1, tilePart + 6);
  return longer;
}

/** Changes a byte of the coding style, counted from its marker. */
function changeStyle(stream: Uint8Array, at: number, value: number): Uint8Array {
  return stream.with(Buffer.from(stream).indexOf(Buffer.from([0xff, 0x52])) + at, value);
}
