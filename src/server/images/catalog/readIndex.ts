import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
  snappyUncompress,
} from 'hyparquet';
import { findInPlaces, openListed, type SourceRef } from '../../bytes/origins/origins.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { matchesFilters, splitConditions } from '../../../shared/fileFilter.ts';
import { parseWhere, type WhereClause } from '../../../shared/whereClause.ts';
import { describeRow, type IndexColumn, type IndexRow, recordColumns } from './indexColumns.ts';
import type { IndexRows, IndexRowsInput } from './indexTasks.ts';
import { packResults, type ScanResult } from './scanResult.ts';

export type IndexDescription = {
  readonly columns: readonly string[];
  /** Rows that are read together: a group of the table, or a part of a long one. */
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

/** Reads what an index has. Throws an Error with the reason if the file is none, or if it cannot be read in parts. */
export async function describeIndex(index: SourceRef): Promise<IndexDescription> {
  return withIndex(index, async (file) => {
    const { schema, row_groups: rowGroups } = await readMetadata(file);
    for (const column of recordColumns()) requireColumn(column, schema);
    if (rowGroups.length > MOST_GROUPS) throw new Error(`it has more than ${MOST_GROUPS} row groups`);
    const parts: { from: number; to: number }[] = [];
    let start = 0;
    for (const { num_rows: declared } of rowGroups) {
      const rows = Number(declared);
      if (!(Number.isSafeInteger(rows) && rows >= 0)) throw new Error('a row group has no number of rows');
      if (rows > MOST_ROWS_OF_GROUP) {
        const limit = `write row groups of at most ${MOST_ROWS_OF_GROUP} rows (row_group_size of DuckDB and pyarrow)`;
        throw new Error(`a row group has ${rows} rows; ${limit}`);
      }
      const end = start + rows;
      if (end > MOST_ROWS) throw new Error(`it has more than ${MOST_ROWS} rows`);
      for (let from = start; from < end; from += ROWS_AT_ONCE) {
        parts.push({ from, to: Math.min(from + ROWS_AT_ONCE, end) });
      }
      start = end;
    }
    return { columns: listColumns(schema), parts };
  });
}

/** Implements `readIndexRowsTask`. */
export async function readIndexRows(input: IndexRowsInput): Promise<IndexRows> {
  const { index, from, to, filters: conditions, places } = input;
  const { filters, where } = splitConditions(conditions);
  return withIndex(index, async (file) => {
    const metadata = await readMetadata(file);
    const condition = where === undefined ? undefined : requireWhere(where, listColumns(metadata.schema));
    const columns = [...new Set([...recordColumns().map(({ name }) => name), ...(condition?.columns ?? [])])];
    const rows: IndexRow[] = await parquetReadObjects({
      file,
      metadata,
      columns,
      rowStart: from,
      rowEnd: to,
      compressors: { SNAPPY: unpackPage },
    });
    const chosen = condition === undefined ? rows : rows.filter((row) => condition.test(row) === true);
    const results: ScanResult[] = [];
    const elsewhere: string[] = [];
    for (const row of chosen) {
      const described = describeRow(row);
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

/** A page says how long it will be, and memory is taken for it before it is unpacked. */
function unpackPage(packed: Uint8Array, bytes: number): Uint8Array {
  if (!(bytes >= 0 && bytes <= MOST_PAGE_BYTES)) throw new Error(`a page takes more than ${MOST_PAGE_BYTES} bytes`);
  const page = new Uint8Array(bytes);
  snappyUncompress(packed, page);
  return page;
}

async function readMetadata(file: AsyncBuffer): Promise<FileMetaData> {
  const footer = new DataView(await file.slice(Math.max(0, file.byteLength - FOOTER_BYTES)));
  if (footer.byteLength < FOOTER_BYTES) throw new Error('it is no Parquet file');
  const length = footer.getUint32(0, true);
  if (length > MOST_METADATA_BYTES) throw new Error(`its description has more than ${MOST_METADATA_BYTES} bytes`);
  return parquetMetadataAsync(file);
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
