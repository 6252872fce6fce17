import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { LabelClass } from '../../../../shared/contract/marks.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import type { ContentBefore } from './syncedKind.ts';
import { filesOfForm, type MarkForm, renumberForm } from './markForm.ts';
import type { FoundWork, ParkedWork } from './parking.ts';

/** A mark of one run of the server. */
export type MarkWork = ContentBefore<MarkForm> & { readonly uid: string };

export type ParkedMarksState = {
  /** The server had them, and the restarted one does not: the user decides. */
  readonly missing: readonly ParkedWork<MarkWork>[];
  /** The same for classes. */
  readonly missingClasses: readonly LabelClass[];
  /** The user keeps these, and the sync takes them from here. */
  readonly kept: readonly ParkedWork<MarkWork>[];
};

const NOTHING: ParkedMarksState = { missing: [], missingClasses: [], kept: [] };

/** What a restarted server does not have. */
export const parkedMarksOf = definePart(() => createStore<ParkedMarksState>(() => NOTHING));

export function useParkedMarks<T>(select: (state: ParkedMarksState) => T): T {
  return useStore(parkedMarksOf(usePage()), select);
}

/** The user keeps the marks and classes that the restarted server does not have: they are made again. */
export function keepMissing(page: Page): void {
  parkedMarksOf(page).setState(({ missing }) => ({
    missing: [],
    missingClasses: [],
    kept: missing.map((one) => ({ ...one, work: { ...one.work, base: undefined } })),
  }));
}

/** The files that the forms of a mark name, each once. */
export function filesOfWork({ mine, base }: MarkWork): readonly number[] {
  return [...new Set([mine, base].flatMap((form) => (form === undefined ? [] : filesOfForm(form))))];
}

/** The mark with the numbers that its files have in this run. Forms that are the same object stay so. */
export function renumberMark({ work, found }: FoundWork<MarkWork>): MarkWork {
  const { uid, mine, base } = work;
  const renumber = (form: MarkForm | undefined) => form && renumberForm(form, (index) => found.get(index)?.index ?? 0);
  const renumbered = renumber(base);
  return { uid, base: renumbered, mine: mine === base ? renumbered : renumber(mine) };
}
