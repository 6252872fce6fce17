import { rmSync, writeFileSync } from 'node:fs';
import { parquetReadObjects, parquetSchema, parquetMetadata } from 'hyparquet';
import { parse } from 'csv-parse/sync';
import { Check } from 'typebox/value';
import { expect, test } from 'vitest';
import { harvestTask } from '../../src/server/images/tables/tableTasks.ts';
import type { TaskPool } from '../../src/server/machine/memory/taskPool.ts';
import { ColumnsResponse, TableResponse, TableSummaryResponse } from '../../src/shared/contract/tables.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { addressOf, askSummary, askTable, harvest, listColumns, putColumns, readCells } from '../support/askTable.ts';
import { ctElements } from '../support/ctElements.ts';
import { serve, serveShared, serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { strictSchema } from '../support/strictSchema.ts';

const UID = '1.2.826.0.1.3680043.10.1300';

/** One image of a series of one of two studies, named by the letters of both. */
function image(study: string, series: string, number: number, more: DataSetInput = {}): Uint8Array {
  return writeDicom(
    ctElements({
      StudyInstanceUID: `${UID}.${study}`,
      SeriesInstanceUID: `${UID}.${study}.${series}`,
      SOPInstanceUID: `${UID}.${study}.${series}.${number}`,
      SeriesNumber: series,
      InstanceNumber: String(number),
      PatientID: `P${study}`,
      ...more,
    }),
  );
}

/** Study 1: series 1 of three images whose echo times differ, series 2 of one. Study 2: one image without an echo time. */
const STUDIES = [
  image('1', '1', 1, { Modality: 'MR', EchoTime: '30' }),
  image('1', '1', 2, { Modality: 'MR', EchoTime: '9' }),
  image('1', '1', 10, { Modality: 'MR', EchoTime: '100.0' }),
  image('1', '2', 1, { Modality: 'MR', EchoTime: '30' }),
  image('2', '1', 1, { Modality: 'CT' }),
];

const varying = (distinct: number, min: number, max: number) => ({ distinct, min, max, is_missing: false });

const single = (value: number | null, count: number) => ({ value, is_varying: false, count });

const block = (number: string, creator: string): DataSetInput => ({
  [`001900${number}`]: { vr: 'LO', value: creator },
  [`0019${number}0C`]: { vr: 'IS', value: '1000' },
  [`0019${number}0D`]: { vr: 'CS', value: ['A', 'B'] },
});

const echoTimes = (value: number | null, distinct: number, min: number | null, max: number | null) => ({
  EchoTime: value,
  EchoTime_distinct: distinct,
  EchoTime_min: min,
  EchoTime_max: max,
});

const ids = (study: number, series: number, files: number) => ({
  StudyInstanceUID: `${UID}.${study}`,
  SeriesInstanceUID: `${UID}.${study}.${series}`,
  files,
});

const lengthMark = (file: number, key: string | null) => ({
  kind: 'length',
  class: key,
  place: { type: 'frame', file_index: file, frame_index: 0 },
  points: [
    [0, 0],
    [1, 1],
  ],
});

test('the columns of the list are there at once, and elements when they have been read from all files', async () => {
  const server = await serve(...STUDIES);
  const before = await (await server.request('/api/columns')).json();
  expect(Check(strictSchema(ColumnsResponse), before)).toBe(true);
  const modality = before.columns.find(({ name }: { name: string }) => name === 'Modality');
  expect(modality).toEqual({
    name: 'Modality',
    title: 'Modality',
    path: 'Modality',
    tag: '(0008,0060)',
    vr: 'CS',
    kind: 'text',
    origin: 'scan',
    is_usual: true,
    state: 'ready',
    problem: null,
    done: 5,
    filled: 5,
    total: 5,
    distinct: 2,
  });
  expect(before.columns.map(({ name }: { name: string }) => name)).not.toContain('real_path');

  const [echo, description] = await harvest(server, '(0018,0081)', 'Modality', 'SequenceName');
  expect(echo).toEqual({
    name: 'EchoTime',
    title: 'Echo Time',
    path: 'EchoTime',
    tag: '(0018,0081)',
    vr: 'DS',
    kind: 'number',
    origin: 'header',
    is_usual: false,
    state: 'ready',
    problem: null,
    done: 5,
    filled: 4,
    total: 5,
    distinct: 3,
  });
  expect(description).toMatchObject({ name: 'SequenceName', kind: 'text', filled: 0, distinct: 0 });
  // Those that are not named are forgotten.
  expect((await harvest(server)).map(({ name }) => name)).toEqual([]);
});

test('rows of files are sorted as numbers, and those without a value are last in both directions', async () => {
  const server = await serveShared(...STUDIES);
  await harvest(server, 'EchoTime');
  const table = await askTable(server, {
    columns: 'EchoTime,InstanceNumber,PatientID',
    sort: 'EchoTime,-InstanceNumber',
  });
  expect(Check(strictSchema(TableResponse), table)).toBe(true);
  expect(table).toMatchObject({ level: 'file', total: 5, is_complete: true, groups: null });
  expect(table.rows.map(({ cells }) => cells)).toEqual([
    [9, 2, 'P1'],
    [30, 1, 'P1'],
    [30, 1, 'P1'],
    [100, 10, 'P1'],
    [null, 1, 'P2'],
  ]);
  expect(table.rows[0]).toMatchObject({
    file: 1,
    files: 1,
    series: `${UID}.1/${UID}.1.1`,
    study: `${UID}.1`,
    id: server.catalog.files[1]!.path,
  });
  const down = await askTable(server, { columns: 'EchoTime', sort: '-EchoTime', offset: '1', limit: '3' });
  expect(down.rows.map(({ cells }) => cells)).toEqual([[30], [30], [9]]);
  expect(down.total).toBe(5);
});

test.each([
  ['EchoTime > 9.5', [0, 2, 3]],
  // As a number, although the file has 100.0.
  ['EchoTime = 100', [2]],
  ["Modality = 'MR' and not EchoTime = 30", [1, 2]],
  // A comparison with NULL is neither true nor false.
  ['not EchoTime = 30', [1, 2]],
  ['EchoTime is null', [4]],
  ["EchoTime is null or PatientID like 'P1' and InstanceNumber = SeriesNumber", [0, 4]],
  ['echotime in (9, 100)', [1, 2]],
  ['"(0018,0081)" between 9 and 30', [0, 1, 3]],
  ["Modality = 'US'", []],
])('the condition %s chooses the files %j', async (where, files) => {
  const server = await serveShared(...STUDIES);
  await harvest(server, 'EchoTime');
  expect((await askTable(server, { where })).rows.map(({ file }) => file)).toEqual(files);
});

test('a row of a series has the single value of its files, or says how they differ', async () => {
  const server = await serveShared(...STUDIES);
  await harvest(server, 'EchoTime');
  const series = await askTable(server, {
    level: 'series',
    columns: 'Modality,EchoTime,InstanceNumber',
    sort: '-EchoTime',
  });
  expect(Check(strictSchema(TableResponse), series)).toBe(true);
  expect(series.rows).toEqual([
    {
      id: `${UID}.1/${UID}.1.1`,
      file: 0,
      files: 3,
      series: `${UID}.1/${UID}.1.1`,
      study: `${UID}.1`,
      cells: ['MR', varying(3, 9, 100), varying(3, 1, 10)],
    },
    expect.objectContaining({ id: `${UID}.1/${UID}.1.2`, file: 3, files: 1, cells: ['MR', 30, 1] }),
    expect.objectContaining({ id: `${UID}.2/${UID}.2.1`, file: 4, files: 1, cells: ['CT', null, 1] }),
  ]);
  // They are those of /series.
  const { series: listed } = await (await server.request('/api/series')).json();
  expect(new Set(series.rows.map(({ id }) => id))).toEqual(new Set(listed.map(({ id }: { id: string }) => id)));

  // A condition chooses files; the row has all files of the series.
  const chosen = await askTable(server, { level: 'series', where: 'EchoTime = 9', columns: 'EchoTime' });
  expect(chosen.rows).toMatchObject([{ files: 3, cells: [varying(3, 9, 100)] }]);
  const studies = await askTable(server, { level: 'study', columns: 'Modality,EchoTime' });
  expect(studies.rows).toMatchObject([
    { id: `${UID}.1`, files: 4, cells: ['MR', varying(3, 9, 100)] },
    { id: `${UID}.2`, files: 1, cells: ['CT', null] },
  ]);
});

test('a value that only some files of a series have is told from one that all of them have', async () => {
  const server = await serve(image('1', '1', 1, { KVP: '120' }), image('1', '1', 2));
  await harvest(server, 'KVP');
  expect(await readCells(server, { level: 'series', columns: 'KVP' })).toEqual([
    [{ distinct: 1, min: 120, max: 120, is_missing: true }],
  ]);
});

test('rows are grouped by a column, and the groups are listed in their order with their counts', async () => {
  const server = await serveShared(...STUDIES);
  await harvest(server, 'EchoTime');
  const files = await askTable(server, {
    group: 'EchoTime',
    columns: 'EchoTime,InstanceNumber',
    sort: '-InstanceNumber',
  });
  expect(files.groups).toEqual([single(9, 1), single(30, 2), single(100, 1), single(null, 1)]);
  expect(files.rows.map(({ cells }) => cells)).toEqual([
    [9, 2],
    [30, 1],
    [30, 1],
    [100, 10],
    [null, 1],
  ]);
  const series = await askTable(server, { level: 'series', group: 'EchoTime', columns: 'EchoTime' });
  expect(series.groups).toEqual([single(30, 1), { value: null, is_varying: true, count: 1 }, single(null, 1)]);
});

test('a summary counts the rows that a condition on each value would choose', async () => {
  const server = await serveShared(...STUDIES);
  await harvest(server, 'EchoTime');
  const ofFiles = await askSummary(server, { columns: 'Modality,EchoTime', where: "Modality = 'MR'" });
  expect(Check(strictSchema(TableSummaryResponse), ofFiles)).toBe(true);
  expect(ofFiles).toMatchObject({
    total: 4,
    columns: [
      { name: 'Modality', empty: 0, varying: 0, values: [{ value: 'MR', count: 4 }], histogram: null },
      {
        name: 'EchoTime',
        empty: 0,
        varying: 0,
        values: [
          { value: 30, count: 2 },
          { value: 9, count: 1 },
          { value: 100, count: 1 },
        ],
      },
    ],
  });
  const ofSeries = await askSummary(server, { level: 'series', columns: 'EchoTime' });
  const [echo] = ofSeries.columns;
  expect(echo).toMatchObject({ empty: 1, varying: 1 });
  for (const { value, count } of echo!.values!) {
    const { total } = await askTable(server, { level: 'series', where: `EchoTime = ${value}` });
    expect({ value, count }).toEqual({ value, count: total });
  }
});

test('numbers of more than 50 values have a histogram of 40 bins from the lowest to the highest', async () => {
  // Numbers 1 to 81: 80 steps in 40 bins, two values in each and the highest in the last.
  const files = Array.from({ length: 81 }, (_, at) => image('1', '1', at + 1));
  const server = await serveShared(...files);
  const { columns } = await askSummary(server, { columns: 'InstanceNumber,SOPInstanceUID' });
  expect(columns).toEqual([
    {
      name: 'InstanceNumber',
      empty: 0,
      varying: 0,
      values: null,
      histogram: { min: 1, max: 81, counts: [...Array.from({ length: 39 }, () => 2), 3] },
    },
    { name: 'SOPInstanceUID', empty: 0, varying: 0, values: null, histogram: null },
  ]);
});

const NESTED = {
  SharedFunctionalGroupsSequence: [{ PixelMeasuresSequence: [{ SliceThickness: '2.5' }] }],
  ReferencedSeriesSequence: [
    { SeriesInstanceUID: '1.2.1', ReferencedInstanceSequence: [{ ReferencedSOPInstanceUID: '1.1' }] },
    { SeriesInstanceUID: '1.2.2' },
    { SeriesInstanceUID: '1.2.3', ReferencedInstanceSequence: [{ ReferencedSOPInstanceUID: '3.1' }] },
  ],
};

test('elements of items, of private blocks and of the file meta information are columns', async () => {
  const files = [
    image('1', '1', 1, { ...NESTED, ...block('10', 'SIEMENS MR HEADER') }),
    // The same block at another place, behind one of somebody else.
    image('1', '1', 2, {
      '00190010': { vr: 'LO', value: 'OTHER' },
      '0019100C': { vr: 'IS', value: '5' },
      ...block('11', 'SIEMENS MR HEADER'),
    }),
  ];
  const server = await serveShared(...files);
  const paths = [
    'SharedFunctionalGroupsSequence[0].PixelMeasuresSequence[0].SliceThickness',
    'ReferencedSeriesSequence[2].SeriesInstanceUID',
    'ReferencedSeriesSequence[2].ReferencedInstanceSequence[0].ReferencedSOPInstanceUID',
    'ReferencedSeriesSequence[*].SeriesInstanceUID',
    'ReferencedSeriesSequence[*].ReferencedInstanceSequence[*].ReferencedSOPInstanceUID',
    '0019,xx0C@SIEMENS MR HEADER',
    '0019,xx0D@SIEMENS MR HEADER',
    '(0019,100C)',
    'MediaStorageSOPClassUID',
  ];
  const columns = await harvest(server, ...paths);
  expect(columns.map(({ name, kind, vr, tag }) => [name, kind, vr, tag])).toEqual([
    [paths[0], 'number', 'DS', '(0018,0050)'],
    [paths[1], 'text', 'UI', '(0020,000E)'],
    [paths[2], 'text', 'UI', '(0008,1155)'],
    [paths[3], 'text', 'UI', '(0020,000E)'],
    [paths[4], 'text', 'UI', '(0008,1155)'],
    [paths[5], 'number', null, null],
    [paths[6], 'text', null, null],
    [paths[7], 'number', null, '(0019,100C)'],
    [paths[8], 'text', 'UI', '(0002,0002)'],
  ]);
  const ct = '1.2.840.10008.5.1.4.1.1.2';
  expect(await readCells(server, { columns: paths.join(',') })).toEqual([
    [2.5, '1.2.3', '3.1', String.raw`1.2.1\1.2.2\1.2.3`, String.raw`1.1\3.1`, 1000, String.raw`A\B`, 1000, ct],
    [null, null, null, null, null, 1000, String.raw`A\B`, 5, ct],
  ]);
  // A condition writes such a name in quotes.
  const { total } = await askTable(server, { where: '"0019,xx0c@SIEMENS MR HEADER" = 1000 and "(0019,100C)" < 6' });
  expect(total).toBe(1);
});

test('an element without a value is an empty text, and one that a file does not have is null', async () => {
  const server = await serveShared(
    image('1', '1', 1, { StudyDescription: '', SequenceName: '', EchoTime: '', Rows: 0 }),
    image('1', '1', 2, { StudyDescription: undefined, Rows: undefined }),
    image('1', '1', 3, { StudyDescription: 'head', SequenceName: 'tse', EchoTime: '1' }),
  );
  await harvest(server, 'SequenceName', 'EchoTime');
  const columns = 'StudyDescription,SequenceName,EchoTime,Rows';
  expect(await readCells(server, { columns })).toEqual([
    ['', '', null, 0],
    [null, null, null, null],
    ['head', 'tse', 1, 2],
  ]);
  expect((await askTable(server, { where: 'SequenceName is null' })).rows.map(({ file }) => file)).toEqual([1]);
  expect((await askTable(server, { where: "StudyDescription = ''" })).rows.map(({ file }) => file)).toEqual([0]);
});

test('several values are one text, cut with a sign of it where they are too many', async () => {
  const many = Array.from({ length: 300 }, (_, at) => String(at));
  const server = await serveShared(image('1', '1', 1, { ImageType: ['ORIGINAL', 'PRIMARY'], FrameTimeVector: many }));
  await harvest(server, 'ImageType', 'FrameTimeVector');
  expect(await readCells(server, { columns: 'ImageType,FrameTimeVector' })).toEqual([
    [String.raw`ORIGINAL\PRIMARY`, `${many.slice(0, 256).join('\\')}\\…`],
  ]);
});

const FORMULAS = ['=1+1', '+x', '-x', '@x', '-5', '', 'a,"b"', 'é\u65e5'];

test('a table is downloaded as CSV with formulas as text, as lines of JSON, and as Parquet with types', async () => {
  const files = FORMULAS.map((text, at) =>
    image('1', '1', at + 1, { SpecificCharacterSet: 'ISO_IR 192', ImageComments: text, EchoTime: String(at / 4) }),
  );
  const server = await serve(...files);
  await harvest(server, 'ImageComments', 'EchoTime', 'SequenceName');
  const query = {
    columns: 'ImageComments,EchoTime,InstanceNumber,SequenceName,has_pixels,file_bytes',
    sort: 'InstanceNumber',
  };
  const paths = server.catalog.files.map(({ path }) => path);
  const sizes = files.map(({ length }) => length);

  const csv = await server.request(addressOf('/api/table.csv', query));
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="negato-file.csv"');
  const text = await csv.text();
  const [head, ...lines] = parse(text);
  expect(head).toEqual([
    'path',
    'ImageComments',
    'EchoTime',
    'InstanceNumber',
    'SequenceName',
    'has_pixels',
    'file_bytes',
  ]);
  const shown = ["'=1+1", "'+x", "'-x", "'@x", '-5', '', 'a,"b"', 'é\u65e5'];
  expect(lines).toEqual(
    shown.map((comment, at) => [paths[at], comment, String(at / 4), String(at + 1), '', 'true', String(sizes[at])]),
  );
  // An empty text is told from NULL by programs that look at quotes.
  expect(text.split('\r\n')[6]).toBe(`${paths[5]},"",1.25,6,,true,${sizes[5]}`);

  const jsonl = await server.request(addressOf('/api/table.jsonl', query));
  expect(jsonl.headers.get('content-type')).toBe('application/x-ndjson');
  const objects = (await jsonl.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const expected = FORMULAS.map((comment, at) => ({
    path: paths[at],
    ImageComments: comment,
    EchoTime: at / 4,
    InstanceNumber: at + 1,
    SequenceName: null,
    has_pixels: true,
    file_bytes: sizes[at],
  }));
  expect(objects).toEqual(expected);

  const parquet = await server.request(addressOf('/api/table.parquet', query));
  expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet');
  const file = await parquet.arrayBuffer();
  expect(parquetSchema(parquetMetadata(file)).children.map(({ element: { name, type } }) => [name, type])).toEqual([
    ['path', 'BYTE_ARRAY'],
    ['ImageComments', 'BYTE_ARRAY'],
    ['EchoTime', 'DOUBLE'],
    ['InstanceNumber', 'INT32'],
    ['SequenceName', 'BYTE_ARRAY'],
    ['has_pixels', 'BOOLEAN'],
    ['file_bytes', 'INT64'],
  ]);
  const rows = await parquetReadObjects({ file });
  expect(rows).toEqual(expected.map((row) => ({ ...row, file_bytes: BigInt(row.file_bytes!) })));
});

test('a download of series has further columns where the files of one differ', async () => {
  const server = await serveShared(...STUDIES);
  await harvest(server, 'EchoTime');
  const query = { level: 'series', columns: 'Modality,EchoTime', sort: 'SeriesNumber' };
  const rows = await (await server.request(addressOf('/api/table.jsonl', query))).text();
  expect(
    rows
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { ...ids(1, 1, 3), Modality: 'MR', ...echoTimes(null, 3, 9, 100) },
    { ...ids(2, 1, 1), Modality: 'CT', ...echoTimes(null, 0, null, null) },
    { ...ids(1, 2, 1), Modality: 'MR', ...echoTimes(30, 1, 30, 30) },
  ]);
});

test('marks and their classes are columns, of a series each mark once', async () => {
  const server = await serve(...STUDIES);
  const make = async (body: object) => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    expect((await server.request('/api/marks', init)).status).toBe(200);
  };
  const classes = [
    { key: 'cyst', title: 'Cyst', color: '#ff0000' },
    { key: 'artefact', title: 'A', color: '#00ff00' },
  ];
  await server.request('/api/labels', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ classes }),
  });
  expect(await readCells(server, { columns: 'marks,mark_classes' })).toEqual(STUDIES.map(() => [0, null]));
  await make(lengthMark(0, 'cyst'));
  await make(lengthMark(0, null));
  await make(lengthMark(1, 'artefact'));
  await make(lengthMark(1, 'cyst'));

  expect(await readCells(server, { columns: 'marks,mark_classes', where: 'marks > 0' })).toEqual([
    [2, 'cyst'],
    [2, String.raw`artefact\cyst`],
  ]);
  expect(await readCells(server, { level: 'series', columns: 'marks,mark_classes', sort: '-marks' })).toEqual([
    [4, String.raw`artefact\cyst`],
    [0, null],
    [0, null],
  ]);
  const column = (await listColumns(server)).find(({ name }) => name === 'marks');
  expect(column).toMatchObject({ origin: 'people', kind: 'number', filled: 5, distinct: 2 });
});

