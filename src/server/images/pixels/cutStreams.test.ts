import { readdirSync, readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createImagePixel } from '../../../../test/support/createImagePixel.ts';
import { encodeRle } from '../../../../test/support/encodeRle.ts';
import { syntheticImage } from '../../../../test/support/syntheticImage.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { DecodedFrame } from './codecs/codec.ts';
import { findCodec } from './codecs/registry.ts';
import { decodeFrame } from './decodeFrame.ts';
import type { ImagePixel } from './imagePixel.ts';

// `npm run check:long` cuts each stream at 200 places.
const CUTS = Number(process.env.NEGATO_CUTS ?? 6);
const SYNTAX = '1.2.840.10008.1.2.';
const STREAMS = new URL('../../../../test/fixtures/streams/', import.meta.url);

const SYNTAXES: readonly (readonly [prefix: string, syntax: string])[] = [
  ['jpeg-baseline', '4.50'],
  ['jpeg-extended', '4.51'],
  ['jpeg-spectral', '4.53'],
  ['jpeg-progressive', '4.55'],
  ['jpeg-lossless-sv6', '4.57'],
  ['jpeg-lossless', '4.70'],
  ['jpegls-near', '4.81'],
  ['jpegls-lossless', '4.80'],
  ['j2k-lossy', '4.91'],
  ['j2k-lossless', '4.90'],
  ['htj2k-lossless', '4.201'],
  ['htj2k-lossy', '4.203'],
  ['jxl-lossless', '4.110'],
  ['jxl-lossy', '4.112'],
];

type Stream = { readonly name: string; readonly bytes: Uint8Array; readonly pixel: ImagePixel };

test.each(listStreams())(
  '$name, cut anywhere, is refused, whole, or shown with its damage named',
  { timeout: 180_000 + CUTS * 1_000 },
  async (stream) => {
    const whole = await decode(stream, stream.bytes);
    expect(whole.damage).toBeUndefined();
    const random = createRandom(stream.bytes.length);
    const ends = [1, 2, 3, 4, 5, 6, 7, 8].map((lost) => stream.bytes.length - lost);
    // Fewer cuts, because libjxl is reloaded after each failure.
    const cuts = stream.name.startsWith('jxl') ? Math.ceil(CUTS / 4) : CUTS;
    const anywhere = Array.from({ length: cuts }, () => Math.floor(random() * stream.bytes.length));
    const faults: string[] = [];
    for (const length of [...ends, ...anywhere]) {
      const cut = await decode(stream, stream.bytes.slice(0, length)).catch((error: unknown) => error);
      const fault = isDecoded(cut) ? findFault(whole, cut) : findUnclear(cut);
      if (fault !== undefined) faults.push(`cut to ${length} of ${stream.bytes.length}: ${fault}`);
    }
    expect(faults).toEqual([]);
  },
);

function findUnclear(error: unknown): string | undefined {
  return error instanceof ViewerError && error.code === 'pixel_decode_failed' ? undefined : String(error);
}

/** What a truncated frame reports incorrectly. */
function findFault(whole: DecodedFrame, cut: DecodedFrame): string | undefined {
  const wrong = listWrongRows(whole, cut);
  if (cut.damage === undefined)
    return wrong.length === 0 ? undefined : `shown as whole, with wrong rows ${wrong.join()}`;
  const { kind, missing, intactRows } = cut.damage;
  if (kind !== 'truncated') return `called ${kind}`;
  if (wrong.some((row) => row < intactRows)) return `rows ${wrong.join()} are wrong, ${intactRows} are called intact`;
  if (missing === undefined) return undefined;
  // The missing part lies below the intact rows, and begins at most two rows of coded units below them.
  const most = 1 - intactRows / whole.rows + 1e-9;
  const least = 1 - (intactRows + 2 * UNIT_ROWS) / whole.rows;
  return missing <= most && missing >= least ? undefined : `${missing} are missing below row ${intactRows}`;
}

test('a truncated stream is treated as its codec declares', async () => {
  const wrong: string[] = [];
  for (const stream of listStreams()) {
    const lookup = findCodec(stream.pixel.transferSyntaxUid);
    // Cuts the last tenth, which is after all headers.
    const cut = stream.bytes.slice(0, Math.floor(stream.bytes.length * 0.9));
    const outcome = await decode(stream, cut).catch((error: unknown) => error);
    const seen = isDecoded(outcome) ? 'shown' : 'refused';
    if (lookup.found && seen !== lookup.codec.cutStream) wrong.push(`${stream.name} is ${seen}`);
  }
  expect(wrong).toEqual([]);
});

test('a missing end that loses no pixels is not damage', async () => {
  const damaged: string[] = [];
  for (const stream of listStreams()) {
    // Deflated frames and RLE have no end marker, and the end marker of JPEG XL cannot be removed.
    if (!/^(jpeg|j2k|htj2k)/.test(stream.name)) continue;
    // Some writers declare one tile-part too few, so that without the marker another one may be missing.
    if (stream.name.includes('tile-parts')) continue;
    const { damage } = await decode(stream, stream.bytes.slice(0, -2));
    if (damage !== undefined) damaged.push(stream.name);
  }
  expect(damaged).toEqual([]);
});

