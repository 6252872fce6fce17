import { findVolumePosition } from '../../../../shared/positionTable.ts';
import { dot, normalOf, pixelToPatient, type Vector3 } from '../../../../shared/geometry.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import {
  type CellState,
  type CellsState,
  cellOf,
  cellsOf,
  cellsOfLayout,
  type CellWindow,
  EMPTY_CELL,
  openInCell,
  updateCell,
} from '../../../kit/state/cells.ts';
import { copyShownLayers } from '../../../kit/state/layers.ts';
import { waitForFirstSeries } from '../../../kit/state/firstSeries.ts';
import { findFile, stackOf } from '../../../kit/state/library.ts';
import { say } from '../../../kit/state/messages.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import type { ViewState } from '../../../kit/state/viewState.ts';
import { isVolume, loadVolume, type StackVolume } from '../../../kit/state/volumes.ts';
import { findCrosshair, setCrosshair } from '../crosshair.ts';
import { findPositionAt, imagePlaneOf, spaceOf } from '../findPositionAt.ts';
import { pictureOf } from '../pictureKinds.ts';
import { reportOf } from '../viewports.ts';
import { timeInCell } from '../volumeTimes.ts';
import { findPlane } from './changePlane.ts';
import { middleOf, straightOrientation } from '../../../../shared/cutVolume.ts';
import { formatMipId, formatPlaneId, parseMipId, parsePlaneId, volumeAddressOf } from './planeId.ts';
import { preparePlanes } from './planePictures.ts';
import { openPlane } from './planeSource.ts';
import { PLANE_NAMES } from '../../../../shared/planeNames.ts';
import { type PlaneSpec, straightPlane } from './planeSpec.ts';

/** What was on the screen before the planes, and where and with which window the planes began. */
type Before = Pick<CellsState, 'layout' | 'cells' | 'activeCell' | 'maximisedCell' | 'links'> & {
  readonly begin: Place & { readonly window: CellWindow };
};
type Place = { readonly space: string | undefined; readonly point: Vector3 };
/** Planes as the user has left them. */
type Left = { readonly volume: StackVolume; readonly cells: readonly CellState[]; readonly point: Vector3 | undefined };

const beforeOf = definePart((page) => {
  const kept: { before: Before | undefined; left: Left | undefined } = { before: undefined, left: undefined };
  // File indices in the ids of stacks and planes would mean other files.
  page.onRestart(() => {
    kept.before = undefined;
    kept.left = undefined;
  });
  return kept;
});

/** Whether a cell of the layout shows a plane of a volume. */
export function arePlanesShown(page: Page): boolean {
  const { layout, cells } = cellsOf(page).getState();
  return cellsOfLayout(layout).some((cell) => parsePlaneId(cells[cell]?.pictureId) !== undefined);
}

/** Shows the volume of the active cell in three planes, or what was there before. */
export async function toggleThreePlanes(page: Page): Promise<void> {
  if (arePlanesShown(page)) goBack(page);
  else await showThreePlanes(page);
}

async function showThreePlanes(page: Page): Promise<void> {
  const { activeCell } = cellsOf(page).getState();
  const volume = await findVolumeOf(page, activeCell);
  if (volume !== undefined) openPlanes(page, activeCell, volume);
}

/** The volume of what a cell shows. Undefined, with a message, if it is none, and if the user goes on meanwhile. */
async function findVolumeOf(page: Page, cell: number): Promise<StackVolume | undefined> {
  // Whether an image is alone or one of many is known with the series, a moment after the image is shown.
  await waitForFirstSeries(page, new AbortController().signal);
  const { activeCell } = cellsOf(page).getState();
  const { pictureId } = cellOf(page, cell);
  const address = findAddress(page, cell);
  if (address === undefined) return undefined;
  await preparePlanes(page);
  const answer = await loadVolume(page, { fileIndex: address.fileIndex, frame: address.frame });
  if (!isVolume(answer)) {
    const reason = 'refusal' in answer ? answer.refusal : answer.error.message;
    say(page, `Planes cannot be shown: ${reason}`, 'failed');
    return undefined;
  }
  const isStillActive = cellsOf(page).getState().activeCell === activeCell;
  return isStillActive && cellOf(page, cell).pictureId === pictureId ? answer : undefined;
}

function findAddress(page: Page, cell: number): FrameAddress | undefined {
  const { pictureId, position } = cellOf(page, cell);
  const ofVolume = volumeAddressOf(pictureId);
  if (ofVolume !== undefined) return ofVolume;
  const source = pictureOf(page, cell);
  const place = source?.fileOf(position);
  const first = source?.stack?.frames[0];
  if (place === undefined || first === undefined) return undefined;
  // In a stack of several orientations, the volume is that of the image on the screen.
  const isOne = (source?.stack?.planes?.length ?? 0) < 2;
  return isOne ? first : { fileIndex: place.file.index, frame: place.frame };
}