test.each([
  [{ where: "Modalty = 'MR'" }, 'where, character 1: there is no column Modalty'],
  [{ where: "Modality = 'MR' or" }, 'where, character 19: a column or a value is missing'],
  [{ where: 'EchoTime < 30' }, 'where, character 1: there is no column EchoTime; PUT /api/columns reads elements'],
  [{ where: "real_path = ''" }, 'where, character 1: there is no column real_path'],
  [{ columns: 'Modality,Nothing' }, 'columns: there is no column "Nothing"'],
  [{ columns: 'Modality,,Rows' }, 'columns: there is no column ""'],
  [{ sort: 'Modality,--Rows' }, 'sort: there is no column "-Rows"'],
  [{ group: 'Modality,Rows' }, 'group: one column'],
  [{ level: 'patient' }, 'level must be one of file, series, study'],
  [{ limit: '1001' }, 'limit must be a whole number from 0 to 1000'],
])('the query %j is refused: %s', async (query, message) => {
  const server = await serveShared(...STUDIES);
  await harvest(server);
  const response = await server.request(addressOf('/api/table', query));
  expect(response.status).toBe(400);
  const { code, error } = await response.json();
  expect(code).toBe('invalid_query');
  expect(error).toContain(message);
});

test.each([
  [['EchoTime', 'EchoTme'], 400, 'invalid_column', '"EchoTme" has EchoTme, which is no DICOM keyword'],
  [['PixelData'], 400, 'invalid_column', '"PixelData" is an element with the VR OW'],
  [['real_path'], 400, 'invalid_column', '"real_path" is no column of a table'],
  [
    Array.from({ length: 201 }, (_, at) => `EnergyWindowInformationSequence[${at}].EnergyWindowName`),
    413,
    'payload_too_large',
    'more than 200 columns',
  ],
])('columns that cannot be are refused with the reason', async (paths, status, code, message) => {
  const server = await serveShared(...STUDIES);
  const before = await listColumns(server);
  const response = await putColumns(server, paths);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code, error: expect.stringContaining(message) });
  // Nothing has changed.
  expect((await listColumns(server)).map(({ name }) => name)).toEqual(before.map(({ name }) => name));
});

