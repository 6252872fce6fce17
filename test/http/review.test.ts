import { createHmac } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { stampOfThisProcess, writeStamp } from '../../src/server/machine/system/processStamp.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { parseReviewScheme, USUAL_SCHEME } from '../../src/server/work/review/reviewScheme.ts';
import type { ReviewSettings } from '../../src/server/work/review/reviews.ts';
import type { ReviewResponse, ReviewUnitResponse, VerdictBody } from '../../src/shared/contract/review.ts';
import { askTable, listColumns, readCells } from '../support/askTable.ts';
import { ctElements } from '../support/ctElements.ts';
import { readEvents } from '../support/readEvents.ts';
import { reviewSettings } from '../support/reviewSettings.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder } from '../support/tempFolder.ts';

const STUDY = '1.2.826.0.1.3680043.10.4100';

/** Images of series 1, 1, 2, 3 of one study, whose UIDs end in the number of the series and that of the image. */
const IMAGES = [
  [1, 1],
  [1, 2],
  [2, 1],
  [3, 1],
].map(([series, number]) => image(series!, number!));

function image(series: number, number: number): Uint8Array {
  return writeDicom(
    ctElements({
      StudyInstanceUID: STUDY,
      SeriesInstanceUID: `${STUDY}.${series}`,
      SOPInstanceUID: `${STUDY}.${series}.${number}`,
      SeriesNumber: String(series),
      InstanceNumber: String(number),
    }),
  );
}

const SCHEME = parseReviewScheme({
  version: 1,
  verdicts: [
    { id: 'accept', key: '1' },
    { id: 'reject', key: '2', reasons: ['motion', 'coverage'] },
  ],
  scores: [{ id: 'snr', key: 's', min: 1, max: 5 }],
  required: ['verdict', 'reasons'],
});

async function start(different: Partial<ReviewSettings> = {}, inputs: readonly (string | Uint8Array)[] = IMAGES) {
  const review = reviewSettings({ scheme: SCHEME, ...different });
  const server = await serveWith({ inputs, review });
  return { server, path: review.paths[0]!, review };
}

async function ask(server: TestServer, query = '') {
  const { review }: ReviewResponse = await (await server.request(`/api/review${query}`)).json();
  return review!;
}

