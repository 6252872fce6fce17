import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  lstatSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { ctElements } from '../../test/support/ctElements.ts';
import { openByIndex, runIndex } from '../../test/support/indexCommand.ts';
import { needs, runPython } from '../../test/support/needs.ts';
import { createTempFolder, writeBelow } from '../../test/support/tempFolder.ts';
import { writeZip } from '../../test/support/writeArchive.ts';
import { recordColumns } from '../server/images/catalog/indexColumns.ts';
import { type DataSetInput, writeDicom } from '../server/standard/dicom/writeDicom.ts';

type Row = Record<string, unknown>;

async function readRows(path: string): Promise<Row[]> {
  return parquetReadObjects({ file: await asyncBufferFromFile(path) });
}

async function readAbout(path: string): Promise<Row> {
  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path));
  const about: unknown = JSON.parse(metadata.key_value_metadata?.find(({ key }) => key === 'negato')?.value ?? '{}');
  return { ...Object(about) };
}

function writeCt(folder: string, name: string, elements: DataSetInput = {}): string {
  const path = join(folder, name);
  writeBelow(
    folder,
    name,
    writeDicom(ctElements({ SOPInstanceUID: `1.2.${Number(name.replaceAll(/\D/g, ''))}`, ...elements })),
  );
  return path;
}

/** Files of several folders, whose names are not in the order of their letters. */
function createFolder(count = 24): string {
  const folder = createTempFolder();
  for (let number = 0; number < count; number += 1) writeCt(folder, `${number % 3}/IM${number}.dcm`);
  return folder;
}

const names = (rows: readonly Row[], folder: string) => rows.map(({ path }) => String(path).slice(folder.length + 1));

