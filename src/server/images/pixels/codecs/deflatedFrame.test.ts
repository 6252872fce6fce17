import { deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createImagePixel } from '../../../../../test/support/createImagePixel.ts';
import { DecodeError } from './codec.ts';
import { deflatedFrame } from './deflatedFrame.ts';

const SAMPLES = Uint8Array.of(1, 2, 3, 4, 5, 6);
const pixel = createImagePixel({ rows: 2, columns: 3, bitsAllocated: 8, bitsStored: 8, highBit: 7 });

test.each([
  ['bare', deflateRawSync(SAMPLES)],
  ['with the zlib header that does not belong there', deflateSync(SAMPLES)],
])('a deflated frame is inflated, %s', async (_, encoded) => {
  expect([...(await deflatedFrame.decode(encoded, pixel, {})).words].map(Number)).toEqual([...SAMPLES]);
});

test('a truncated deflated frame gives the pixels that it holds, and reports the share that is missing', async () => {
  const image = createImagePixel({ rows: 4, columns: 100 });
  // A stored block, not compressed: five bytes, then one byte per pixel.
  const encoded = deflateRawSync(
    Uint8Array.from({ length: 400 }, (_, i) => i),
    { level: 0 },
  );

  const { words, damage } = await deflatedFrame.decode(encoded.subarray(0, 5 + 250), image, {});

  expect([Number(words[249]), Number(words[250])]).toEqual([249, 0]);
  expect(damage).toEqual({ kind: 'truncated', missing: 150 / 400, intactRows: 2 });
});

test('a zlib stream without its checksum counts as complete', async () => {
  const { damage } = await deflatedFrame.decode(deflateSync(SAMPLES).subarray(0, -4), pixel, {});

  expect(damage).toBeUndefined();
});

describe('a bad deflated frame is reported as a bad stream, not as an internal error,', () => {
  test.each([
    ['that is noise', Uint8Array.of(7, 7, 7, 7)],
    ['that begins as zlib and is not', Uint8Array.of(0x78, 0x9c, 7, 7, 7)],
    ['that is too long', deflateRawSync(new Uint8Array(1_000_000))],
    ['that is too long, of zlib', deflateSync(new Uint8Array(1_000_000))],
  ])('%s', async (_, encoded) => {
    await expect(deflatedFrame.decode(encoded, pixel, {})).rejects.toThrow(DecodeError);
  });
});
