import {
  type CellsState,
  cellsOfLayout,
  cellsOf,
  type CellState,
  EMPTY_CELL,
  updateCell,
} from '../../kit/state/cells.ts';
import { findFile } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { reportOf } from './viewports.ts';
import type { ViewState } from '../../kit/state/viewState.ts';
import { carryView, findNearest, placesOf } from './carry.ts';
import { findOrientation } from './frameDetails.ts';
import { pictureOf } from './pictureKinds.ts';
import type { PictureSource } from './pictureSource.ts';
import { isParallel } from './patientAxes.ts';

/** Makes linked cells follow the active one. Returns a function that stops it. */
export function linkCells(page: Page): () => void {
  return cellsOf(page).subscribe((state, before) => follow(page, state, before));
}

/** Only changes of the active cell are carried over, so that changes of the followers do not propagate. */
function follow(page: Page, state: CellsState, before: CellsState): void {
  const { activeCell, links, layout } = state;
  const [leader, earlier] = [state.cells[activeCell], before.cells[activeCell]];
  if (leader === undefined || earlier === undefined || leader === earlier || leader.pictureId !== earlier.pictureId)
    return;
  for (const cell of cellsOfLayout(layout)) {
    const follower = state.cells[cell];
    if (cell === activeCell || follower?.pictureId === undefined) continue;
    const change: Partial<CellState> = {
      ...(links.scroll &&
        leader.position !== earlier.position &&
        followScroll(page, activeCell, cell, earlier.position)),
      ...(links.window && leader.window !== earlier.window && followWindow(page, activeCell, cell, leader)),
      ...(links.zoom && leader.view !== earlier.view && followView(page, activeCell, cell, leader.view)),
    };
    if (Object.keys(change).length > 0) updateCell(page, cell, change);
  }
}

function followScroll(page: Page, leader: number, cell: number, earlierPosition: number): Partial<CellState> {
  const [from, to] = [pictureOf(page, leader), pictureOf(page, cell)];
  const states = cellsOf(page).getState().cells;
  const [position, own] = [(states[leader] ?? EMPTY_CELL).position, (states[cell] ?? EMPTY_CELL).position];
  if (from === undefined || to === undefined || to.positions === 0) return {};
  if (from.traits.turns || to.traits.turns) return {};
  const samePlace = isSameSpace(page, from, to) ? findNearest(to, placesOf(from)?.valueOf(position)) : undefined;
  const next = samePlace ?? own + position - earlierPosition;
  return { position: Math.min(Math.max(next, 0), to.positions - 1) };
}

/** Positions along two normals are comparable if both are in one frame of reference and point the same way. */
function isSameSpace(page: Page, a: PictureSource, b: PictureSource): boolean {
  if (a === b) return true;
  const [spaceA, spaceB] = [a, b].map((source) => placesOf(source)?.frameOfReferenceUid);
  if (spaceA === undefined || spaceA === '' || spaceA !== spaceB) return false;
  const [planeA, planeB] = [a, b].map((source) => findOrientation(page, source, 0));
  return planeA?.kind === 'plane' && planeB?.kind === 'plane' && isParallel(planeA.plane, planeB.plane);
}

/** Window numbers mean the same only in images of one modality, and of one unit. */
function followWindow(page: Page, leader: number, cell: number, { window }: CellState): Partial<CellState> {
  const [a, b] = [leader, cell].map((each) => {
    const source = pictureOf(page, each);
    return `${findFile(page, source?.stack?.fileIndex)?.modality} ${source?.isRealWorld ?? false}`;
  });
  const hasNumbers = window.kind === 'custom' || window.kind === 'preset';
  return a === b || !hasNumbers ? { window } : {};
}

function followView(page: Page, leader: number, cell: number, view: ViewState): Partial<CellState> {
  const [from, to] = [reportOf(page, leader).screen, reportOf(page, cell).screen];
  return from === undefined || to === undefined ? {} : { view: carryView(view, from, to) };
}
