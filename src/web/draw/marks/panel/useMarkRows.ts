import { useEffect, useMemo, useState } from 'react';
import { usePlacedRows, type VirtualRows } from '../../../kit/ui/useVirtualRows.ts';
import { type ListPlaces, stackHeights } from '../../../kit/ui/virtualRows.ts';
import type { MarkGroup } from './groupMarks.ts';
import type { ListedMark } from './useListedMarks.ts';

/** Of rows that were not drawn yet. */
const HEADING_PX = 29;
const ROW_PX = 62;
const MOST_ROW_PX = 160;

/** The part of a group that is drawn. */
export type DrawnGroup = {
  readonly group: MarkGroup<ListedMark>;
  readonly key: string;
  readonly marks: readonly ListedMark[];
  /** The place of the first of them in the group, from 0. */
  readonly from: number;
  readonly abovePx: number;
  readonly belowPx: number;
};

export type MarkRows = Pick<VirtualRows, 'scroller'> & {
  readonly drawn: readonly DrawnGroup[];
  readonly abovePx: number;
  readonly belowPx: number;
  /** Scrolls to a row, which is drawn then. */
  readonly reveal: (uid: string) => void;
};

/** The rows of marks that are in view, with the headings of their groups. The height of a row is known when it was drawn. */
export function useMarkRows(groups: readonly MarkGroup<ListedMark>[]): MarkRows {
  const [heights, setHeights] = useState<ReadonlyMap<string, number>>(new Map());
  const layout = useMemo(() => layOut(groups), [groups]);
  const places = useMemo((): ListPlaces => {
    const { keys, headings } = layout;
    const rowPx = usualHeight(heights);
    const heightOf = (key: string, at: number) => heights.get(key) ?? (headings.has(at) ? HEADING_PX : rowPx);
    return { count: keys.length, keyOf: (row) => keys[row], tops: stackHeights(keys.map(heightOf)) };
  }, [layout, heights]);
  const { scroller, totalPx, first, end, tops, reveal } = usePlacedRows(places);
  const topOf = (row: number) => tops[row] ?? totalPx;

  const drawn = layout.groups.flatMap(({ group, key, at }): DrawnGroup[] => {
    const after = at + 1 + group.marks.length;
    if (after <= first || at >= end) return [];
    const from = Math.max(0, first - at - 1);
    const marks = group.marks.slice(from, Math.max(from, end - at - 1));
    const start = at + 1 + from;
    const abovePx = topOf(start) - topOf(at + 1);
    return [{ group, key, marks, from, abovePx, belowPx: topOf(after) - topOf(start + marks.length) }];
  });
  const [firstGroup, lastGroup] = [drawn[0], drawn.at(-1)];
  const above = layout.groups.find(({ key }) => key === firstGroup?.key)?.at ?? 0;
  const last = layout.groups.find(({ key }) => key === lastGroup?.key);
  const below = last === undefined ? 0 : last.at + 1 + last.group.marks.length;

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      const measured = measure(element, drawn);
      setHeights((before) => {
        const isNew = [...measured].some(([key, px]) => Math.abs((before.get(key) ?? 0) - px) > 0.5);
        return isNew ? new Map([...before, ...measured]) : before;
      });
    });
    for (const row of element.querySelectorAll('h2, li')) observer.observe(row);
    return () => observer.disconnect();
  }, [scroller, drawn]);
  return {
    scroller,
    drawn,
    abovePx: topOf(above),
    belowPx: totalPx - topOf(below),
    reveal: (uid) => {
      const row = layout.keys.indexOf(uid);
      if (row < 0) return;
      // The heading that stays covers the end of the row above.
      reveal(Math.max(0, row - 1));
      reveal(row);
    },
  };
}

/** Of the rows that were drawn. That of a selected mark, which can be edited, is none of them. */
function usualHeight(heights: ReadonlyMap<string, number>): number {
  let [sum, count] = [0, 0];
  for (const [key, height] of heights) {
    if (key.startsWith('heading ') || height > MOST_ROW_PX) continue;
    sum += height;
    count += 1;
  }
  return count === 0 ? ROW_PX : sum / count;
}

type Layout = {
  readonly groups: readonly { readonly group: MarkGroup<ListedMark>; readonly key: string; readonly at: number }[];
  readonly keys: readonly string[];
  readonly headings: ReadonlySet<number>;
};

/** One below the other: the heading of each group, then its marks. */
function layOut(all: readonly MarkGroup<ListedMark>[]): Layout {
  const keys: string[] = [];
  const groups = all.map((group) => {
    const at = keys.length;
    const key = `${group.classKey ?? ''} ${group.title}`;
    keys.push(`heading ${key}`);
    for (const { uid } of group.marks) keys.push(uid);
    return { group, key, at };
  });
  return { groups, keys, headings: new Set(groups.map(({ at }) => at)) };
}

function measure(element: HTMLElement, drawn: readonly DrawnGroup[]): Map<string, number> {
  const measured = new Map<string, number>();
  for (const [n, title] of [...element.querySelectorAll('h2')].entries()) {
    measured.set(`heading ${drawn[n]?.key}`, title.getBoundingClientRect().height);
  }
  for (const button of element.querySelectorAll<HTMLElement>('[data-row]')) {
    const height = button.closest('li')?.getBoundingClientRect().height;
    if (height !== undefined) measured.set(button.dataset['row'] ?? '', height);
  }
  return measured;
}
