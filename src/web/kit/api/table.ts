import { joinColumnNames } from '../../../shared/columnNames.ts';
import type { ColumnsResponse, TableResponse, TableSummaryResponse } from '../../../shared/contract/tables.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import { fetchNamed } from './exports.ts';
import { fetchJson } from './send.ts';

/** Which rows of the table are wanted, in which order, and what of them. */
export type WantedRows = {
  /** What a row is. */
  readonly level: TableLevel;
  readonly where: string;
  readonly columns: readonly string[];
  readonly sort: readonly { readonly column: string; readonly isDescending: boolean }[];
  readonly group: string | undefined;
};

export type RowRange = { readonly offset: number; readonly limit: number };

export function fetchColumns(signal: AbortSignal): Promise<ColumnsResponse> {
  return fetchJson('api/columns', { signal });
}

/** Has these elements read from all files: they are columns from then on, in place of those that were there before. */
export function readColumns(paths: readonly string[]): Promise<ColumnsResponse> {
  return fetchJson('api/columns', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ paths }),
  });
}

/** Columns that are still being read have what is known so far. */
export function fetchTable(
  query: WantedRows,
  { offset, limit }: RowRange,
  signal: AbortSignal,
): Promise<TableResponse> {
  const range = new URLSearchParams({ offset: String(offset), limit: String(limit), partial: '1' });
  return fetchJson(`api/table?${formatWantedRows(query)}&${range}`, { signal });
}

export type WantedSummary = Pick<WantedRows, 'level' | 'where' | 'columns'>;

export function fetchTableSummary(query: WantedSummary, signal: AbortSignal): Promise<TableSummaryResponse> {
  return fetchJson(`api/table/summary?${formatWantedRows({ ...query, sort: [], group: undefined })}&partial=1`, {
    signal,
  });
}

export const TABLE_FILE_FORMATS = ['csv', 'jsonl', 'parquet'] as const;
export type TableFileFormat = (typeof TABLE_FILE_FORMATS)[number];

/** All rows of the table, as a file. */
export function fetchTableFile(query: WantedRows, format: TableFileFormat) {
  return fetchNamed(`api/table.${format}?${formatWantedRows(query)}`);
}

function formatWantedRows({ level, where, columns, sort, group }: WantedRows): string {
  const query = new URLSearchParams({ level });
  if (where.trim() !== '') query.set('where', where);
  if (columns.length > 0) query.set('columns', joinColumnNames(columns));
  const keys = sort.map(({ column, isDescending }) => (isDescending ? '-' : '') + joinColumnNames([column]));
  if (keys.length > 0) query.set('sort', keys.join());
  if (group !== undefined) query.set('group', group);
  return query.toString();
}
