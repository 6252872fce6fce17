import { type CellState, cellOf, INITIAL_CELLS, setCellsBeyond } from '../../kit/state/cells.ts';
import { copyShownLayers } from '../../kit/state/layers.ts';
import type { Page } from '../../kit/state/page.ts';
import { WHOLE_IMAGE } from '../../kit/state/viewState.ts';

/** The first cell that is in no layout: those of the lightbox follow the cells of the page. */
const FIRST = INITIAL_CELLS.cells.length;

/** The cell of a place in the lightbox. Place 0 is that of pictures to save, which is not seen. */
export function cellOfPlace(place: number): number {
  return FIRST + place;
}

/** The place of a picture: pictures that are on the screen together have different places. */
export function placeOfPicture(position: number, places: number): number {
  return 1 + (position % places);
}

/** Shows pictures of a cell in the cells of the lightbox: as whole images, and in every other way as there. */
export function showPictures(page: Page, cell: number, positions: readonly number[], places: number): void {
  const { position, cine, view, ...look } = cellOf(page, cell);
  const { quarterTurns, flipHorizontal, flipVertical } = view;
  const whole = { ...WHOLE_IMAGE, quarterTurns, flipHorizontal, flipVertical };
  const toState = (at: number): CellState => ({
    ...look,
    position: at,
    isAtStart: false,
    cine: { ...cine, playing: false },
    view: whole,
  });
  const states = Array.from({ length: places + 1 }, () => toState(position));
  for (const at of positions) states[placeOfPicture(at, places)] = toState(at);
  setCellsBeyond(page, states);
  copyShownLayers(
    page,
    cell,
    states.map((_, place) => cellOfPlace(place)),
  );
}

export function forgetPictures(page: Page): void {
  setCellsBeyond(page, []);
}
