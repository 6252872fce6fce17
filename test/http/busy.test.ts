import { expect, test } from 'vitest';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { straight, writeSeries } from '../support/volumeFiles.ts';

const PLANE = '/api/file/0/plane?position=0,0,2&orientation=1,0,0,0,1,0&spacing=1,1&rows=4&columns=4';

/** A server whose volumes find it busy this often, and how often they have asked. */
async function serveBusy(times: number): Promise<{ readonly server: TestServer; readonly asked: () => number }> {
  let asked = 0;
  const server = await serveWith({
    inputs: writeSeries(1, straight(4)),
    volumeTasks: (pool) => ({
      ...pool,
      async run(task, input, options) {
        asked += 1;
        if (asked <= times) throw new ViewerError('decode_busy', 'other work needs the memory');
        return pool.run(task, input, options);
      },
    }),
  });
  return { server, asked: () => asked };
}

const preferring = (Prefer: string) => ({ headers: { Prefer } });

test('a busy server tells a client to ask again', async () => {
  const { server, asked } = await serveBusy(Infinity);
  for (const init of [{}, preferring('failure=body'), preferring('wait=0'), preferring('wait=x')]) {
    const answer = await server.request(PLANE, init);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toMatchObject({ code: 'decode_busy' });
  }
  expect(asked()).toBe(4);
});

test('a client that prefers to wait gets the answer of a server that was busy', async () => {
  const { server, asked } = await serveBusy(3);
  const answer = await server.request(PLANE, preferring('failure=body, wait=60'));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(asked()).toBeGreaterThan(3);
  // As the first try would have answered: no header comes twice.
  expect(answer.headers.get('x-server-instance')).not.toContain(',');
});
