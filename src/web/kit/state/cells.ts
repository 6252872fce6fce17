import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { WindowChoice } from '../../../shared/chooseVoi.ts';
import type { ColorMapName } from './colorMaps.ts';
import { findStack, openingPosition, useLibrary } from './library.ts';
import { definePart, type Page, usePage } from './page.ts';
import type { PathMix } from './pathMix.ts';
import type { ViewStack } from './stacks.ts';
import { type ViewState, WHOLE_IMAGE } from './viewState.ts';

export type CellWindow =
  /** A window declared by the file, by index. If the file declares none, the window of the stack. */
  | { readonly kind: 'file'; readonly index: number }
  /** One window for the whole stack, regardless of what its images declare. */
  | { readonly kind: 'stack' }
  /** The window that each image declares. For an image that declares none, a window chosen for that image alone. */
  | { readonly kind: 'slice' }
  /** From the frame's smallest to its largest value. */
  | { readonly kind: 'full' }
  | { readonly kind: 'preset'; readonly name: string; readonly center: number; readonly width: number }
  | { readonly kind: 'custom'; readonly center: number; readonly width: number };

export type CineState = {
  readonly playing: boolean;
  /** Undefined until the user chooses one: the rate follows the file's frame time, or is 10 if none is declared. */
  readonly fps: number | undefined;
  readonly mode: 'loop' | 'sweep';
};

/** A presentation state that the user has applied to the images of a cell. */
export type AppliedPresentation = {
  /** The name of its file, as in a URL, because indices change when the server restarts. */
  readonly name: string;
  /** Whether it decides how the pixels look and which part of them is seen, or only draws over them. */
  readonly mode: 'all' | 'marks';
  /** False: the images are shown without it, until the user wants to see it again. */
  readonly isShown: boolean;
  /** How the images look if `isShown` changes; undefined: as they do when they are opened. */
  readonly otherwise: CellLook | undefined;
};

/** How the images of a cell look, apart from a presentation state. */
export type CellLook = Pick<CellState, 'window' | 'invert' | 'colorMap' | 'view'>;

export type CellState = {
  /** The id of the picture source that it shows, such as that of a stack (pictures/pictureSource.ts). */
  readonly pictureId: string | undefined;
  /** Index in the source, from 0. */
  readonly position: number;
  /** The cell shows its opening image and the user has not chosen another: other code may scroll to a better one. */
  readonly isAtStart: boolean;
  readonly window: CellWindow;
  readonly invert: boolean;
  /** Applies to grayscale images only. */
  readonly colorMap: ColorMapName;
  /**
   * Optical paths of a slide that are blended into one picture, each in its own color; undefined if one path is shown
   * alone.
   */
  readonly mix: readonly PathMix[] | undefined;
  readonly view: ViewState;
  readonly presentation: AppliedPresentation | undefined;
  /** The name of the key object selection whose images are the only ones that the user scrolls through. */
  readonly keyObjects: string | undefined;
  /** The place in a document: a content item, a page, a beam, a time. */
  readonly item: string | undefined;
  readonly interpolation: 'auto' | 'smooth' | 'nearest';
  readonly cine: CineState;
};

export type GridLayout = { readonly rows: number; readonly columns: number };
export type CellLinks = {
  readonly scroll: boolean;
  readonly window: boolean;
  readonly zoom: boolean;
  /** Linked cells show the same layers. */
  readonly layers: boolean;
};
export const NO_LINKS: CellLinks = { scroll: false, window: false, zoom: false, layers: false };

export type CellsState = {
  readonly layout: GridLayout;
  /** Cells outside the layout keep their state. After `MAX_CELLS` entries there are those of the lightbox. */
  readonly cells: readonly CellState[];
  readonly activeCell: number;
  readonly maximisedCell: number | undefined;
  readonly links: CellLinks;
  /** The window that the key 9 restores on CT. */
  readonly lastCustomWindow: { readonly center: number; readonly width: number } | undefined;
};

export const MAX_SIDE = 4;
const MAX_CELLS = MAX_SIDE * MAX_SIDE;

export const EMPTY_CELL: CellState = {
  pictureId: undefined,
  position: 0,
  isAtStart: false,
  window: { kind: 'file', index: 0 },
  invert: false,
  colorMap: 'gray',
  mix: undefined,
  view: WHOLE_IMAGE,
  presentation: undefined,
  keyObjects: undefined,
  item: undefined,
  interpolation: 'auto',
  cine: { playing: false, fps: undefined, mode: 'loop' },
};

export const INITIAL_CELLS: CellsState = {
  layout: { rows: 1, columns: 1 },
  cells: Array.from({ length: MAX_CELLS }, () => EMPTY_CELL),
  activeCell: 0,
  maximisedCell: undefined,
  links: NO_LINKS,
  lastCustomWindow: undefined,
};