function openPlanes(page: Page, activeCell: number, volume: StackVolume): void {
  const { layout, cells, maximisedCell, links } = cellsOf(page).getState();
  const current = cellOf(page, activeCell);
  const { invert, colorMap, interpolation } = current;
  const window = carryWindow(page, activeCell, current, volume);
  const look = { ...EMPTY_CELL, invert, colorMap, interpolation, window };
  const point = choosePoint(page, activeCell, volume);
  const time = timeInCell(page, activeCell, volume) ?? 0;
  const planes = PLANE_NAMES.map((name, cell): CellState => {
    const kept = keptPlane(page, volume, cell, point);
    const spec = { ...(kept?.spec ?? straightPlane(name)), time };
    const pictureId = formatPlaneId(volume.address, spec);
    const source = openPlane(page, pictureId);
    const position = (source && findPositionAt(source, point, 0)) ?? 0;
    return { ...look, view: kept?.view ?? look.view, pictureId, position };
  });
  const beside = isAmongPlanes(page, volume) ? viewFromFront(page, volume, time, look) : current;
  cellsOf(page).setState({
    layout: { rows: 2, columns: 2 },
    cells: cells.map((cell, i) => planes[i] ?? (i === planes.length ? beside : cell)),
    activeCell: 0,
    maximisedCell: undefined,
  });
  const space = spaceOf(pictureOf(page, 0) ?? { axes: [] });
  beforeOf(page).before = {
    layout,
    cells,
    activeCell,
    maximisedCell,
    links,
    begin: { space, point, window },
  };
  copyShownLayers(page, activeCell, [...PLANE_NAMES.keys(), PLANE_NAMES.length]);
  if (space !== undefined) setCrosshair(page, space, point);
}

/** The plane that the user has left in a cell, with its slab and turn; with its zoom, if it is opened at the same point. */
function keptPlane(
  page: Page,
  volume: StackVolume,
  cell: number,
  point: Vector3,
): { readonly spec: PlaneSpec; readonly view: ViewState | undefined } | undefined {
  const { left } = beforeOf(page);
  const kept = left?.volume === volume ? left.cells[cell] : undefined;
  const spec = parsePlaneId(kept?.pictureId)?.spec;
  if (left === undefined || kept === undefined || spec?.name !== PLANE_NAMES[cell] || spec === undefined)
    return undefined;
  return { spec, view: isSamePoint(left.point, point) ? kept.view : undefined };
}

function isSamePoint(a: Vector3 | undefined, b: Vector3): boolean {
  return a !== undefined && a.every((value, axis) => Math.abs(value - (b[axis] ?? NaN)) < 1e-6);
}

/**
 * Whether the stored images are one of the three planes, so that they would be seen twice. Images of an MR that lie askew
 * stay beside the planes, because they are sharper than any plane; of other modalities, and of vessels, a MIP shows more.
 */
function isAmongPlanes(page: Page, volume: StackVolume): boolean {
  const { modality = '', series_description: description = '' } = findFile(page, volume.address.fileIndex) ?? {};
  const acquired = normalOf(volume.table);
  const isStraight = PLANE_NAMES.some(
    (name) => Math.abs(dot(acquired, normalOf(straightOrientation(volume, name)))) > 0.999,
  );
  return isStraight || modality !== 'MR' || /angio|\bmra\b|\btof\b/i.test(description);
}

/** Hot spots of PET and scintigraphy are looked for in a rotating MIP, dark on a bright ground. */
function isEmission(page: Page, { address }: StackVolume): boolean {
  return ['PT', 'NM'].includes(findFile(page, address.fileIndex)?.modality ?? '');
}

function viewFromFront(page: Page, volume: StackVolume, time: number, look: CellState): CellState {
  const { address } = volume;
  const pictureId = formatMipId(address, { azimuth: 0, elevation: 0, time });
  return {
    ...look,
    invert: isEmission(page, volume) ? true : look.invert,
    pictureId,
    position: 0,
    view: EMPTY_CELL.view,
  };
}

/** Cells that show a rotating MIP now, and what they showed before. */
const mipsOf = definePart((page) => {
  const before = new Map<number, CellState>();
  page.onRestart(() => before.clear());
  return before;
});

/** The cell whose rotating MIP the key ends: the active one, or one beside planes. */
function findMipCell(page: Page): number | undefined {
  const { layout, cells, activeCell } = cellsOf(page).getState();
  const shown = cellsOfLayout(layout).filter((cell) => parseMipId(cells[cell]?.pictureId) !== undefined);
  if (shown.includes(activeCell)) return activeCell;
  return parsePlaneId(cells[activeCell]?.pictureId) === undefined ? undefined : shown[0];
}

export function isMipShown(page: Page): boolean {
  return findMipCell(page) !== undefined;
}

/** Shows a rotating MIP of the volume of the active cell, beside its planes if there are any, or what was there before. */
export async function toggleMip(page: Page): Promise<void> {
  const shown = findMipCell(page);
  if (shown === undefined) await showMip(page);
  else leaveMip(page, shown);
}

