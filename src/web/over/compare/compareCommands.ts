import { cellsOf } from '../../kit/state/cells.ts';
import type { Command } from '../../kit/state/commands.ts';
import type { Page } from '../../kit/state/page.ts';
import { panelsOf, setPanels } from '../../kit/state/panels.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import { ERROR_KINDS, ERROR_LOOKS } from '../../kit/state/compareChoice.ts';
import { changeComparison, compareChoiceOf } from '../../kit/state/comparedSides.ts';
import { findQuestion } from './comparison.ts';
import { type ErrorVisit, visitError } from './visitErrors.ts';

export const COMPARE_COMMANDS: readonly Command[] = [
  {
    id: 'compare.panel',
    title: 'Compare two layers or marks: truth and test',
    group: 'Compare',
    keys: ['Alt+C'],
    run: (page) =>
      setPanels(page, { compareText: panelsOf(page).getState().compareText === undefined ? '' : undefined }),
    isEnabled: (page) => isOpen(page) || pictureOf(page, cellsOf(page).getState().activeCell)?.traits.layers === true,
    isOn: isOpen,
  },
  visit('next', 'Next slice with an error', 'Alt+Down'),
  visit('previous', 'Previous slice with an error', 'Alt+Up'),
  visit('worst', 'Slice with most errors', 'Alt+Shift+W'),
  visit('largestFalse', 'Largest component that is false', 'Alt+Shift+G'),
  {
    id: 'compare.look',
    title: 'Draw errors filled, as outlines or hatched',
    group: 'Compare',
    keys: ['Alt+O'],
    run: (page) => changeComparison(page, { look: after(ERROR_LOOKS, compareChoiceOf(page)?.look) ?? ERROR_LOOKS[0] }),
    isEnabled: isOpen,
  },
  {
    id: 'compare.only',
    title: 'Show true positives, false positives or false negatives only, or all',
    group: 'Compare',
    keys: ['Alt+Shift+K'],
    run(page) {
      const only = compareChoiceOf(page)?.only;
      changeComparison(page, { only: only === undefined ? ERROR_KINDS[0] : after(ERROR_KINDS, only) });
    },
    isEnabled: isOpen,
  },
];

function isOpen(page: Page): boolean {
  return panelsOf(page).getState().compareText !== undefined;
}

function visit(which: ErrorVisit, title: string, key: string): Command {
  return {
    id: `compare.${which}`,
    title,
    group: 'Compare',
    keys: [key],
    run: (page) => visitError(page, which),
    isEnabled: isOpen,
    whyNot: (page) => (findQuestion(page) === undefined ? 'choose truth and test first' : undefined),
  };
}

/** The one after another; undefined after the last. */
function after<Item>(items: readonly Item[], one: Item | undefined): Item | undefined {
  return one === undefined ? items[0] : items[items.indexOf(one) + 1];
}
