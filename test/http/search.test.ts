import { Check } from 'typebox/value';
import { expect, test } from 'vitest';
import { searchTask } from '../../src/server/images/tables/searchTasks.ts';
import type { TaskPool } from '../../src/server/machine/memory/taskPool.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { SearchEnd, SearchMatch } from '../../src/shared/contract/search.ts';
import { addressOf } from '../support/askTable.ts';
import { ctElements } from '../support/ctElements.ts';
import { type SharedServer, serve, serveShared, serveWith } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';

const image = (number: number, more: DataSetInput = {}) =>
  writeDicom(ctElements({ SOPInstanceUID: `1.2.826.0.1.3680043.10.1301.${number}`, ...more }));

async function search(server: Pick<SharedServer, 'request'>, query: Readonly<Record<string, string>>) {
  const response = await server.request(addressOf('/api/search', query));
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const lines = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line): object => JSON.parse(line));
  const end = lines.pop();
  expect(lines.filter((line) => !Check(strictSchema(SearchMatch), line))).toEqual([]);
  expect(Check(strictSchema(SearchEnd), end)).toBe(true);
  return { matches: lines, end };
}

const FILES = [
  image(1, {
    StudyDescription: 'Knee left',
    '00190010': { vr: 'LO', value: 'KNEE COIL' },
    '00191001': { vr: 'LO', value: 'left knee' },
    RequestAttributesSequence: [{ ScheduledProcedureStepDescription: 'MR KNEE' }],
  }),
  image(2, { StudyDescription: 'Hip', ImageComments: `${'x'.repeat(1_000)} KNEE ${'y'.repeat(1_000)}` }),
];

const KNEE = [
  { file: 0, path: 'StudyDescription', tag: '(0008,1030)', keyword: 'StudyDescription', vr: 'LO', value: 'Knee left' },
  {
    file: 0,
    path: 'RequestAttributesSequence[0].ScheduledProcedureStepDescription',
    tag: '(0040,0007)',
    keyword: 'ScheduledProcedureStepDescription',
    vr: 'LO',
    value: 'MR KNEE',
  },
  {
    file: 1,
    path: 'ImageComments',
    tag: '(0020,4000)',
    keyword: 'ImageComments',
    vr: 'LT',
    // A quarter of the 256 characters are before what was found, which is at 1,001.
    value: `…${'x'.repeat(63)} KNEE ${'y'.repeat(187)}…`,
  },
];

test('a text is found in the values of all elements, without regard to case, private ones if asked', async () => {
  const server = await serveShared(...FILES);
  expect(await search(server, { q: 'knee', in: 'value' })).toEqual({
    matches: KNEE,
    end: { done: true, files: 2, matches: 3, is_complete: true },
  });
  const { matches } = await search(server, { q: 'KNEE', in: 'value', private: '1' });
  expect(matches).toEqual([
    KNEE[0],
    { file: 0, path: '(0019,0010)', tag: '(0019,0010)', keyword: '', vr: 'LO', value: 'KNEE COIL' },
    { file: 0, path: '0019,xx01@KNEE COIL', tag: '(0019,1001)', keyword: '', vr: 'LO', value: 'left knee' },
    KNEE[1],
    KNEE[2],
  ]);
});

test('elements are found by their keyword, name or tag; sequences and bytes have no value', async () => {
  const server = await serveShared(...FILES);
  const pathsOf = async (q: string, place: string) =>
    (await search(server, { q, in: place })).matches.map((match) => Reflect.get(match, 'path'));
  expect(await pathsOf('procedurestep', 'keyword')).toEqual([
    'RequestAttributesSequence[0].ScheduledProcedureStepDescription',
  ]);
  expect(await pathsOf('Procedure Step', 'keyword')).toHaveLength(1);
  expect(await pathsOf('(0040,0275)', 'keyword')).toEqual(['RequestAttributesSequence']);
  expect(await pathsOf('pixeldata', 'keyword')).toEqual(['PixelData', 'PixelData']);
  expect(await pathsOf('hip', 'keyword')).toEqual([]);
  expect(await pathsOf('hip', 'both')).toEqual(['StudyDescription']);
  const { matches } = await search(server, { q: 'pixeldata' });
  expect(matches).toMatchObject([{ value: null }, { value: null }]);
});

test('of one file at most 200 matches are sent, and the end says that there are more', async () => {
  const items = Array.from({ length: 300 }, (_, at) => ({ ReferencedSOPInstanceUID: `1.2.999.${at}` }));
  const server = await serve(image(1, { ReferencedImageSequence: items }));
  const { matches, end } = await search(server, { q: '1.2.999.' });
  expect(matches).toHaveLength(200);
  expect(end).toEqual({ done: true, files: 1, matches: 200, is_complete: false });
});

test('a search whose client has gone reads no more files', async () => {
  let begun = 0;
  let isStopped = false;
  const count = (pool: TaskPool): TaskPool => ({
    ...pool,
    async run(task, input, options) {
      if (task.name !== searchTask.name) return pool.run(task, input, options);
      begun += 1;
      // The first answers, and the next waits for the client to go.
      if (begun === 1) return pool.run(task, input, options);
      return new Promise((_, reject) =>
        options.signal?.addEventListener('abort', () => {
          isStopped = true;
          reject(options.signal?.reason);
        }),
      );
    },
  });
  const files = Array.from({ length: 200 }, (_, at) => image(at));
  const server = await serveWith({ inputs: files, tasks: count });
  const client = new AbortController();
  const response = await server.request('/api/search?q=doe', { signal: client.signal });
  const first = await response.body!.getReader().read();
  expect(Buffer.from(first.value!).toString()).toContain('Doe^Jane');
  client.abort();
  await expect.poll(() => isStopped).toBe(true);
  // Two tasks are ahead at most.
  expect(begun).toBeLessThanOrEqual(3);
});

test.each([
  ['', 'q is missing'],
  ['?q=', 'q is empty'],
  [`?q=${'x'.repeat(257)}`, 'q must be text of 1 to 256 characters'],
  ['?q=x&in=name', 'in must be one of value, keyword, both'],
])('the search %j is refused: %s', async (query, error) => {
  const server = await serveShared(...FILES);
  const response = await server.request(`/api/search${query}`);
  expect([response.status, await response.json()]).toEqual([400, { code: 'invalid_query', error }]);
});
