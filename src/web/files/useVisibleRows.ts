import { type RefObject, useEffect, useRef, useState } from 'react';

/** Rows beyond the edges that are there before they are scrolled to. */
const MARGIN = 10;

type VisibleRows = {
  readonly scroller: RefObject<HTMLElement | null>;
  /** Rows `first` up to, without, `end` are to be drawn. */
  readonly first: number;
  readonly end: number;
};

/** Which rows of equal height can be seen, so that a list of 100,000 draws only a few dozen. */
export function useVisibleRows(rowCount: number, rowHeightPx: number): VisibleRows {
  const scroller = useRef<HTMLElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);

  const first = Math.max(0, Math.floor(view.top / rowHeightPx) - MARGIN);
  const end = Math.min(rowCount, Math.ceil((view.top + view.height) / rowHeightPx) + MARGIN);
  return { scroller, first, end };
}