function put(server: TestServer, unit: number, body: unknown, ifMatch?: string): Promise<Response> {
  return server.request(`/api/review/${unit}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', ...(ifMatch !== undefined && { 'If-Match': ifMatch }) },
    body: JSON.stringify(body),
  });
}

async function decide(
  server: TestServer,
  unit: number,
  body: VerdictBody,
  ifMatch?: string,
): Promise<ReviewUnitResponse> {
  const response = await put(server, unit, body, ifMatch);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

/** The number of a unit, which depends on what the file of verdicts had before. */
async function unitOf(server: TestServer, series: number): Promise<number> {
  return (await ask(server)).units.find((unit) => unit.series === `${STUDY}.${series}`)!.unit;
}

const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const codeOf = async (response: Response) => [response.status, (await response.json()).code];

/** A line of another reader. */
const said = (reader: string, series: number, verdict: string | null, more: object = {}) =>
  `${JSON.stringify({ v: 1, unit: 'series', study: STUDY, series: `${STUDY}.${series}`, reader, verdict, ...more })}\n`;

test('without --review there is none, and no decision', async () => {
  const server = await serve(...IMAGES);
  expect(await (await server.request('/api/review')).json()).toEqual({ review: null });
  expect(await codeOf(await server.request('/api/review/0'))).toEqual([404, 'no_review']);
  expect(await codeOf(await put(server, 0, {}))).toEqual([404, 'no_review']);
  expect(await codeOf(await server.request('/api/review.csv'))).toEqual([404, 'no_review']);
});

test('the series are listed in the order of the files, and a decision is in the file when it is acknowledged', async () => {
  const { server, path } = await start();
  const before = await ask(server);
  expect(before).toMatchObject({
    reader: 'anna',
    level: 'series',
    scheme: SCHEME,
    path,
    state: 'on',
    problem: null,
    damage: null,
    is_complete: true,
    files_left_out: 0,
    total: 3,
    decided: 0,
    first_undecided: 0,
    chosen: 3,
  });
  expect(before.units.map(({ series, file, files, position }) => [series, file, files, position])).toEqual([
    [`${STUDY}.1`, 0, 2, 0],
    [`${STUDY}.2`, 2, 1, 1],
    [`${STUDY}.3`, 3, 1, 2],
  ]);
  const [first] = before.units;

  const body = { verdict: 'reject', reasons: ['motion'], scores: { snr: 2 }, comment: 'blurred', shown_ms: 5300.4 };
  const answer = await decide(server, first!.unit, body);

  expect(answer).toMatchObject({ total: 3, decided: 1, first_undecided: 1 });
  expect(answer.unit.decision).toMatchObject({ ...body, reader: 'anna', shown_ms: 5300 });
  const [line, ...more] = linesOf(path);
  expect(more).toEqual([]);
  expect(line).toEqual({
    v: 1,
    unit: 'series',
    study: STUDY,
    series: `${STUDY}.1`,
    reader: 'anna',
    verdict: 'reject',
    reasons: ['motion'],
    scores: { snr: 2 },
    comment: 'blurred',
    shown_ms: 5300,
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    negato: '0.0.0-test',
  });
  const unit = await server.request(`/api/review/${first!.unit}`);
  expect(unit.headers.get('etag')).toBe(answer.unit.etag);
  expect(await unit.json()).toEqual(answer);
});

test('the last decision counts, an empty one takes it back, and all of them stay in the file', async () => {
  const { server, path } = await start();
  await decide(server, 0, { verdict: 'accept' });
  await decide(server, 1, { verdict: 'accept' });
  await decide(server, 0, { verdict: 'reject', reasons: ['coverage'] });
  expect(await ask(server)).toMatchObject({ decided: 2, first_undecided: 2 });
  const undone = await decide(server, 0, {});
  expect(undone.unit.decision).toBeNull();
  expect(undone).toMatchObject({ decided: 1, first_undecided: 0 });
  expect(linesOf(path).map(({ verdict }) => verdict)).toEqual(['accept', 'accept', 'reject', null]);
  expect((await ask(server, '?state=decided')).units.map(({ unit }) => unit)).toEqual([1]);
  const open = await ask(server, '?state=undecided&offset=1&limit=1');
  expect([open.chosen, open.units.map(({ unit, position }) => [unit, position])]).toEqual([2, [[2, 2]]]);
});

test('a later run goes on where the one before has ended, wherever the files are', async () => {
  const { server, path, review } = await start();
  await decide(server, 1, { verdict: 'accept' });
  await server.close();
  const next = await serveWith({ inputs: [IMAGES[2]!, IMAGES[3]!], review });
  const { units, ...rest } = await ask(next);
  expect(rest).toMatchObject({ total: 2, decided: 1, first_undecided: 1, path });
  expect(units.map(({ series, decision }) => [series, decision?.verdict])).toEqual([
    [`${STUDY}.2`, 'accept'],
    [`${STUDY}.3`, undefined],
  ]);
});

test.each([
  [[], 'the body must be an object'],
  [{ vote: 'accept' }, '"vote" is none of verdict, reasons, scores, comment, shown_ms'],
  [{ verdict: 'maybe' }, 'verdict: none of accept, reject'],
  [{ verdict: 'reject' }, 'reasons: the scheme requires it'],
  [{ verdict: 'accept', reasons: ['motion'] }, 'reasons: "motion" is no reason of this verdict, or there twice'],
  [
    { verdict: 'reject', reasons: ['motion', 'motion'] },
    'reasons: "motion" is no reason of this verdict, or there twice',
  ],
  [{ verdict: 'accept', scores: { snr: 6 } }, 'scores.snr: must be a whole number from 1 to 5'],
  [{ verdict: 'accept', scores: { snr: 1.5 } }, 'scores.snr: must be a whole number from 1 to 5'],
  [{ verdict: 'accept', scores: { noise: 1 } }, 'scores: "noise" is no score of the scheme'],
  [{ scores: { snr: 1 } }, 'verdict: the scheme requires it'],
  [{ verdict: 5 }, expect.stringContaining('the body must be {')],
  [{ verdict: 'accept', comment: 'x'.repeat(10_001) }, expect.stringContaining('the body must be {')],
])('%j is refused as invalid_verdict, and nothing is written', async (body, error) => {
  const { server, path } = await start();
  const response = await put(server, 0, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_verdict', error });
  expect(() => readFileSync(path)).toThrow('ENOENT');
});

test('units that are not there, and bodies that are no JSON, are refused', async () => {
  const { server } = await start();
  expect(await codeOf(await put(server, 3, { verdict: 'accept' }))).toEqual([404, 'not_found']);
  expect(await codeOf(await server.request('/api/review/99999999'))).toEqual([404, 'not_found']);
  expect(await codeOf(await server.request('/api/review/x'))).toEqual([400, 'invalid_path']);
  const headers = { 'Content-Type': 'application/json' };
  expect(await codeOf(await server.request('/api/review/0', { method: 'PUT', headers, body: '{' }))).toEqual([
    422,
    'invalid_json',
  ]);
});

test('of two clients who decide at the same time, one is told that the decision has changed', async () => {
  const { server, path } = await start();
  const [{ etag } = { etag: '' }] = (await ask(server)).units;
  const answers = await Promise.all(
    ['accept', 'reject', 'accept'].map((verdict) =>
      put(server, 0, { verdict, reasons: verdict === 'reject' ? ['motion'] : [] }, etag),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412]);
  expect(linesOf(path)).toHaveLength(1);
  const winner = answers.find(({ status }) => status === 200)!;
  const current = winner.headers.get('etag')!;
  expect(current).not.toBe(etag);
  expect(await codeOf(await put(server, 0, { verdict: 'accept' }, etag))).toEqual([412, 'stale_verdict']);
  await decide(server, 0, { verdict: 'accept' }, current);
  // Without If-Match the last one counts; another unit is not concerned.
  await decide(server, 0, { verdict: 'accept' });
  await decide(server, 1, { verdict: 'accept' }, (await ask(server)).units[1]!.etag);
  expect(linesOf(path)).toHaveLength(4);
});

test('while another process has the file, decisions are refused, and then what it has written is known', async () => {
  const folder = createTempFolder();
  const path = join(folder, 'verdicts.jsonl');
  const lock = `${path}.lock`;
  writeFileSync(lock, `${writeStamp(stampOfThisProcess())} 0123456789abcdef\n`);
  const { server } = await start({ paths: [path] });
  expect(await ask(server)).toMatchObject({
    state: 'locked',
    decided: 0,
    problem: expect.stringContaining('another negato'),
  });
  expect(await codeOf(await put(server, 0, { verdict: 'accept' }))).toEqual([423, 'review_locked']);
  writeFileSync(path, said('anna', 2, 'accept'));
  rmSync(lock);
  await decide(server, await unitOf(server, 1), { verdict: 'accept' });
  expect(await ask(server)).toMatchObject({ state: 'on', problem: null, decided: 2, first_undecided: 2 });
  expect(linesOf(path)).toHaveLength(2);
});

test('a line that was cut off is named, and decisions go on behind it', async () => {
  const path = join(createTempFolder(), 'verdicts.jsonl');
  writeFileSync(path, said('anna', 2, 'accept') + said('anna', 1, 'accept').slice(0, 30));
  const { server } = await start({ paths: [path] });
  expect(await ask(server)).toMatchObject({ decided: 1, damage: `${path}: line 2 was cut off` });
  await decide(server, await unitOf(server, 1), { verdict: 'accept' });
  await server.close();
  const { server: next } = await start({ paths: [path] });
  expect(await ask(next)).toMatchObject({ decided: 2, damage: `${path}: line 2 is damaged` });
});

test('a blind review is in the order of the HMAC of its UIDs, and does not tell what others have said', async () => {
  const path = join(createTempFolder(), 'verdicts.jsonl');
  writeFileSync(path, said('ben', 1, 'reject'));
  const { server } = await start({ paths: [path], seed: 'seed 7' });
  await decide(server, 0, { verdict: 'accept' });
  const answer = await ask(server);
  const digests = [1, 2, 3].map((series) => {
    const uid = `${STUDY}.${series}`;
    return [createHmac('sha256', 'seed 7').update(uid).digest('hex'), uid] as const;
  });
  expect(answer.units.map(({ series }) => series)).toEqual(
    digests.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, uid]) => uid),
  );
  expect(answer).toMatchObject({ is_blind: true, other_readers: [] });
  const addresses = [
    '/api/review',
    '/api/review/0',
    '/api/review.csv',
    '/api/review.jsonl',
    '/api/columns',
    '/api/table?columns=*&level=series',
  ];
  for (const address of addresses) expect(await (await server.request(address)).text()).not.toMatch(/ben|reject"?,"re/);
});

test('what others have said is told beside it, of this file and of others that are only read', async () => {
  const folder = createTempFolder();
  const [own, other] = [join(folder, 'anna.jsonl'), join(folder, 'ben.jsonl')];
  writeFileSync(own, said('cleo', 1, 'accept'));
  const text = said('ben', 1, 'reject', { reasons: ['motion'], at: '2026-01-02' }) + said('ben', 2, null);
  writeFileSync(other, text);
  const { server } = await start({ paths: [own, other] });
  const { units, other_readers } = await ask(server);
  expect(other_readers).toEqual(['ben', 'cleo']);
  expect(units.map(({ others }) => others.map(({ reader, verdict, at }) => [reader, verdict, at]))).toEqual([
    [
      ['ben', 'reject', '2026-01-02'],
      ['cleo', 'accept', ''],
    ],
    [],
    [],
  ]);
  await decide(server, await unitOf(server, 2), { verdict: 'accept' });
  expect(readFileSync(other, 'utf8')).toBe(text);
});

test('a second review has the units of which readers differ, and its reader is no side', async () => {
  const path = join(createTempFolder(), 'verdicts.jsonl');
  const lines = [
    said('anna', 1, 'accept'),
    said('ben', 1, 'reject'),
    said('anna', 2, 'accept'),
    said('ben', 2, 'accept'),
    said('anna', 3, 'accept'),
    said('ben', 3, 'reject'),
    said('consensus', 2, 'reject'),
  ];
  writeFileSync(path, lines.join(''));
  const { server } = await start({ paths: [path], reader: 'consensus', isSecond: true });
  const before = await ask(server);
  expect(before).toMatchObject({ is_second: true, total: 2, decided: 0 });
  expect(before.units.map(({ series }) => series)).toEqual([`${STUDY}.1`, `${STUDY}.3`]);
  const after = await decide(server, before.units[0]!.unit, { verdict: 'accept' });
  expect(after).toMatchObject({ total: 2, decided: 1, first_undecided: 1 });
  expect(linesOf(path).at(-1)).toMatchObject({ reader: 'consensus', series: `${STUDY}.1` });
});

test.each([
  ['study', [[STUDY, null, null, 4]]],
  [
    'file',
    [
      [STUDY, `${STUDY}.1`, `${STUDY}.1.1`, 1],
      [STUDY, `${STUDY}.1`, `${STUDY}.1.2`, 1],
      [STUDY, `${STUDY}.2`, `${STUDY}.2.1`, 2],
    ],
  ],
] as const)('units of %s have the UIDs of that level, and copies of a file are one unit', async (level, expected) => {
  const { server, path } = await start({ level }, [...IMAGES.slice(0, 3), IMAGES[2]!]);
  const { units } = await ask(server);
  expect(units.map(({ study, series, instance, files }) => [study, series, instance, files])).toEqual(expected);
  await decide(server, units.at(-1)!.unit, { verdict: 'accept' });
  const [line] = linesOf(path);
  expect(line).toMatchObject({ unit: level, study: STUDY });
  expect(Object.keys(line!).includes('instance')).toBe(level === 'file');
  const cells = await readCells(server, { level: 'file', columns: 'verdict' });
  expect(cells).toEqual(
    level === 'study' ? Array.from({ length: 4 }, () => ['accept']) : [[null], [null], ['accept'], ['accept']],
  );
});

test('files without a UID of their own are counted', async () => {
  const { server } = await start({}, [IMAGES[0]!, writeDicom(ctElements({ SeriesInstanceUID: undefined }))]);
  expect(await ask(server)).toMatchObject({ total: 1, files_left_out: 1 });
});

test('verdicts are columns of the table, for files and series, and conditions choose by them', async () => {
  const path = join(createTempFolder(), 'verdicts.jsonl');
  writeFileSync(path, said('ben', 2, 'accept'));
  const { server } = await start({ paths: [path] });
  await decide(server, await unitOf(server, 1), {
    verdict: 'reject',
    reasons: ['motion', 'coverage'],
    scores: { snr: 2 },
    comment: 'blurred',
  });
  await decide(server, await unitOf(server, 3), { verdict: 'accept', scores: { snr: 5 } });
  const columns = 'verdict,verdict_reasons,verdict_comment,score_snr,"verdict:ben"';
  expect(await readCells(server, { level: 'series', columns })).toEqual([
    ['reject', 'coverage\\motion', 'blurred', 2, null],
    [null, null, null, null, 'accept'],
    ['accept', null, null, 5, null],
  ]);
  expect(await readCells(server, { level: 'file', columns: 'verdict,score_snr' })).toEqual([
    ['reject', 2],
    ['reject', 2],
    [null, null],
    ['accept', 5],
  ]);
  const chosen = await askTable(server, {
    level: 'series',
    columns: 'verdict',
    where: "score_snr < 5 and verdict = 'reject'",
  });
  expect(chosen.rows.map(({ series }) => series)).toEqual([`${STUDY}/${STUDY}.1`]);
  const described = (await listColumns(server)).filter(({ name }) => /^(?:verdict|score)/.test(name));
  expect(described.map(({ name, kind, origin, filled }) => [name, kind, origin, filled])).toEqual([
    ['verdict', 'text', 'people', 3],
    ['verdict_reasons', 'text', 'people', 2],
    ['verdict_comment', 'text', 'people', 2],
    ['score_snr', 'number', 'people', 3],
    ['verdict:ben', 'text', 'people', 1],
  ]);
});

test('downloads have one row a unit and columns for each reader, also of units whose files are not open', async () => {
  const path = join(createTempFolder(), 'verdicts.jsonl');
  writeFileSync(path, said('ben', 2, 'reject', { scores: { snr: 3 } }) + said('ben', 9, 'accept'));
  const { server } = await start({ paths: [path] });
  await decide(server, await unitOf(server, 1), { verdict: 'accept', comment: '=1+1', shown_ms: 10 });
  const rows = [
    [`${STUDY}.1`, 2, 'accept', null, '=1+1', 10, null, null],
    [`${STUDY}.2`, 1, null, null, null, null, 'reject', 3],
    [`${STUDY}.3`, 1, null, null, null, null, null, null],
    [`${STUDY}.9`, 0, null, null, null, null, 'accept', null],
  ];
  const NAMES = [
    'SeriesInstanceUID',
    'files',
    'verdict:anna',
    'reasons:anna',
    'comment:anna',
    'shown_ms:anna',
    'verdict:ben',
    'score:snr:ben',
  ];
  const pick = (row: Record<string, unknown>) => NAMES.map((name) => row[name] ?? null);

  const jsonl = await (await server.request('/api/review.jsonl')).text();
  expect(
    jsonl
      .split('\n')
      .slice(0, -1)
      .map((line) => pick(JSON.parse(line))),
  ).toEqual(rows);
  const parquet = await server.request('/api/review.parquet');
  expect(parquet.headers.get('content-disposition')).toBe('attachment; filename="negato-review.parquet"');
  const read = await parquetReadObjects({ file: await parquet.arrayBuffer() });
  expect(read.map(pick)).toEqual(rows);
  const csv: Record<string, string>[] = parse(await (await server.request('/api/review.csv')).text(), {
    columns: true,
    bom: true,
  });
  expect(csv.map((row) => [row['files'], row['comment:anna'], row['score:snr:ben']])).toEqual([
    ['2', "'=1+1", ''],
    ['1', '', '3'],
    ['1', '', ''],
    ['0', '', ''],
  ]);
});

test('a file that becomes another one while negato runs is not written to', async () => {
  const { server, path } = await start();
  await decide(server, 0, { verdict: 'accept' });
  await server.close();
  writeFileSync(path, 'something else\n');
  const { server: next } = await start({ paths: [path] });
  expect(await ask(next)).toMatchObject({
    state: 'failing',
    problem: expect.stringContaining('it is no file of verdicts'),
  });
  expect(await codeOf(await put(next, 0, { verdict: 'accept' }))).toEqual([507, 'review_not_written']);
  expect(readFileSync(path, 'utf8')).toBe('something else\n');
  rmSync(path);
  appendFileSync(path, said('anna', 1, 'accept'));
  await decide(next, await unitOf(next, 2), { verdict: 'accept' });
  expect(await ask(next)).toMatchObject({ state: 'on', decided: 2 });
});

test('units are listed from a position on, and by the files that they are of', async () => {
  const { server } = await start({ scheme: USUAL_SCHEME });
  const series = async (query: string) => {
    const { units, chosen } = await ask(server, query);
    return [units.map((unit) => unit.series?.slice(STUDY.length + 1)), chosen];
  };
  const second = await unitOf(server, 2);
  await decide(server, second, { verdict: 'accept' });

  expect(await series('?from=1')).toEqual([['2', '3'], 2]);
  expect(await series('?from=1&offset=1')).toEqual([['3'], 2]);
  expect(await series('?from=9')).toEqual([[], 0]);
  expect(await series('?from=1&state=undecided')).toEqual([['3'], 1]);
  // Files 0 and 1 are of series 1, and there is no file 9.
  expect(await series('?files=3,1,0,9')).toEqual([['3', '1'], 2]);
  expect(await series('?files=3,2&state=decided')).toEqual([['2'], 1]);
  expect(await codeOf(await server.request('/api/review?files='))).toEqual([400, 'invalid_query']);
  const { review } = await (await server.request('/api/files')).json();
  expect(review).toBe('open');
});

test('an event tells of a decision', async () => {
  const { server } = await start({ scheme: USUAL_SCHEME });
  const leaving = new AbortController();
  const revisions: unknown[] = [];
  for await (const { name, data } of readEvents(await server.request('/api/events', { signal: leaving.signal }))) {
    if (name !== 'review') continue;
    revisions.push(Object(data).revision);
    // The stream begins with the current state.
    if (revisions.length === 1) await decide(server, 0, { verdict: 'accept' });
    else break;
  }
  leaving.abort();
  expect(revisions[1]).toBeGreaterThan(Number(revisions[0]));
});
