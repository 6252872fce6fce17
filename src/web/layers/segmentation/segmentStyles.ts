import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from '../../state/page.ts';

/** How a segment is drawn. */
export type SegmentStyle = {
  readonly isVisible: boolean;
  /** From 0 to 1. */
  readonly opacity: number;
  readonly isOutline: boolean;
};

export const FIRST_STYLE: SegmentStyle = { isVisible: true, opacity: 0.5, isOutline: false };

/** Styles of the segments that were changed, by file and number. */
export const stylesOf = definePart((page) => {
  const store = createStore<{ readonly styles: ReadonlyMap<string, SegmentStyle> }>(() => ({ styles: new Map() }));
  page.onRestart(() => store.setState({ styles: new Map() }));
  return store;
});

function keyOf(fileIndex: number, segment: number): string {
  return `${fileIndex}/${segment}`;
}

export function styleOf(page: Page, fileIndex: number, segment: number): SegmentStyle {
  return stylesOf(page).getState().styles.get(keyOf(fileIndex, segment)) ?? FIRST_STYLE;
}

export function useStyle(fileIndex: number, segment: number): SegmentStyle {
  return useStore(stylesOf(usePage()), ({ styles }) => styles.get(keyOf(fileIndex, segment)) ?? FIRST_STYLE);
}

export function setStyle(
  page: Page,
  fileIndex: number,
  { segments, change }: { readonly segments: readonly number[]; readonly change: Partial<SegmentStyle> },
): void {
  const store = stylesOf(page);
  const styles = new Map(store.getState().styles);
  for (const segment of segments) {
    styles.set(keyOf(fileIndex, segment), { ...styleOf(page, fileIndex, segment), ...change });
  }
  store.setState({ styles });
}
