import type { FileRecord } from '../../../shared/contract/files.ts';
import type { PlaneRun } from '../../../shared/contract/series.ts';
import { isSpaceOfSeries } from '../../../shared/spaceName.ts';
import type { FrameAddress } from '../../kit/api/frames.ts';
import { activateCell, cellOf, cellsOfLayout, cellsOf, openInCell, setView } from '../../kit/state/cells.ts';
import { findFile, stackOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { fromTile } from '../../kit/state/shownTiles.ts';
import { findPosition } from '../../kit/state/stacks.ts';
import { stepsOf, type Step } from '../../kit/state/stepHistory.ts';
import { placesOf } from './carry.ts';
import { describePosition } from './describePosition.ts';
import { imagePlaneOf, spaceOf } from './findPositionAt.ts';
import { keyOf } from './frameLoader.ts';
import { pictureOf } from './pictureKinds.ts';
import type { PatientGrid, PictureSource } from './pictureSource.ts';
import { reconsiderPicture } from './refusals.ts';
import { scrollTo } from './scroll.ts';
import { frameOnScreen, reportOf, type ViewportScreen } from './viewports.ts';
import { isOverlapping } from '../../kit/state/viewState.ts';

/** The frame that a cell has on screen. Marks over the cell belong to this frame. */
export type ShownFrame = {
  readonly file: FileRecord;
  /** Counts from 0. */
  readonly frame: number;
  readonly plane?: PlaneRun | undefined;
  readonly screen: ViewportScreen;
  /** Set for a picture that is no stored frame. Its header is that of the frame. */
  readonly cut?: CutPlace | undefined;
  /** Where its pixels are in the patient; undefined if that is not known, or if it is no single plane. */
  readonly grid?: ShownGrid | undefined;
};

/** `stepMm` is the distance to the next picture. */
export type ShownGrid = PatientGrid & { readonly stepMm: number };

/** A picture that is no stored frame, such as a plane of a volume. */
export type CutPlace = {
  /** The same for the same samples, whatever cell shows them. */
  readonly key: string;
  readonly sourceId: string;
  readonly position: number;
  /** What it is, in words. */
  readonly name: string;
  /** Lengths in it are those of a projection. */
  readonly isProjected: boolean;
};

export function findShownFrame(page: Page, cell: number): ShownFrame | undefined {
  const shown = frameOnScreen(page, cell);
  const { screen } = reportOf(page, cell);
  return (
    shown &&
    screen && {
      file: shown.file,
      frame: shown.frame.frame,
      plane: shown.source.planeOf(shown.position),
      screen,
      grid: gridOf(shown.source, shown.position),
    }
  );
}

/** The picture that a cell has on screen if it is no stored frame. */
export function findShownCut(page: Page, cell: number): ShownFrame | undefined {
  const { shown, screen } = reportOf(page, cell);
  if (shown === undefined || screen === undefined) return undefined;
  const { source, position } = shown;
  const [samples, header] = [source.samplesOf?.(position), source.headerOf?.(position)];
  if (samples === undefined || header === undefined) return undefined;
  const name = [source.caption, source.reservation, describePosition(source, position)].filter(Boolean).join(', ');
  const isProjected = source.reservation !== undefined;
  const cut = { key: keyOf(samples), sourceId: source.id, position, name, isProjected };
  // A view that turns has no line in other pictures, and its points have no depth.
  const grid = source.line && gridOf(source, position);
  return { file: header.file, frame: header.frame, plane: source.planeOf(position), screen, cut, grid };
}

/** The distance between pictures of which only one has a place. */
const USUAL_STEP_MM = 1;

function gridOf(source: PictureSource, position: number): ShownGrid | undefined {
  const plane = imagePlaneOf(source, position);
  if (plane === undefined) return undefined;
  const places = placesOf(source);
  const placeOf = (at: number) => places?.valueOf(at) ?? NaN;
  const gaps = [position - 1, position + 1].map((other) => Math.abs(placeOf(other) - placeOf(position)));
  const steps = gaps.filter((gap) => gap > 0);
  const space = spaceOf(source) ?? '';
  return {
    plane,
    frameOfReferenceUid: isSpaceOfSeries(space) ? '' : space,
    slabMm: source.line?.slabMm ?? 0,
    time: source.timed?.time ?? 0,
    stepMm: steps.length === 0 ? USUAL_STEP_MM : Math.min(...steps),
  };
}

/** Whether two files, by their indices, are in one stack. */
export function isSameStack(page: Page, one: number, other: number): boolean {
  if (one === other) return true;
  const [a, b] = [findFile(page, one), findFile(page, other)];
  return a !== undefined && b !== undefined && stackOf(page, a).id === stackOf(page, b).id;
}

/** Shows a picture that is no stored frame, in a cell that has its source or else in the active one. */
export function showCut(page: Page, { sourceId, position }: CutPlace): void {
  const { activeCell } = cellsOf(page).getState();
  const found = [activeCell, ...visibleCells(page)].find((cell) => cellOf(page, cell).pictureId === sourceId);
  if (found === undefined) openInCell(page, activeCell, sourceId, position);
  else {
    activateCell(page, found);
    scrollTo(page, found, position);
  }
}

export function visibleCells(page: Page): readonly number[] {
  const { layout, maximisedCell } = cellsOf(page).getState();
  return maximisedCell === undefined ? cellsOfLayout(layout) : [maximisedCell];
}

/**
 * Scrolls to a frame of the file in the active cell if its stack has it, else in another visible cell. If none has it,
 * opens it in the active cell.
 */
export function showFrame(page: Page, fileIndex: number, frame: number): void {
  const { activeCell } = cellsOf(page).getState();
  for (const cell of [activeCell, ...visibleCells(page)]) {
    const picture = pictureOf(page, cell);
    const position = picture?.positionOf({ fileIndex, frame });
    const isTile = reportOf(page, cell).tiles?.fileIndices.includes(fileIndex) ?? false;
    if (position === undefined && !isTile) continue;
    activateCell(page, cell);
    // A video in its player, which shows no marks.
    if (picture?.isPaper === true) reconsiderPicture(page, cell);
    if (!showTile(page, cell, { fileIndex, frame }) && position !== undefined) scrollTo(page, cell, position);
    return;
  }
  const file = findFile(page, fileIndex);
  if (file === undefined) return;
  const stack = stackOf(page, file);
  openInCell(page, activeCell, stack.id, findPosition(stack, fileIndex, frame));
}

/** Centers a tiled picture on this tile. Returns false if the tile is not part of the picture. */
function showTile(page: Page, cell: number, address: FrameAddress): boolean {
  const { tiles, screen } = reportOf(page, cell);
  const tile = tiles?.place(address);
  if (tile === undefined || screen === undefined) return false;
  const { x, y, width, height } = tile.part;
  const center = fromTile(tile, { x: x + width / 2, y: y + height / 2 });
  setView(page, cell, { ...cellOf(page, cell).view, zoom: screen.zoom, center });
  return true;
}

function isTileShown(page: Page, cell: number, address: FrameAddress): boolean {
  const { tiles } = reportOf(page, cell);
  const tile = tiles?.place(address);
  if (tiles === undefined || tile === undefined) return false;
  const { corner, scaleX, scaleY, part } = tile;
  return isOverlapping({ ...corner, width: part.width * scaleX, height: part.height * scaleY }, tiles.visible);
}

export function undoStep(page: Page): void {
  showStep(page, stepsOf(page).undo());
}

export function redoStep(page: Page): void {
  showStep(page, stepsOf(page).redo());
}

/** Shows what an undone or redone step has changed. */
function showStep(page: Page, step: Step | undefined): void {
  if (step === undefined || step.isElsewhere === true) return;
  const { fileIndex, frame = 0 } = step;
  const { activeCell } = cellsOf(page).getState();
  if (step.isWhole === true && reportOf(page, activeCell).tiles?.fileIndices.includes(fileIndex) === true) return;
  const shown = findShownFrame(page, activeCell);
  const isSeen = shown?.file.index === fileIndex && step.isOn(shown.frame);
  if (!isSeen && !isTileShown(page, activeCell, { fileIndex, frame })) showFrame(page, fileIndex, frame);
}
