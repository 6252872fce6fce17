import { expect, test } from 'vitest';
import { MEMORY_SHARES } from '../../src/server/machine/memory/memoryPlan.ts';
import { serve } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';

test('health reports the memory account on request only', async () => {
  const server = await serve(writeSlice({ number: 0 }));

  const plain = await (await server.request('/api/health')).json();
  const detailed = await (await server.request('/api/health?detail=decode')).json();

  expect(detailed).toEqual({
    ...plain,
    decode: {
      reserved_bytes: 0,
      budget_bytes: expect.any(Number),
      most_reserved_bytes: expect.any(Number),
      waiting: 0,
    },
    memory: { budget_bytes: server.memory.plan.totalBytes, held_bytes: expect.any(Number), uses: expect.any(Array) },
  });
  expect(detailed.memory.uses).toHaveLength(Object.keys(MEMORY_SHARES).length);
  expect((await server.request('/api/health?detail=everything')).status).toBe(400);
});
