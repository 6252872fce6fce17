import { findVolumePosition } from '../../../shared/positionTable.ts';
import type { Vector3 } from '../../../shared/geometry.ts';
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
} from '../../state/cells.ts';
import { copyShownLayers } from '../../state/layers.ts';
import { waitForFirstSeries } from '../../state/firstSeries.ts';
import { findFile, stackOf } from '../../state/library.ts';
import { say } from '../../state/messages.ts';
import { definePart, type Page } from '../../state/page.ts';
import { isVolume, loadVolume, type StackVolume } from '../../state/volumes.ts';
import { findCrosshair, setCrosshair } from '../crosshair.ts';
import { findPositionAt, spaceOf } from '../findPositionAt.ts';
import { pictureOf } from '../pictureKinds.ts';
import { reportOf } from '../viewports.ts';
import { middleOf } from './cutVolume.ts';
import { formatPlaneId, parsePlaneId } from './planeId.ts';
import { preparePlanes } from './planePictures.ts';
import { openPlane } from './planeSource.ts';
import { PLANE_NAMES, straightPlane } from './planeSpec.ts';

/** What was on the screen before the planes. */
type Before = Pick<CellsState, 'layout' | 'cells' | 'activeCell' | 'maximisedCell' | 'links'>;

const beforeOf = definePart((page) => {
  const kept: { before: Before | undefined } = { before: undefined };
  // File indices in the ids of stacks and planes would mean other files.
  page.onRestart(() => {
    kept.before = undefined;
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
  // Whether an image is alone or one of many is known with the series, a moment after the image is shown.
  await waitForFirstSeries(page, new AbortController().signal);
  const { activeCell } = cellsOf(page).getState();
  const source = pictureOf(page, activeCell);
  const { position } = cellOf(page, activeCell);
  const place = source?.fileOf(position);
  const first = source?.stack?.frames[0];
  if (source === undefined || place === undefined || first === undefined) return;
  // In a stack of several orientations, the volume is that of the image on the screen.
  const isOne = (source.stack?.planes?.length ?? 0) < 2;
  const address = isOne ? first : { fileIndex: place.file.index, frame: place.frame };
  await preparePlanes(page);
  const answer = await loadVolume(page, { fileIndex: address.fileIndex, frame: address.frame });
  if (!isVolume(answer)) {
    const reason = 'refusal' in answer ? answer.refusal : answer.error.message;
    say(page, `Planes cannot be shown: ${reason}`, 'failed');
    return;
  }
  // The user has gone on meanwhile.
  const isStillActive = cellsOf(page).getState().activeCell === activeCell;
  if (!isStillActive || pictureOf(page, activeCell)?.positionOf(first) === undefined) return;
  openPlanes(page, activeCell, answer);
}

function openPlanes(page: Page, activeCell: number, volume: StackVolume): void {
  const { layout, cells, maximisedCell, links } = cellsOf(page).getState();
  beforeOf(page).before = { layout, cells, activeCell, maximisedCell, links };
  const current = cellOf(page, activeCell);
  const { invert, colorMap, interpolation } = current;
  const look = { ...EMPTY_CELL, invert, colorMap, interpolation, window: carryWindow(page, activeCell, current) };
  const point = choosePoint(page, activeCell, volume);
  const planes = PLANE_NAMES.map((name): CellState => {
    const pictureId = formatPlaneId(volume.address, straightPlane(name));
    const source = openPlane(page, pictureId);
    return { ...look, pictureId, position: (source && findPositionAt(source, point, 0)) ?? 0 };
  });
  cellsOf(page).setState({
    layout: { rows: 2, columns: 2 },
    cells: cells.map((cell, i) => planes[i] ?? (i === planes.length ? current : cell)),
    activeCell: 0,
    maximisedCell: undefined,
  });
  copyShownLayers(page, activeCell, [...PLANE_NAMES.keys(), PLANE_NAMES.length]);
  const space = spaceOf(pictureOf(page, 0) ?? { axes: [] });
  if (space !== undefined) setCrosshair(page, space, point);
}

/** The crosshair if it lies in the volume, else the middle of the volume. */
function choosePoint(page: Page, cell: number, volume: StackVolume): Vector3 {
  const known = findCrosshair(page, pictureOf(page, cell));
  const isInside = known !== undefined && findVolumePosition(volume.table, known) !== undefined;
  return isInside ? known : middleOf(volume.table);
}

/** Windows that depend on a stored image are carried over as numbers. */
function carryWindow(page: Page, cell: number, { window }: CellState): CellWindow {
  const { window: applied, shown } = reportOf(page, cell);
  const isOfVolume = window.kind === 'file' && window.index === 0 && shown?.stackWindow === undefined;
  if (isOfVolume || window.kind === 'preset' || window.kind === 'custom' || applied === undefined) return window;
  if (window.kind === 'full' || applied.applied === 'voi_lut') return window;
  return { kind: 'custom', center: applied.center, width: applied.width };
}

function goBack(page: Page): void {
  const { before } = beforeOf(page);
  beforeOf(page).before = undefined;
  if (before !== undefined) {
    cellsOf(page).setState(before);
    return;
  }
  // The page was opened with planes: the stored images of the volume are shown instead.
  const { layout, cells } = cellsOf(page).getState();
  const shown = cellsOfLayout(layout).flatMap((cell) => parsePlaneId(cells[cell]?.pictureId) ?? []);
  const file = findFile(page, shown[0]?.address.fileIndex);
  if (file === undefined) return;
  const { window, invert, colorMap } = cellOf(page, 0);
  const point = findCrosshair(page, pictureOf(page, 0));
  cellsOf(page).setState({ layout: { rows: 1, columns: 1 }, activeCell: 0, maximisedCell: undefined });
  openInCell(page, 0, stackOf(page, file).id);
  const source = pictureOf(page, 0);
  const position = (source && point && findPositionAt(source, point, 0)) ?? 0;
  updateCell(page, 0, { window, invert, colorMap, position });
}
