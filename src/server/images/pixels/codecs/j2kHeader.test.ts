import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { completeCodestream, findCodestream, readJ2kHeader } from './j2kHeader.ts';

const STREAMS = new URL('../../../../../test/fixtures/streams/', import.meta.url);

// Offsets of fields within a codestream that begins with SOC and SIZ (ITU-T T.800 A.5.1): the length of SIZ is at 4.
const TILE_WIDTH = 24;
const COMPONENTS = 40;
const SUBSAMPLING = 43;

test('size, depth, sign and transform come from SIZ and COD', () => {
  expect(readJ2kHeader(fixture('j2k-lossless_12s_gray.j2k'))).toMatchObject({
    rows: 24,
    columns: 33,
    components: 1,
    precision: 12,
    signed: true,
    reversible: true,
    componentTransform: false,
    highThroughput: false,
    resolutions: 3,
    extent: { end: 'marked', lacksBytes: 0, damage: undefined },
  });
  expect(readJ2kHeader(fixture('j2k-lossless_8u_rgb_mct.j2k'))).toMatchObject({
    components: 3,
    componentTransform: true,
  });
  expect(readJ2kHeader(fixture('j2k-lossy-r4_8u_gray.j2k'))).toMatchObject({ reversible: false });
  expect(readJ2kHeader(fixture('htj2k-lossless_8u_gray.jph'))).toMatchObject({
    highThroughput: true,
    extent: { end: 'marked', damage: undefined },
  });
});

test('a codestream inside a JP2 file is found', () => {
  const codestream = fixture('j2k-lossless_8u_gray.j2k');
  const box = Buffer.from('0000000c6a5020200d0a870a000000006a703263', 'hex');
  box.writeUInt32BE(8 + codestream.length, 12);

  expect(findCodestream(Buffer.concat([box, codestream]))).toEqual(Buffer.from(codestream));
});

describe('a stream that would make the decoder loop is refused before decoding', () => {
  test.each([
    ['subsampled components', (view: DataView) => view.setUint8(SUBSAMPLING, 2), 'subsampled'],
    ['a million tiles', (view: DataView) => (view.setUint32(TILE_WIDTH, 1), view.setUint32(8, 1_000_000)), 'tiles'],
    ['tiles without a width', (view: DataView) => view.setUint32(TILE_WIDTH, 0), 'tiles'],
    ['hundreds of components', (view: DataView) => view.setUint16(COMPONENTS, 300), '300 components'],
    ['no component', (view: DataView) => view.setUint16(COMPONENTS, 0), '0 components'],
  ])('%s', (_, change, message) => {
    const codestream = fixture('j2k-lossless_8u_gray.j2k');
    change(new DataView(codestream.buffer));

    expect(() => readJ2kHeader(codestream)).toThrow(message);
  });
});

test('a truncated codestream is reported, and padded to its full length', () => {
  const cut = fixture('j2k-lossless_8u_gray.j2k').subarray(0, 300);

  const { extent } = readJ2kHeader(cut);
  expect(extent).toMatchObject({ end: 'missing', damage: { kind: 'truncated', missing: undefined } });
  const whole = completeCodestream(cut, extent);
  expect(readJ2kHeader(whole).extent.end).toBe('marked');
  expect(whole.subarray(0, 300)).toEqual(cut);
  // Completed to its original length, which the header of the tile-part declares.
  expect(whole).toHaveLength(fixture('j2k-lossless_8u_gray.j2k').length);
});

test('a codestream that lacks only its end marker counts as complete', () => {
  const { extent } = readJ2kHeader(fixture('j2k-lossless_8u_gray.j2k').subarray(0, -2));

  expect(extent).toMatchObject({ end: 'missing', lacksBytes: 0, damage: undefined });
});

