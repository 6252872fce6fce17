import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { WireTableRow } from '../../../shared/contract/tables.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { usePlacedRows } from '../../kit/ui/useVirtualRows.ts';
import { findRowAt } from '../../kit/ui/virtualRows.ts';
import { keyOfGroup, useClosedGroups } from './closedGroups.ts';
import type { CohortQuery } from './cohortQuery.ts';
import { type GridColumns, layOutColumns } from './gridColumns.ts';
import { type GridLines, layOutGroups } from './gridLines.ts';
import type { GridPlace } from './moveInGrid.ts';
import { changeQuery, queryOf, useQuery } from './query.ts';
import { useColumns } from './tableColumns.ts';
import { PAGE_ROWS, type ShownRows, useWantedRows, useTableRows } from './tableRows.ts';

export const GRID_LINE_PX = 28;
export const GRID_HEAD_PX = 32;
/** Of the column of check marks, which stays at the left edge. */
export const CHECK_PX = 34;

/** The table as it is on the screen. */
export type CohortGrid = {
  readonly page: Page;
  readonly query: CohortQuery;
  /** Of the query before, until there is an answer to the current one. */
  readonly rows: ShownRows;
  readonly lines: GridLines;
  readonly layout: GridColumns;
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** The lines that are drawn: those on the screen, and that which has the focus. */
  readonly visible: readonly number[];
  readonly first: number;
  readonly end: number;
  readonly heightPx: number;
  readonly shiftPx: number;
  /** The columns that are drawn, from 0. */
  readonly columns: readonly number[];
  /** What keys act on. */
  readonly place: GridPlace;
  readonly goTo: (place: GridPlace) => void;
  /** The line from which Shift selects. */
  readonly anchor: { current: number };
  /** Undefined for a heading, and until the row is there. */
  readonly rowOf: (line: number) => WireTableRow | undefined;
  /** Undefined for the column of check marks. */
  readonly nameOf: (column: number) => string | undefined;
};

/** The column of the cell that keys act on, which is there again when the table is. */
const columnInUseOf = definePart(() => ({ column: 0 }));

export function useGrid(): CohortGrid {
  const page = usePage();
  const query = useQuery((one) => one);
  const { columns: known } = useColumns();
  const layout = useMemo(() => layOutColumns(query.columns, known, query.widths), [query.columns, query.widths, known]);
  const [pages, setPages] = useState<readonly number[]>([Math.floor(query.at.top / PAGE_ROWS)]);
  const rows = useTableRows(useWantedRows(), pages);
  const lines = useLines(rows);
  const places = useMemo(() => placeLines(lines.count), [lines.count]);
  const { scroller, totalPx, first, end, shiftPx, reveal, scrollToRow } = usePlacedRows(places, GRID_HEAD_PX);
  const keepPlace = useKeptPlace({ scroller, scrollToRow, places, query });

  const [focus, setFocus] = useState({ column: columnInUseOf(page).column, isHead: false, moves: 0 });
  const place: GridPlace = {
    line: focus.isHead || lines.count === 0 ? -1 : Math.min(query.at.row, lines.count - 1),
    column: Math.min(focus.column, query.columns.length),
  };
  const visible = listVisible(first, end, place.line);
  const columns = useColumnsInView(scroller, layout, place.column);
  const isReady = lines.count > 0;
  useLayoutEffect(() => {
    if (isReady) revealColumn(scroller.current, layout, place.column);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, when the table is there
  }, [isReady]);
  useFocusedCell(scroller, place, { moves: focus.moves, isReady });

  const wanted = [...new Set(visible.flatMap((line) => pageOfLine(lines, line)))].toSorted((a, b) => a - b);
  if (wanted.length > 0 && wanted.join() !== pages.join()) setPages(wanted);
  const anchor = useRef(0);
  return {
    page,
    query,
    rows,
    lines,
    layout,
    scroller,
    visible,
    first,
    end,
    heightPx: totalPx,
    shiftPx,
    columns,
    place,
    anchor,
    goTo(next) {
      setFocus(({ moves }) => ({ column: next.column, isHead: next.line < 0, moves: moves + 1 }));
      Object.assign(columnInUseOf(page), { column: next.column });
      if (next.line >= 0) {
        keepPlace({ row: next.line });
        reveal(next.line);
      }
      revealColumn(scroller.current, layout, next.column);
    },
    rowOf(line) {
      const found = line >= 0 && line < lines.count ? lines.lineAt(line) : undefined;
      return found?.kind === 'row' ? rows.rowAt(found.row) : undefined;
    },
    nameOf: (column) => query.columns[column - 1],
  };
}

function useLines({ total, groups, query: { group } }: ShownRows): GridLines {
  const closed = useClosedGroups(group);
  return useMemo(() => {
    const numbers = groups?.flatMap((one, number) => (closed.has(keyOfGroup(one)) ? number : []));
    return layOutGroups(
      total,
      groups?.map(({ count }) => count),
      new Set(numbers),
    );
  }, [total, groups, closed]);
}