export const cellsOf = definePart(() => createStore<CellsState>(() => INITIAL_CELLS));

export function useCells<T>(select: (state: CellsState) => T): T {
  return useStore(cellsOf(usePage()), select);
}

export function cellOf(page: Page, cell: number): CellState {
  return cellsOf(page).getState().cells[cell] ?? EMPTY_CELL;
}

export function stackOfCell(page: Page, cell: number): ViewStack | undefined {
  return findStack(page, cellOf(page, cell).pictureId);
}

/**
 * Whether a cell shows the stack of a file; undefined stands for an empty cell. Compared by file, because the id of a
 * stack changes once the series are known.
 */
export function showsStackOf(page: Page, cell: number, fileIndex: number | undefined): boolean {
  const stack = stackOfCell(page, cell);
  if (stack === undefined || stack.fileIndex === fileIndex) return stack?.fileIndex === fileIndex;
  return stack.frames.some((frame) => frame.fileIndex === fileIndex);
}

/** Follows both the stack that the cell shows and what the library knows about it. */
export function useStackOfCell(cell: number): ViewStack | undefined {
  const page = usePage();
  const pictureId = useCells(({ cells }) => cells[cell]?.pictureId);
  return useLibrary(() => findStack(page, pictureId));
}

/** Indices of the cells in the layout. A maximised cell hides the others but does not close them. */
export function cellsOfLayout({ rows, columns }: GridLayout): number[] {
  return Array.from({ length: rows * columns }, (_, cell) => cell);
}

export function updateCell(page: Page, cell: number, change: Partial<CellState>): void {
  cellsOf(page).setState(({ cells }) => ({ cells: cells.with(cell, { ...(cells[cell] ?? EMPTY_CELL), ...change }) }));
}

/** Shows a picture source, such as a stack, at a position, with its default window and the whole image visible. */
export function openInCell(page: Page, cell: number, pictureId: string | undefined, position = 0): void {
  const { interpolation } = cellOf(page, cell);
  updateCell(page, cell, { ...EMPTY_CELL, interpolation, pictureId, position });
}

/** Shows a stack, or one file of it, at its opening position. */
export function openAtStart(page: Page, cell: number, stack: ViewStack, file?: FileRecord): void {
  openInCell(page, cell, stack.id, openingPosition(page, stack, file));
  updateCell(page, cell, { isAtStart: true });
}

/** Sets the cells that are in no layout: those of the lightbox. */
export function setCellsBeyond(page: Page, beyond: readonly CellState[]): void {
  cellsOf(page).setState(({ cells }) => {
    const own = cells.slice(0, MAX_CELLS);
    const before = cells.slice(MAX_CELLS);
    // Those that are the same stay the same objects, so that nothing is drawn again.
    const next = beyond.map((state, at) => (isSameCell(before[at], state) ? before[at]! : state));
    return { cells: [...own, ...next] };
  });
}

function isSameCell(a: CellState | undefined, b: CellState): boolean {
  if (a === undefined) return false;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the type
  return (Object.keys(b) as (keyof CellState)[]).every((key) => a[key] === b[key]);
}

export function setWindow(page: Page, cell: number, window: CellWindow): void {
  updateCell(page, cell, { window });
  if (window.kind !== 'custom') return;
  const { center, width } = window;
  cellsOf(page).setState({ lastCustomWindow: { center, width } });
}

export function setView(page: Page, cell: number, view: ViewState): void {
  updateCell(page, cell, { view });
}

export function setCine(page: Page, cell: number, change: Partial<CineState>): void {
  updateCell(page, cell, { cine: { ...cellOf(page, cell).cine, ...change } });
}

export function activateCell(page: Page, cell: number): void {
  if (cellsOf(page).getState().activeCell !== cell) cellsOf(page).setState({ activeCell: cell });
}

export function toggleMaximised(page: Page, cell: number): void {
  cellsOf(page).setState(({ maximisedCell }) => ({
    maximisedCell: maximisedCell === cell ? undefined : cell,
    activeCell: cell,
  }));
}

export function setLayout(page: Page, layout: GridLayout): void {
  cellsOf(page).setState(({ activeCell }) => ({
    layout,
    maximisedCell: undefined,
    activeCell: Math.min(activeCell, layout.rows * layout.columns - 1),
  }));
}

export function setLink(page: Page, link: keyof CellLinks, isOn: boolean): void {
  cellsOf(page).setState(({ links }) => ({ links: { ...links, [link]: isOn } }));
}

export function toWindowChoice(window: CellWindow): WindowChoice {
  switch (window.kind) {
    case 'file':
      return { kind: 'default', index: window.index };
    case 'stack':
    case 'slice':
      return { kind: 'default' };
    case 'full':
      return { kind: 'full_dynamic' };
    case 'preset':
    case 'custom':
      return { kind: 'explicit', center: window.center, width: window.width };
  }
}
