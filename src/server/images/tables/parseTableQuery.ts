import { splitColumnNames } from '../../../shared/columnNames.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { parseWhere } from '../../../shared/whereClause.ts';
import type { RowsQuery, SortStep } from './tableQuery.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';

/** What a client asks of a table, as texts. */
export type GivenTableQuery = {
  readonly level?: TableLevel | undefined;
  readonly columns?: string | undefined;
  readonly where?: string | undefined;
  readonly sort?: string | undefined;
  readonly group?: string | undefined;
};

export type CheckedQuery = RowsQuery & {
  readonly columns: readonly string[];
  /** All columns that the answer depends on. */
  readonly used: ReadonlySet<string>;
};

export type KnownTable = {
  /** Finds a column by a name that is written in a query. */
  readonly find: (written: string) => string | undefined;
  readonly all: readonly string[];
  readonly usual: readonly string[];
};

const MOST_COLUMNS = 200;
const MOST_SORTS = 16;
/** Every column of the table. */
const ALL = '*';

/** Checks a query against the columns of a table. Throws `invalid_query`. */
export function parseTableQuery(given: GivenTableQuery, table: KnownTable): CheckedQuery {
  const { level = 'file', where } = given;
  const columns = parseColumns(given.columns, table);
  const sort = parseSort(given.sort, table);
  const group = given.group === undefined ? undefined : parseGroup(given.group, table);
  const conditions = where === undefined ? [] : listColumnsOf(where, table);
  const used = new Set([...columns, ...sort.map(({ name }) => name), ...(group ?? []), ...conditions]);
  return { level, where, columns, sort, group: group?.[0], used };
}

function parseColumns(text: string | undefined, table: KnownTable): readonly string[] {
  if (text === undefined) return table.usual;
  const names = splitColumnNames(text).flatMap((name) =>
    name === ALL ? table.all : requireColumn(name, 'columns', table),
  );
  const columns = [...new Set(names)];
  if (columns.length > MOST_COLUMNS && text !== ALL) throw invalid(`columns: more than ${MOST_COLUMNS} columns`);
  return columns;
}

function parseSort(text: string | undefined, table: KnownTable): readonly SortStep[] {
  if (text === undefined) return [];
  const keys = splitColumnNames(text).map((written) => {
    const isDescending = written.startsWith('-');
    return { name: requireColumn(isDescending ? written.slice(1) : written, 'sort', table), isDescending };
  });
  if (keys.length > MOST_SORTS) throw invalid(`sort: more than ${MOST_SORTS} columns`);
  return keys;
}

function parseGroup(text: string, table: KnownTable): readonly [string] {
  const [name, second] = splitColumnNames(text);
  if (name === undefined || second !== undefined) throw invalid('group: one column');
  return [requireColumn(name, 'group', table)];
}

function listColumnsOf(where: string, { find }: KnownTable): readonly string[] {
  const parsed = parseWhere(where, find);
  if (parsed.ok) return parsed.where.columns;
  const hint = parsed.unknown === undefined ? '' : `; ${HINT}`;
  throw invalid(`where, character ${parsed.at + 1}: ${parsed.message}${hint}`);
}

const HINT = 'PUT /api/columns reads elements of the files';

function requireColumn(written: string, parameter: string, { find }: KnownTable): string {
  const name = find(written);
  if (name !== undefined) return name;
  throw invalid(`${parameter}: there is no column ${JSON.stringify(written)}; ${HINT}`);
}

function invalid(message: string): ViewerError {
  return new ViewerError('invalid_query', message);
}
