import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { TableResponse, WireTableRow } from '../../../shared/contract/tables.ts';
import { RequestRefused } from '../../kit/api/send.ts';
import { fetchTable, type WantedRows } from '../../kit/api/table.ts';
import { type Answers, createAnswers } from '../../kit/state/answers.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import type { CohortQuery } from './cohortQuery.ts';
import { splitCondition } from './conditionParts.ts';
import { useQuery } from './query.ts';
import { listTableColumns, useColumns } from './tableColumns.ts';
import { askTableAgain, PAUSE_MS, tableNewsOf } from './tableNews.ts';

/** Rows of one request. */
export const PAGE_ROWS = 100;
/** Pages that are kept. What was not looked at for the longest time is requested again. */
const MOST_PAGES = 100;

export type RowsQuestion = { readonly query: WantedRows; readonly number: number };

/** The rows of the table, a page each: a table of a million rows is never on the page as a whole. */
export const tableRowsOf = definePart((page): Answers<RowsQuestion, TableResponse> => {
  const news = tableNewsOf(page);
  return createAnswers(page, {
    ask: ({ query, number }, signal) => fetchPage(query, number * PAGE_ROWS, signal),
    keyOf: JSON.stringify,
    stateOf: () => news.getState().count,
    most: MOST_PAGES,
  });
});

/** Rows of very long values come in several answers. */
async function fetchPage(query: WantedRows, offset: number, signal: AbortSignal): Promise<TableResponse> {
  let page = await fetchTable(query, { offset, limit: PAGE_ROWS }, signal);
  while (page.rows.length < Math.min(PAGE_ROWS, page.total - offset)) {
    const { length } = page.rows;
    const more = await fetchTable(query, { offset: offset + length, limit: PAGE_ROWS - length }, signal);
    if (more.rows.length === 0) break;
    page = { ...more, rows: [...page.rows, ...more.rows] };
  }
  return page;
}

/** What is known of the rows as a whole. */
export type TableHead = {
  /** The condition that the rest is about. */
  readonly where: string;
  readonly total: number;
  readonly isComplete: boolean;
  readonly isLoading: boolean;
  /** What is wrong with the condition. */
  readonly conditionError: string | undefined;
  /** Why there are no rows, if it is not that. */
  readonly otherError: string | undefined;
};

/** Of the query that is shown, for what stands around the rows. */
export const tableHeadOf = definePart(() =>
  createStore<TableHead>(() => ({
    where: '',
    total: 0,
    isComplete: false,
    isLoading: true,
    conditionError: undefined,
    otherError: undefined,
  })),
);

/** The rows that the query is about. */
export function wantedRowsOf({ level, where, columns, sort, group }: CohortQuery): WantedRows {
  return { level, where: where.trim(), columns, sort, group };
}

const NO_NAMES: readonly string[] = [];

/**
 * The same, and `more` columns, with what the server knows, because it refuses the rest; undefined until it has said what it knows.
 */
export function useWantedRows(more: readonly string[] = NO_NAMES): WantedRows | undefined {
  const query = useQuery((one) => one);
  const { columns } = useColumns();
  return useMemo(() => {
    if (columns.length === 0) return undefined;
    const names = new Set(columns.map(({ name }) => name));
    const wanted = wantedRowsOf(query);
    return {
      ...wanted,
      columns: [...new Set([...wanted.columns, ...more])].filter((name) => names.has(name)),
      sort: wanted.sort.filter(({ column }) => names.has(column)),
      group: wanted.group !== undefined && names.has(wanted.group) ? wanted.group : undefined,
    };
  }, [query, columns, more]);
}

export type ShownRows = {
  /** What the rows are of: the query before, until there is an answer to the current one. */
  readonly query: WantedRows;
  readonly total: number;
  readonly groups: TableResponse['groups'];
  readonly isLoading: boolean;
  /** Undefined until it is there. */
  readonly rowAt: (row: number) => WireTableRow | undefined;
};