describe.each(readdirSync(STREAMS).filter((name) => /\.(j2k|jph)$/.test(name)))('the end marker of %s', (name) => {
  const stream = fixture(name);

  test.each([1, 2, 3])('is damage %i bytes before the declared end of the last tile-part', (count) => {
    const shorter = [...stream.subarray(0, -2 - count), 0xff, 0xd9];
    expect(readExtent(...shorter).damage).toBeDefined();
    // With the byte that makes the length of a value even.
    expect(readExtent(...shorter, 0).damage).toBeDefined();
  });

  test.each([[[0]], [[0, 0]], [[0x55]], [[1, 2, 3]]])('is damage with %j between that end and it', (added) => {
    const longer = readExtent(...stream.subarray(0, -2), ...added, 0xff, 0xd9);
    expect(longer).toMatchObject({ end: 'broken', damage: { kind: 'corrupt' } });
  });

  test('is put where the last tile-part ends, without what is behind it', () => {
    const longer = Uint8Array.from([...stream.subarray(0, -2), 1, 2, 3, 0xff, 0xd9]);
    expect(completeCodestream(longer, readJ2kHeader(longer).extent)).toEqual(stream);
  });

  test('may be followed by zeros, or missing', () => {
    expect(readExtent(...stream, 0).damage).toBeUndefined();
    // Some writers declare one tile-part too few, so that without the marker another one may be missing.
    if (name.includes('tile-parts')) return;
    expect(readExtent(...stream.subarray(0, -2), 0, 0, 0).damage).toBeUndefined();
  });
});

// T.800 A.6.1: byte 9 of COD is the number of decomposition levels. A.6.4: QCD has a step for each of their sub-bands.
test('a header whose segments are longer or shorter than what they hold is damage', () => {
  const stream = fixture('j2k-lossless_8u_gray.j2k');
  const levelsAt = Buffer.from(stream).indexOf(Buffer.from([0xff, 0x52])) + 9;
  for (const change of [-1, 1]) {
    const { extent } = readJ2kHeader(stream.with(levelsAt, stream[levelsAt]! + change));
    expect(extent).toMatchObject({ end: 'marked', damage: { kind: 'corrupt' } });
  }
});

test('in a tiled picture, the missing share is that of the incomplete tiles', () => {
  // Tiles of 16 x 16 over 24 rows of 33 columns: 3 x 2, of which the last two are 16 x 8 and 1 x 8 pixels.
  const stream = fixture('j2k-lossless_12u_gray_tiles16.j2k');
  const tileParts = Array.from({ length: stream.length - 1 }, (_, at) => at).filter(
    (at) => stream[at] === 0xff && stream[at + 1] === 0x90 && stream[at + 2] === 0 && stream[at + 3] === 10,
  );
  expect(tileParts).toHaveLength(6);

  const { extent } = readJ2kHeader(stream.subarray(0, tileParts[4]! + 20));

  const missing = (16 * 8 + 1 * 8) / (24 * 33);
  expect(extent.damage).toEqual({ kind: 'truncated', missing, intactRows: 16 });
});

test('a tile-part that ends within its header is left out when the codestream is padded', () => {
  const stream = fixture('j2k-lossless_12u_gray_tiles16.j2k');
  const last = Buffer.from(stream).lastIndexOf(Buffer.from([0xff, 0x90, 0, 10]));
  // SOT has 12 bytes, and SOD 2.
  for (const length of [2, 5, 11, 12, 13]) {
    const cut = stream.subarray(0, last + length);
    const { extent } = readJ2kHeader(cut);
    const whole = completeCodestream(cut, extent);

    expect(extent.damage).toMatchObject({ kind: 'truncated', missing: (1 * 8) / (24 * 33), intactRows: 16 });
    expect(whole).toEqual(Uint8Array.from([...stream.subarray(0, last), 0xff, 0xd9]));
  }
  const cut = stream.subarray(0, last + 14);
  expect(completeCodestream(cut, readJ2kHeader(cut).extent)).toHaveLength(stream.length);
});

function readExtent(...bytes: number[]) {
  return readJ2kHeader(Uint8Array.from(bytes)).extent;
}

function fixture(name: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(readFileSync(new URL(name, STREAMS)));
}
