import { normalOf, patientToPixel, pixelToPatient, type Vector3 } from '../../../shared/geometry.ts';
import { cellOf, type CellsState, cellsOf, cellsOfLayout, updateCell } from '../../kit/state/cells.ts';
import { crosshairOf } from '../../kit/state/crosshair.ts';
import type { Page } from '../../kit/state/page.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { findPositionAt, imagePlaneOf, spaceOf } from './findPositionAt.ts';
import { pictureOf } from './pictureKinds.ts';
import type { PictureSource } from './pictureSource.ts';
import { isSameStack, visibleCells } from './shownFrame.ts';
import { applyMatrix, invertMatrix } from './viewTransform.ts';
import { keepTime } from './volumeTimes.ts';
import { reportOf } from './viewports.ts';

/** The crosshair in the frame of reference of a source. */
export function findCrosshair(page: Page, source: PictureSource | undefined): Vector3 | undefined {
  const space = source && spaceOf(source);
  return space === undefined ? undefined : crosshairOf(page).getState().points.get(space);
}

/** Moves the crosshair, and all cells of its frame of reference to the pictures that contain it, except one. */
export function setCrosshair(page: Page, space: string, point: Vector3, except?: number): void {
  crosshairOf(page).setState(({ points }) => ({ points: new Map(points).set(space, point) }));
  for (const cell of cellsOfLayout(cellsOf(page).getState().layout)) {
    const source = cell === except ? undefined : pictureOf(page, cell);
    if (source === undefined || spaceOf(source) !== space || !source.traits.scrolls) continue;
    const { position } = cellOf(page, cell);
    const nearest = findPositionAt(source, point, position);
    const next = nearest === undefined ? position : keepTime(page, source, position, nearest);
    if (next !== position) updateCell(page, cell, { position: next, isAtStart: false });
  }
}

/** The point of the patient at a point of a cell, in CSS pixels; undefined if the picture has no known place. */
export function patientPointAt(page: Page, cell: number, at: Point): Vector3 | undefined {
  const { shown, screen } = reportOf(page, cell);
  const plane = shown && imagePlaneOf(shown.source, shown.position);
  if (plane === undefined || screen === undefined) return undefined;
  const { x, y } = applyMatrix(invertMatrix(screen.imageToScreen), at);
  const inside = { x: clamp(x, screen.image.width), y: clamp(y, screen.image.height) };
  // The centre of the first pixel is at (0.5, 0.5) of the image, and at (0, 0) of the plane.
  return pixelToPatient(plane, { column: inside.x - 0.5, row: inside.y - 0.5 });
}

/** Sets the crosshair to a point of a cell. The cell itself does not move. */
export function setCrosshairAt(page: Page, cell: number, at: Point): void {
  const { shown } = reportOf(page, cell);
  const space = shown && spaceOf(shown.source);
  const point = patientPointAt(page, cell, at);
  if (space !== undefined && point !== undefined) setCrosshair(page, space, point, cell);
}

/** The same, if the picture in the cell has a crosshair. */
export function leadCrosshair(page: Page, cell: number, at: Point): void {
  if (findCrosshair(page, pictureOf(page, cell)) !== undefined) setCrosshairAt(page, cell, at);
}

/** Whether a cell shows the stored images of a volume beside its planes. The crosshair is theirs as much as the planes'. */
export function isBesidePlanes(page: Page, cell: number): boolean {
  const fileIndex = pictureOf(page, cell)?.stack?.fileIndex;
  return visibleCells(page).some((other) => {
    const { traits, volume } = pictureOf(page, other) ?? {};
    if (fileIndex === undefined || volume === undefined || traits?.cuts !== true) return false;
    return isSameStack(page, volume.address.fileIndex, fileIndex);
  });
}

/** Keeps the crosshair in the plane through which the user scrolls. Returns a function that stops it. */
export function followCrosshair(page: Page): () => void {
  return cellsOf(page).subscribe((state, before) => follow(page, state, before));
}

function follow(page: Page, { cells, activeCell }: CellsState, before: CellsState): void {
  const [cell, earlier] = [cells[activeCell], before.cells[activeCell]];
  if (cell === undefined || cell.position === earlier?.position || cell.pictureId !== earlier?.pictureId) return;
  const source = pictureOf(page, activeCell);
  const point = findCrosshair(page, source);
  if (source === undefined || point === undefined) return;
  if (!source.traits.cuts && !isBesidePlanes(page, activeCell)) return;
  const space = spaceOf(source);
  const plane = imagePlaneOf(source, cell.position);
  // The cell has followed the crosshair, and not the other way round.
  if (space === undefined || plane === undefined || findPositionAt(source, point, cell.position) === cell.position)
    return;
  const { distanceMm } = patientToPixel(plane, point);
  const normal = normalOf(plane);
  const at = (axis: 0 | 1 | 2) => point[axis] - normal[axis] * distanceMm;
  setCrosshair(page, space, [at(0), at(1), at(2)], activeCell);
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}
