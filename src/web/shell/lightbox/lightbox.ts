import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { activateCell, cellOf, cellsOf, updateCell } from '../../kit/state/cells.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import type { PictureSource } from '../../show/pictures/pictureSource.ts';
import { FramePicture } from '../../show/pictures/viewport/FramePicture.tsx';

/** All pictures of one cell side by side, over the cells. */
export type LightboxState = {
  /** The cell whose pictures they are, with its window and layers; undefined while it is closed. */
  readonly cell: number | undefined;
  /** Pictures in a row. */
  readonly columns: number;
  readonly selected: ReadonlySet<number>;
  /** The position that keys act on. */
  readonly at: number;
};

export const FEWEST_COLUMNS = 1;
export const MOST_ACROSS = 16;
const USUAL_COLUMNS = 6;

export const lightboxOf = definePart((page) => {
  const store = createStore<LightboxState>(() => ({
    cell: undefined,
    columns: USUAL_COLUMNS,
    selected: new Set(),
    at: 0,
  }));
  page.onRestart(() => store.setState({ cell: undefined, selected: new Set() }));
  return store;
});

export function useLightbox<T>(select: (state: LightboxState) => T): T {
  return useStore(lightboxOf(usePage()), select);
}

/** The picture source of a cell, if its positions can be seen side by side. */
export function findSpread(page: Page, cell: number): PictureSource | undefined {
  const picture = pictureOf(page, cell);
  return picture?.Component === FramePicture && picture.positions > 1 ? picture : undefined;
}

export function isLightboxOpen(page: Page): boolean {
  return lightboxOf(page).getState().cell !== undefined;
}

export function openLightbox(page: Page): void {
  const { activeCell } = cellsOf(page).getState();
  if (findSpread(page, activeCell) === undefined) return;
  lightboxOf(page).setState({ cell: activeCell, selected: new Set(), at: cellOf(page, activeCell).position });
}

export function closeLightbox(page: Page): void {
  lightboxOf(page).setState({ cell: undefined });
}

/** Closes it, and shows this picture in the cell. */
export function goToPicture(page: Page, position: number): void {
  const { cell } = lightboxOf(page).getState();
  closeLightbox(page);
  if (cell === undefined) return;
  activateCell(page, cell);
  updateCell(page, cell, { position, isAtStart: false });
  document.querySelector<HTMLElement>(`[data-cell="${cell}"]`)?.focus();
}

export function setColumns(page: Page, columns: number): void {
  lightboxOf(page).setState({ columns: Math.min(MOST_ACROSS, Math.max(FEWEST_COLUMNS, columns)) });
}

export function moveTo(page: Page, at: number): void {
  lightboxOf(page).setState({ at });
}

export function togglePicture(page: Page, position: number): void {
  const selected = new Set(lightboxOf(page).getState().selected);
  if (!selected.delete(position)) selected.add(position);
  lightboxOf(page).setState({ selected, at: position });
}

export function selectPictures(page: Page, positions: Iterable<number>): void {
  lightboxOf(page).setState({ selected: new Set(positions) });
}
