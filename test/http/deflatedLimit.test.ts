import { expect, test } from 'vitest';
import { serve } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';

const DEFLATED = '1.2.840.10008.1.2.1.99';

test('a deflated file whose pixels lie beyond the limit names the limit', async () => {
  // 80 MiB of zeros become some 80 KB: beyond 64 MiB, at most 200 times as many bytes are inflated, which is 16 MB.
  const zeros = { vr: 'OB', value: new Uint8Array(80 * 2 ** 20) };
  const server = await serve(writeSlice({ number: 0 }, { '00091010': zeros }, { transferSyntaxUid: DEFLATED }));

  const answer = await server.request('/api/file/0/frame/0/raw');

  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({
    code: 'decode_memory_exceeded',
    error: expect.stringContaining('beyond the limit for a deflated data set'),
  });
});
