import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { LabelClass, LabelScheme } from '../../../../shared/contract/marks.ts';
import { fetchLabels, replaceLabels, type StoredScheme } from '../../../kit/api/marks.ts';
import { RequestRefused } from '../../../kit/api/send.ts';
import { say } from '../../../kit/state/messages.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import { isBrushTool, isMeasureTool, toolsOf } from '../../../kit/state/tools.ts';

type LabelsState = {
  /** Undefined until the server has answered. */
  readonly stored: StoredScheme | undefined;
  /** The class of the next mark. */
  readonly nextClass: string | null;
};

/** The classes that marks can have. */
export const labelsOf = definePart((page) => {
  const store = createStore<LabelsState>(() => ({ stored: undefined, nextClass: null }));
  page.onRestart(() => store.setState({ stored: undefined, nextClass: null }));
  return store;
});

export function useLabels<T>(select: (state: LabelsState) => T): T {
  return useStore(labelsOf(usePage()), select);
}

const NO_CLASSES: readonly LabelClass[] = [];

export function classesOf({ stored }: LabelsState): readonly LabelClass[] {
  return stored?.scheme.classes ?? NO_CLASSES;
}

export function findClass(page: Page, key: string | null | undefined): LabelClass | undefined {
  return classesOf(labelsOf(page).getState()).find((one) => one.key === key);
}

export function setNextClass(page: Page, nextClass: string | null): void {
  labelsOf(page).setState({ nextClass });
}

/** With a tool that makes marks, a digit that a class has chooses that class. Returns whether it did. */
export function chooseClassOfDigit(page: Page, key: string): boolean {
  const { tool } = toolsOf(page).getState();
  if (!isMeasureTool(tool) && !isBrushTool(tool)) return false;
  const found = classesOf(labelsOf(page).getState()).find(({ digit }) => digit !== null && String(digit) === key);
  if (found === undefined) return false;
  setNextClass(page, found.key);
  say(page, `Next mark: ${found.title}`);
  return true;
}

/**
 * Changes the classes for all clients. If another client has changed them meanwhile, its classes are changed. Resolves to
 * whether the server has the change.
 */
export async function changeScheme(page: Page, change: (scheme: LabelScheme) => LabelScheme): Promise<boolean> {
  const { stored } = labelsOf(page).getState();
  if (stored === undefined) return false;
  try {
    labelsOf(page).setState({ stored: await replaceLabels(change(stored.scheme), stored.etag) });
    return true;
  } catch (error) {
    const isStale = error instanceof RequestRefused && error.code === 'stale_labels';
    const theirs = isStale ? await fetchLabels(new AbortController().signal).catch(() => undefined) : undefined;
    if (theirs !== undefined) {
      labelsOf(page).setState({ stored: theirs });
      return changeScheme(page, change);
    }
    say(page, `The classes could not be changed: ${error instanceof Error ? error.message : String(error)}`, 'failed');
    return false;
  }
}
