import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadata,
  parquetRead,
  type RowGroup,
  type SchemaElement,
  snappyUncompress,
} from 'hyparquet';
import { findInPlaces, openListed, type SourceRef } from '../../bytes/origins/origins.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { matchesFilters, splitConditions } from '../../../shared/fileFilter.ts';
import { parseWhere, type WhereClause } from '../../../shared/whereClause.ts';
import { describeRow, type IndexColumn, type IndexRow, recordColumns } from './indexColumns.ts';
import type { IndexRows, IndexRowsInput } from './indexTasks.ts';
import { type StoredRange, mayHold } from './mayHold.ts';
import { packResults, type ScanResult } from './scanResult.ts';

export type IndexDescription = {
  readonly columns: readonly string[];
  /** Rows that are read together: a group of the table, or a part of a long one. Without groups that cannot meet the condition. */
  readonly parts: readonly { readonly from: number; readonly to: number }[];
};

/** As many as `negato index` writes into a group. */
const ROWS_AT_ONCE = 8_192;
/** The pages of a group are unpacked again for each part of it. DuckDB writes 122,880 rows into a group. */
const MOST_ROWS_OF_GROUP = 131_072;
/** Of all groups. More files cannot be open. */
const MOST_ROWS = 10_000_000;
const MOST_GROUPS = 100_000;
/** Of the description at the end of the file, and of one page after unpacking. */
const MOST_METADATA_BYTES = 32 * 2 ** 20;
const MOST_PAGE_BYTES = 64 * 2 ** 20;
/** Magic number and length of the description, at the end of the file. */
const FOOTER_BYTES = 8;

/**
 * Reads what an index has. Throws an Error with the reason if the file is none, or if it cannot be read in parts. A condition
 * that is wrong chooses all rows.
 */
export async function describeIndex(index: SourceRef, where?: string): Promise<IndexDescription> {
  return withIndex(index, async (file) => {
    const metadata = await readMetadata(file);
    const { schema, row_groups: rowGroups } = metadata;
    for (const column of recordColumns()) requireColumn(column, schema);
    if (rowGroups.length > MOST_GROUPS) throw new Error(`it has more than ${MOST_GROUPS} row groups`);
    const columns = listColumns(schema);
    const parsed = where === undefined ? undefined : parseWhere(where, columns);
    const condition = parsed?.ok === true ? parsed.where : undefined;
    const parts: { from: number; to: number }[] = [];
    let start = 0;
    for (const group of rowGroups) {
      const rows = Number(group.num_rows);
      if (!(Number.isSafeInteger(rows) && rows >= 0)) throw new Error('a row group has no number of rows');
      if (rows > MOST_ROWS_OF_GROUP) {
        const limit = `write row groups of at most ${MOST_ROWS_OF_GROUP} rows (row_group_size of DuckDB and pyarrow)`;
        throw new Error(`a row group has ${rows} rows; ${limit}`);
      }
      const end = start + rows;
      if (end > MOST_ROWS) throw new Error(`it has more than ${MOST_ROWS} rows`);
      if (condition === undefined || mayHold(condition.node, (name) => findRange(group, name))) {
        for (let from = start; from < end; from += ROWS_AT_ONCE) {
          parts.push({ from, to: Math.min(from + ROWS_AT_ONCE, end) });
        }
      }
      start = end;
    }
    return { columns, parts };
  });
}

/** Undefined if the group says nothing about the values of the column. */
function findRange({ columns, num_rows: rows }: RowGroup, name: string): StoredRange | undefined {
  const of = columns.find((column) => column.meta_data?.path_in_schema[0] === name)?.meta_data?.statistics;
  if (of === undefined) return undefined;
  const absent = of.null_count === undefined ? undefined : Number(of.null_count);
  // Not `min` and `max`, whose order of texts differs from writer to writer.
  return { rows: Number(rows), absent, smallest: of.min_value, largest: of.max_value };
}

/** Implements `readIndexRowsTask`. */
export async function readIndexRows(input: IndexRowsInput): Promise<IndexRows> {
  const { index, from, to, filters: conditions, places } = input;
  const { filters, where } = splitConditions(conditions);
  return withIndex(index, async (file) => {
    const metadata = await readMetadata(file);
    const condition = where === undefined ? undefined : requireWhere(where, listColumns(metadata.schema));
    const read = (names: readonly string[]) => readColumns(file, metadata, { names, from, to });
    // The other columns are unpacked only if there is a row to make of them.
    const chosen = [...chooseRows(await read(condition?.columns ?? []), { from, to, condition })];
    const columns: Columns = chosen.length === 0 ? new Map() : await read(recordColumns().map(({ name }) => name));
    const results: ScanResult[] = [];
    const elsewhere: string[] = [];
    for (const row of chosen) {
      const described = describeRow(rowOf(columns, row));
      if ('problem' in described) {
        results.push({ disposition: 'skipped', path: described.path, reason: 'index_damaged' });
        continue;
      }
      if (!matchesFilters(described, filters)) continue;
      const source = findInPlaces(described.source, places);
      if (source === undefined) elsewhere.push(described.path);
      else results.push({ disposition: 'selected', file: { ...described, source } });
    }
    return { results: packResults(results), elsewhere };
  });
}

/** Columns of some rows, by their names. One without pieces has no values there. */
type Columns = ReadonlyMap<string, readonly ColumnPiece[]>;
type ColumnPiece = { readonly from: number; readonly to: number; readonly values: ArrayLike<unknown> };

