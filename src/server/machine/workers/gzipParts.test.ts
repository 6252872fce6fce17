import { crc32, gunzipSync } from 'node:zlib';
import { asyncProperty, array, assert, property, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import { joinGzipParts, mergeGzipParts, packGzipPart, writeGzip } from './gzipParts.ts';
import { joinCrc32 } from './joinCrc32.ts';

async function* each<Value>(values: readonly Value[]) {
  yield* values;
}

test('the sum of two parts is joined without their bytes', () => {
  assert(
    property(uint8Array(), uint8Array(), (a, b) => {
      expect(joinCrc32(crc32(a), crc32(b), b.length)).toBe(crc32(Buffer.concat([a, b])));
    }),
  );
});

test('the length of a part may need more than 32 bits', () => {
  // Zeros after a part, one gigabyte at a time in four steps, must give the same as four gigabytes in one.
  const gigabyte = 2 ** 30;
  const zeros = crc32(new Uint8Array(2 ** 20));
  let ofGigabyte = zeros;
  for (let bytes = 2 ** 20; bytes < gigabyte; bytes *= 2) ofGigabyte = joinCrc32(ofGigabyte, ofGigabyte, bytes);
  const ofTwo = joinCrc32(ofGigabyte, ofGigabyte, gigabyte);
  const ofFour = joinCrc32(ofTwo, ofTwo, 2 * gigabyte);
  const start = crc32(Uint8Array.of(1, 2, 3));
  let inSteps = start;
  for (let step = 0; step < 4; step += 1) inSteps = joinCrc32(inSteps, ofGigabyte, gigabyte);
  expect(joinCrc32(start, ofFour, 4 * gigabyte)).toBe(inSteps);
});

test('parts that were packed separately are one gzip file', async () => {
  await assert(
    asyncProperty(array(uint8Array({ maxLength: 400 }), { maxLength: 6 }), async (parts) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of joinGzipParts(each(parts.map((part) => packGzipPart(part))))) pieces.push(piece);
      // Node checks length and sum.
      expect(gunzipSync(Buffer.concat(pieces)).equals(Buffer.concat(parts))).toBe(true);
    }),
  );
});

test('parts that are merged, or written as a whole file, hold the same bytes', () => {
  assert(
    property(array(uint8Array({ maxLength: 400 }), { maxLength: 6 }), (pieces) => {
      const parts = pieces.map((piece) => packGzipPart(piece));
      const whole = Buffer.concat(pieces);
      expect(gunzipSync(writeGzip(parts)).equals(whole)).toBe(true);
      expect(gunzipSync(writeGzip([mergeGzipParts(parts)])).equals(whole)).toBe(true);
    }),
  );
});
