import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { findRowAt, type ListPlaces, stackHeights } from './virtualRows.ts';

/** Height beyond the edges that is rendered in advance. */
const MARGIN_PX = 300;
/** Browsers lay out no element that is much higher. */
const MOST_PX = 15_000_000;

export type VirtualRow = { readonly key: string; readonly height: number };

export type VirtualRows = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly totalPx: number;
  /** Rows from `first` up to but excluding `end` are rendered, at `tops[row] - shiftPx`. */
  readonly first: number;
  readonly end: number;
  readonly tops: Float64Array;
  /** 0 unless the list is higher than an element can be: it then moves faster than its scroll bar. */
  readonly shiftPx: number;
  /** Scrolls as little as possible to show the row. */
  readonly reveal: (row: number) => void;
  readonly scrollToRow: (row: number) => void;
  readonly scrollToTop: () => void;
};

/**
 * Computes which rows are visible, so that a list of 100,000 renders only a few dozen. When rows are added or removed
 * above the visible ones, those stay in place.
 */
export function useVirtualRows(rows: readonly VirtualRow[]): VirtualRows {
  const places = useMemo(
    () => ({
      count: rows.length,
      keyOf: (row: number) => rows[row]?.key,
      tops: stackHeights(rows.map(({ height }) => height)),
    }),
    [rows],
  );
  return usePlacedRows(places);
}

/**
 * As `useVirtualRows`, for a list that is so long that the places of its rows are computed in slices. A heading of
 * `headPx` may stay at the top of the scroller, above the rows.
 */
export function usePlacedRows(rows: ListPlaces, headPx = 0): VirtualRows {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ scrolled: 0, height: 0 });
  const laidOut = useRef(rows);
  const anchor = useRef<Anchor | undefined>(undefined);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = () => {
      setView({ scrolled: element.scrollTop, height: element.clientHeight - headPx });
      anchor.current = findAnchor(laidOut.current, element, headPx);
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [headPx]);

  useLayoutEffect(() => {
    const element = scroller.current;
    const before = laidOut.current;
    laidOut.current = rows;
    if (element === null) return;
    // It may have been scrolled since its last event; at its end, because the list has become shorter.
    const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight;
    const isMoved = anchor.current !== undefined && element.scrollTop !== anchor.current.scrolled && !isAtEnd;
    const kept = isMoved ? findAnchor(before, element, headPx) : anchor.current;
    // A list that is scrolled to the top stays there, whatever its first rows become.
    const row = kept === undefined || element.scrollTop === 0 ? -1 : findKey(rows, kept.key);
    if (row >= 0) element.scrollTop = ((rows.tops[row] ?? 0) + (kept?.offset ?? 0)) / paceOf(rows, element, headPx);
    anchor.current = findAnchor(rows, element, headPx);
  }, [rows, headPx]);

  const { tops } = rows;

  const reveal = useCallback(
    (row: number) => {
      const element = scroller.current;
      if (element === null) return;
      const pace = paceOf(rows, element, headPx);
      const [from, seenPx] = [element.scrollTop * pace, element.clientHeight - headPx];
      const [top, bottom] = [tops[row] ?? 0, tops[row + 1] ?? 0];
      if (top < from) element.scrollTop = top / pace;
      else if (bottom > from + seenPx) element.scrollTop = (bottom - seenPx) / pace;
    },
    [rows, tops, headPx],
  );

  const scrollToRow = useCallback(
    (row: number) => {
      const element = scroller.current;
      if (element !== null) element.scrollTop = (tops[row] ?? 0) / paceOf(rows, element, headPx);
    },
    [rows, tops, headPx],
  );
  const scrollToTop = useCallback(() => scroller.current?.scrollTo(0, 0), []);

  const allPx = tops.at(-1) ?? 0;
  const top = view.scrolled * paceBetween(allPx, view.height);
  const first = findRowAt(tops, top - MARGIN_PX);
  const end = rows.count === 0 ? 0 : findRowAt(tops, top + view.height + MARGIN_PX) + 1;
  const totalPx = Math.min(allPx, MOST_PX);
  return { scroller, totalPx, first, end, tops, shiftPx: top - view.scrolled, reveal, scrollToRow, scrollToTop };
}

/** Pixels of the list for each pixel that it is scrolled. */
function paceBetween(allPx: number, seenPx: number): number {
  return allPx <= MOST_PX ? 1 : (allPx - seenPx) / (MOST_PX - seenPx);
}

function paceOf({ tops }: ListPlaces, { clientHeight }: HTMLElement, headPx: number): number {
  return paceBetween(tops.at(-1) ?? 0, clientHeight - headPx);
}

/** The first visible row, how much of it is beyond the edge, and how far the list was scrolled then. */
type Anchor = { readonly key: string; readonly offset: number; readonly scrolled: number };

function findAnchor(rows: ListPlaces, element: HTMLElement, headPx: number): Anchor | undefined {
  const { tops, keyOf } = rows;
  const top = element.scrollTop * paceOf(rows, element, headPx);
  const row = findRowAt(tops, top);
  const key = keyOf(row);
  return key === undefined ? undefined : { key, offset: top - (tops[row] ?? 0), scrolled: element.scrollTop };
}

function findKey({ count, keyOf }: ListPlaces, key: string): number {
  for (let row = 0; row < count; row += 1) if (keyOf(row) === key) return row;
  return -1;
}