test('merged shards are the table of a run without shards, row by row and in its order', async () => {
  const folder = createFolder();
  const out = createTempFolder();
  const whole = join(out, 'whole.parquet');
  await runIndex(folder, '--out', whole);
  const shards = [1, 2, 3].map((number) => join(out, `part-${number}.parquet`));
  for (const [at, path] of shards.entries()) await runIndex(folder, '--out', path, '--shard', `${at + 1}/3`);
  const merged = join(out, 'merged.parquet');
  const { code, printed } = await runIndex('--merge', ...shards, '--out', merged);

  expect(code).toBe(0);
  expect(printed).toContain(`${merged}: 24 files of 3 indexes\n`);
  expect(await readRows(merged)).toEqual(await readRows(whole));
  expect(await readAbout(merged)).toEqual(await readAbout(whole));
  expect((await openByIndex('--index', merged)).files).toHaveLength(24);
  // It names patients, and nothing else is left.
  expect(statSync(merged).mode & 0o777).toBe(0o600);
  expect(readdirSync(out).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('merged tables have the columns of all, and NULL where one has none', async () => {
  const [first, second] = [createFolder(1), createFolder(2)];
  const out = createTempFolder();
  await runIndex(first, '--out', join(out, 'a.parquet'), '--columns', 'EchoTime,ProtocolName');
  await runIndex(second, '--out', join(out, 'b.parquet'), '--columns', 'ProtocolName,Manufacturer');
  writeCt(second, '0/IM0.dcm', { Manufacturer: 'Maker' });
  await runIndex(second, '--out', join(out, 'b.parquet'), '--columns', 'ProtocolName,Manufacturer');
  await runIndex('--merge', join(out, 'a.parquet'), join(out, 'b.parquet'), '--out', join(out, 'c.parquet'));

  const rows = await readRows(join(out, 'c.parquet'));
  const columns = [...recordColumns().map(({ name }) => name), 'EchoTime', 'ProtocolName', 'Manufacturer'];
  expect(Object.keys(rows[0]!)).toEqual(columns);
  const ofFolder = (folder: string) => rows.filter(({ path }) => String(path).startsWith(folder));
  expect(ofFolder(first).map(({ Manufacturer }) => Manufacturer)).toEqual([null]);
  expect(ofFolder(second).map(({ EchoTime, Manufacturer }) => [EchoTime, Manufacturer])).toEqual([
    [null, 'Maker'],
    [null, null],
  ]);
});

test('of two rows of one path the one of the later change is taken, and of equal ones that of the table named last', async () => {
  const folder = createFolder(3);
  const out = createTempFolder();
  const [old, now, merged] = ['old', 'now', 'merged'].map((name) => join(out, `${name}.parquet`));
  writeCt(folder, '0/IM0.dcm', { PatientID: 'before' });
  utimesSync(join(folder, '0/IM0.dcm'), 1_000, 1_000);
  await runIndex(folder, '--out', old!);
  writeCt(folder, '0/IM0.dcm', { PatientID: 'after' });
  utimesSync(join(folder, '0/IM0.dcm'), 2_000, 2_000);
  await runIndex(folder, '--out', now!);

  for (const order of [
    [old!, now!],
    [now!, old!],
  ]) {
    const { printed } = await runIndex('--merge', ...order, '--out', merged!);
    expect(printed).toContain('3 files of 2 indexes; 3 older rows of the same paths were left out');
    const rows = await readRows(merged!);
    expect(rows.find(({ path }) => String(path).endsWith('IM0.dcm'))).toMatchObject({ PatientID: 'after' });
  }
  // The same file at the same time: what another program has changed in the table that is named last.
  const rows = (await readRows(now!)).map((row) => ({ ...row, PatientName: 'edited' }));
  writeFileSync(now!, toParquet(rows));
  await runIndex('--merge', old!, now!, '--out', merged!);
  expect((await readRows(merged!)).map(({ PatientName }) => PatientName)).toEqual(['edited', 'edited', 'edited']);
});

/** As another program writes a table, with columns of its own. */
function toParquet(rows: readonly Row[], types: Record<string, 'STRING' | 'DOUBLE'> = {}): Buffer {
  const own = Object.entries(types).map(([name, type]) => ({ name, type }));
  const columnData = [...recordColumns(), ...own].map(({ name, type }) => ({
    name,
    type,
    nullable: true,
    data: rows.map((row) => row[name] ?? null),
  }));
  return Buffer.from(parquetWriteBuffer({ columnData }));
}

test('tables that are in another order than their paths keep it, one after the other', async () => {
  const folder = createFolder(6);
  const out = createTempFolder();
  const [a, b, merged] = ['a', 'b', 'merged'].map((name) => join(out, `${name}.parquet`));
  await runIndex(folder, '--out', a!);
  const rows = await readRows(a!);
  writeFileSync(a!, toParquet([rows[5]!, rows[1]!, rows[3]!]));
  writeFileSync(b!, toParquet([rows[4]!, rows[0]!, rows[2]!]));
  await runIndex('--merge', a!, b!, '--out', merged!);
  const expected = [5, 1, 3, 4, 0, 2].map((at) => rows[at]!['path']);
  expect((await readRows(merged!)).map(({ path }) => path)).toEqual(expected);
});

test('columns of other programs stay, and one with texts in one table and numbers in another is refused by its name', async () => {
  const folder = createFolder(2);
  const out = createTempFolder();
  const [a, b, merged] = ['a', 'b', 'merged'].map((name) => join(out, `${name}.parquet`));
  await runIndex(folder, '--out', a!);
  const rows = await readRows(a!);
  writeFileSync(a!, toParquet([{ ...rows[0]!, split: 'train' }], { split: 'STRING' }));
  writeFileSync(b!, toParquet([{ ...rows[1]!, weight: 0.5 }], { weight: 'DOUBLE' }));
  await runIndex('--merge', a!, b!, '--out', merged!);
  expect((await readRows(merged!)).map(({ split, weight }) => [split, weight])).toEqual([
    ['train', null],
    [null, 0.5],
  ]);

  const before = readFileSync(merged!);
  writeFileSync(b!, toParquet([{ ...rows[1]!, split: 1 }], { split: 'DOUBLE' }));
  const { code, printed } = await runIndex('--merge', a!, b!, '--out', merged!);
  expect(code).toBe(1);
  expect(printed).toContain(`${b}: its column split has another type`);
  writeFileSync(b!, 'PAR1 is no table');
  expect((await runIndex('--merge', a!, b!, '--out', merged!)).code).toBe(1);
  expect(readFileSync(merged!)).toEqual(before);
  expect(readdirSync(out).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('groups of a merged table say which patients they have, so that the rows of one are found without reading the others', async () => {
  const folder = createTempFolder();
  // A group has 8,192 rows; their files need not be there.
  const path = writeCt(folder, 'a.dcm');
  const out = createTempFolder();
  await runIndex(folder, '--out', join(out, 'one.parquet'));
  const [row] = await readRows(join(out, 'one.parquet'));
  const rowOf = (number: number) => {
    const patient = String(Math.floor(number / 4_000)).padStart(2, '0');
    return { ...row, path: `${dirname(path)}/P${patient}/${number}.dcm`, PatientID: `P${patient}` };
  };
  const rows = Array.from({ length: 24_000 }, (_, number) => rowOf(number));
  const tables = [0, 1].map((part) => join(out, `${part}.parquet`));
  for (const [part, table] of tables.entries()) {
    writeFileSync(table, toParquet(rows.filter((_, number) => number % 2 === part)));
  }
  const merged = join(out, 'merged.parquet');
  await runIndex('--merge', ...tables, '--out', merged);

  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(merged));
  const bounds = metadata.row_groups.map(({ num_rows: count, columns }) => {
    const found = columns.find(({ meta_data: of }) => of?.path_in_schema[0] === 'PatientID')?.meta_data?.statistics;
    return [Number(count), found?.min_value, found?.max_value];
  });
  // 8,192 rows are two patients of 4,000 files and the beginning of a third.
  expect(bounds).toEqual([
    [8_192, 'P00', 'P02'],
    [8_192, 'P02', 'P04'],
    [7_616, 'P04', 'P05'],
  ]);
  expect((await openByIndex('--index', merged, '--where', "PatientID = 'P05'")).files).toHaveLength(4_000);
});

test('pyarrow and DuckDB read a merged table as it is', needs('Python 3.9 with pyarrow and DuckDB'), async () => {
  const folder = createFolder(9);
  const out = createTempFolder();
  const shards = [1, 2].map((number) => join(out, `part-${number}.parquet`));
  for (const [at, path] of shards.entries()) await runIndex(folder, '--out', path, '--shard', `${at + 1}/2`);
  const merged = join(out, 'merged.parquet');
  await runIndex('--merge', ...shards, '--out', merged);
  const program = `
import json, sys, duckdb, pyarrow as pa, pyarrow.parquet as pq
a, b, merged = sys.argv[1:]
parts = pa.concat_tables([pq.read_table(a), pq.read_table(b)])
together = pq.read_table(merged)
by_path = lambda table: table.sort_by('path').to_pylist()
print(json.dumps([
  together.schema.equals(parts.schema),
  repr(by_path(parts)) == repr(by_path(together)),
  duckdb.sql(f"select count(*), count(distinct path) from '{merged}' where Modality = 'CT'").fetchall(),
]))`;
  const { stdout, stderr } = runPython('-c', program, ...shards, merged);
  expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual([true, true, [[9, 9]]]);
});

test('an update reads what is new or has changed, and drops what is gone', async () => {
  const folder = createFolder(9);
  const index = join(createTempFolder(), 'index.parquet');
  // In whole seconds, because Node copies and sets times in milliseconds.
  for (const name of ['0/IM0.dcm', '2/IM2.dcm']) utimesSync(join(folder, name), 1_000, 1_000);
  await runIndex(folder, '--out', index);
  const before = await readRows(index);
  writeCt(folder, '0/IM20.dcm');
  writeCt(folder, '1/IM4.dcm', { PatientID: 'another, with a longer name' });
  rmSync(join(folder, '2/IM5.dcm'));
  // The same bytes at the same time, as a copy has them: it is not read, and found where it is now.
  const copied = join(folder, '2/IM2.dcm');
  cpSync(copied, `${copied}.copy`, { preserveTimestamps: true });
  renameSync(`${copied}.copy`, copied);
  // A changed file of the same size and time is not seen.
  writeCt(folder, '0/IM0.dcm', { PatientName: 'Doe^Jill' });
  utimesSync(join(folder, '0/IM0.dcm'), 1_000, 1_000);

  const { code, printed } = await runIndex(folder, '--update', index);
  expect(code).toBe(0);
  expect(printed).toContain('1 files new, 1 changed, 1 gone, 7 as they were');
  const after = await readRows(index);
  const paths = ['0/IM0', '0/IM3', '0/IM6', '0/IM20', '1/IM1', '1/IM4', '1/IM7', '2/IM2', '2/IM8'];
  expect(names(after, folder)).toEqual(paths.map((path) => `${path}.dcm`));
  const find = (rows: readonly Row[], name: string) => rows.find(({ path }) => path === join(folder, name));
  expect(find(after, '1/IM4.dcm')).toMatchObject({ PatientID: 'another, with a longer name' });
  expect(find(after, '0/IM0.dcm')).toMatchObject({ PatientName: 'Doe^Jane' });
  expect(find(after, '2/IM2.dcm')).toEqual({ ...find(before, '2/IM2.dcm'), file_ino: lstatSync(copied).ino });
  expect(await readAbout(index)).toMatchObject({ files: 9, shard: { number: 1, count: 1 } });
  const { files } = await openByIndex('--index', index);
  expect(files).toHaveLength(9);
  expect(readdirSync(dirname(index))).toEqual(['index.parquet']);
});

test('an update of what is as it was writes nothing', async () => {
  const folder = createFolder(3);
  const index = join(createTempFolder(), 'index.parquet');
  await runIndex(folder, '--out', index);
  const { ino } = statSync(index);
  expect((await runIndex(folder, '--update', index)).printed).toContain(
    '0 files new, 0 changed, 0 gone, 3 as they were',
  );
  expect(statSync(index).ino).toBe(ino);
});

test('an update keeps the columns, conditions and part of its table', async () => {
  const folder = createTempFolder();
  const write = (number: number, Modality: string) => writeCt(folder, `IM${number}.dcm`, { Modality, EchoTime: '5' });
  for (let number = 0; number < 20; number += 1) write(number, number % 2 === 0 ? 'MR' : 'CT');
  const index = join(createTempFolder(), 'index.parquet');
  const options = ['--where', "Modality = 'MR'", '--columns', 'EchoTime', '--shard', '1/2'];
  await runIndex(folder, '--out', index, ...options);
  const before = await readRows(index);
  for (let number = 20; number < 40; number += 1) write(number, number % 2 === 0 ? 'MR' : 'CT');
  await runIndex(folder, '--update', index);

  const fresh = join(createTempFolder(), 'fresh.parquet');
  await runIndex(folder, '--out', fresh, ...options);
  expect(before.length).toBeGreaterThan(0);
  expect((await readRows(index)).length).toBeGreaterThan(before.length);
  expect(await readRows(index)).toEqual(await readRows(fresh));
});

test('an update of one folder keeps the rows of the others', async () => {
  const folder = createFolder(6);
  const index = join(createTempFolder(), 'index.parquet');
  await runIndex(folder, '--out', index);
  rmSync(join(folder, '0'), { recursive: true });
  rmSync(join(folder, '1/IM1.dcm'));
  const { printed } = await runIndex(join(folder, '1'), '--update', index);
  expect(printed).toContain('1 gone, 5 as they were (4 of them were not looked for)');
  expect(names(await readRows(index), folder)).toEqual([
    '0/IM0.dcm',
    '0/IM3.dcm',
    '1/IM4.dcm',
    '2/IM2.dcm',
    '2/IM5.dcm',
  ]);
});

test('files of a folder that cannot be entered are not gone', async () => {
  const folder = createFolder(6);
  const index = join(createTempFolder(), 'index.parquet');
  await runIndex(folder, '--out', index);
  renameSync(join(folder, '1'), join(createTempFolder(), 'away'));
  symlinkSync(join(folder, 'nowhere'), join(folder, '1'));
  const { printed } = await runIndex(folder, '--update', index);
  expect(printed).toContain('0 gone, 6 as they were (2 of them were not looked for)');
});

test('members of an archive are as they were as long as the archive is', async () => {
  const folder = createTempFolder();
  const members = [1, 2].map((number) => ({
    name: `${number}.dcm`,
    bytes: writeDicom(ctElements({ SOPInstanceUID: `1.2.${number}` })),
  }));
  writeBelow(folder, 'a.zip', writeZip(members));
  const index = join(createTempFolder(), 'index.parquet');
  await runIndex(folder, '--out', index);
  expect((await runIndex(folder, '--update', index)).printed).toContain('0 changed, 0 gone, 2 as they were');
  writeBelow(folder, 'a.zip', writeZip(members.slice(1)));
  expect((await runIndex(folder, '--update', index)).printed).toContain(
    '0 files new, 1 changed, 1 gone, 0 as they were',
  );
  expect((await openByIndex('--index', index)).files).toHaveLength(1);
});

test('the table that was there stays when an update cannot be written, and a link to it stays a link', async () => {
  const folder = createFolder(3);
  const out = createTempFolder();
  const index = join(out, 'index.parquet');
  await runIndex(folder, '--out', index);
  const link = join(createTempFolder(), 'link.parquet');
  symlinkSync(index, link);
  writeCt(folder, '0/IM9.dcm');
  expect((await runIndex(folder, '--update', link)).code).toBe(0);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(await readRows(index)).toHaveLength(4);

  const before = readFileSync(index);
  writeCt(folder, '0/IM10.dcm');
  // Somebody else has put a link where the part is to be written.
  symlinkSync(join(out, 'elsewhere'), `${index}.${process.pid}.part`);
  expect((await runIndex(folder, '--update', index)).code).toBe(1);
  expect(readFileSync(index)).toEqual(before);
  expect(existsSync(join(out, 'elsewhere'))).toBe(false);
  const notes = join(out, 'notes.parquet');
  writeFileSync(notes, 'no table');
  expect((await runIndex(folder, '--update', notes)).code).toBe(1);
  expect(readFileSync(notes, 'utf8')).toBe('no table');
  expect((await runIndex(folder, '--update', join(out, 'none.parquet'))).code).toBe(1);
  expect(existsSync(join(out, 'none.parquet'))).toBe(false);
});

test('a disk that is full while an update is written leaves the table as it was', needs('Linux'), async () => {
  const folder = createFolder(40);
  const out = createTempFolder();
  const index = join(out, 'index.parquet');
  await runIndex(folder, '--out', index);
  const before = readFileSync(index);
  writeCt(folder, '0/IM99.dcm');
  // No file may grow beyond 8 blocks; the index has more.
  const command = fileURLToPath(new URL('../../dist/negato.js', import.meta.url));
  const limited = `ulimit -f 8; trap '' XFSZ; exec "${process.execPath}" "${command}" index "${folder}" --update "${index}"`;
  const { status, stderr } = spawnSync('sh', ['-c', limited], { encoding: 'utf8' });
  expect(before.length).toBeGreaterThan(8 * 1024);
  expect(status).toBe(1);
  expect(stderr).toContain('cannot be written');
  expect(readFileSync(index)).toEqual(before);
  expect(readdirSync(out)).toEqual(['index.parquet']);
});
