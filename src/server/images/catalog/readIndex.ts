import type { SchemaElement } from 'hyparquet';
import { findInPlaces, type KnownSource, type SourceRef } from '../../bytes/origins/origins.ts';
import { matchesFilters, splitConditions } from '../../../shared/fileFilter.ts';
import { parseWhere, type WhereClause } from '../../../shared/whereClause.ts';
import type { FileDescription } from './dicomFile.ts';
import { createFileReader, type IndexColumn, recordColumnTypes } from './indexColumns.ts';
import type { IndexRows, IndexRowsInput } from './indexTasks.ts';
import { mayHold } from './mayHold.ts';
import type { ParquetFooter } from './parquetFooter.ts';
import {
  type Columns,
  findStoredRange,
  listStoredColumns,
  listValues,
  readStoredColumns,
  type RowSpan,
  withTable,
} from './parquetTable.ts';
import { packResults, type ScanResult } from './scanResult.ts';

export type IndexDescription = {
  readonly columns: readonly string[];
  /** Rows that are read together: a group of the table, or a part of a long one. Without groups that cannot meet the condition. */
  readonly parts: readonly RowSpan[];
};

/** As many as `negato index` writes into a group. */
const ROWS_AT_ONCE = 8_192;
/** The pages of a group are unpacked again for each part of it. DuckDB writes 122,880 rows into a group. */
const MOST_ROWS_OF_GROUP = 131_072;
/** Of all groups. More files cannot be open. */
export const MOST_INDEX_ROWS = 10_000_000;
const MOST_GROUPS = 100_000;

/**
 * Reads what an index has. Throws an Error with the reason if the file is none, or if it cannot be read in parts. A condition
 * that is wrong chooses all rows.
 */
export async function describeIndex(index: SourceRef, where?: string): Promise<IndexDescription> {
  return withTable(index, async ({ footer }) => {
    const columns = listStoredColumns(footer.schema);
    const parsed = where === undefined ? undefined : parseWhere(where, columns);
    return { columns, parts: listParts(footer, parsed?.ok === true ? parsed.where : undefined) };
  });
}

/** The parts of an index whose values may meet the condition. Throws an Error with the reason if it cannot be read in parts. */
export function listParts(footer: ParquetFooter, condition?: WhereClause): RowSpan[] {
  const { schema, groupRows } = footer;
  for (const column of recordColumnTypes()) requireColumn(column, schema);
  if (groupRows.length > MOST_GROUPS) throw new Error(`it has more than ${MOST_GROUPS} row groups`);
  const parts: RowSpan[] = [];
  const groups = condition && footer.describeColumns(condition.columns).row_groups;
  let start = 0;
  for (const [at, rows] of groupRows.entries()) {
    if (!(Number.isSafeInteger(rows) && rows >= 0)) throw new Error('a row group has no number of rows');
    if (rows > MOST_ROWS_OF_GROUP) {
      const limit = `write row groups of at most ${MOST_ROWS_OF_GROUP} rows (row_group_size of DuckDB and pyarrow)`;
      throw new Error(`a row group has ${rows} rows; ${limit}`);
    }
    const end = start + rows;
    if (end > MOST_INDEX_ROWS) throw new Error(`it has more than ${MOST_INDEX_ROWS} rows`);
    const group = groups?.[at];
    if (
      condition === undefined ||
      group === undefined ||
      mayHold(condition.node, (name) => findStoredRange(group, name))
    ) {
      for (let from = start; from < end; from += ROWS_AT_ONCE) {
        parts.push({ from, to: Math.min(from + ROWS_AT_ONCE, end) });
      }
    }
    start = end;
  }
  return parts;
}

/** Implements `readIndexRowsTask`. */
export async function readIndexRows(input: IndexRowsInput): Promise<IndexRows> {
  const { index, from, to, filters: conditions, places } = input;
  const { filters, where } = splitConditions(conditions);
  return withTable(index, async (table) => {
    const condition = where === undefined ? undefined : requireWhere(where, listStoredColumns(table.footer.schema));
    const span = { from, to };
    const read = (names: readonly string[]) => readStoredColumns(table, names, span);
    // The other columns are unpacked only if there is a row to make of them.
    const chosen = condition === undefined ? undefined : chooseRows(await read(condition.columns), { span, condition });
    const columns: Columns = chosen?.length === 0 ? new Map() : await read(recordColumnTypes().map(({ name }) => name));
    const describeRow = createFileReader((name) => listValues(columns, name, span));
    const results: ScanResult[] = [];
    const elsewhere: string[] = [];
    for (const row of chosen ?? Array.from({ length: to - from }, (_, at) => at)) {
      const described = describeRow(row);
      if ('problem' in described) {
        results.push({ disposition: 'skipped', path: described.path, reason: 'index_damaged' });
        continue;
      }
      if (!matchesFilters(described, filters)) continue;
      const source = findInPlaces(described.source, places);
      if (source === undefined) elsewhere.push(described.path);
      else results.push({ disposition: 'selected', file: placeAt(described, source) });
    }
    return { results: packResults(results), elsewhere };
  });
}

function placeAt(file: FileDescription, source: KnownSource): FileDescription {
  return source === file.source ? file : Object.assign(file, { source });
}

/** The rows that meet the condition, counted from the first one. */
function chooseRows(
  columns: Columns,
  { span, condition }: { readonly span: RowSpan; readonly condition: WhereClause },
): number[] {
  const read = condition.columns.map((name) => ({ name, values: listValues(columns, name, span) }));
  // One object for all rows, which nobody keeps.
  const values: Record<string, unknown> = {};
  const chosen: number[] = [];
  for (let row = 0; row < span.to - span.from; row += 1) {
    for (const column of read) values[column.name] = column.values?.[row] ?? null;
    if (condition.test(values) === true) chosen.push(row);
  }
  return chosen;
}

/** The physical types that hold the values of a column. Other programs may store numbers in another width. */
const PHYSICAL: Readonly<Record<IndexColumn['type'], readonly unknown[]>> = {
  STRING: ['BYTE_ARRAY'],
  BOOLEAN: ['BOOLEAN'],
  INT32: ['INT32', 'INT64', 'DOUBLE'],
  INT64: ['INT32', 'INT64', 'DOUBLE'],
  DOUBLE: ['DOUBLE', 'FLOAT', 'INT32', 'INT64'],
};

function requireColumn({ name, type }: Pick<IndexColumn, 'name' | 'type'>, schema: readonly SchemaElement[]): void {
  const [found, second] = schema.slice(1).filter((element) => element.name === name);
  if (found === undefined) throw new Error(`it has no column ${name}, so it was not written by negato index`);
  const isList = found.repetition_type === 'REPEATED' || (found.num_children ?? 0) > 0;
  if (second !== undefined || isList || !PHYSICAL[type].includes(found.type)) {
    throw new Error(`its column ${name} has another type than negato index writes`);
  }
}

function requireWhere(text: string, columns: readonly string[]): WhereClause {
  const parsed = parseWhere(text, columns);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.where;
}