test.each(['jpeg-baseline-q90_8u_gray.jpg', 'jpeg-lossless-sv1_16u_gray.jpg', 'jpeg-progressive-q90_12u_gray.jpg'])(
  '%s with its middle taken out is damage though it ends as it should',
  async (name) => {
    const stream = listStreams().find((candidate) => candidate.name.startsWith(name))!;
    const whole = await decode(stream, stream.bytes);
    const middle = Math.floor(stream.bytes.length * 0.8);
    const torn = Buffer.concat([stream.bytes.subarray(0, middle), stream.bytes.subarray(middle + 20)]);

    const decoded = await decode(stream, new Uint8Array(torn));

    expect(listWrongRows(whole, decoded)).not.toEqual([]);
    expect(decoded.damage).toMatchObject({ kind: 'corrupt', missing: undefined, intactRows: 0 });
  },
);

test('zeros before the end marker, which some writers leave there, are not damage', async () => {
  const stream = listStreams().find(({ name }) => name.startsWith('jpeg-baseline-q90_8u_gray'))!;
  const whole = await decode(stream, stream.bytes);
  const padded = Buffer.concat([stream.bytes.subarray(0, -2), Buffer.from([0, 0, 0, 0, 0xff, 0xd9])]);

  const decoded = await decode(stream, new Uint8Array(padded));

  expect(listWrongRows(whole, decoded)).toEqual([]);
  expect(decoded.damage).toBeUndefined();
});

test.each(listStreams().filter(({ name }) => name.startsWith('htj2k')))(
  '$name, cut anywhere in its data, is shown as far as it goes, the same each time',
  async (stream) => {
    const whole = await decode(stream, stream.bytes);
    // The header of the only tile-part, from SOT to SOD, has 14 bytes; the data follows.
    const data = Buffer.from(stream.bytes).indexOf(Buffer.from([0xff, 0x93])) + 2;
    // Before the end marker.
    const end = stream.bytes.length - 2;
    const errors: number[] = [];
    for (let i = 1; i <= CUTS; i++) {
      const cut = stream.bytes.slice(0, data + Math.floor(((end - data) * i) / (CUTS + 1)));
      const { samples, damage } = await decode(stream, cut);
      expect(damage).toMatchObject({ kind: 'truncated', intactRows: 0 });
      // Missing data must not be filled from the previous frame.
      await decode(stream, stream.bytes);
      expect((await decode(stream, cut)).samples).toEqual(samples);
      errors.push(meanError(whole.samples, samples));
    }
    // The more data is present, the closer the result is to the complete image.
    expect(errors.at(-1)).toBeLessThan(errors[0]! / 5);
  },
);

test('a truncated progressive stream reports how many scans are complete', async () => {
  const stream = listStreams().find(({ name }) => name.startsWith('jpeg-progressive-q90_12u_gray'))!;
  const markers = [...stream.bytes.keys()].filter((at) => stream.bytes[at] === 0xff && stream.bytes[at + 1] !== 0);
  const scans = markers.flatMap((at, i) => {
    // The header of a scan of one component has 10 bytes, and its data ends at the next marker.
    return stream.bytes[at + 1] === 0xda ? [{ start: at + 10, end: markers[i + 1]! }] : [];
  });
  expect(scans.length).toBeGreaterThan(2);
  for (const [whole, { start, end }] of scans.entries()) {
    const { damage } = await decode(stream, stream.bytes.slice(0, Math.floor((start + end) / 2)));
    expect(damage, `${start} to ${end}`).toMatchObject({ kind: 'truncated', missing: undefined, wholeScans: whole });
    const isLast = whole === scans.length - 1;
    const between = await decode(stream, stream.bytes.slice(0, end));
    expect(between.damage?.wholeScans).toBe(isLast ? undefined : whole + 1);
  }
});

test('truncated JPEG 2000 in one tile reports how much data is missing', async () => {
  const stream = listStreams().find(({ name }) => name.startsWith('j2k-lossless_16u_gray'))!;
  const bytes = Buffer.from(stream.bytes);
  const start = bytes.indexOf(Buffer.from([0xff, 0x90]));
  // Psot, the length of the only tile-part, is 6 bytes after the start of its marker.
  const length = bytes.readUInt32BE(start + 6);
  expect(start + length + 2).toBe(bytes.length);
  for (const lost of [10, 100, 300]) {
    const { damage } = await decode(stream, stream.bytes.slice(0, start + length - lost));
    expect(damage).toEqual({ kind: 'truncated', missing: undefined, missingData: lost / length, intactRows: 0 });
  }
});