/** A user who drags the scroll bar does not read the rows that pass. */
const REST_MS = 60;

const NO_ROWS: WantedRows = { level: 'file', where: '', columns: [], sort: [], group: undefined };

/** The rows of a query, of which those on these pages are requested. */
export function useTableRows(wanted: WantedRows | undefined, pages: readonly number[]): ShownRows {
  const query = wanted ?? NO_ROWS;
  const isKnown = wanted !== undefined;
  const page = usePage();
  const answers = tableRowsOf(page);
  useStore(answers.changes);
  const news = useStore(tableNewsOf(page), ({ count }) => count);
  const key = JSON.stringify(query);
  const numbers = pages.length === 0 ? '0' : pages.join();
  const asked = useRef('');

  useEffect(() => {
    if (!isKnown) return undefined;
    const ended = new AbortController();
    const asking: WantedRows = JSON.parse(key);
    const ask = () => {
      for (const number of numbers.split(',').map(Number)) void answers.load({ query: asking, number }, ended.signal);
    };
    const timer = setTimeout(ask, asked.current === key ? REST_MS : 0);
    asked.current = key;
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the rows may have changed
  }, [answers, isKnown, key, numbers, news]);

  const number = pages[0] ?? 0;
  const answer = answers.find({ query, number });
  const error = answers.findError({ query, number });
  const [shown, setShown] = useState<Shown>({ key, head: undefined });
  const current = answer === undefined ? shown : { key, head: answer };
  if (current.key !== shown.key || current.head !== shown.head) setShown(current);
  const shownQuery = useMemo((): WantedRows => JSON.parse(current.key), [current.key]);
  const { total = 0, is_complete: isComplete = false } = current.head ?? {};
  const isLoading = answer === undefined && error === undefined;
  const isRefused = error instanceof RequestRefused && error.code === 'invalid_query';
  const names = isRefused ? listTableColumns(page).map(({ name }) => name) : [];
  const isOfCondition = isRefused && splitCondition(query.where, names) === undefined;
  const message = error?.message;
  useEffect(
    () =>
      tableHeadOf(page).setState({
        where: query.where,
        total,
        isComplete,
        isLoading,
        conditionError: isOfCondition ? message : undefined,
        otherError: isOfCondition ? undefined : message,
      }),
    [page, query.where, total, isComplete, isLoading, isOfCondition, message],
  );
  useEffect(() => {
    if (current.head?.is_complete !== false) return undefined;
    const timer = setTimeout(() => askTableAgain(page), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [page, current.head]);
  const found = new Map<number, TableResponse | undefined>();
  const findPage = (at: number) => {
    if (!found.has(at)) found.set(at, answers.find({ query: shownQuery, number: at }));
    return found.get(at);
  };
  return {
    query: shownQuery,
    total,
    groups: current.head?.groups ?? null,
    isLoading,
    rowAt: (row) => findPage(Math.floor(row / PAGE_ROWS))?.rows[row % PAGE_ROWS],
  };
}

/** The query whose rows are shown, and its latest answer: each has the total. */
type Shown = { readonly key: string; readonly head: TableResponse | undefined };

/** All rows from one to another, in their order, also those that are not on the screen. */
export async function loadTableRows(
  page: Page,
  query: WantedRows,
  from: number,
  to: number,
): Promise<readonly WireTableRow[]> {
  const rows: WireTableRow[] = [];
  for (let number = Math.floor(from / PAGE_ROWS); number <= Math.floor(to / PAGE_ROWS); number += 1) {
    const question = { query, number };
    const answer = await tableRowsOf(page).load(question);
    if (answer === undefined) throw tableRowsOf(page).findError(question) ?? new Error('The rows did not arrive.');
    const first = number * PAGE_ROWS;
    rows.push(...answer.rows.slice(Math.max(0, from - first), to + 1 - first));
  }
  return rows;
}
