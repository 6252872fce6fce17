import { dot, normalOf } from '../../../shared/geometry.ts';
import {
  type CellsState,
  cellsOfLayout,
  cellOf,
  cellsOf,
  type CellState,
  setLink,
  updateCell,
} from '../../kit/state/cells.ts';
import { findFile } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { reportOf } from './viewports.ts';
import type { ViewState } from '../../kit/state/viewState.ts';
import { carryView, findNearest, placesOf } from './carry.ts';
import { findOrientation } from './frameDetails.ts';
import { pictureOf } from './pictureKinds.ts';
import type { PictureSource } from './pictureSource.ts';

/** Makes linked cells follow the active one. Returns a function that stops it. */
export function linkCells(page: Page): () => void {
  return cellsOf(page).subscribe((state, before) => follow(page, state, before));
}

/**
 * Links scrolling for the user: parallel pictures in the frame of reference of the active one go to its place at once,
 * and a message names those that lie across.
 */
export function linkScrolling(page: Page): void {
  setLink(page, 'scroll', true);
  const { activeCell, layout } = cellsOf(page).getState();
  const across = new Set<string>();
  for (const cell of cellsOfLayout(layout)) {
    const pair = cell === activeCell ? undefined : pairOf(page, activeCell, cell);
    if (pair === undefined) continue;
    if (liesAcross(pair)) across.add(nameOf(page, pair.to));
    const position = goToPlace(pair, cellOf(page, activeCell).position);
    if (position !== undefined) updateCell(page, cell, { position, isAtStart: false });
  }
  const names = [...across].join(' and ');
  if (across.size === 1) say(page, `${names} lies across the active one, so it does not follow`);
  if (across.size > 1) say(page, `${names} lie across the active one, so they do not follow`);
}

function nameOf(page: Page, source: PictureSource): string {
  const file = findFile(page, source.stack?.fileIndex) ?? source.headerOf?.(0)?.file;
  const { series_number: number = '', series_description: description = '' } = file ?? {};
  const series = number === '' ? description.trim() || 'One series' : `Series ${number}`;
  return source.caption ? `${series} (${source.caption})` : series;
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
      ...(leader.window !== earlier.window &&
        (links.window || areOfOneVolume(page, activeCell, cell)) &&
        followWindow(page, activeCell, cell, leader)),
      ...(links.zoom && leader.view !== earlier.view && followView(page, activeCell, cell, leader.view)),
    };
    if (Object.keys(change).length > 0) updateCell(page, cell, change);
  }
}

/**
 * In one frame of reference, parallel pictures go to the same place, and pictures that lie across do not follow. Pictures of
 * other frames of reference, such as those of an earlier study, follow by as many millimetres, and by as many images if they
 * lie across or their places are not known.
 */
function followScroll(page: Page, leader: number, cell: number, earlier: number): Partial<CellState> {
  const pair = pairOf(page, leader, cell);
  if (pair === undefined || liesAcross(pair)) return {};
  const [position, own] = [cellOf(page, leader).position, cellOf(page, cell).position];
  const step = { ...pair, earlier, position, own };
  const next = goToPlace(pair, position) ?? followMillimetres(page, step) ?? own + position - earlier;
  return { position: Math.min(Math.max(next, 0), pair.to.positions - 1) };
}

type Pair = {
  readonly from: PictureSource;
  readonly to: PictureSource;
  /** Of the angle between the normals; undefined if the directions of one are not known. */
  readonly cosine: number | undefined;
};

/** Undefined if the pictures of the two cells can never be linked. */
function pairOf(page: Page, leader: number, cell: number): Pair | undefined {
  const [from, to] = [pictureOf(page, leader), pictureOf(page, cell)];
  if (from === undefined || to === undefined || to.positions === 0) return undefined;
  if (from.traits.turns || to.traits.turns) return undefined;
  return { from, to, cosine: cosineBetween(page, from, to) };
}

/** In one frame of reference, where going on in one picture says nothing of the other. */
function liesAcross(pair: Pair): boolean {
  return isInOneSpace(pair) && !mayBeParallel(pair);
}

function mayBeParallel({ cosine }: Pair): boolean {
  return cosine === undefined || Math.abs(cosine) >= NEARLY_PARALLEL;
}

