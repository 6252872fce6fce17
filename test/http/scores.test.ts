import { onTestFinished, expect, test } from 'vitest';
import { ByteWriter, parquetWrite } from 'hyparquet-writer';
import { createMasker, setMaskKey } from '../../src/server/bytes/masking/masker.ts';
import { formatCsvLine } from '../../src/shared/csvCell.ts';
import type { TableResponse } from '../../src/shared/contract/tables.ts';
import { addressOf, askTable, listColumns, readCells } from '../support/askTable.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const SERIES = ['2.25.1001', '2.25.1002', '2.25.1003'] as const;
const HEAD = ['case', 'SeriesInstanceUID', 'part', 'test_part', 'dice', 'hd95_mm', 'components_missed'];

/** Three series of one study with two slices each. */
const FILES = SERIES.flatMap((uid) =>
  [0, 1].map((number) => writeSlice({ number }, { SeriesInstanceUID: uid, SOPInstanceUID: `${uid}.${number}` })),
);

const csv = (...rows: readonly (readonly string[])[]) => [HEAD, ...rows].map(formatCsvLine).join('');

const column = (name: string, type: 'STRING' | 'DOUBLE', data: unknown[]) => ({ name, type, data });

function serveScores(content: string | Uint8Array, options: Parameters<typeof serveWith>[0] = {}): Promise<TestServer> {
  const scoresPath = writeBelow(createTempFolder(), 'ZZFILEZZ.csv', content);
  return serveWith({ inputs: FILES, scoresPath, ...options });
}

const COHORT = csv(
  ['a', SERIES[0], 'Liver', 'Liver', '0.9', '2', '0'],
  ['a', SERIES[0], 'Spleen', 'Spleen', '0.4', '7.5', '2'],
  ['b', SERIES[1], 'Liver', 'Liver', '0.7', '', '1'],
  ['b', SERIES[1], 'Spleen', '', '', '', ''],
  ['far away', '2.25.77', 'Liver', 'Liver', '0.1', '1', '0'],
  ['nowhere', '', 'Liver', 'Liver', '0.1', '1', '0'],
);

const bySeries = { level: 'series', sort: 'dice' };

/** The cells of the three series in the order in which they are open. */
async function readScores(server: TestServer, columns: string): Promise<TableResponse['rows'][number]['cells'][]> {
  const rows = await readCells(server, { level: 'series', columns: `SeriesInstanceUID,${columns}` });
  return SERIES.map((uid) => rows.find(([first]) => first === uid)!.slice(1));
}

test('the worst part of each series is in the table, sorts it and chooses rows of it', async () => {
  const server = await serveScores(COHORT);

  const columns = 'dice,worst_part,hd95_mm,components_missed,unpaired_parts,case';
  expect(await readScores(server, columns)).toEqual([
    [0.4, 'Spleen', 7.5, 2, 0, 'a'],
    [0.7, 'Liver', null, 1, 1, 'b'],
    [null, null, null, null, null, null],
  ]);
  expect(await readScores(server, 'dice:Liver,dice:Spleen,hd95_mm:Spleen')).toEqual([
    [0.9, 0.4, 7.5],
    [0.7, null, null],
    [null, null, null],
  ]);
  expect(await readCells(server, { ...bySeries, columns: 'dice' })).toEqual([[0.4], [0.7], [null]]);
  const worse = { level: 'series', columns: 'case', where: 'Dice < 0.5 and HD95_mm > 5' };
  expect(await readCells(server, worse)).toEqual([['a']]);
  // Two files of each series; a study has its worst series.
  expect((await askTable(server, { level: 'file', where: 'dice < 0.8' })).total).toBe(4);
  expect(await readCells(server, { level: 'study', columns: 'dice,hd95_mm,components_missed' })).toEqual([
    [0.4, 7.5, 3],
  ]);
});

test('cases that are in no open series, or in none at all, are named', async () => {
  const server = await serveScores(COHORT);

  expect(await server.scores?.report()).toEqual({
    kind: 'read',
    series: 3,
    shown: 2,
    problems: ['1 case is of no open series: far away', '1 case is without a Series Instance UID: nowhere'],
  });
  const dice = (await listColumns(server)).find(({ name }) => name === 'dice');
  expect(dice).toMatchObject({ is_usual: true, kind: 'number', state: 'ready' });
  expect(dice?.problem).toContain('far away');
});

test('a series of which two cases have the same part has no scores, and both cases are named', async () => {
  const server = await serveScores(
    csv(
      ['a', SERIES[0], 'Liver', 'Liver', '0.9', '2', '0'],
      ['reader 2', SERIES[0], 'Liver', 'Liver', '0.2', '2', '0'],
      // Files of single organs are cases of one series.
      ['liver', SERIES[1], 'Liver', 'Liver', '0.8', '2', '0'],
      ['spleen', SERIES[1], 'Spleen', 'Spleen', '0.6', '2', '0'],
      // Two segments of one name.
      ['c', SERIES[2], 'Lesion', 'Lesion', '0.5', '2', '0'],
      ['c', SERIES[2], 'Lesion', 'Lesion', '0.3', '4', '1'],
    ),
  );

  expect(await readScores(server, 'dice,hd95_mm,components_missed')).toEqual([
    [null, null, null],
    [0.6, 2, 0],
    [0.3, 4, 1],
  ]);
  expect(await server.scores?.report()).toMatchObject({
    problems: ['2 cases are of the same part of one series, which are not shown: a, reader 2'],
  });
});