async function readColumns(
  file: AsyncBuffer,
  metadata: FileMetaData,
  { names, from, to }: { readonly names: readonly string[]; readonly from: number; readonly to: number },
): Promise<Columns> {
  const columns = new Map(names.map((name) => [name, [] as ColumnPiece[]]));
  const filled = listFilled(metadata, { names, from, to });
  if (filled.length === 0) return columns;
  await parquetRead({
    file,
    metadata,
    columns: filled,
    rowStart: from,
    rowEnd: to,
    compressors: { SNAPPY: unpackPage },
    onChunk({ columnName, columnData, rowStart, rowEnd }) {
      columns.get(columnName)?.push({ from: rowStart, to: rowEnd, values: columnData });
    },
  });
  return columns;
}

/** The columns that have a value in these rows, as far as their group says. */
function listFilled(
  { row_groups: groups }: FileMetaData,
  { names, from, to }: { readonly names: readonly string[]; readonly from: number; readonly to: number },
): string[] {
  let start = 0;
  const filled = new Set<string>();
  for (const group of groups) {
    const end = start + Number(group.num_rows);
    if (end > from && start < to) {
      for (const name of names) if (findRange(group, name)?.absent !== end - start) filled.add(name);
    }
    start = end;
  }
  return [...filled];
}

/** `row` counts from the beginning of the table. */
function rowOf(columns: Columns, row: number): IndexRow {
  const values: Record<string, unknown> = {};
  for (const [name, pieces] of columns) {
    const piece = pieces.find(({ from, to }) => row >= from && row < to);
    values[name] = piece?.values[row - piece.from] ?? null;
  }
  return values;
}

function* chooseRows(columns: Columns, { from, to, condition }: Chosen): Generator<number> {
  for (let row = from; row < to; row += 1) {
    if (condition === undefined || condition.test(rowOf(columns, row)) === true) yield row;
  }
}

type Chosen = { readonly from: number; readonly to: number; readonly condition: WhereClause | undefined };

/** A page says how long it will be, and memory is taken for it before it is unpacked. */
function unpackPage(packed: Uint8Array, bytes: number): Uint8Array {
  if (!(bytes >= 0 && bytes <= MOST_PAGE_BYTES)) throw new Error(`a page takes more than ${MOST_PAGE_BYTES} bytes`);
  const page = new Uint8Array(bytes);
  snappyUncompress(packed, page);
  return page;
}

/** What this thread has parsed last: taking a long description apart takes as long as reading thousands of rows. */
let parsedLast: { readonly bytes: Buffer; readonly metadata: WeakRef<FileMetaData> } | undefined;

async function readMetadata(file: AsyncBuffer): Promise<FileMetaData> {
  const footer = new DataView(await file.slice(Math.max(0, file.byteLength - FOOTER_BYTES)));
  if (footer.byteLength < FOOTER_BYTES) throw new Error('it is no Parquet file');
  const length = footer.getUint32(0, true);
  if (length > MOST_METADATA_BYTES) throw new Error(`its description has more than ${MOST_METADATA_BYTES} bytes`);
  const bytes = Buffer.from(await file.slice(Math.max(0, file.byteLength - FOOTER_BYTES - length)));
  const known = parsedLast?.bytes.equals(bytes) === true ? parsedLast.metadata.deref() : undefined;
  if (known !== undefined) return known;
  const metadata = parquetMetadata(bytes, { geoparquet: false });
  parsedLast = { bytes, metadata: new WeakRef(metadata) };
  return metadata;
}

/** The physical types that hold the values of a column. Other programs may store numbers in another width. */
const PHYSICAL: Readonly<Record<IndexColumn['type'], readonly unknown[]>> = {
  STRING: ['BYTE_ARRAY'],
  BOOLEAN: ['BOOLEAN'],
  INT32: ['INT32', 'INT64', 'DOUBLE'],
  INT64: ['INT32', 'INT64', 'DOUBLE'],
  DOUBLE: ['DOUBLE', 'FLOAT', 'INT32', 'INT64'],
};

function requireColumn({ name, type }: IndexColumn, schema: readonly SchemaElement[]): void {
  const [found, second] = schema.slice(1).filter((element) => element.name === name);
  if (found === undefined) throw new Error(`it has no column ${name}, so it was not written by negato index`);
  const isList = found.repetition_type === 'REPEATED' || (found.num_children ?? 0) > 0;
  if (second !== undefined || isList || !PHYSICAL[type].includes(found.type)) {
    throw new Error(`its column ${name} has another type than negato index writes`);
  }
}

function listColumns(schema: readonly SchemaElement[]): string[] {
  return schema.slice(1).map(({ name }) => name);
}

function requireWhere(text: string, columns: readonly string[]): WhereClause {
  const parsed = parseWhere(text, columns);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.where;
}

async function withIndex<Result>(index: SourceRef, use: (file: AsyncBuffer) => Promise<Result>): Promise<Result> {
  const opened = openListed(index);
  try {
    return await use(toAsyncBuffer(opened));
  } finally {
    opened.close();
  }
}

function toAsyncBuffer(source: ByteSource): AsyncBuffer {
  return {
    byteLength: source.size,
    slice(start, end = source.size) {
      if (!(start >= 0 && start <= end && end <= source.size)) throw new Error('it names bytes that it does not have');
      // A copy, because the next read overwrites the bytes.
      return Uint8Array.from(source.read(start, end - start)).buffer;
    },
  };
}
