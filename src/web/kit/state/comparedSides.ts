import { createStore } from 'zustand/vanilla';
import { type ChosenPair, type CompareChoice, formatChoice, NO_CHOICE, parseChoice } from './compareChoice.ts';
import { findNamedLayer, nameFile } from './fileNames.ts';
import { findLayer } from './library.ts';
import { definePart, type Page } from './page.ts';
import { panelsOf, setPanels } from './panels.ts';

/** The areas among the marks, which no file has. */
export const COMPARED_MARKS = 'marks';

/** One of the two that are compared: the number of a layer, or the marks. */
export type ComparedSide = number | typeof COMPARED_MARKS;
export type SideName = 'truth' | 'test';

/** The layers that were named with `--truth` and `--test`. */
export type NamedSides = Readonly<Record<SideName, readonly number[]>>;

type NamedComparison = {
  /** Undefined until they are known, and if there are none. */
  readonly named: NamedSides | undefined;
  /** Grows when images were opened of which the worst slice is to be shown. */
  readonly worstWishes: number;
};

export const namedComparisonOf = definePart(() =>
  createStore<NamedComparison>(() => ({ named: undefined, worstWishes: 0 })),
);

/** The choice that was read last. */
const lastOf = definePart((): { read?: { readonly text: string; readonly choice: CompareChoice } } => ({}));

/** What is compared; undefined if the comparison is closed. The same object until it changes. */
export function compareChoiceOf(page: Page): CompareChoice | undefined {
  const { compareText } = panelsOf(page).getState();
  if (compareText === undefined) return undefined;
  const last = lastOf(page);
  if (last.read?.text !== compareText) last.read = { text: compareText, choice: parseChoice(compareText) };
  return last.read.choice;
}

export function changeComparison(page: Page, change: Partial<CompareChoice>): void {
  setPanels(page, { compareText: formatChoice({ ...(compareChoiceOf(page) ?? NO_CHOICE), ...change }) });
}

/** Whether marks are drawn as errors, and not by themselves. */
export function areMarksCompared(page: Page): boolean {
  const choice = compareChoiceOf(page);
  return choice?.truth === COMPARED_MARKS || choice?.test === COMPARED_MARKS;
}

/** Chooses one of the two; undefined for none. */
export function chooseSide(page: Page, name: SideName, side: ComparedSide | undefined): void {
  const file = typeof side === 'number' ? findLayer(page, side) : undefined;
  const named = typeof side === 'number' ? file && nameFile(page, file) : side;
  // Other parts are paired, and none of the old pairs is one of them.
  changeComparison(page, { [name]: named, pairs: undefined, pair: undefined });
}

export function swapSides(page: Page): void {
  const { truth, test, pairs, pair } = compareChoiceOf(page) ?? NO_CHOICE;
  changeComparison(page, { truth: test, test: truth, pairs: pairs?.map(swapPair), pair: pair && swapPair(pair) });
}

function swapPair([a, b]: ChosenPair): ChosenPair {
  return [b, a];
}

/** The layer with a name in a choice; undefined if none is chosen, or if it is not known yet. */
export function findSide(page: Page, named: string | undefined): ComparedSide | undefined {
  if (named === undefined || named === COMPARED_MARKS) return named;
  return findNamedLayer(page, named)?.index;
}
