import type { WireTableCell, WireTableGroup, WireTableRow } from '../../../shared/contract/tables.ts';
import type { EncodedColumn } from './encodedColumn.ts';
import { eachCode, findGroupKeys } from './orderRows.ts';
import type { LevelColumn, TableData } from './tableData.ts';
import type { PageQuery, RowsQuery } from './tableQuery.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { Members } from './tableRows.ts';

/** Of the rows of a page as JSON. A page whose texts are longer ends early. */
const MOST_LENGTH = 8 * 2 ** 20;

/** The groups and the rows of a page, as JSON. `order` has all rows that were chosen. */
export function* writePage(
  data: TableData,
  order: Uint32Array,
  query: PageQuery,
  groups: readonly WireTableGroup[] | null,
): Generator<string, void> {
  const { level, columns, offset, limit } = query;
  const read = createRowReader(data, level, columns);
  let length = 0;
  yield `"groups":${JSON.stringify(groups)},"rows":[`;
  for (const row of order.subarray(offset, offset + limit)) {
    if (length > MOST_LENGTH) break;
    const text = JSON.stringify(read(row));
    yield length === 0 ? text : `,${text}`;
    length += text.length;
  }
  yield ']';
}

/** A function that reads one row after another. */
export function createRowReader(
  data: TableData,
  level: TableLevel,
  columns: readonly string[],
): (row: number) => WireTableRow {
  const { rows } = data;
  const members = level === 'file' ? undefined : rows.members(level);
  const readers = level === 'file' ? columns.map((name) => data.reader(name)) : [];
  const ofLevel = level === 'file' ? [] : columns.map((name) => data.column(name, level));
  return (row) => {
    const file = rows.opening(level, row);
    const { path, studyInstanceUid, seriesInstanceUid } = rows.file(file);
    const series = seriesInstanceUid === '' ? null : `${studyInstanceUid}/${seriesInstanceUid}`;
    const cells =
      members === undefined
        ? readers.map((read) => read(file))
        : ofLevel.map((column) => readCell(column, row, members));
    return {
      id: level === 'file' ? path : level === 'series' ? (series ?? path) : studyInstanceUid,
      file,
      files: members === undefined ? 1 : members.starts[row + 1]! - members.starts[row]!,
      series,
      study: studyInstanceUid === '' ? null : studyInstanceUid,
      cells,
    };
  };
}

/** A single value, or how values differ within the row. */
function readCell(levelColumn: LevelColumn, row: number, members: Members): WireTableCell {
  const { column } = levelColumn;
  let isMissing = false;
  let [low, high, distinct] = [0, 0, 0];
  const codes: number[] = [];
  eachCode(levelColumn, row, members, (code) => {
    if (code === 0) isMissing = true;
    else codes.push(code);
  });
  if (codes.length === 0) return null;
  if (codes.length === 1 && !isMissing) return column.valueOf(codes[0]!);
  const ranks = column.ranks();
  for (const code of codes) {
    distinct += 1;
    if (low === 0 || ranks[code]! < ranks[low]!) low = code;
    if (high === 0 || ranks[code]! > ranks[high]!) high = code;
  }
  return { distinct, min: column.valueOf(low)!, max: column.valueOf(high)!, is_missing: isMissing };
}

/** More groups are no way to look at a table. */
export const MOST_GROUPS = 10_000;

/** The groups of all rows, in their order. Undefined if they are too many. */
export function listGroups(
  data: TableData,
  order: Uint32Array,
  { level, group }: Pick<RowsQuery, 'level' | 'group'>,
): readonly WireTableGroup[] | null | undefined {
  if (group === undefined) return null;
  const { column } = data.column(group, level);
  const { keys } = findGroupKeys(data, group, level);
  const groups: { value: WireTableGroup['value']; is_varying: boolean; count: number }[] = [];
  let last: number | undefined;
  for (const row of order) {
    const key = keys[row]!;
    if (key !== last) {
      if (groups.length === MOST_GROUPS) return undefined;
      groups.push({ ...nameGroup(column, key), count: 0 });
    }
    groups.at(-1)!.count += 1;
    last = key;
  }
  return groups;
}

function nameGroup(column: EncodedColumn, key: number): Omit<WireTableGroup, 'count'> {
  const code = column.inOrder()[key];
  return { value: code === undefined ? null : column.valueOf(code), is_varying: key === column.distinct };
}
