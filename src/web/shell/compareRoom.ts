import { cellOf, cellsOf, type GridLayout, setLayout } from '../kit/state/cells.ts';
import { libraryOf } from '../kit/state/library.ts';
import type { Page } from '../kit/state/page.ts';

const ONE: GridLayout = { rows: 1, columns: 1 };
const BESIDE: GridLayout = { rows: 1, columns: 2 };

/** Who compares needs a second cell, which takes the next series that is opened. */
export function makeRoom(page: Page): void {
  if (!isLayout(page, ONE) || isEmpty(page, 0) || libraryOf(page).getState().stacks.size < 2) return;
  setLayout(page, BESIDE);
}

/** Takes the second cell away again if nothing has been opened there. */
export function takeRoomBack(page: Page): void {
  if (isLayout(page, BESIDE) && !isEmpty(page, 0) && isEmpty(page, 1)) setLayout(page, ONE);
}

function isLayout(page: Page, { rows, columns }: GridLayout): boolean {
  const { layout, maximisedCell } = cellsOf(page).getState();
  return layout.rows === rows && layout.columns === columns && maximisedCell === undefined;
}

function isEmpty(page: Page, cell: number): boolean {
  return cellOf(page, cell).pictureId === undefined;
}
