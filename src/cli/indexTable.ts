import { closeSync, fsyncSync, openSync } from 'node:fs';
import { findColumn, type IndexColumn, listIndexColumns, USUAL_TAGS } from '../server/images/catalog/indexColumns.ts';
import {
  type IndexedFile,
  indexFiles,
  type IndexInput,
  type IndexProgress,
} from '../server/images/catalog/indexFiles.ts';
import { packFiles } from '../server/images/catalog/fileColumns.ts';
import { parseWhereOfFiles } from '../server/images/catalog/whereOfFiles.ts';
import { chooseRows } from '../server/images/tables/chooseRows.ts';
import type { CellValue } from '../server/images/tables/encodedColumn.ts';
import { flattenRows } from '../server/images/tables/flattenRows.ts';
import { listRecordColumns } from '../server/images/tables/tableColumns.ts';
import { TableData } from '../server/images/tables/tableData.ts';
import type { TableLevel } from '../shared/tableLevel.ts';
import {
  type FileColumn,
  type FileRow,
  GROUP_ROWS,
  type TableFormat,
  writeTableFile,
} from '../server/images/tables/writeTableFile.ts';
import { aboutIndex, type ChosenBy } from './aboutIndex.ts';
import { writeWhole } from './writeWhole.ts';

/** What the thread that writes an index is told. */
export type IndexTableInput = {
  /** Undefined: standard output. */
  readonly path: string | undefined;
  readonly format: TableFormat;
  readonly level: TableLevel;
  /** Names of columns; undefined for the usual ones. */
  readonly columns: readonly string[] | undefined;
  /** The condition of `--where`. Of a series or study, one file has to meet it. */
  readonly where: string | undefined;
  readonly input: IndexInput;
  /** What a Parquet file says of that; undefined if all files were taken. */
  readonly chosen?: ChosenBy | undefined;
  readonly createdBy: string;
};

const STDOUT = 1;

/** Writes the table of files. It blocks its thread. */
export function writeIndexTable(input: IndexTableInput): IndexProgress {
  // Never through a link that another user has put there.
  const file = input.path === undefined ? STDOUT : openSync(input.path, 'wx', 0o600);
  try {
    const found: { progress?: IndexProgress } = {};
    const table = input.level === 'file' ? listFiles(input, found) : listGroups(input, input.level, found);
    for (const piece of writeTableFile(table.rows, { ...input, columns: table.columns })) writeWhole(file, piece);
    if (found.progress === undefined) throw new Error('the files were not read to their end');
    if (file !== STDOUT) fsyncSync(file);
    return found.progress;
  } finally {
    if (file !== STDOUT) closeSync(file);
  }
}

type Table = { readonly columns: readonly FileColumn[]; readonly rows: Iterator<FileRow, object | undefined> };
type Found = { progress?: IndexProgress };

/** One row for each file, as it is found. A Parquet file has what `--index` needs. */
function listFiles({ format, columns: names, where, input, chosen }: IndexTableInput, found: Found): Table {
  const elements = findColumns(names ?? USUAL_TAGS).flatMap(({ path }) => path ?? []);
  const isIndex = format === 'parquet';
  const columns = isIndex ? listIndexColumns(elements) : withPath(findColumns(names ?? listUsual('file')));
  const filters = where === undefined ? input.filters : [...input.filters, { where }];
  function* rows(): Generator<FileRow, object> {
    const files = indexFiles({ ...input, filters }, columns);
    for (;;) {
      const step = files.next();
      if (step.done === true) {
        found.progress = step.value;
        return aboutIndex(step.value, { shard: input.shard, chosen });
      }
      yield step.value.values;
    }
  }
  return { columns, rows: rows() };
}

/** One row for each series or study, when all files have been read. */
function listGroups({ columns: names, where, input, chosen }: IndexTableInput, level: TableLevel, found: Found): Table {
  const columns = findColumns(names ?? listUsual(level));
  const elements = findColumns(where === undefined ? [] : listNamed(where))
    .concat(columns)
    .flatMap((column) => (column.path === undefined ? [] : [column]));
  const data = new TableData(Infinity);
  data.setHarvested(elements.map(({ name, type, vr }) => ({ name, type: vr === undefined ? undefined : type })));
  let batch: IndexedFile[] = [];
  const takeBatch = () => {
    const first = data.rows.count;
    data.add({ columns: packFiles(batch.map(({ file }) => file)), first: 0, count: batch.length });
    const values = elements.map((_, at) => batch.map((one): CellValue => toCell(one.values[at])));
    data.takeHarvested({ first, names: elements.map(({ name }) => name), values });
    batch = [];
  };
  const files = indexFiles(input, elements);
  for (let step = files.next(); ; step = files.next()) {
    if (step.done === true) {
      found.progress = step.value;
      break;
    }
    batch.push(step.value);
    if (batch.length === GROUP_ROWS) takeBatch();
  }
  if (batch.length > 0) takeBatch();
  const table = flattenRows(data, chooseRows(data, level, where), { level, names: columns.map(({ name }) => name) });
  const about = aboutIndex(found.progress, { shard: input.shard, chosen });
  return { columns: table.columns, rows: withEnd(table.rows, about) };
}

function toCell(value: IndexedFile['values'][number] | undefined): CellValue {
  return typeof value === 'bigint' ? Number(value) : (value ?? null);
}

function* withEnd(rows: Iterator<FileRow, undefined>, end: object): Generator<FileRow, object> {
  for (let step = rows.next(); step.done !== true; step = rows.next()) yield step.value;
  return end;
}

/** The names were checked before. */
function findColumns(names: readonly string[]): readonly IndexColumn[] {
  return names.map((name) => {
    const found = findColumn(name);
    if (!found.ok) throw new Error(`${name} ${found.message}`);
    return found.column;
  });
}

function withPath(columns: readonly IndexColumn[]): readonly IndexColumn[] {
  const path = findColumns(['path']);
  return [...path, ...columns.filter(({ name }) => name !== 'path')];
}

/** Different for every file of a series. */
const OF_INSTANCES: ReadonlySet<string> = new Set([
  'path',
  'label',
  'SOPInstanceUID',
  'InstanceNumber',
  'instance_number',
]);

function listUsual(level: TableLevel): readonly string[] {
  const names = listRecordColumns().map(({ name }) => name);
  return [...(level === 'file' ? names : names.filter((name) => !OF_INSTANCES.has(name))), ...USUAL_TAGS];
}

function listNamed(where: string): readonly string[] {
  const parsed = parseWhereOfFiles(where);
  return parsed.ok ? parsed.where.columns : [];
}
