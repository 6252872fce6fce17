import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { libraryStore } from '../state/library.ts';

/** How a segment is drawn. */
export type SegmentStyle = {
  readonly isVisible: boolean;
  /** From 0 to 1. */
  readonly opacity: number;
  readonly isOutline: boolean;
};

export const FIRST_STYLE: SegmentStyle = { isVisible: true, opacity: 0.5, isOutline: false };

/** Of those segments that were changed, by file and number. */
export const stylesStore = createStore<{ readonly styles: ReadonlyMap<string, SegmentStyle> }>(() => ({
  styles: new Map(),
}));

libraryStore.subscribe(({ serverRuns }, before) => {
  if (serverRuns !== before.serverRuns) stylesStore.setState({ styles: new Map() });
});

function keyOf(fileIndex: number, segment: number): string {
  return `${fileIndex}/${segment}`;
}

export function styleOf(fileIndex: number, segment: number): SegmentStyle {
  return stylesStore.getState().styles.get(keyOf(fileIndex, segment)) ?? FIRST_STYLE;
}

export function useStyle(fileIndex: number, segment: number): SegmentStyle {
  return useStore(stylesStore, ({ styles }) => styles.get(keyOf(fileIndex, segment)) ?? FIRST_STYLE);
}

export function setStyle(fileIndex: number, segments: readonly number[], change: Partial<SegmentStyle>): void {
  const styles = new Map(stylesStore.getState().styles);
  for (const segment of segments) {
    styles.set(keyOf(fileIndex, segment), { ...styleOf(fileIndex, segment), ...change });
  }
  stylesStore.setState({ styles });
}
