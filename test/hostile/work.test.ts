import { expect, test } from 'vitest';
import { SURVEY_SETS } from '../load/surveySets.ts';
import { serve } from '../support/serve.ts';
import { longWork } from './files/longWork.ts';

const PLANE = 'frame_of_reference=2.25.500&position=0,0,0&orientation=1,0,0,0,1,0&spacing=1,1';

/** What small files answer whose whole work would take long. The survey measures all of them (test/load/survey.ts). */
const ANSWERS: readonly (readonly [name: string, path: string, answer: string])[] = [
  ['an OBJ of 400,000 triangles', 'file/N/mesh', 'document_too_large'],
  ['a CDA table of 190,000 cells with 8 attributes', 'file/N/narrative', 'document_too_large'],
  [
    'a segmentation of 500 segments in one place',
    `layer/N/plane?${PLANE}&rows=512&columns=512`,
    'decode_memory_exceeded',
  ],
  ['a segmentation of 500 segments in one place', `layer/N/plane?${PLANE}&rows=64&columns=64&slab=40`, 'shown'],
  ['a segmentation of 2,000 frames in one place, each of two samples', 'file/N/segment-statistics', 'shown'],
];

test('small files whose whole work would take long are answered in parts or refused with a reason', async () => {
  const names = [...new Set(ANSWERS.map(([name]) => name))];
  const server = await serve(...names.map((name) => longWork.find((file) => file.name === name)!.write()));
  const found: (readonly string[])[] = [];
  for (const [name, path] of ANSWERS) {
    const response = await fetch(`${server.baseUrl}/api/${path.replace('N', String(names.indexOf(name)))}`);
    const code = response.ok ? 'shown' : /"code":"(\w+)"/.exec(await response.text())?.[1];
    found.push([name, path, code ?? '']);
  }
  expect(found).toEqual(ANSWERS);
});

test('labels of 40 squares that fill a packed dose are counted, and not written forty times', async () => {
  const server = await serve(...SURVEY_SETS.find(({ name }) => name === 'a dose and structures that fill it')!.write());
  const of = `${server.baseUrl}/api/file/2/volume/labels`;
  const plan = await (await fetch(`${of}/plan?layers=3`)).json();
  // 301 x 301 samples, less the right and lower edges, in 120 planes of 1 mm; contours are 2 mm apart.
  expect(plan).toMatchObject({ volumes: 40, overlapping_samples: 300 * 300 * 120 });
  expect(plan).toHaveProperty('overlapping.length', (40 * 39) / 2);

  // Forty times 19.2 million bytes, of files of 42 kB.
  const refused = await fetch(`${of}?layers=3`);
  expect([refused.status, await refused.json()]).toMatchObject([422, { code: 'layer_too_large' }]);
  const written = await fetch(`${of}?layers=3&parts=7&format=npz`);
  expect(written.status).toBe(200);
});