/** Threads whose tasks for the table wait until they are let go. */
function holdHarvest() {
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const begun: unknown[] = [];
  const hold = (pool: TaskPool): TaskPool => ({
    ...pool,
    async run(task, input, options) {
      if (task.name === harvestTask.name) {
        begun.push(input);
        await Promise.race([released, new Promise((_, reject) => onAbort(options.signal, reject))]);
      }
      return pool.run(task, input, options);
    },
  });
  return { hold, begun, release: () => release?.() };
}

function onAbort(signal: AbortSignal | undefined, reject: (reason: unknown) => void): void {
  signal?.addEventListener('abort', () => reject(signal.reason));
}

test('a column that is being read is refused until it is ready, unless a part of it is enough', async () => {
  const { hold, release } = holdHarvest();
  const server = await serveWith({ inputs: STUDIES, tasks: hold });
  const asked = await putColumns(server, ['EchoTime']);
  const { columns }: ColumnsResponse = await asked.json();
  expect(columns.find(({ name }) => name === 'EchoTime')).toMatchObject({ state: 'harvesting', done: 0, total: 5 });
  for (const query of [
    { columns: 'EchoTime' },
    { sort: 'EchoTime' },
    { group: 'EchoTime' },
    { where: 'EchoTime = 1' },
  ]) {
    const refused = await server.request(addressOf('/api/table', query));
    expect(refused.status).toBe(409);
    expect(await refused.json()).toEqual({
      code: 'column_not_ready',
      error: 'the column EchoTime is not ready: 0 of 5 files were read for it',
    });
  }
  // What does not need it is answered.
  expect(await askTable(server, { where: "Modality = 'MR'" })).toMatchObject({ total: 4, is_complete: true });
  const partial = await askTable(server, { columns: 'EchoTime', partial: '1' });
  expect(partial).toMatchObject({ is_complete: false, total: 5 });
  expect(partial.rows.map(({ cells }) => cells)).toEqual(STUDIES.map(() => [null]));
  release();
  await harvest(server, 'EchoTime');
  const complete = await askTable(server, { columns: 'EchoTime', sort: 'EchoTime', limit: '1' });
  expect(complete).toMatchObject({ is_complete: true, rows: [{ cells: [9] }] });
  expect(complete.revision).toBeGreaterThan(partial.revision);
});

