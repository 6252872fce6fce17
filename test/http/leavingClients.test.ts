import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import type { TaskPool } from '../../src/server/memory/taskPool.ts';
import { ctRow } from '../support/imageElements.ts';
import { serveWith } from '../support/serve.ts';
import { until } from '../support/until.ts';

const PLANE = 'position=0,0,0&orientation=1,0,0,0,1,0&spacing=1,1&rows=4&columns=4';

/** Threads that begin every task and never end one. */
function createStuck() {
  const begun: (AbortSignal | undefined)[] = [];
  const tasks = (pool: TaskPool): TaskPool => ({
    ...pool,
    run(_task, _input, { signal }) {
      begun.push(signal);
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  return { begun, tasks };
}

test.each([
  'file/0/info',
  'file/0/tags',
  'file/0/tags/table',
  'file/0/frame/0',
  'file/0/frame/0/raw',
  'file/0/frame/0/thumbnail',
  'file/0/frame/0/percentiles',
  'file/0/references',
  'file/0/volume',
  `file/0/plane/raw?${PLANE}&slab_mm=10`,
  'file/0/volume/nifti',
  'file/0/document',
  'file/1/mesh',
  'file/1/content',
])('the work for %s is told to stop when its client has gone', async (path) => {
  const { begun, tasks } = createStuck();
  const inputs = [
    writeDicom(ctRow()),
    writeDicom({ SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.4', SOPInstanceUID: '2.25.4' }),
  ];
  const { port } = await serveWith({ inputs, tasks });
  const socket = connect(port, '127.0.0.1');
  socket.write(request(port, path));
  await until(() => begun.length > 0);
  socket.destroy();
  await until(() => begun.every((signal) => signal?.aborted));
  expect(begun).not.toContain(undefined);
});

test('so is the work for an answer that has to wait for another one of its connection', async () => {
  const { begun, tasks } = createStuck();
  const { port } = await serveWith({ inputs: [writeDicom(ctRow())], tasks });
  const socket = connect(port, '127.0.0.1');
  socket.write(request(port, 'file/0/info') + request(port, 'file/0/tags'));
  await until(() => begun.length === 2);
  socket.destroy();
  await until(() => begun.every((signal) => signal?.aborted));
  expect(begun).not.toContain(undefined);
});

function request(port: number, path: string): string {
  return `GET /api/${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
}
