import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSlices } from '../support/segmentedSlices.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder } from '../support/tempFolder.ts';

const ON_FRAME = { type: 'frame', file_index: 0, frame_index: 0 };
const LINE = [
  [2, 2],
  [9, 9],
];
const THROUGH = { type: 'stack', from: { file_index: 0, frame_index: 0 }, to: { file_index: 1, frame_index: 0 } };
const MASK = {
  file_index: 0,
  frame_index: 0,
  points: [],
  mask: { left: 1, top: 1, width: 2, height: 2, runs: [0, 4] },
};

/** A server with a length, a box with a comment, an arrow, and a mask through two images. */
async function serveMarks(): Promise<TestServer> {
  const folder = join(createTempFolder(), 'state');
  const server = await serveWith({ inputs: writeSlices(2), journal: { folder, kept: 'offer' } });
  for (const body of [
    { kind: 'length', place: ON_FRAME, points: LINE, label: 'a' },
    { kind: 'box', place: ON_FRAME, points: LINE, comment: 'why', author: 'me' },
    { kind: 'arrow', place: ON_FRAME, points: LINE, text: 'here' },
    { kind: 'brush', place: THROUGH, points: [], slices: [MASK] },
  ]) {
    const headers = { 'Content-Type': 'application/json' };
    const made = await server.request('/api/marks', { method: 'POST', headers, body: JSON.stringify(body) });
    expect(made.status).toBe(200);
  }
  expect(server.marks.countUnexported()).toBe(4);
  return server;
}

test.each([
  ['marks/export?format=csv', 0, null],
  ['marks/export?format=csv&kind=arrow', 3, null],
  ['marks/export?format=coco', 2, 'length on a frame: 1, arrow on a frame: 1'],
  ['marks/export?format=geojson', 1, 'brush through a stack: 1'],
  // A report has no place for the author of a mark.
  ['marks/export?format=sr', 3, 'arrow on a frame: 1, brush through a stack: 1, author of box on a frame: 1'],
  // A segmentation has the pixels of a box and not its corners.
  ['file/0/volume/marks?format=seg', 3, 'length on a frame: 1, arrow on a frame: 1, outline of box on a frame: 1'],
  ['file/0/volume/marks?format=nrrd', 4, 'length on a frame: 1, arrow on a frame: 1'],
])('what %s holds whole is taken out: %i marks are left, and it is said why', async (path, left, leftOut) => {
  const server = await serveMarks();
  const head = await server.request(`/api/${path}`, { method: 'HEAD' });
  expect([head.status, server.marks.countUnexported()]).toEqual([200, 4]);

  const response = await server.request(`/api/${path}`);
  expect([response.status, response.headers.get('X-Marks-Left-Out')]).toEqual([200, leftOut]);
  await response.arrayBuffer();
  await expect.poll(() => server.marks.countUnexported()).toBe(left);
});

test('a mark that changes while it is exported is not taken out', async () => {
  const server = await serveMarks();
  const { marks } = await server.marks.select({});
  await server.marks.change(marks[0]!.id, new TextEncoder().encode(JSON.stringify({ label: 'b' })));
  await server.marks.noteDelivered(marks);
  expect(server.marks.countUnexported()).toBe(1);
});
