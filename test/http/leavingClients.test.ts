import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { TaskPool } from '../../src/server/machine/memory/taskPool.ts';
import { writeDose } from '../support/fieldFiles.ts';
import { ctRow } from '../support/imageElements.ts';
import { serveWith } from '../support/serve.ts';
import { structureSetElements } from '../support/structureSetElements.ts';
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

const FILLING = structureSetElements(
  [1, 2, 3, 4].map((number) => ({
    number,
    name: `Square ${number}`,
    contours: Array.from({ length: 60 }, (_, at) => ({
      points: [
        [-150, -150, at],
        [150, -150, at],
        [150, 150, at],
        [-150, 150, at],
      ],
    })),
  })),
);

/** 500 ms of processor time, after which a thread is ended, are far fewer on a machine that is not busy. */
const MOST_POLLS = 4_000;

test('a kernel that takes about a second ends in its thread when its client has gone', async () => {
  const kernel = 'dvh.measureContours';
  const begun: string[] = [];
  let threads: TaskPool | undefined;
  const tasks = (pool: TaskPool): TaskPool => {
    threads = pool;
    return {
      ...pool,
      run(task, input, options) {
        begun.push(task.name);
        return pool.run(task, input, options);
      },
    };
  };
  const { port, errors } = await serveWith({ inputs: [writeDicom(FILLING), writeDose()], memoryBytes: 2 ** 30, tasks });
  const count = () => threads!.statistics();
  const socket = connect(port, '127.0.0.1');
  socket.write(request(port, 'file/0/dvh?dose=1'));
  await until(() => begun.includes(kernel) && count().busy > 0);
  const { completed } = count();
  socket.destroy();
  for (let poll = 0; poll < MOST_POLLS && (count().abandoned === 0 || count().busy > 0); poll += 1) await delay(5);
  // It was neither finished nor begun again: the kernel noticed, or its thread was ended.
  expect(count()).toMatchObject({ busy: 0, completed, queuedInteractive: 0, queuedPrefetch: 0, died: 0 });
  expect(begun.at(-1)).toBe(kernel);
  expect(errors).toEqual([]);
});

function request(port: number, path: string): string {
  return `GET /api/${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
}
