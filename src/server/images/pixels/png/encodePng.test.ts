import * as fc from 'fast-check';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { grayOf, readPng } from '../../../../../test/support/readPng.ts';
import { encodePng } from './encodePng.ts';

test('an encoded picture decodes to the same pixels', () => {
  const shape = fc.record({
    rows: fc.integer({ min: 1, max: 20 }),
    columns: fc.integer({ min: 1, max: 20 }),
    channels: fc.constantFrom<1 | 3 | 4>(1, 3, 4),
  });
  const image = shape.chain(({ rows, columns, channels }) => {
    const length = rows * columns * channels;
    return fc
      .uint8Array({ minLength: length, maxLength: length })
      .map((pixels) => ({ rows, columns, channels, pixels }));
  });
  fc.assert(
    fc.property(image, (picture) => {
      expect(readPng(encodePng(picture))).toMatchObject(picture);
    }),
  );
});

test('a gray picture is stored as gray', () => {
  expect(grayOf(encodePng({ rows: 2, columns: 2, channels: 1, pixels: Uint8Array.of(0, 255, 7, 9) }))).toEqual([
    0, 255, 7, 9,
  ]);
});

test('the result owns its memory, so that a cache does not hold more than it counts', () => {
  const png = encodePng({ rows: 1, columns: 1, channels: 1, pixels: Uint8Array.of(5) });
  expect(png.buffer.byteLength).toBe(png.byteLength);
});

test.each([
  { rows: 0, columns: 2, pixels: new Uint8Array(0) },
  { rows: 2, columns: 2, pixels: new Uint8Array(3) },
])('$rows x $columns with too few bytes is refused', (image) => {
  expect(() => encodePng({ ...image, channels: 1 })).toThrow('are no picture');
});

describe('the color profile', () => {
  test('is kept byte for byte in a color picture', () => {
    const iccProfile = createProfile('RGB ');
    const content = readPng(encodePng({ ...dot(3), iccProfile })).chunks.get('iCCP');
    expect(content?.toString('latin1', 0, 5)).toBe('ICC\0\0');
    expect(Buffer.compare(inflateSync(content!.subarray(5)), iccProfile)).toBe(0);
  });

  test('comes before the pixels, where readers look for it', () => {
    const types = [
      ...readPng(encodePng({ ...dot(3), iccProfile: createProfile('RGB '), pixelAspectRatio: 2 })).chunks.keys(),
    ];
    expect(types).toEqual(['IHDR', 'iCCP', 'pHYs', 'IDAT', 'IEND']);
  });

  test.each([
    ['of another color space', 1, createProfile('RGB ')],
    ['that is none', 3, new Uint8Array(200)],
    ['that is cut off', 3, createProfile('RGB ').subarray(0, 100)],
  ] as const)('%s is left out', (_, channels, iccProfile) => {
    expect(readPng(encodePng({ ...dot(channels), iccProfile })).chunks.has('iCCP')).toBe(false);
  });
});

describe('the shape of a pixel', () => {
  test('twice as high as wide is written as two pixels in x for one in y', () => {
    const content = readPng(encodePng({ ...dot(1), pixelAspectRatio: 2 })).chunks.get('pHYs');
    expect([content?.readUInt32BE(0), content?.readUInt32BE(4), content?.[8]]).toEqual([200_000, 100_000, 0]);
  });

  test.each([undefined, 1, 0, NaN, 1e9])('of %s is left out', (pixelAspectRatio) => {
    expect(readPng(encodePng({ ...dot(1), pixelAspectRatio })).chunks.has('pHYs')).toBe(false);
  });
});

function dot(channels: 1 | 3) {
  return { rows: 1, columns: 1, channels, pixels: new Uint8Array(channels) };
}

/** The part of an ICC header that identifies a profile: size, color space at 16, signature at 36. */
function createProfile(colorSpace: string): Uint8Array {
  const profile = Buffer.alloc(600, 7);
  profile.writeUInt32BE(600, 0);
  profile.write(colorSpace, 16, 'latin1');
  profile.write('acsp', 36, 'latin1');
  return new Uint8Array(profile);
}
