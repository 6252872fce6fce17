import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MarkJournalResponse, WireMark } from '../../../../shared/contract/marks.ts';
import { definePart, usePage } from '../../../kit/state/page.ts';
import type { MarkForm } from './markForm.ts';
import { isBrushTool, useTools } from '../../../kit/state/tools.ts';

export type MarksState = {
  /** Masks of the brush, by uid, in order of creation. */
  readonly masks: ReadonlyMap<string, MarkForm>;
  /** The mask that the next stroke changes; undefined for a new one. */
  readonly chosenMask: string | undefined;
  /** Marks of the server that this page does not draw. */
  readonly others: ReadonlyMap<string, WireMark>;
  /** Marks that another client changed at the same time; this page's form was added as a copy. */
  readonly copies: number;
  /** What the last saved file does not hold. */
  readonly leftOut: { readonly name: string; readonly text: string } | undefined;
  readonly journal: MarkJournalResponse | undefined;
};

const NO_MARKS: MarksState = {
  masks: new Map(),
  chosenMask: undefined,
  others: new Map(),
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

export function useMarks<T>(select: (state: MarksState) => T): T {
  return useStore(marksOf(usePage()), select);
}

/** Whether there are masks, or the user is about to paint one. */
export function useBrush(): boolean {
  const areMasks = useMarks(({ masks }) => masks.size > 0);
  return useTools(({ tool }) => isBrushTool(tool)) || areMasks;
}
