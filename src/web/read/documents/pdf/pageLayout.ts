export type PageSize = { readonly width: number; readonly height: number };

/** Space above, between and below the pages, in CSS pixels. */
export const PAGE_GAP = 10;

/** The tops of pages that lie below each other, and the height of all of them. Heights are in CSS pixels. */
export function layOutPages(heights: readonly number[]): { readonly tops: readonly number[]; readonly height: number } {
  const tops: number[] = [];
  let top = PAGE_GAP;
  for (const height of heights) {
    tops.push(top);
    top += height + PAGE_GAP;
  }
  return { tops, height: top };
}

/** The page (from 0) at a height; the last one whose top is above it. */
export function pageAt(tops: readonly number[], y: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tops[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
