import { cross, dot, normalOf, type PlaneOrientation, type Vector3 } from '../../../../shared/geometry.ts';
import { cellOf, cellsOf, cellsOfLayout, updateCell } from '../../../kit/state/cells.ts';
import { crosshairOf } from '../../../kit/state/crosshair.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ViewState } from '../../../kit/state/viewState.ts';
import { findPositionAt, imagePlaneOf, spaceOf } from '../findPositionAt.ts';
import type { PictureSource } from '../pictureSource.ts';
import { reportOf } from '../viewports.ts';
import { centerOf } from '../viewTransform.ts';
import { patientToPixel } from '../../../../shared/geometry.ts';
import { cutVolume } from '../../../../shared/cutVolume.ts';
import { findPlane } from './changePlane.ts';
import { formatPlaneId } from './planeId.ts';
import type { PlaneSpec } from './planeSpec.ts';

export type OpenPlane = (id: string) => PictureSource | undefined;

type Turned = {
  readonly cell: number;
  readonly orientation: PlaneOrientation;
};

/**
 * Begins to turn the other planes of the volume of a cell, together, around the crosshair and the normal of the cell's
 * own plane. The returned function takes the angle since then. Undefined if there is nothing to turn.
 */
export function beginTurn(page: Page, cell: number, open: OpenPlane): ((radians: number) => void) | undefined {
  const own = findPlane(page, cell);
  const point = own && findPoint(page, open(cellOf(page, cell).pictureId ?? ''));
  if (own === undefined || point === undefined) return undefined;
  const axis = normalOf(cutVolume(own.volume, own.spec).grid);
  const others = cellsOfLayout(cellsOf(page).getState().layout).flatMap((other): Turned[] => {
    const plane = other === cell ? undefined : findPlane(page, other);
    return plane?.volume === own.volume ? [{ cell: other, orientation: cutVolume(plane.volume, plane.spec).grid }] : [];
  });
  if (others.length === 0) return undefined;
  return (radians) => {
    for (const other of others) {
      const orientation = {
        rowDirection: rotate(other.orientation.rowDirection, axis, radians),
        columnDirection: rotate(other.orientation.columnDirection, axis, radians),
      };
      showPlane(page, other.cell, { turned: { orientation, through: point } }, open);
    }
  };
}

/** Makes all planes of the volume of a cell straight again. */
export function straighten(page: Page, cell: number, open: OpenPlane): void {
  const volume = findPlane(page, cell)?.volume;
  for (const each of cellsOfLayout(cellsOf(page).getState().layout)) {
    const plane = findPlane(page, each);
    if (volume === undefined || plane?.volume !== volume || plane.spec.turned === undefined) continue;
    showPlane(page, each, { turned: undefined }, open);
    updateCell(page, each, { view: { ...cellOf(page, each).view, zoom: 'fit', center: undefined } });
  }
}

/** Shows another plane through the crosshair, which stays where it is on the screen. */
function showPlane(page: Page, cell: number, change: Pick<PlaneSpec, 'turned'>, open: OpenPlane): void {
  const plane = findPlane(page, cell);
  const before = open(cellOf(page, cell).pictureId ?? '');
  const pictureId = plane && formatPlaneId(plane.volume.address, { ...plane.spec, ...change });
  const source = pictureId === undefined ? undefined : open(pictureId);
  const point = findPoint(page, source);
  if (source === undefined || before === undefined || point === undefined) return;
  const position = findPositionAt(source, point, 0) ?? 0;
  updateCell(page, cell, { pictureId, position, view: carryView(page, { cell, before, source, position, point }) });
}

type Change = {
  readonly cell: number;
  readonly before: PictureSource;
  readonly source: PictureSource;
  readonly position: number;
  readonly point: Vector3;
};

/** The view of the new plane with the same scale in millimetres, and the same distance of the crosshair from its centre. */
function carryView(page: Page, { cell, before, source, position, point }: Change): ViewState {
  const { view, position: earlier } = cellOf(page, cell);
  const { screen } = reportOf(page, cell);
  const [old, next] = [imagePlaneOf(before, earlier), imagePlaneOf(source, position)];
  const image = before.sizeOf(earlier);
  if (screen === undefined || old === undefined || next === undefined || image === undefined) return view;
  const [from, to] = [patientToPixel(old, point), patientToPixel(next, point)];
  const middle = centerOf(view, image);
  // While a drag changes planes faster than they are drawn, the zoom on the screen is that of an earlier one.
  const zoom = view.zoom === 'fit' ? screen.fitZoom : view.zoom;
  return {
    ...view,
    zoom: (zoom / old.columnSpacingMm) * next.columnSpacingMm,
    center: {
      x: to.column + 0.5 + ((middle.x - from.column - 0.5) * old.columnSpacingMm) / next.columnSpacingMm,
      y: to.row + 0.5 + ((middle.y - from.row - 0.5) * old.rowSpacingMm) / next.rowSpacingMm,
    },
  };
}

function findPoint(page: Page, source: PictureSource | undefined): Vector3 | undefined {
  const space = source && spaceOf(source);
  return space === undefined ? undefined : crosshairOf(page).getState().points.get(space);
}

/** Rodrigues' formula. The axis is a unit vector. */
export function rotate(vector: Vector3, axis: Vector3, radians: number): Vector3 {
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const across = cross(axis, vector);
  const along = dot(axis, vector) * (1 - cos);
  const at = (i: 0 | 1 | 2) => vector[i] * cos + across[i] * sin + axis[i] * along;
  return [at(0), at(1), at(2)];
}
