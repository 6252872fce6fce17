import { cellOf, cellsOf } from '../../kit/state/cells.ts';
import type { Command } from '../../kit/state/commands.ts';
import type { Page } from '../../kit/state/page.ts';
import { toggleState } from './applyState.ts';
import { findKept, keepKeyImages, listKeyObjects } from './keyObjects.ts';

export const PRESENTATION_COMMANDS: readonly Command[] = [
  {
    id: 'view.presentation',
    title: 'Show image with or without its presentation state',
    group: 'View',
    keys: ['Shift+P'],
    run: (page) => toggleState(page, activeCell(page)),
    isEnabled: (page) => cellOf(page, activeCell(page)).presentation !== undefined,
    isOn: (page) => cellOf(page, activeCell(page)).presentation?.isShown === true,
  },
  {
    id: 'scroll.keyImages',
    title: 'Key images only, or all images',
    group: 'Scroll',
    keys: ['Shift+N'],
    run: (page) => keepNext(page, activeCell(page)),
    isEnabled: (page) => listSelections(page, activeCell(page)).length > 0,
    isOn: (page) => cellOf(page, activeCell(page)).keyObjects !== undefined,
  },
];

function activeCell(page: Page): number {
  return cellsOf(page).getState().activeCell;
}

/** Each selection in turn, then all images. */
function keepNext(page: Page, cell: number): void {
  const kept = findKept(page, cell);
  const selections = listSelections(page, cell);
  const next = kept === undefined ? selections[0] : selections[selections.indexOf(kept) + 1];
  keepKeyImages(page, cell, next);
}

function listSelections(page: Page, cell: number) {
  return listKeyObjects(page, cell).filter(({ key_objects }) => key_objects?.is_rejection !== true);
}
