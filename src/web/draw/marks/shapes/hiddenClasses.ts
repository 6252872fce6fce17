import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { LabelClass } from '../../../../shared/contract/marks.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import { classesOf, labelsOf } from './labels.ts';
import type { Measurement } from './measurement.ts';

type HiddenState = {
  /** Keys of classes; null stands for marks without a class that the scheme has. */
  readonly hidden: ReadonlySet<string | null>;
};

/** The classes whose marks this page does not draw. */
export const hiddenClassesOf = definePart((page) => {
  const store = createStore<HiddenState>(() => ({ hidden: new Set() }));
  page.onRestart(() => store.setState({ hidden: new Set() }));
  return store;
});

export function useHiddenClasses(): ReadonlySet<string | null> {
  return useStore(hiddenClassesOf(usePage()), ({ hidden }) => hidden);
}

/** The key of its class; null if it has none, or one that is not in the scheme. */
export function classKeyOf({ words }: Pick<Measurement, 'words'>, classes: readonly LabelClass[]): string | null {
  return classes.find(({ key }) => key === words?.class)?.key ?? null;
}

export function isClassHidden(page: Page, item: Measurement): boolean {
  const { hidden } = hiddenClassesOf(page).getState();
  return hidden.size > 0 && hidden.has(classKeyOf(item, classesOf(labelsOf(page).getState())));
}

export function setClassHidden(page: Page, key: string | null, isHidden: boolean): void {
  hiddenClassesOf(page).setState(({ hidden }) => {
    const next = new Set(hidden);
    if (isHidden) next.add(key);
    else next.delete(key);
    return { hidden: next };
  });
}

/** A new mark must not vanish when it is finished. */
export function showNextClass(page: Page): void {
  const { nextClass } = labelsOf(page).getState();
  const key = classesOf(labelsOf(page).getState()).find((one) => one.key === nextClass)?.key ?? null;
  if (hiddenClassesOf(page).getState().hidden.has(key)) setClassHidden(page, key, false);
}