/** All lines have one height, so that they need no keys to stay in place. */
function placeLines(count: number) {
  const tops = Float64Array.from({ length: count + 1 }, (_, line) => line * GRID_LINE_PX);
  return { count, keyOf: () => undefined, tops };
}

function pageOfLine(lines: GridLines, line: number): number[] {
  const found = lines.lineAt(line);
  return found.kind === 'row' ? [Math.floor(found.row / PAGE_ROWS)] : [];
}

function listVisible(first: number, end: number, focused: number): readonly number[] {
  const visible = Array.from({ length: end - first }, (_, n) => first + n);
  return focused >= 0 && (focused < first || focused >= end) ? [...visible, focused] : visible;
}

const KEPT_AFTER_MS = 150;

type KeptPlace = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly scrollToRow: (line: number) => void;
  readonly places: { readonly count: number };
  readonly query: CohortQuery;
};

/** Keeps the place on the screen in the query, and goes to that of the query when it comes from elsewhere. */
function useKeptPlace({ scroller, scrollToRow, places, query }: KeptPlace) {
  const page = usePage();
  const kept = useRef<CohortQuery['at']>(undefined);
  const keep = (change: Partial<CohortQuery['at']>) => {
    const at = { ...queryOf(page).getState().at, ...change };
    kept.current = at;
    changeQuery(page, { at });
  };
  const { count } = places;
  useLayoutEffect(() => {
    if (count === 0 || kept.current === query.at) return;
    kept.current = query.at;
    scrollToRow(query.at.top);
  }, [count, query.at, scrollToRow]);

  const firstLine = useRef((): number => 0);
  useLayoutEffect(() => {
    firstLine.current = () => {
      const element = scroller.current;
      const range = element === null ? 0 : element.scrollHeight - element.clientHeight;
      if (element === null || range <= 0) return 0;
      const mostTop = Math.max(0, count - (element.clientHeight - GRID_HEAD_PX) / GRID_LINE_PX);
      return Math.round((element.scrollTop / range) * mostTop);
    };
  });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = () => {
      timer = undefined;
      const top = firstLine.current();
      if (top !== queryOf(page).getState().at.top) keep({ top });
    };
    const look = () => {
      timer ??= setTimeout(note, KEPT_AFTER_MS);
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      element.removeEventListener('scroll', look);
      if (timer === undefined) return;
      clearTimeout(timer);
      note();
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `keep` reads what is current
  }, [page, scroller]);
  return keep;
}

/** Beside the column of check marks, those that are at least partly in view, and that which has the focus. */
function useColumnsInView(
  scroller: RefObject<HTMLDivElement | null>,
  { columns, lefts }: GridColumns,
  focused: number,
): readonly number[] {
  const [view, setView] = useState({ left: 0, width: 0 });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = () =>
      setView((known) => {
        const { scrollLeft: left, clientWidth: width } = element;
        return known.left === left && known.width === width ? known : { left, width };
      });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller]);
  const from = findRowAt(lefts, view.left);
  const to = Math.min(columns.length - 1, findRowAt(lefts, view.left + view.width));
  const { length } = columns;
  // The same list while the same are in view, so that lines are not drawn again while the table is scrolled.
  return useMemo(
    () =>
      Array.from({ length }, (_, column) => column).filter(
        (column) => (column >= from && column <= to) || column === focused - 1,
      ),
    [length, from, to, focused],
  );
}

function revealColumn(element: HTMLElement | null, { lefts }: GridColumns, column: number): void {
  if (element === null || column === 0) return;
  const [left = 0, right = 0] = [lefts[column - 1], lefts[column]];
  if (left < element.scrollLeft) element.scrollLeft = left;
  else if (right > element.scrollLeft + element.clientWidth - CHECK_PX)
    element.scrollLeft = Math.min(left, right - (element.clientWidth - CHECK_PX));
}

/** Moves the focus to the cell that keys act on: when the table has its first rows, and after each move. */
function useFocusedCell(
  scroller: RefObject<HTMLDivElement | null>,
  { line, column }: GridPlace,
  { moves, isReady }: { readonly moves: number; readonly isReady: boolean },
): void {
  useLayoutEffect(() => {
    const view = scroller.current?.closest('section') ?? null;
    const { activeElement } = document;
    // What is below the view cannot keep the focus, and what is in it may be used already.
    const isFree = activeElement === view || view?.contains(activeElement) !== true;
    if (!isReady || (moves === 0 && !isFree)) return;
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-line="${line}"] [data-column="${column}"]`);
    cell?.focus({ preventScroll: true });
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies -- a place that changes by itself takes no focus
  }, [scroller, moves, isReady]);
}