test('truncated JPEG-LS with consecutive planes reports how many planes are complete', async () => {
  const stream = listStreams().find(({ name }) => name.startsWith('jpegls-lossless_8u_rgb_ilv-none'))!;
  const starts = [...stream.bytes.keys()].filter((at) => stream.bytes[at] === 0xff && stream.bytes[at + 1] === 0xda);
  expect(starts.length).toBe(3);
  const { damage } = await decode(stream, stream.bytes.slice(0, starts[2]! + 40));
  expect(damage).toMatchObject({ kind: 'truncated', missing: undefined, wholeScans: 2 });
});

/** Rows of the largest unit that any codec decodes at once, except for JPEG 2000 tiles. */
const UNIT_ROWS = 16;

function listStreams(): Stream[] {
  const streams = readdirSync(STREAMS)
    .filter((name) => syntaxOf(name) !== undefined)
    .map((name) => {
      const bytes = new Uint8Array(readFileSync(new URL(name, STREAMS)));
      return { name: `${name} as ${syntaxOf(name)}`, bytes, pixel: pixelOf(name) };
    });
  return [...streams, ...listSignedBytes(streams), ...listUncompressed()];
}

/** A stream of samples declared as signed bytes by the highest bit of Ssiz, which no available encoder writes. */
function listSignedBytes(streams: readonly Stream[]): Stream[] {
  const unsigned = streams.find(({ name }) => name.startsWith('htj2k-lossless_8u_gray'))!;
  const bytes = unsigned.bytes.slice();
  bytes[42] = 0x87;
  return [{ name: 'htj2k of signed bytes', bytes, pixel: { ...unsigned.pixel, pixelRepresentation: 1 } }];
}

/** The synthetic image as stored by the native, RLE and deflated codecs. */
function listUncompressed(): Stream[] {
  const gray = Uint16Array.from(syntheticImage({ bits: 12 }));
  const color = Uint8Array.from(syntheticImage({ bits: 8, samplesPerPixel: 3 }));
  const planes = Uint8Array.from(color, (_, i) => color[(i % 792) * 3 + Math.floor(i / 792)]!);
  const words = { bitsAllocated: 16, bitsStored: 12, highBit: 11 };
  const rgb = { samplesPerPixel: 3 };
  const bytes = new Uint8Array(gray.buffer);
  return [
    { name: 'native 12 bits', bytes, pixel: createImagePixel(words) },
    { name: 'native color', bytes: color, pixel: createImagePixel(rgb) },
    { name: 'native planes', bytes: planes, pixel: createImagePixel({ ...rgb, planarConfiguration: 1 }) },
    { name: 'RLE 12 bits', bytes: encodeRle(bytes, 2, 1), pixel: createImagePixel({ ...words, ...encapsulated('5') }) },
    { name: 'RLE color', bytes: encodeRle(color, 1, 3), pixel: createImagePixel({ ...rgb, ...encapsulated('5') }) },
    { name: 'deflated', bytes: deflateRawSync(bytes), pixel: createImagePixel({ ...words, ...encapsulated('8.1') }) },
  ];
}

function encapsulated(syntax: string) {
  return { transferSyntaxUid: SYNTAX + syntax, encapsulated: true, pixelDataVr: 'OB' };
}

function syntaxOf(name: string): string | undefined {
  const [, syntax] = SYNTAXES.find(([prefix]) => name.startsWith(prefix)) ?? [];
  return syntax;
}

function pixelOf(name: string): ImagePixel {
  const [, depth, sign, color] = /_(\d+)([us])_(gray|rgb|ybr)/.exec(name)!;
  const bits = Number(depth);
  return createImagePixel({
    ...encapsulated(syntaxOf(name)!),
    samplesPerPixel: color === 'gray' ? 1 : 3,
    bitsAllocated: bits === 1 ? 1 : bits > 8 ? 16 : 8,
    bitsStored: bits,
    pixelRepresentation: sign === 's' ? 1 : 0,
  });
}

function decode({ pixel }: Stream, encoded: Uint8Array): Promise<DecodedFrame> {
  const lookup = findCodec(pixel.transferSyntaxUid);
  if (!lookup.found) throw new Error(lookup.reason);
  return decodeFrame(encoded.slice(), { pixel, codec: lookup.codec, frame: 0 });
}

function isDecoded(outcome: unknown): outcome is DecodedFrame {
  return typeof outcome === 'object' && outcome !== null && 'samples' in outcome;
}

function listWrongRows({ samples, columns, samplesPerPixel }: DecodedFrame, other: DecodedFrame): number[] {
  const rows = new Set<number>();
  for (let i = 0; i < samples.length; i++) {
    if (samples[i] !== other.samples[i]) rows.add(Math.floor(i / (columns * samplesPerPixel)));
  }
  return [...rows];
}

function meanError(samples: DecodedFrame['samples'], other: DecodedFrame['samples']): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += Math.abs(Number(samples[i]) - Number(other[i]));
  return sum / samples.length;
}

/** A reproducible sequence of numbers from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}
