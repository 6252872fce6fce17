import { createStore } from 'zustand/vanilla';
import { cellOf, updateCell } from '../../kit/state/cells.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import type { PictureKind, PictureSource } from './pictureSource.ts';

/** Sources that a kind could not show after all, such as tiles without positions. The next kind shows them. */
export const refusalsOf = definePart((page) => {
  const store = createStore<{ readonly refused: ReadonlySet<string> }>(() => ({ refused: new Set() }));
  page.onRestart(() => store.setState({ refused: new Set() }));
  return store;
});

/** Leaves a source to the next kind from now on. */
export function refusePicture(page: Page, kind: Pick<PictureKind, 'name'>, id: string): void {
  refusalsOf(page).setState(({ refused }) => ({ refused: new Set([...refused, keyOf(kind, id)]) }));
}

/** Offers what a cell shows to all kinds again, because the user asks for its frames and not for its document. */
export function reconsiderPicture(page: Page, cell: number): void {
  const { pictureId } = cellOf(page, cell);
  updateCell(page, cell, { item: undefined });
  refusalsOf(page).setState(({ refused }) => ({
    refused: new Set([...refused].filter((key) => !key.endsWith(` ${pictureId}`))),
  }));
}

/** The source with this id if this kind has it and has not refused it. */
export function openPicture(page: Page, kind: PictureKind, id: string): PictureSource | undefined {
  return refusalsOf(page).getState().refused.has(keyOf(kind, id)) ? undefined : kind.open(page, id);
}

function keyOf({ name }: Pick<PictureKind, 'name'>, id: string): string {
  return `${name} ${id}`;
}
