import { writeColumnName } from '../../../shared/columnNames.ts';
import type { WireTableRow } from '../../../shared/contract/tables.ts';
import { fetchTable } from '../../kit/api/table.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { CohortQuery, RowSelection } from './cohortQuery.ts';
import { addCondition, type splitCondition, writeColumnValue } from './conditionParts.ts';
import { wantedRowsOf } from './tableRows.ts';

/** What identifies a row in conditions. The id of a series is that of its study and its own (`/api/series`). */
const IDENTIFYING: Readonly<Record<TableLevel, (id: string) => readonly (readonly [column: string, value: string])[]>> =
  {
    file: (id) => [['path', id]],
    series(id) {
      const at = id.indexOf('/');
      return [
        ['StudyInstanceUID', id.slice(0, at)],
        ['SeriesInstanceUID', id.slice(at + 1)],
      ];
    },
    study: (id) => [['StudyInstanceUID', id]],
  };

/** A condition that only these rows meet. */
export function writeRowChoice(level: TableLevel, ids: Iterable<string>): string {
  const values = new Map<string, Set<string>>();
  for (const id of ids) {
    for (const [column, value] of IDENTIFYING[level](id)) {
      const known = values.get(column) ?? new Set();
      values.set(column, known.add(value));
    }
  }
  return [...values].map(([column, known]) => oneOf(column, [...known])).join(' and ');
}

function oneOf(column: string, values: readonly string[]): string {
  const written = values.map(writeColumnValue);
  const name = writeColumnName(column);
  return written.length === 1 ? `${name} = ${written.join()}` : `${name} in (${written.join(', ')})`;
}

type Parts = NonNullable<ReturnType<typeof splitCondition>>;

/** A condition for the selected rows among those that the query has. */
export function writeSelected(level: TableLevel, parts: Parts, { isAllBut, ids }: RowSelection): string {
  const [only] = parts;
  const all = parts.length <= 1 ? (only?.text ?? '') : parts.map(({ text }) => text).join(' and ');
  if (!isAllBut) return writeRowChoice(level, ids);
  return ids.size === 0 ? all : addCondition(parts, `not (${writeRowChoice(level, ids)})`);
}

/** The first of the selected rows, in the order of the table, whether they are on the screen or not. */
export async function fetchSelected(
  query: CohortQuery,
  where: string,
  limit: number,
): Promise<readonly WireTableRow[]> {
  const { rows } = await fetchTable(
    { ...wantedRowsOf(query), where, columns: [], group: undefined },
    { offset: 0, limit },
    new AbortController().signal,
  );
  return rows;
}
