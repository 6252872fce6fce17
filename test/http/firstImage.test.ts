import { expect, onTestFinished, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { createFrames } from '../../src/server/images/pixels/frames.ts';
import { createWorkerPool } from '../../src/server/machine/workers/workerPool.ts';
import { colorRow, ctRow } from '../support/imageElements.ts';
import { type ServeOptions, serveWith } from '../support/serve.ts';
import { until } from '../support/until.ts';

const REPORT = writeDicom({ SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11', SOPInstanceUID: '2.25.3', Modality: 'SR' });

test.each([
  ['samples', 'gray', ctRow(), '/raw'],
  ['picture', 'color', colorRow(), ''],
])('the first image is rendered while the page is sent: its %s, if it is %s', async (_form, _kind, image, form) => {
  const { server, pool } = await serveFrames({ inputs: [REPORT, writeDicom(image)] });
  await server.request('/');
  await until(() => pool.statistics().completed === 1);

  const response = await server.request(`/api/file/1/frame/0${form}`);

  expect(response.headers.get('x-cache')).toBe('HIT');
  expect(pool.statistics()).toMatchObject({ completed: 1, failed: 0 });
});

test('nothing is rendered for a client that has not shown the token yet', async () => {
  const { server, pool } = await serveFrames({ inputs: [writeDicom(ctRow())], server: { tokenMode: 'required' } });
  const withToken = { headers: { authorization: `Bearer ${server.token}` } };

  expect((await server.request('/')).status).toBe(200);
  const response = await server.request('/api/file/0/frame/0', withToken);

  expect(response.headers.get('x-cache')).toBe('MISS');
  expect(pool.statistics()).toMatchObject({ started: 1, completed: 1 });
});

async function serveFrames(options: ServeOptions) {
  const pool = createWorkerPool({ size: 1 });
  onTestFinished(() => pool.close());
  const frames = createFrames({ tasks: pool, memory: createMemoryAccount() });
  const server = await serveWith({ ...options, domains: { tasks: pool, frames } });
  return { server, pool };
}
