import { crc32 } from 'node:zlib';
import { array, assert, asyncProperty, string, tuple, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import { listZipMembers } from '../../../server/images/attachments/zipMembers.ts';
import { bufferSource } from '../../../server/bytes/origins/byteSource.ts';
import { zipFiles } from './zipFiles.ts';

test('the files of a zip file are found by its directory, with their sums', async () => {
  await assert(
    asyncProperty(array(tuple(string({ unit: 'binary' }), uint8Array()), { maxLength: 8 }), async (inputs) => {
      const files = inputs.map(([name, bytes]) => ({ name, bytes: new Uint8Array(bytes) }));
      const zipped = new Uint8Array(await zipFiles(files).arrayBuffer());
      const members = listZipMembers(bufferSource(zipped));
      const read = members.map(({ name, packing, start, length }) => ({
        name,
        packing,
        bytes: [...zipped.subarray(start, start + length)],
        // The sum is 16 bytes before the name, in the header before the bytes.
        sum: new DataView(zipped.buffer).getUint32(start - new TextEncoder().encode(name).length - 16, true),
      }));
      const expected = files.map(({ name, bytes }) => ({ name, packing: 'raw', bytes: [...bytes], sum: crc32(bytes) }));
      expect(read).toEqual(expected);
    }),
  );
});
