import { TABLE_LEVELS } from '../../../shared/tableLevel.ts';
import {
  AT_TOP,
  COHORT_MODES,
  type CohortQuery,
  FIRST_COLUMNS,
  NONE_SELECTED,
  type RowSelection,
  type ColumnOrder,
} from './cohortQuery.ts';

/** A longer selection is not in the address. */
const MOST_IDS = 50;
const MOST_ID_CHARACTERS = 4_000;
const [LEAST_WIDTH, MOST_WIDTH] = [40, 2_000];

/**
 * The query in the address: `table.series;where=…;columns=A,B:120;sort=-A,B;group=A;at=12_3;selected=…`. What precedes
 * the first semicolon decides whether the browser's way back leads there.
 */
export function formatCohortQuery(query: CohortQuery): string {
  const { mode, level, where, columns, widths, sort, group, selected, at } = query;
  const parts = [`${mode}.${level}`];
  if (where !== '') parts.push(`where=${encodeURIComponent(where)}`);
  const shown = columns.map((name) => {
    const width = widths.get(name);
    return encodeURIComponent(name) + (width === undefined ? '' : `:${width}`);
  });
  if (shown.join() !== FIRST_COLUMNS[level].join()) parts.push(`columns=${shown.join()}`);
  const keys = sort.map(({ column, isDescending }) => {
    // A minus of its own says nothing about the direction.
    const name = encodeURIComponent(column).replace(/^-/, '%2D');
    return isDescending ? `-${name}` : name;
  });
  if (keys.length > 0) parts.push(`sort=${keys.join()}`);
  if (group !== undefined) parts.push(`group=${encodeURIComponent(group)}`);
  if (at.row > 0 || at.top > 0) parts.push(`at=${at.row}_${at.top}`);
  parts.push(...formatSelection(selected));
  return parts.join(';');
}

function formatSelection({ isAllBut, ids }: RowSelection): string[] {
  if (ids.size > MOST_IDS) return [];
  const text = [...ids].map(encodeURIComponent).join();
  if (text.length > MOST_ID_CHARACTERS) return [];
  if (isAllBut) return [`unselected=${text}`];
  return ids.size === 0 ? [] : [`selected=${text}`];
}

/** Any text is a query: what it does not say is as at first. */
export function parseCohortQuery(text: string): CohortQuery {
  const [kind = '', ...parts] = text.split(';');
  const values = new Map(
    parts.map((part): [string, string] => [part.split('=', 1).join(), part.replace(/^[^=]*=?/, '')]),
  );
  const [wantedMode, wantedLevel] = kind.split('.');
  const mode = COHORT_MODES.find((one) => one === wantedMode) ?? 'table';
  const level = TABLE_LEVELS.find((one) => one === wantedLevel) ?? 'series';
  const columns = parseList(values.get('columns')).map((one): readonly [string, number] => {
    const [name = '', width] = one.split(':');
    return [decode(name), Number(width)];
  });
  const [row = 0, top = 0] = (values.get('at') ?? '').split('_').map(Number).filter(isPlace);
  return {
    mode,
    level,
    where: decode(values.get('where') ?? ''),
    columns: columns.length === 0 ? FIRST_COLUMNS[level] : [...new Set(columns.map(([name]) => name))],
    widths: new Map(columns.filter(([, width]) => width >= LEAST_WIDTH && width <= MOST_WIDTH)),
    sort: parseList(values.get('sort')).map(parseKey),
    group: decode(values.get('group') ?? '') || undefined,
    selected: parseSelection(values),
    at: row === 0 && top === 0 ? AT_TOP : { row, top },
  };
}

function parseList(text = ''): readonly string[] {
  return text.split(',').filter((one) => one !== '');
}

function parseKey(text: string): ColumnOrder {
  const isDescending = text.startsWith('-');
  return { column: decode(isDescending ? text.slice(1) : text), isDescending };
}

function parseSelection(values: ReadonlyMap<string, string>): RowSelection {
  const isAllBut = values.has('unselected');
  const ids = parseList(values.get(isAllBut ? 'unselected' : 'selected')).map(decode);
  return isAllBut || ids.length > 0 ? { isAllBut, ids: new Set(ids) } : NONE_SELECTED;
}

const isPlace = (value: number) => Number.isInteger(value) && value >= 0;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
