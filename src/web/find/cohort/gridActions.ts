import type { Page } from '../../kit/state/page.ts';
import type { ColumnOrder } from './cohortQuery.ts';
import { type GridColumns, LEAST_COLUMN_PX, MOST_COLUMN_PX } from './gridColumns.ts';
import { changeQuery, queryOf } from './query.ts';

/** Ascending, then descending, then as the rows are. With `adds`, rows that are equal in the columns before are sorted. */
export function sortBy(page: Page, name: string, adds: boolean): void {
  const { sort } = queryOf(page).getState();
  const known = sort.find(({ column }) => column === name);
  const isOnly = known !== undefined && sort.length === 1;
  if (!adds && !isOnly) {
    changeQuery(page, { sort: [{ column: name, isDescending: false }] });
    return;
  }
  const others = sort.filter((key) => key !== known);
  if (known === undefined) changeQuery(page, { sort: [...others, { column: name, isDescending: false }] });
  else if (known.isDescending) changeQuery(page, { sort: others });
  else changeQuery(page, { sort: sort.map((key) => (key === known ? { ...key, isDescending: true } : key)) });
}

export function sortOnlyBy(page: Page, key: ColumnOrder): void {
  changeQuery(page, { sort: [key] });
}

export function showColumn(page: Page, name: string): void {
  const { columns } = queryOf(page).getState();
  if (!columns.includes(name)) changeQuery(page, { columns: [...columns, name] });
}

/** The last one stays, because a table without columns shows nothing. */
export function hideColumn(page: Page, name: string): void {
  const { columns } = queryOf(page).getState();
  if (columns.length > 1) changeQuery(page, { columns: columns.filter((one) => one !== name) });
}

/** Moves a column to another place, from 0. */
export function moveColumn(page: Page, name: string, to: number): void {
  const { columns } = queryOf(page).getState();
  const others = columns.filter((one) => one !== name);
  if (others.length < columns.length) changeQuery(page, { columns: others.toSpliced(to, 0, name) });
}

export function setColumnWidth(page: Page, name: string, widthPx: number): void {
  const { widths } = queryOf(page).getState();
  const width = Math.round(Math.min(MOST_COLUMN_PX, Math.max(LEAST_COLUMN_PX, widthPx)));
  changeQuery(page, { widths: new Map(widths).set(name, width) });
}

export function widenColumn(page: Page, { columns }: GridColumns, name: string, byPx: number): void {
  const column = columns.find((one) => one.name === name);
  if (column !== undefined) setColumnWidth(page, name, column.widthPx + byPx);
}

export function groupBy(page: Page, name: string | undefined): void {
  changeQuery(page, { group: name });
}
