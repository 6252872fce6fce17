import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { LabelClass } from '../../../../shared/contract/marks.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import { classesOf, labelsOf } from './labels.ts';
import type { MarkWords } from './measurement.ts';

/** What this page does not draw. */
export type HiddenState = {
  /** Keys of classes; null stands for marks without a class that the scheme has. */
  readonly classes: ReadonlySet<string | null>;
  readonly uids: ReadonlySet<string>;
};

export const hiddenMarksOf = definePart((page) => {
  const store = createStore<HiddenState>(() => ({ classes: new Set(), uids: new Set() }));
  page.onRestart(() => store.setState({ classes: new Set(), uids: new Set() }));
  return store;
});

export function useHiddenMarks<T>(select: (state: HiddenState) => T): T {
  return useStore(hiddenMarksOf(usePage()), select);
}

/** Of ROIs, which have no words, nothing but the uid counts. */
type Hideable = { readonly uid: string; readonly words?: Pick<MarkWords, 'class'> | undefined };

/** The key of its class; null if it has none, or one that is not in the scheme. */
export function classKeyOf({ words }: Pick<Hideable, 'words'>, classes: readonly LabelClass[]): string | null {
  return classes.find(({ key }) => key === words?.class)?.key ?? null;
}

export function isHiddenIn({ classes, uids }: HiddenState, mark: Hideable, scheme: readonly LabelClass[]): boolean {
  return uids.has(mark.uid) || (classes.size > 0 && mark.words !== undefined && classes.has(classKeyOf(mark, scheme)));
}

/** Whether it is drawn. What the user has chosen is, although its class is hidden. */
export function isMarkDrawn(page: Page, mark: Hideable, chosen: ReadonlySet<string>): boolean {
  const hidden = hiddenMarksOf(page).getState();
  if (hidden.uids.has(mark.uid)) return false;
  return chosen.has(mark.uid) || !isHiddenIn(hidden, mark, classesOf(labelsOf(page).getState()));
}

export function setClassHidden(page: Page, key: string | null, isHidden: boolean): void {
  hiddenMarksOf(page).setState(({ classes }) => ({ classes: withMember(classes, key, isHidden) }));
}

/** Marks that are shown are drawn even if their class was hidden: it then is no more. */
export function setMarksHidden(page: Page, marks: Iterable<Hideable>, isHidden: boolean): void {
  const scheme = classesOf(labelsOf(page).getState());
  for (const mark of marks) {
    hiddenMarksOf(page).setState(({ uids }) => ({ uids: withMember(uids, mark.uid, isHidden) }));
    if (!isHidden && mark.words !== undefined) setClassHidden(page, classKeyOf(mark, scheme), false);
  }
}

function withMember<T>(set: ReadonlySet<T>, member: T, isIn: boolean): ReadonlySet<T> {
  const next = new Set(set);
  if (isIn) next.add(member);
  else next.delete(member);
  return next;
}

/** A new mark must not vanish when it is finished. */
export function showNextClass(page: Page): void {
  const { nextClass } = labelsOf(page).getState();
  const key = classesOf(labelsOf(page).getState()).find((one) => one.key === nextClass)?.key ?? null;
  if (hiddenMarksOf(page).getState().classes.has(key)) setClassHidden(page, key, false);
}
