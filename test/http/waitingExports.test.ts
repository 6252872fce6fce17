import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TaskPool } from '../../src/server/machine/memory/taskPool.ts';
import { readVolumeTask } from '../../src/server/images/volumes/volumeTasks.ts';
import { readFrameGeometryTask } from '../../src/server/images/series/frameGeometry.ts';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { frameAt, straight, writeMultiFrame, writeSeries } from '../support/volumeFiles.ts';

const EXPORTS = [
  'nifti?format=nii',
  'nifti?format=nii.gz',
  'nifti/sidecar',
  'marks?format=nii',
  'marks?format=nii.gz',
  'marks?format=nrrd',
  'marks?format=seg',
];

/** A server that can be made busy, and how many tasks it has refused since. */
async function serveBusy() {
  let isRefused = ofNone;
  let refused = 0;
  const tasks = (pool: TaskPool): TaskPool => ({
    ...pool,
    async run(task, input, options) {
      if (!isRefused(task.name)) return pool.run(task, input, options);
      refused += 1;
      throw new ViewerError('decode_busy', 'still being read');
    },
  });
  const server = await serveWith({ inputs: writeSeries(1, straight(3)), tasks });
  await mark(server, 1);
  return { server, refuse: (which: typeof isRefused) => (isRefused = which), refused: () => refused };
}

function ofNone(_name: string): boolean {
  return false;
}

/** Of each kind of task the first one. */
function firstOfEach(): (name: string) => boolean {
  const known = new Set<string>();
  return (name) => known.size < known.add(name).size;
}

async function mark(server: TestServer, file_index: number): Promise<void> {
  const triangle = {
    kind: 'polygon',
    place: { type: 'frame', file_index, frame_index: 0 },
    points: [
      [0, 0],
      [3, 0],
      [0, 3],
    ],
  };
  await post(server, '/api/marks', 'application/json', JSON.stringify(triangle));
}

async function post(server: TestServer, path: string, type: string, body: BodyInit): Promise<void> {
  const answer = await server.request(path, { method: 'POST', headers: { 'Content-Type': type }, body });
  if (!answer.ok) throw new Error(await answer.text());
}

test.each(EXPORTS)('the export %s waits while the server is busy, whatever it asks for', async (name) => {
  const { server, refuse, refused } = await serveBusy();
  refuse(firstOfEach());

  const answer = await server.request(`/api/file/0/volume/${name}`);

  expect(answer.status).toBe(200);
  expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
  expect(refused()).toBeGreaterThan(1);
});

test.each(['nifti', 'marks?format=seg'])('the export %s is not tried again after its client has left', async (name) => {
  const { server, refuse, refused } = await serveBusy();
  refuse(() => true);
  const leaving = new AbortController();
  const answer = server.request(`/api/file/0/volume/${name}`, { signal: leaving.signal });
  await expect.poll(refused).toBeGreaterThan(1);

  leaving.abort();

  await expect(answer).rejects.toThrow('abort');
  // The server learns of it after a moment. No pause between two tries is longer than the second one here.
  await delay(500);
  const before = refused();
  await delay(2_500);
  expect(refused()).toBe(before);
});

const FORMATS = ['csv', 'geojson', 'coco', 'sr'];

test('exports of marks wait for positions of frames that are still being read', { timeout: 180_000 }, async () => {
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const tasks = (pool: TaskPool): TaskPool => ({
    ...pool,
    async run(task, input, options) {
      if (task.name === readFrameGeometryTask.name) await released;
      return pool.run(task, input, options);
    },
  });
  const frames = [0, 2, 4].map((z) => frameAt(z));
  const server = await serveWith({ inputs: [writeMultiFrame(1, frames)], tasks });
  await mark(server, 0);
  const exported = FORMATS.map(async (format) => {
    const answer = await server.request(`/api/marks/export?format=${format}`);
    return { format, status: answer.status, text: await answer.text() };
  });
  const statistics = server.request('/api/mark/1/statistics');
  // Longer than a response waits for positions.
  await delay(6_000);
  release?.();

  const answers = await Promise.all(exported);
  expect(answers.map(({ format, status }) => `${format} ${status}`)).toEqual(FORMATS.map((format) => `${format} 200`));
  const [csv] = answers;
  // A triangle of 3 mm by 3 mm has 4.5 mm².
  expect(csv?.text).toMatch(/,4\.5,/);
  // What is exported then is the same as when everything is known.
  const later = await Promise.all(
    ['csv', 'geojson', 'coco'].map(async (format) =>
      (await server.request(`/api/marks/export?format=${format}`)).text(),
    ),
  );
  expect(later).toEqual(answers.slice(0, 3).map(({ text }) => text));
  expect((await (await statistics).json()).area_mm2).toBeCloseTo(4.5, 9);
});

test('a label volume that is imported waits for the volume that it lies on', async () => {
  const { server } = await serveBusy();
  const labels = await (await server.request('/api/file/0/volume/marks?format=nii')).arrayBuffer();
  const other = await serveBusy();
  const isFirst = firstOfEach();
  other.refuse((name) => name === readVolumeTask.name && isFirst(name));

  await post(other.server, '/api/marks/import?format=nifti&file=0', 'application/octet-stream', labels);

  expect(other.refused()).toBe(1);
});
