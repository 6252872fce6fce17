import type { LevelColumn, TableData } from './tableData.ts';
import type { RowsQuery } from './tableQuery.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { Members } from './tableRows.ts';

/** Where a row belongs by one column: a whole number for each row of the level, all of them below `count`. */
export type RowKeys = { readonly keys: Uint32Array; readonly count: number };

/** Orders rows by a query. Rows that are equal in all of it stay in their order. */
export function orderRows(data: TableData, chosen: Uint32Array, { level, sort, group }: RowsQuery): Uint32Array {
  let order = chosen;
  const isDown = new Map(sort.map(({ name, isDescending }) => [name, isDescending]));
  // The last key first, because every step keeps the order of rows that are equal in it.
  for (const { name, isDescending } of sort.toReversed()) {
    order = sortByKeys(order, findSortKeys(data, name, level, isDescending));
  }
  return group === undefined ? order : sortByKeys(order, findGroupKeys(data, group, level, isDown.get(group) === true));
}

/** By the lowest value of a row, or downwards by its highest. Rows without a value are last in both directions. */
function findSortKeys(data: TableData, name: string, level: TableLevel, isDescending: boolean): RowKeys {
  const { low, high, values } = findRange(data, name, level);
  const count = values + 1;
  if (!isDescending) return { keys: low, count };
  const keys = new Uint32Array(low.length);
  for (let row = 0; row < keys.length; row += 1) keys[row] = low[row] === values ? values : values - 1 - high[row]!;
  return { keys, count };
}

/** Behind the groups of single values those of rows whose files have several, and of rows without a value. */
export function findGroupKeys(data: TableData, name: string, level: TableLevel, isDescending = false): RowKeys {
  const { low, high, values } = findRange(data, name, level);
  const keys = new Uint32Array(low.length);
  for (let row = 0; row < keys.length; row += 1) {
    if (low[row] === values) keys[row] = values + 1;
    else if (low[row] !== high[row]) keys[row] = values;
    else keys[row] = isDescending ? values - 1 - low[row]! : low[row]!;
  }
  return { keys, count: values + 2 };
}

/** The rank of the lowest and of the highest value of each row. Both are `values`, their number, without any. */
function findRange(data: TableData, name: string, level: TableLevel) {
  const { column, isOfRows } = data.column(name, level);
  const { rows } = data;
  const ranks = column.ranks();
  const values = column.distinct;
  const low = new Uint32Array(rows.rowCount(level)).fill(values);
  if (isOfRows || level === 'file') {
    for (let row = 0; row < low.length; row += 1) low[row] = ranks[column.codeAt(row)]!;
    return { low, high: low, values };
  }
  const high = low.slice();
  for (let file = 0; file < rows.count; file += 1) {
    const code = column.codeAt(file);
    if (code === 0 || rows.isGone(file)) continue;
    const row = rows.rowOf(level, file);
    const rank = ranks[code]!;
    if (low[row] === values) {
      low[row] = rank;
      high[row] = rank;
    } else if (rank < low[row]!) low[row] = rank;
    else if (rank > high[row]!) high[row] = rank;
  }
  return { low, high, values };
}

/** Counts how many rows have each key, so that the time does not depend on their order. */
function sortByKeys(order: Uint32Array, { keys, count }: RowKeys): Uint32Array {
  const starts = new Uint32Array(count + 1);
  for (const row of order) starts[keys[row]! + 1]! += 1;
  for (let key = 0; key < count; key += 1) starts[key + 1]! += starts[key]!;
  const sorted = new Uint32Array(order.length);
  for (const row of order) sorted[starts[keys[row]!]!++] = row;
  return sorted;
}

/** Calls back with each different code of a row, 0 if a file has no value. */
export function eachCode(
  { column, isOfRows }: LevelColumn,
  row: number,
  members: Members | undefined,
  visit: (code: number) => void,
): void {
  if (isOfRows || members === undefined) {
    visit(column.codeAt(row));
    return;
  }
  const { starts, files } = members;
  const [from, to] = [starts[row]!, starts[row + 1]!];
  const first = column.codeAt(files[from]!);
  visit(first);
  // Most rows have one value.
  let seen: Set<number> | undefined;
  for (let at = from + 1; at < to; at += 1) {
    const code = column.codeAt(files[at]!);
    if (code === first || seen?.has(code) === true) continue;
    (seen ??= new Set()).add(code);
    visit(code);
  }
}
