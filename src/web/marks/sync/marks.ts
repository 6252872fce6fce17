import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MarkJournalResponse, WireMark } from '../../../shared/contract/marks.ts';
import { definePart, usePage } from '../../state/page.ts';
import { isBrushTool, useTools } from '../../state/tools.ts';

export type MarksState = {
  /** Marks of the server that this page does not draw. */
  readonly others: ReadonlyMap<string, WireMark>;
  /** Why the last attempt to save failed; it is repeated. */
  readonly failure: string | undefined;
  /** Marks that the server has refused, by uid, with the reason. */
  readonly refused: ReadonlyMap<string, string>;
  /** Marks that another client changed at the same time; this page's form was added as a copy. */
  readonly copies: number;
  /** What the last saved file does not hold. */
  readonly leftOut: { readonly name: string; readonly text: string } | undefined;
  readonly journal: MarkJournalResponse | undefined;
};

const NO_MARKS: MarksState = {
  others: new Map(),
  failure: undefined,
  refused: new Map(),
  copies: 0,
  leftOut: undefined,
  journal: undefined,
};

/** What the page knows of the server's marks beside the measurements that it draws. */
export const marksOf = definePart((page) => {
  const store = createStore<MarksState>(() => NO_MARKS);
  page.onRestart(() => store.setState(NO_MARKS));
  return store;
});

/** What marks are called in this run of the server, and their ETags, by uid. */
export const markIdsOf = definePart((page) => {
  const ids = new Map<string, { readonly id: number; readonly etag: string }>();
  page.onRestart(() => ids.clear());
  return ids;
});

export function useMarks<T>(select: (state: MarksState) => T): T {
  return useStore(marksOf(usePage()), select);
}

/** Whether there are masks, or the user is about to paint one. */
export function useBrush(): boolean {
  const areMasks = useMarks(({ others }) => [...others.values()].some(({ kind }) => kind === 'brush'));
  return useTools(({ tool }) => isBrushTool(tool)) || areMasks;
}
