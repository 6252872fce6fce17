import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { WireTableRow } from '../../../shared/contract/tables.ts';
import { namedComparisonOf } from '../../kit/state/comparedSides.ts';
import { markNewsOf } from '../../kit/state/markNews.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { usePlacedRows } from '../../kit/ui/useVirtualRows.ts';
import { findRowAt } from '../../kit/ui/virtualRows.ts';
import { keyOfGroup, useClosedGroups } from '../cohort/closedGroups.ts';
import type { CohortQuery } from '../cohort/cohortQuery.ts';
import { type GridLines, layOutGroups } from '../cohort/gridLines.ts';
import { changeQuery, queryOf, useQuery } from '../cohort/query.ts';
import { PAGE_ROWS, type ShownRows, useTableRows, useWantedRows } from '../cohort/tableRows.ts';
import { BADGE_COLUMNS } from './badges.ts';
import { fitTiles, type GalleryLayout, layOutGallery } from './galleryLayout.ts';
import { useGalleryLook } from './galleryLook.ts';
import type { TileScene } from './tileWishes.ts';

export const GAP_PX = 8;
export const HEADING_PX = 34;
/** Around the picture: its frame, and the lines below it. */
const AROUND_PX = 8;
const CAPTION_PX = 56;
/** Of the list, on both sides together. */
const EDGES_PX = 24;

export type GalleryGrid = {
  readonly page: Page;
  readonly query: CohortQuery;
  readonly rows: ShownRows;
  readonly lines: GridLines;
  readonly layout: GalleryLayout;
  readonly scene: TileScene;
  /** Width of a tile. */
  readonly tilePx: number;
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** Rows that are drawn. */
  readonly visible: readonly number[];
  /** Those of them that are at least partly on the screen. */
  readonly seen: { readonly first: number; readonly end: number };
  readonly heightPx: number;
  readonly shiftPx: number;
  /** The line that keys act on. */
  readonly line: number;
  readonly anchor: RefObject<number>;
  readonly goTo: (line: number) => void;
  readonly rowOf: (line: number) => WireTableRow | undefined;
  /** Whole rows on the screen. */
  readonly pageRows: () => number;
};

/** Where the rows of the query are in the gallery. */
export function useGalleryGrid(): GalleryGrid {
  const page = usePage();
  const query = useQuery((state) => state);
  const look = useGalleryLook();
  const marksVersion = useStore(markNewsOf(page), ({ count }) => count);
  const isCompared = useStore(namedComparisonOf(page), ({ named }) => named !== undefined);
  const [pages, setPages] = useState<readonly number[]>([Math.floor(query.at.top / PAGE_ROWS)]);
  const rows = useTableRows(useWantedRows(BADGE_COLUMNS), pages);
  const lines = useLines(rows);
  const closed = useClosedGroups(rows.query.group);
  const [widthPx, setWidthPx] = useState(0);
  const { perRow, tilePx } = fitTiles(widthPx, look.sizePx + AROUND_PX, GAP_PX);
  const picturePx = tilePx - AROUND_PX;
  const layout = useMemo(() => {
    const groups = rows.groups?.map((group) => ({ count: group.count, isOpen: !closed.has(keyOfGroup(group)) }));
    const heightPx = picturePx + AROUND_PX + CAPTION_PX + GAP_PX;
    return layOutGallery(lines, groups, { perRow, tilePx: heightPx, headingPx: HEADING_PX });
  }, [lines, rows.groups, closed, perRow, picturePx]);
  const places = useMemo(() => ({ count: layout.rows, keyOf: () => undefined, tops: layout.tops }), [layout]);
  const { scroller, totalPx, first, end, shiftPx, reveal, scrollToRow } = usePlacedRows(places);
  const { level } = rows.query;
  const scene = useMemo(
    (): TileScene => ({ level, look, picturePx, marksVersion, isCompared }),
    [level, look, picturePx, marksVersion, isCompared],
  );
  useWidth(scroller, setWidthPx);
  const seen = useSeen(scroller, layout, shiftPx);
  const line = Math.max(0, Math.min(query.at.row, lines.count - 1));
  const [moves, setMoves] = useState(0);
  const isReady = lines.count > 0 && widthPx > 0;
  useKeptTop({ page, scroller, layout, lines, query, isReady, scrollToRow });
  useFocusedTile(scroller, line, { moves, isReady });
  const focusedRow = layout.rowOfLine(line);
  const visible = listVisible(first, Math.min(end, layout.rows), isReady ? focusedRow : -1);
  const wanted = [...new Set(visible.flatMap((row) => pagesOfRow(lines, layout, row)))].toSorted((a, b) => a - b);
  if (wanted.length > 0 && wanted.join() !== pages.join()) setPages(wanted);
  const anchor = useRef(0);
  return {
    page,
    query,
    rows,
    lines,
    layout,
    scene,
    tilePx,
    scroller,
    visible,
    seen,
    heightPx: totalPx,
    shiftPx,
    line,
    anchor,
    goTo(next) {
      changeQuery(page, { at: { ...queryOf(page).getState().at, row: next } });
      reveal(layout.rowOfLine(next));
      setMoves((count) => count + 1);
    },
    rowOf(at) {
      const found = at >= 0 && at < lines.count ? lines.lineAt(at) : undefined;
      return found?.kind === 'row' ? rows.rowAt(found.row) : undefined;
    },
    pageRows: () => Math.max(1, seen.end - seen.first - 1),
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

function pagesOfRow(lines: GridLines, layout: GalleryLayout, row: number): number[] {
  const found = layout.rowAt(row);
  if (found.kind === 'group') return [];
  return [found.line, found.line + found.count - 1].flatMap((line) => {
    const one = lines.lineAt(line);
    return one.kind === 'row' ? Math.floor(one.row / PAGE_ROWS) : [];
  });
}

/** With the row that has the focus, which would be lost with it. */
function listVisible(first: number, end: number, focused: number): readonly number[] {
  const visible = Array.from({ length: Math.max(0, end - first) }, (_, n) => first + n);
  return focused >= 0 && (focused < first || focused >= end) ? [...visible, focused] : visible;
}

function useWidth(scroller: RefObject<HTMLDivElement | null>, onWidth: (px: number) => void): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = () => onWidth(Math.max(0, element.clientWidth - EDGES_PX));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, onWidth]);
}

