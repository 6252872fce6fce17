import { expect, test } from 'vitest';
import { serve } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';

test('health says what decodes have reserved when it is asked, and only then', async () => {
  const server = await serve(writeSlice({ number: 0 }));

  const plain = await (await server.request('/api/health')).json();
  const detailed = await (await server.request('/api/health?detail=decode')).json();

  expect(detailed).toEqual({ ...plain, decode: { reserved_bytes: 0, budget_bytes: expect.any(Number) } });
  expect((await server.request('/api/health?detail=everything')).status).toBe(400);
});