async function showMip(page: Page): Promise<void> {
  const { activeCell } = cellsOf(page).getState();
  const volume = await findVolumeOf(page, activeCell);
  if (volume === undefined) return;
  const { layout, cells } = cellsOf(page).getState();
  const isPlane = (cell: number) => parsePlaneId(cells[cell]?.pictureId) !== undefined;
  const beside = isPlane(activeCell) ? cellsOfLayout(layout).find((cell) => !isPlane(cell)) : undefined;
  const cell = beside ?? activeCell;
  const current = cellOf(page, activeCell);
  const look = { ...current, window: carryWindow(page, activeCell, current, volume), cine: EMPTY_CELL.cine };
  mipsOf(page).set(cell, cellOf(page, cell));
  const time = timeInCell(page, activeCell, volume) ?? 0;
  updateCell(page, cell, viewFromFront(page, volume, time, look));
}

function leaveMip(page: Page, cell: number): void {
  const before = mipsOf(page).get(cell);
  mipsOf(page).delete(cell);
  const file = findFile(page, parseMipId(cellOf(page, cell).pictureId)?.address.fileIndex);
  if (before !== undefined) updateCell(page, cell, before);
  else if (file !== undefined) openInCell(page, cell, stackOf(page, file).id);
}

/**
 * The point that the planes go through: the crosshair if it is in the image on the screen, otherwise the middle of what
 * the screen shows of that image. The image on the screen stays in the planes, also if nobody has scrolled to it.
 */
function choosePoint(page: Page, cell: number, { table }: StackVolume): Vector3 {
  const source = pictureOf(page, cell);
  const { position, view } = cellOf(page, cell);
  const known = findCrosshair(page, source);
  const plane = source && imagePlaneOf(source, position);
  const isInside = (point: Vector3) => findVolumePosition(table, point) !== undefined;
  if (known !== undefined && isInside(known)) {
    if (source === undefined || findPositionAt(source, known, position) === position) return known;
  }
  if (plane === undefined) return middleOf(table);
  const middle = {
    column: view.center === undefined ? Math.floor((table.columns - 1) / 2) : Math.floor(view.center.x),
    row: view.center === undefined ? Math.floor((table.rows - 1) / 2) : Math.floor(view.center.y),
  };
  const seen = pixelToPatient(plane, middle);
  return isInside(seen) ? seen : middleOf(table);
}

/** Windows that depend on a stored image are carried over as numbers, unless samples are in another unit than images. */
function carryWindow(page: Page, cell: number, { window }: CellState, { isRealWorld }: StackVolume): CellWindow {
  const { window: applied, shown } = reportOf(page, cell);
  if (isRealWorld !== (shown?.source.isRealWorld ?? false)) return EMPTY_CELL.window;
  const isOfVolume = window.kind === 'file' && window.index === 0 && shown?.stackWindow === undefined;
  if (isOfVolume || window.kind === 'preset' || window.kind === 'custom' || applied === undefined) return window;
  if (window.kind === 'full' || applied.applied === 'voi_lut') return window;
  return { kind: 'custom', center: applied.center, width: applied.width };
}

/** Shows what was there before the planes, at the place to which the user has gone in them. */
function goBack(page: Page): void {
  const { before } = beforeOf(page);
  const { cells } = cellsOf(page).getState();
  const volume = findPlane(page, 0)?.volume;
  const point = findCrosshair(page, pictureOf(page, 0));
  beforeOf(page).left = volume && { volume, cells: PLANE_NAMES.map((_, cell) => cells[cell] ?? EMPTY_CELL), point };
  beforeOf(page).before = undefined;
  if (before === undefined) {
    showStored(page, point);
    return;
  }
  const { begin, ...screen } = before;
  const { window } = cellOf(page, 0);
  const isNewWindow = window !== begin.window && volume?.isRealWorld === false;
  const carry = (cell: CellState, at: number) => (isNewWindow && at === before.activeCell ? { ...cell, window } : cell);
  cellsOf(page).setState({ ...screen, cells: before.cells.map(carry) });
  if (begin.space === undefined || point === undefined || isSamePoint(point, begin.point)) return;
  setCrosshair(page, begin.space, point);
}

/** The page was opened with planes: the stored images of the volume are shown instead. */
function showStored(page: Page, point: Vector3 | undefined): void {
  const { layout, cells } = cellsOf(page).getState();
  const shown = cellsOfLayout(layout).flatMap((cell) => parsePlaneId(cells[cell]?.pictureId) ?? []);
  const file = findFile(page, shown[0]?.address.fileIndex);
  if (file === undefined) return;
  const { invert, colorMap, ...own } = cellOf(page, 0);
  const window = pictureOf(page, 0)?.isRealWorld === true ? EMPTY_CELL.window : own.window;
  cellsOf(page).setState({ layout: { rows: 1, columns: 1 }, activeCell: 0, maximisedCell: undefined });
  openInCell(page, 0, stackOf(page, file).id);
  const source = pictureOf(page, 0);
  const position = (source && point && findPositionAt(source, point, 0)) ?? 0;
  updateCell(page, 0, { window, invert, colorMap, position });
}