/** The rows on the screen, without those that are drawn in advance. */
function useSeen(
  scroller: RefObject<HTMLDivElement | null>,
  { tops, rows }: GalleryLayout,
  shiftPx: number,
): { readonly first: number; readonly end: number } {
  const [view, setView] = useState({ top: 0, height: 0 });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = () =>
      setView((known) => {
        const { scrollTop: top, clientHeight: height } = element;
        return known.top === top && known.height === height ? known : { top, height };
      });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller]);
  const from = view.top + shiftPx;
  const first = findRowAt(tops, from);
  return { first, end: rows === 0 ? 0 : Math.min(rows, findRowAt(tops, from + view.height) + 1) };
}

const KEPT_AFTER_MS = 150;

type KeptTop = Pick<GalleryGrid, 'page' | 'scroller' | 'layout' | 'lines' | 'query'> & {
  readonly isReady: boolean;
  readonly scrollToRow: (row: number) => void;
};

/** Keeps the first line on the screen in the query, and goes to that of the query when it comes from elsewhere. */
function useKeptTop({ page, scroller, layout, query, isReady, scrollToRow }: KeptTop): void {
  const kept = useRef<number>(undefined);
  const current = useRef(layout);
  useLayoutEffect(() => {
    current.current = layout;
  });
  const { top } = query.at;
  useLayoutEffect(() => {
    if (!isReady || kept.current === top) return;
    kept.current = top;
    scrollToRow(current.current.rowOfLine(top));
  }, [isReady, top, scrollToRow]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = () => {
      timer = undefined;
      const { tops, rowAt, rows } = current.current;
      if (rows === 0) return;
      const all = tops[rows] ?? 0;
      const range = element.scrollHeight - element.clientHeight;
      const from = range <= 0 ? 0 : (element.scrollTop / range) * (all - element.clientHeight);
      // A row of which only the end is on the screen is not the first.
      const { line } = rowAt(Math.min(rows - 1, findRowAt(tops, from + 1)));
      if (line === queryOf(page).getState().at.top) return;
      kept.current = line;
      changeQuery(page, { at: { ...queryOf(page).getState().at, top: line } });
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
  }, [page, scroller]);
}

/** Moves the focus to the tile that keys act on: when the gallery has its first tiles, and after each move. */
function useFocusedTile(
  scroller: RefObject<HTMLDivElement | null>,
  line: number,
  { moves, isReady }: { readonly moves: number; readonly isReady: boolean },
): void {
  useLayoutEffect(() => {
    const view = scroller.current?.closest('section') ?? null;
    const { activeElement } = document;
    // What is below the view cannot keep the focus, and what is in it may be used already.
    const isFree = activeElement === view || view?.contains(activeElement) !== true;
    if (!isReady || (moves === 0 && !isFree)) return;
    scroller.current?.querySelector<HTMLElement>(`[data-line="${line}"]`)?.focus({ preventScroll: true });
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies -- a line that changes by itself takes no focus
  }, [scroller, moves, isReady]);
}