test('lines of JSON and Parquet have the same columns as CSV', async () => {
  const lines = [0.5, 0.25].map((dice, at) => JSON.stringify({ case: `c${at}`, SeriesInstanceUID: SERIES[at], dice }));
  const writer = new ByteWriter();
  void parquetWrite({
    writer,
    columnData: [
      column('SeriesInstanceUID', 'STRING', [SERIES[0], SERIES[1]]),
      column('case', 'STRING', ['c0', 'c1']),
      column('dice', 'DOUBLE', [0.5, 0.25]),
    ],
  });

  for (const content of [`${lines.join('\n')}\n`, new Uint8Array(writer.getBuffer())]) {
    const server = await serveScores(content);
    expect(await readScores(server, 'case,dice')).toEqual([
      ['c0', 0.5],
      ['c1', 0.25],
      [null, null],
    ]);
    await server.close();
  }
});

test("other people's columns, in any order and case, are left out, and a name that a spreadsheet would run is read back", async () => {
  const server = await serveScores(
    [
      formatCsvLine(['=HYPERLINK("x")', 'DICE', 'series_instance_uid', 'PatientName', 'Part', 'test part']),
      formatCsvLine(['1', '0.5', SERIES[0], 'X', '=1+1', '']),
      formatCsvLine(['1', 'good', SERIES[1], 'X', '@cmd', '']),
      formatCsvLine(['1', 'NaN', SERIES[2], 'X', 'a', '']),
    ].join(''),
  );

  expect(await readScores(server, 'dice,worst_part')).toEqual([
    [0.5, '=1+1'],
    [null, null],
    [null, null],
  ]);
  const names = (await listColumns(server)).map(({ name }) => name);
  expect(names.filter((name) => /hyperlink|=/i.test(name))).toEqual([]);
  const answer = await server.request(addressOf('/api/table.csv', { level: 'series', columns: 'dice,worst_part' }));
  expect(await answer.text()).toContain(",0.5,'=1+1\r\n");
  expect(await server.scores?.report()).toMatchObject({ problems: ['1 cells are no numbers'] });
});

test.each([
  ['no file of scores', 'a,b\r\n1,2\r\n', 'it has no column SeriesInstanceUID'],
  ['no number', 'SeriesInstanceUID,case\r\n1.2,x\r\n', 'it has no column with scores'],
  ['two columns of one name', 'SeriesInstanceUID,dice,Dice\r\n1.2,1,1\r\n', 'it has two columns dice'],
  [
    'a row that is too short',
    `SeriesInstanceUID,case,dice\r\n${SERIES[0]},a\r\n`,
    'row 2 has 2 cells, but the header has 3',
  ],
  [
    'a quote that is never closed',
    `SeriesInstanceUID,dice\r\n"${SERIES[0]},1\r\n`,
    'a quoted cell that is never closed',
  ],
  ['nothing', '', 'it is empty'],
  ['half a line of JSON', `{"SeriesInstanceUID":"1.2","dice":1}\n{"Ser`, 'line 2 is no row in JSON'],
  ['a Parquet file that was cut off', 'PAR1\u0000\u0001', 'it'],
])('a file with %s is refused with the reason, and the table works without it', async (_, content, reason) => {
  const server = await serveScores(content);

  expect(await server.scores?.report()).toEqual({ kind: 'failed', message: expect.stringContaining(reason) });
  expect(await readScores(server, 'dice')).toEqual([[null], [null], [null]]);
  expect((await listColumns(server)).find(({ name }) => name === 'dice')?.problem).toContain(reason);
  expect(server.errors).toEqual([]);
});

test('a masked run joins scores that were written without it, or with the same key, and shows no names of the file', async () => {
  const secret = new TextEncoder().encode('a key of thirty-two bytes or more');
  setMaskKey(secret);
  onTestFinished(() => setMaskKey(undefined));
  const masker = createMasker(secret);
  const server = await serveScores(
    csv(
      ['ZZFAMILYZZ', SERIES[0], 'ZZPARTZZ', 'ZZPARTZZ', '0.4', '7.5', '2'],
      ['ZZFAMILYZZ', SERIES[0], 'ZZOTHERZZ', 'ZZOTHERZZ', '0.6', '7.5', '2'],
      ['ZZGIVENZZ', masker.uid(SERIES[1]), 'ZZPARTZZ', 'ZZPARTZZ', '0.7', '', '1'],
      ['ZZAWAYZZ', '2.25.77', 'ZZPARTZZ', 'ZZPARTZZ', '0.7', '', '1'],
    ),
    // Threads that run already do not know the key.
    { memoryBytes: 512 * 2 ** 20 },
  );

  const table = await askTable(server, { ...bySeries, columns: 'SeriesInstanceUID,dice' });
  expect(table.rows.map(({ cells }) => cells)).toEqual([
    [masker.uid(SERIES[0]), 0.4],
    [masker.uid(SERIES[1]), 0.7],
    [masker.uid(SERIES[2]), null],
  ]);
  const said = await server.scores?.report();
  const answers = ['/api/columns', '/api/table?columns=*&level=series', '/api/table.csv?columns=*'].map(async (path) =>
    (await server.request(path)).text(),
  );
  expect([JSON.stringify(said), ...(await Promise.all(answers))].join('')).not.toMatch(/ZZ/);
  expect(said).toMatchObject({ shown: 2, problems: ['1 case is of no open series'] });
});