test('columns that are replaced are no longer read, and those that stay are not read again', async () => {
  const { hold, begun, release } = holdHarvest();
  const server = await serveWith({ inputs: STUDIES, tasks: hold });
  await putColumns(server, ['EchoTime']);
  await putColumns(server, ['KVP']);
  release();
  expect((await harvest(server, 'KVP')).map(({ name }) => name)).toEqual(['KVP']);
  const before = begun.length;
  expect((await harvest(server, 'KVP', 'SequenceName')).map(({ name }) => name)).toEqual(['KVP', 'SequenceName']);
  // Five files are one task, for the new column only.
  expect(begun.slice(before)).toMatchObject([{ columns: [{ name: 'SequenceName' }] }]);
});

test('files that are added and files that vanish change the table', async () => {
  const folder = createTempFolder();
  const write = (number: number, echoTime: string) =>
    writeBelow(folder, `${number}.dcm`, image('1', '1', number, { EchoTime: echoTime }));
  write(1, '10');
  const server = await serveWith({ inputs: [folder], catalog: { watch: { pollMs: 20 } } });
  await harvest(server, 'EchoTime');
  const query = { level: 'series', columns: 'EchoTime', partial: '1' };
  const second = write(2, '20');
  // It is listed before its value is known.
  for (let rows = await readCells(server, query); Object(rows[0]?.[0]).distinct !== 2;)
    rows = await readCells(server, query);
  expect(await askTable(server, query)).toMatchObject({
    rows: [{ files: 2, cells: [{ distinct: 2, min: 10, max: 20 }] }],
  });
  rmSync(second);
  for (let rows = await readCells(server, query); typeof rows[0]?.[0] !== 'number';)
    rows = await readCells(server, query);
  expect(await askTable(server, query)).toMatchObject({ total: 1, rows: [{ files: 1, cells: [10] }] });
});

