import type { CatalogOptions } from '../../src/server/images/catalog/catalog.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { parquetMetadata } from 'hyparquet';
import { expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { describeIndex } from '../../src/server/images/catalog/readIndex.ts';
import { localFile } from '../../src/server/bytes/origins/origins.ts';
import { indexFolder, openTable, type StoredRow, type TableOptions, writeRows } from '../support/indexFiles.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const GOOD = 3;

/** The rows of three slices, which make a volume. */
async function indexSlices(): Promise<StoredRow[]> {
  const folder = createTempFolder();
  for (let number = 0; number < GOOD; number += 1) writeBelow(folder, `${number}.dcm`, writeSlice({ number }));
  return indexFolder(folder);
}

async function serveTable(path: string, options: Pick<CatalogOptions, 'maximumFrames'> & { where?: string } = {}) {
  const { where, ...limits } = options;
  const { known, troubles } = await openTable(path, where);
  const server = await serveWith({ catalog: { known, ...limits } });
  return { server, troubles };
}

/** What is listed, what is not and why, and how those requests end that need the good files. */
async function ask(server: TestServer) {
  const answer: FilesResponse = await (await server.request('/api/files')).json();
  const statusOf = async (path: string) => {
    const response = await server.request(path);
    await response.body?.cancel();
    return response.status;
  };
  return {
    complete: answer.scan_complete,
    files: answer.files.length,
    skipped: Object.fromEntries(server.catalog.skippedByReason()),
    series: await statusOf('/api/series'),
    volume: await statusOf('/api/file/0/volume'),
    frame: await statusOf('/api/file/0/frame/0/raw'),
    errors: server.errors,
  };
}

const WELL = { complete: true, series: 200, volume: 200, frame: 200, errors: [] };

const JPEG_BASELINE = '1.2.840.10008.1.2.4.50';
const DEEP = '['.repeat(8_000);

const BAD_ROWS: readonly [string, StoredRow, TableOptions['types']?][] = [
  ['the largest number of frames', { frame_count: 2_147_483_647 }],
  ['the largest number of compressed frames', { frame_count: 2_147_483_647, TransferSyntaxUID: JPEG_BASELINE }],
  ['more frames than the file has room for', { frame_count: 100 }],
  ['a negative number of frames', { frame_count: -1 }],
  ['no number of frames', { frame_count: Number.NaN }, { frame_count: 'DOUBLE' }],
  ['half a frame', { frame_count: 0.5 }, { frame_count: 'DOUBLE' }],
  ['an infinite number of frames', { frame_count: Infinity }, { frame_count: 'DOUBLE' }],
  ['rows that the file has no room for', { Rows: 2_147_483_647, Columns: 2_147_483_647 }],
  ['rows beyond an integer', { Rows: 1e300 }, { Rows: 'DOUBLE' }],
  ['a negative length', { file_bytes: -1n }],
  ['a length that no file has', { file_bytes: 2n ** 62n }],
  ['a window that is no number', { default_window_center: Number.NaN, default_window_width: 1 }],
  ['a placement that is no JSON', { placement: '{"imageType":' }],
  ['a placement that is a list', { placement: '[]' }],
  ['a placement that is deeply nested', { placement: DEEP }],
  [
    'a placement with texts as position',
    { placement: '{"imageType":"","hasFrameGeometry":false,"position":["a","b","c"]}' },
  ],
  ['a placement of a part without UID', { placement: '{"imageType":"","hasFrameGeometry":false,"concatenation":{}}' }],
  ['a placement with a slide that is a number', { placement: '{"imageType":"","hasFrameGeometry":false,"slide":7}' }],
  ['no path', { path: null }],
  ['a path with NUL', { path: '/a\0b' }],
  ['a relative path', { path: 'a.dcm' }],
  ['a path of a megabyte', { path: `/${'a'.repeat(1_000_000)}` }],
  ['a real path with NUL', { real_path: '/a\0b' }],
  ['a source that is no JSON', { real_path: '\0{' }],
  ['a source that is deeply nested', { real_path: `\0${DEEP}` }],
  ['a source of no kind', { real_path: '\0{"ref":{"kind":"socket"},"identity":{"kind":"inode"}}' }],
  ['no inode', { file_ino: Number.NaN }],
  ['no time', { file_mtime_ms: null }],
  ['a UID of a megabyte', { StudyInstanceUID: '1'.repeat(1_000_000) }],
];

test.each(BAD_ROWS)('a row with %s is one listed row, and harms no other', async (_, change, types) => {
  const rows = await indexSlices();
  const path = writeRows([...rows, { ...rows[0], ...change }], { types: types ?? {} });
  const { server, troubles } = await serveTable(path);

  expect(await ask(server)).toEqual({ ...WELL, files: GOOD, skipped: { index_damaged: 1 } });
  expect(troubles).toEqual([]);
});

test('rows whose frames together would take all memory are listed as over the limit, and those after them are listed', async () => {
  const rows = await indexSlices();
  // As many compressed frames as a file of 16 MB has room for.
  const claim = { ...rows[0], frame_count: 2_000_000, file_bytes: 16_000_000n, TransferSyntaxUID: JPEG_BASELINE };
  const claims = Array.from({ length: 400 }, (_, at) => ({ ...claim, SeriesInstanceUID: `2.25.${at % 40}` }));
  const [last = {}] = rows.splice(2);
  const { server } = await serveTable(writeRows([...rows, ...claims, last]), { maximumFrames: 33_000_000 });

  // 16 times 2,000,000 are less, 17 times are more.
  expect(await ask(server)).toEqual({ ...WELL, files: GOOD + 16, skipped: { limit_exceeded: 400 - 16 } });
});

test('a row group of 20,000 rows is read in parts', async () => {
  const rows = await indexSlices();
  const many = Array.from({ length: 20_000 }, (_, at) => rows[at % GOOD]!);
  const { server } = await serveTable(writeRows(many, { rowGroupSize: many.length }));

  expect(server.catalog.progress).toMatchObject({ scanned: 20_000, skipped: 0, scanComplete: true });
});

test('a row group of 300,000 rows is refused with the limit, and with what to write instead', async () => {
  const path = writeRows(
    Array.from({ length: 300_000 }, () => ({})),
    { rowGroupSize: 300_000 },
  );

  await expect(describeIndex(localFile(path))).rejects.toThrow(
    'a row group has 300000 rows; write row groups of at most 131072 rows (row_group_size of DuckDB and pyarrow)',
  );
});

test.each<[string, TableOptions, string]>([
  ['frame counts as text', { types: { frame_count: 'STRING' } }, 'its column frame_count has another type'],
  ['paths as numbers', { types: { path: 'DOUBLE' } }, 'its column path has another type'],
  ['flags as text', { types: { has_pixels: 'STRING' } }, 'its column has_pixels has another type'],
  ['no paths', { without: ['path'] }, 'it has no column path, so it was not written by negato index'],
  ['no placements', { without: ['placement'] }, 'it has no column placement'],
])('a table with %s is no index', async (_, options, message) => {
  const rows = await indexSlices();
  const changed = rows.map((row) => ({
    ...row,
    ...Object.fromEntries(Object.entries(options.types ?? {}).map(toValue)),
  }));

  await expect(describeIndex(localFile(writeRows(changed, options)))).rejects.toThrow(message);
});

function toValue([name, type]: [string, string]): [string, unknown] {
  return [name, type === 'STRING' ? 'text' : 1];
}

test('rows whose paths are JSON are listed as damaged', async () => {
  const rows = await indexSlices();
  const path = writeRows([{ ...rows[0], path: { a: 1 } }], { types: { path: 'JSON' } });
  const { server } = await serveTable(path);

  expect(server.catalog.progress).toMatchObject({ scanned: 0, skipped: 1, scanComplete: true });
});

/** Makes all columns of the last group unreadable but one. */
function damageLastGroup(path: string, kept: string): void {
  const bytes = readFileSync(path);
  for (const { meta_data: column } of parquetMetadata(bytes).row_groups.at(-1)?.columns ?? []) {
    if (column === undefined || column.path_in_schema[0] === kept) continue;
    const start = Number(column.dictionary_page_offset ?? column.data_page_offset);
    bytes.fill(0xff, start, start + Number(column.total_compressed_size));
  }
  writeFileSync(path, bytes);
}

test('rows are read only of groups whose values may meet the condition', async () => {
  const rows = (await indexSlices()).map((row) => ({ ...row, PatientID: 'Berta' }));
  const path = writeRows([...rows, { ...rows[0], PatientID: 'Zoe' }], { rowGroupSize: GOOD });
  damageLastGroup(path, 'PatientID');

  const { server, troubles } = await serveTable(path, { where: "PatientID between 'A' and 'C'" });
  expect(await ask(server)).toEqual({ ...WELL, files: GOOD, skipped: {} });
  expect(troubles).toEqual([]);
  // No column but that of the condition is unpacked where no row meets it.
  const second = await serveTable(path, { where: "PatientID like 'Ber%'" });
  expect(await ask(second.server)).toEqual({ ...WELL, files: GOOD, skipped: {} });
  expect(second.troubles).toEqual([]);
});

test('a page that takes much more memory unpacked is not unpacked, and the rows of other groups are listed', async () => {
  const rows = await indexSlices();
  // 70 MB that take 3 MB in the file.
  const bad = { ...rows[0], PatientName: 'a'.repeat(70 * 2 ** 20) };
  const path = writeRows([...rows, bad], { rowGroupSize: GOOD });
  const { server, troubles } = await serveTable(path);

  expect(readFileSync(path).length).toBeLessThan(8 * 2 ** 20);
  expect(await ask(server)).toEqual({ ...WELL, files: GOOD, skipped: { index_damaged: 1 } });
  expect(troubles).toEqual([expect.stringContaining('rows 3 to 3 of an index cannot be read')]);
});

test.each([
  ['nothing', (bytes: Buffer) => bytes.subarray(0, 0)],
  ['its first half', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  [
    'a description of 4 GB',
    (bytes: Buffer) => {
      bytes.writeUInt32LE(0xffff_ffff, bytes.length - 8);
      return bytes;
    },
  ],
])('an index of which there is %s is refused', async (_, damage) => {
  const path = writeRows(await indexSlices());
  writeFileSync(path, damage(readFileSync(path)));

  await expect(describeIndex(localFile(path))).rejects.toThrow(/invalid|bytes|parquet/i);
});