function isInOneSpace({ from, to }: Pair): boolean {
  const [spaceA, spaceB] = [from, to].map((source) => placesOf(source)?.frameOfReferenceUid);
  return spaceA !== undefined && spaceA !== '' && spaceA === spaceB;
}

/** 1 or -1: whether the normals run the same way. 0 if that is not known. */
function directionOf({ cosine = 0 }: Pair): number {
  return Math.sign(cosine);
}

/** Positions along two normals are comparable if both are in one frame of reference and parallel. */
function goToPlace(pair: Pair, position: number): number | undefined {
  const { from, to, cosine = 0 } = pair;
  const place = placesOf(from)?.valueOf(position);
  if (from === to) return findNearest(to, place);
  if (place === undefined || !isInOneSpace(pair)) return undefined;
  return Math.abs(cosine) > PARALLEL ? findNearest(to, directionOf(pair) * place) : undefined;
}

type Step = Pair & {
  readonly earlier: number;
  readonly position: number;
  /** The position of the follower. */
  readonly own: number;
};

/** How far two pictures were apart along their normals when they were linked, and the positions to which that has led. */
type Tie = { readonly offsetMm: number; readonly leaderAt: number; readonly followerAt: number };

/** By leader and follower. The distance is kept while both are where the link has led them, so rounding does not add up. */
const tiesOf = definePart((page) => {
  const ties = new Map<string, Tie>();
  page.onRestart(() => ties.clear());
  return ties;
});

/** Undefined if the pictures have no places, lie across, or their directions are not known. */
function followMillimetres(page: Page, step: Step): number | undefined {
  if (!mayBeParallel(step)) return undefined;
  const { from, to, earlier, position, own } = step;
  const direction = directionOf(step);
  const [start, place] = [placesOf(from)?.valueOf(earlier), placesOf(from)?.valueOf(position)];
  const ownPlace = placesOf(to)?.valueOf(own);
  if (direction === 0 || start === undefined || place === undefined || ownPlace === undefined) return undefined;
  // Another time of the same place.
  if (Math.abs(place - start) < SAME_MM) return own;
  const ties = tiesOf(page);
  const known = ties.get(`${from.id} ${to.id}`);
  const isKept = known?.leaderAt === earlier && known.followerAt === own;
  const offsetMm = isKept ? known.offsetMm : ownPlace - direction * start;
  const next = findNearest(to, offsetMm + direction * place) ?? own;
  ties.set(`${from.id} ${to.id}`, { offsetMm, leaderAt: position, followerAt: next });
  ties.set(`${to.id} ${from.id}`, { offsetMm: -direction * offsetMm, leaderAt: next, followerAt: position });
  return next;
}

const SAME_MM = 1e-3;
const PARALLEL = 0.999;
/** Patients do not lie twice in the same way: up to 25 degrees. */
const NEARLY_PARALLEL = Math.cos((25 * Math.PI) / 180);

function cosineBetween(page: Page, a: PictureSource, b: PictureSource): number | undefined {
  const [planeA, planeB] = [a, b].map((source) => findOrientation(page, source, 0));
  if (planeA?.kind !== 'plane' || planeB?.kind !== 'plane') return undefined;
  return dot(normalOf(planeA.plane), normalOf(planeB.plane));
}

/** Whether two cells show planes or other pictures of one volume, which have one window. */
function areOfOneVolume(page: Page, leader: number, cell: number): boolean {
  const [a, b] = [pictureOf(page, leader), pictureOf(page, cell)];
  return a?.volume !== undefined && a.volume === b?.volume;
}

/** Window numbers mean the same only in images of one modality, and of one unit. */
function followWindow(page: Page, leader: number, cell: number, { window }: CellState): Partial<CellState> {
  const [a, b] = [leader, cell].map((each) => {
    const source = pictureOf(page, each);
    const file = findFile(page, source?.stack?.fileIndex) ?? source?.headerOf?.(0)?.file;
    return `${file?.modality} ${source?.isRealWorld ?? false}`;
  });
  const hasNumbers = window.kind === 'custom' || window.kind === 'preset';
  return a === b || !hasNumbers ? { window } : {};
}

function followView(page: Page, leader: number, cell: number, view: ViewState): Partial<CellState> {
  const [from, to] = [reportOf(page, leader).screen, reportOf(page, cell).screen];
  return from === undefined || to === undefined ? {} : { view: carryView(view, from, to) };
}
