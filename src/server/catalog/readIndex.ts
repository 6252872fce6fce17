import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { findInPlaces, openListed, type SourceRef } from '../origins/origins.ts';
import type { ByteSource } from '../origins/byteSource.ts';
import type { FileDescription } from './dicomFile.ts';
import { packFiles } from './fileColumns.ts';
import { matchesFilters } from './filter.ts';
import { describeRow, type IndexRow, RECORD_COLUMNS } from './indexColumns.ts';
import type { IndexRows, IndexRowsInput } from './indexTasks.ts';
import { parseWhere, type WhereClause } from './whereClause.ts';

export type IndexDescription = {
  readonly columns: readonly string[];
  /** The rows of each group, which are read together. */
  readonly groups: readonly { readonly from: number; readonly to: number }[];
};

/** Reads what an index has. Throws an Error with the reason if the file is none. */
export async function describeIndex(index: SourceRef): Promise<IndexDescription> {
  return withIndex(index, async (file) => {
    const { schema, row_groups: rowGroups } = await parquetMetadataAsync(file);
    const columns = schema.slice(1).map(({ name }) => name);
    const missing = RECORD_COLUMNS.find(({ name }) => !columns.includes(name));
    if (missing !== undefined)
      throw new Error(`it has no column ${missing.name}, so it was not written by negato index`);
    let to = 0;
    const groups = rowGroups.map(({ num_rows: rows }) => ({ from: to, to: (to += Number(rows)) }));
    return { columns, groups };
  });
}

/** Implements `readIndexRowsTask`. */
export async function readIndexRows(input: IndexRowsInput): Promise<IndexRows> {
  const { index, from, to, where, filters, places } = input;
  return withIndex(index, async (buffer) => {
    const metadata = await parquetMetadataAsync(buffer);
    const names = metadata.schema.slice(1).map(({ name }) => name);
    const condition = where === undefined ? undefined : requireWhere(where, names);
    const columns = [...new Set([...RECORD_COLUMNS.map(({ name }) => name), ...(condition?.columns ?? [])])];
    const rows: IndexRow[] = await parquetReadObjects({ file: buffer, metadata, columns, rowStart: from, rowEnd: to });
    const chosen = condition === undefined ? rows : rows.filter((row) => condition.test(row) === true);
    const files: FileDescription[] = [];
    const elsewhere: string[] = [];
    for (const row of chosen) {
      const file = describeRow(row);
      if (!matchesFilters(file, filters)) continue;
      const source = findInPlaces(file.source, places);
      if (source === undefined) elsewhere.push(file.path);
      else files.push({ ...file, source });
    }
    return { columns: packFiles(files), count: files.length, elsewhere };
  });
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
      // A copy, because the next read overwrites the bytes.
      return Uint8Array.from(source.read(start, end - start)).buffer;
    },
  };
}
