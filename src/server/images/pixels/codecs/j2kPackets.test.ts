import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readJ2kHeader } from './j2kHeader.ts';
import { checkJ2kPackets } from './j2kPackets.ts';

const STREAMS = new URL('../../../../../test/fixtures/streams/', import.meta.url);
const NAMES = readdirSync(STREAMS).filter((name) => name.endsWith('.j2k'));
const MARKED = 'j2k-lossless_12u_gray_rpcl-precincts-sop-eph.j2k';

/** T.800 Tables A.4, A.12, A.40 and A.41. */
const [COD, SOT, SOP, EPH] = ['ff52', 'ff90000a', 'ff910004', 'ff92'].map((hex) => Buffer.from(hex, 'hex'));

test.each(NAMES)('all packets of %s are read, and right', (name) => {
  expect(check(fixture(name))).toBe('right');
});

// As many bytes as the tile-parts declare are there, but the packets need one more or one less.
test.each(NAMES)('a byte more or less than the packets of %s need is wrong', (name) => {
  const stream = fixture(name);
  const last = stream.lastIndexOf(SOT!);
  expect(check(resize(Buffer.concat([stream.subarray(0, -2), Buffer.of(0), stream.subarray(-2)]), last, 1))).toBe(
    'wrong',
  );
  expect(check(resize(Buffer.concat([stream.subarray(0, -3), stream.subarray(-2)]), last, -1))).toBe('wrong');
});

describe('start markers of packets', () => {
  const stream = fixture(MARKED);
  const places = findAll(stream, SOP!);

  test('count the packets of a tile from 0', () => {
    // 33 columns and 24 rows in precincts of 16, 17 and 12 in 8, 9 and 6 in 4: 3 x 2, 3 x 2 and 3 x 2.
    expect(places.map((at) => stream.readUInt16BE(at + 4))).toEqual(Array.from({ length: 18 }, (_, i) => i));
  });

  test.each([0, 7, 17])('with another number than that of packet %i are wrong', (packet) => {
    const at = places[packet]! + 5;
    expect(check(stream.fill(stream[at]! ^ 1, at, at + 1))).toBe('wrong');
    stream.set(fixture(MARKED));
  });

  test('may be left out of packets', () => {
    const at = places[5]!;
    const fewer = Buffer.concat([stream.subarray(0, at), stream.subarray(at + 6)]);
    expect(check(resize(fewer, fewer.indexOf(SOT!), -6))).toBe('right');
  });

  test('are wrong where the style of the stream has none', () => {
    // Bit 1 of the flags.
    const at = stream.indexOf(COD!) + 4;
    expect(check(Buffer.from(stream).fill(stream[at]! & ~2, at, at + 1))).toBe('wrong');
  });
});

describe('end markers of packet headers', () => {
  const stream = fixture(MARKED);

  test.each([0, 7, 17])('must not be left out of packet %i', (packet) => {
    const at = findAll(stream, EPH!)[packet]!;
    const fewer = Buffer.concat([stream.subarray(0, at), stream.subarray(at + 2)]);
    expect(check(resize(fewer, fewer.indexOf(SOT!), -2))).toBe('wrong');
  });

  test('are wrong where the style of the stream has none', () => {
    // Bit 2 of the flags.
    const at = stream.indexOf(COD!) + 4;
    expect(check(Buffer.from(stream).fill(stream[at]! & ~4, at, at + 1))).toBe('wrong');
  });
});

test.each(['ppm', 'ppt'])('packed packet headers (%s) with a byte more than the packets need are wrong', (kind) => {
  const stream = fixture(`j2k-lossless_12u_gray_tiles-precincts-${kind}.j2k`);
  // Empty headers are one byte without its highest bit; this one, with it, announces a body that is not there.
  const end = stream.lastIndexOf(EPH!);
  expect(check(Buffer.from(stream).fill(stream[end - 1]! ^ 0x40, end - 1, end))).toBe('wrong');
});

test('a stream of very many precincts and code-blocks is not read', () => {
  // Byte 14 of COD and the following ones are the sizes of precincts: 2 x 2 at the highest of three resolutions.
  const stream = fixture(MARKED);
  const columns = 8;
  stream.writeUInt32BE(4096, columns);
  stream.writeUInt32BE(4096, columns + 4);
  stream.writeUInt32BE(4096, columns + 16);
  stream.writeUInt32BE(4096, columns + 20);
  stream[stream.indexOf(COD!) + 16] = 0x11;
  expect(check(stream)).toBe('unusual');
});

function check(stream: Buffer) {
  const bytes = new Uint8Array(stream);
  return checkJ2kPackets(bytes, readJ2kHeader(bytes));
}

/** Changes the length that a tile-part declares. */
function resize(stream: Buffer, tilePart: number, change: number): Buffer {
  stream.writeUInt32BE(stream.readUInt32BE(tilePart + 6) + change, tilePart + 6);
  return stream;
}

function findAll(stream: Buffer, bytes: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = stream.indexOf(bytes); at >= 0; at = stream.indexOf(bytes, at + 1)) places.push(at);
  return places;
}

function fixture(name: string): Buffer {
  return readFileSync(new URL(name, STREAMS));
}
