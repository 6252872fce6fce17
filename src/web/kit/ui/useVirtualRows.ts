import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { findRowAt, type ListPlaces, stackHeights } from './virtualRows.ts';

/** Height beyond the edges that is rendered in advance. */
const MARGIN_PX = 300;

export type VirtualRow = { readonly key: string; readonly height: number };

export type VirtualRows = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly totalPx: number;
  /** Rows from `first` up to but excluding `end` are rendered, at `tops[row]`. */
  readonly first: number;
  readonly end: number;
  readonly tops: Float64Array;
  /** Scrolls as little as possible to show the row. */
  readonly reveal: (row: number) => void;
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

/** As `useVirtualRows`, for a list that is so long that the places of its rows are computed in slices. */
export function usePlacedRows(rows: ListPlaces): VirtualRows {
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });
  const laidOut = useRef(rows);
  const anchor = useRef<Anchor | undefined>(undefined);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = () => {
      setView({ top: element.scrollTop, height: element.clientHeight });
      anchor.current = findAnchor(laidOut.current, element.scrollTop);
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);

  useLayoutEffect(() => {
    const element = scroller.current;
    const before = laidOut.current;
    laidOut.current = rows;
    if (element === null) return;
    // It may have been scrolled since its last event; at its end, because the list has become shorter.
    const isAtEnd = element.scrollTop + element.clientHeight >= element.scrollHeight;
    const isMoved = anchor.current !== undefined && element.scrollTop !== anchor.current.top && !isAtEnd;
    const kept = isMoved ? findAnchor(before, element.scrollTop) : anchor.current;
    // A list that is scrolled to the top stays there, whatever its first rows become.
    const row = kept === undefined || element.scrollTop === 0 ? -1 : findKey(rows, kept.key);
    if (row >= 0) element.scrollTop = (rows.tops[row] ?? 0) + (kept?.offset ?? 0);
    anchor.current = findAnchor(rows, element.scrollTop);
  }, [rows]);

  const { tops } = rows;

  const reveal = useCallback(
    (row: number) => {
      const element = scroller.current;
      if (element === null) return;
      const [top, bottom] = [tops[row] ?? 0, tops[row + 1] ?? 0];
      if (top < element.scrollTop) element.scrollTop = top;
      else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    },
    [tops],
  );

  const scrollToTop = useCallback(() => scroller.current?.scrollTo(0, 0), []);

  const first = findRowAt(tops, view.top - MARGIN_PX);
  const end = rows.count === 0 ? 0 : findRowAt(tops, view.top + view.height + MARGIN_PX) + 1;
  return { scroller, totalPx: tops.at(-1) ?? 0, first, end, tops, reveal, scrollToTop };
}

/** The first visible row, how much of it is beyond the edge, and how far the list was scrolled then. */
type Anchor = { readonly key: string; readonly offset: number; readonly top: number };

function findAnchor({ tops, keyOf }: ListPlaces, top: number): Anchor | undefined {
  const row = findRowAt(tops, top);
  const key = keyOf(row);
  return key === undefined ? undefined : { key, offset: top - (tops[row] ?? 0), top };
}

function findKey({ count, keyOf }: ListPlaces, key: string): number {
  for (let row = 0; row < count; row += 1) if (keyOf(row) === key) return row;
  return -1;
}