test('a file that has changed since it was found has no value, and the column says how many there are', async () => {
  const folder = createTempFolder();
  const path = writeBelow(folder, '1.dcm', image('1', '1', 1, { EchoTime: '10' }));
  writeBelow(folder, '2.dcm', image('1', '1', 2, { EchoTime: '20' }));
  const server = await serve(folder);
  writeFileSync(path, image('1', '1', 3, { EchoTime: '30', PatientID: 'another' }));
  const [echoTime] = await harvest(server, 'EchoTime');
  expect(echoTime).toMatchObject({ state: 'ready', done: 2, filled: 1, problem: '1 file could not be read' });
  expect(await readCells(server, { columns: 'EchoTime', sort: 'EchoTime' })).toEqual([[20], [null]]);
});

test('columns that take more than their share of the memory fail, and the others stay', async () => {
  // The columns have 2 % of half of 128 MiB: 1.28 MiB.
  const files = Array.from({ length: 400 }, (_, at) =>
    image('1', '1', at, { ImageComments: `${at} `.padEnd(4_000, 'long '), EchoTime: String(at) }),
  );
  const server = await serveWith({ inputs: files, memoryBytes: 128 * 2 ** 20 });
  await harvest(server, 'EchoTime');
  const [echoTime, comments] = await harvest(server, 'EchoTime', 'ImageComments');
  expect(echoTime).toMatchObject({ name: 'EchoTime', state: 'ready', filled: 400 });
  expect(comments).toMatchObject({ name: 'ImageComments', state: 'failed' });
  expect(comments!.problem).toContain('columns may take 1 MiB; start negato with more --memory');
  expect(await askTable(server, { where: 'EchoTime < 3' })).toMatchObject({ total: 3 });
  const refused = await server.request(addressOf('/api/table', { columns: 'ImageComments' }));
  expect([refused.status, (await refused.json()).code]).toEqual([409, 'column_not_ready']);
  const { memory } = await (await server.request('/api/health?detail=decode')).json();
  const held = memory.uses.find(({ use }: { use: string }) => use === 'columns');
  expect(held.held_bytes).toBeLessThanOrEqual(held.budget_bytes);
});
