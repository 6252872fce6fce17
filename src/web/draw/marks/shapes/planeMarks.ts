import { traitsOf } from '../../../../shared/markTraits.ts';
import {
  dot,
  hasSameOrientation,
  type ImagePlane,
  lengthOf,
  normalOf,
  patientToPixel,
  planeToPlane,
  subtract,
} from '../../../../shared/geometry.ts';
import type { PatientGrid } from '../../../show/pictures/pictureSource.ts';
import { isSameStack } from '../../../show/pictures/shownFrame.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import type { FramePlace, Measurement } from './measurement.ts';
import type { FrameScale } from '../../../../shared/pixelScale.ts';

/** Directions whose cosine is at least this are the same: directions in links have seven digits. */
export const SAME_DIRECTION = 1 - 1e-6;
/** Samples that are nearer to each other are the same: points in links have three decimals. */
const SAME_PLACE_MM = 2e-3;

export type OnPlane = {
  /** What is drawn. */
  readonly form: Measurement;
  /** How far the plane of the measurement is from the picture, along the normal of the picture. */
  readonly distanceMm: number;
};

/**
 * A measurement on a plane as it is on a picture: on one that is parallel to its plane and at most half a step away.
 * Undefined on all others.
 */
export function findOnPlane(page: Page, item: Measurement, shown: FramePlace): OnPlane | undefined {
  const { grid, cut } = shown;
  if (item.place.type !== 'plane' || grid === undefined || cut === undefined) return undefined;
  const own = item.place.grid;
  if (own.time !== grid.time || Math.abs(own.slabMm - grid.slabMm) > SAME_PLACE_MM) return undefined;
  const normal = normalOf(grid.plane);
  if (Math.abs(dot(normalOf(own.plane), normal)) < SAME_DIRECTION) return undefined;
  const { distanceMm } = patientToPixel(grid.plane, own.plane.position);
  if (Math.abs(distanceMm) > grid.stepMm / 2 + SAME_PLACE_MM) return undefined;
  if (!canLieIn(item, own.plane, grid.plane) || !isSameStack(page, item.fileIndex, shown.fileIndex)) return undefined;
  const { position } = grid.plane;
  const at = (axis: 0 | 1 | 2) => position[axis] + normal[axis] * distanceMm;
  // The pixels of the picture, moved into the plane of the measurement, so that a change there does not move it.
  const plane: ImagePlane = { ...grid.plane, position: [at(0), at(1), at(2)] };
  return { form: isSameGrid(own.plane, plane) ? item : formIn(item, own, plane), distanceMm };
}

/** Whether the values of a picture are those of the measurement. */
export function isMeasuredHere(page: Page, item: Measurement, place: FramePlace): boolean {
  const found = findOnPlane(page, item, place);
  return found?.form === item && Math.abs(found.distanceMm) <= SAME_PLACE_MM;
}

/** All planes have pixels of a known size. */
export function scaleOfPlane({ rowSpacingMm, columnSpacingMm }: ImagePlane): FrameScale {
  return {
    spacingMm: [rowSpacingMm, columnSpacingMm],
    source: 'pixel_spacing',
    aspect: rowSpacingMm / columnSpacingMm,
    regions: [],
  };
}

/** A plane in words: `Coronal plane at 12.5 mm`. */
export function describePlane({ plane, slabMm }: PatientGrid): string {
  const normal = normalOf(plane);
  const axis = normal.findIndex((part) => Math.abs(part) >= NEAR_AXIS);
  const name = AXIS_NAMES[axis] ?? 'Oblique';
  const placeMm = axis < 0 ? dot(normal, plane.position) : plane.position[axis];
  const slab = slabMm > 0 ? `, slab of ${formatMm(slabMm)} mm` : '';
  return `${name} plane at ${formatMm(placeMm ?? 0)} mm${slab}`;
}

/** By the axis of the normal: left, back, head. */
const AXIS_NAMES: readonly (string | undefined)[] = ['Sagittal', 'Coronal', 'Axial'];
const NEAR_AXIS = Math.cos((5 * Math.PI) / 180);

function formatMm(value: number): string {
  return String(Number(value.toFixed(1)));
}

/** Boxes and ellipses lie along the rows and columns of their picture. */
function canLieIn({ kind }: Measurement, own: ImagePlane, { rowDirection, columnDirection }: ImagePlane): boolean {
  if (!['box', 'ellipse'].includes(traitsOf(kind).shape)) return true;
  return [rowDirection, columnDirection].some(
    (direction) => Math.abs(dot(own.rowDirection, direction)) >= SAME_DIRECTION,
  );
}

function isSameGrid(a: ImagePlane, b: ImagePlane): boolean {
  const isSameSize = [a.rowSpacingMm - b.rowSpacingMm, a.columnSpacingMm - b.columnSpacingMm].every(
    (difference) => Math.abs(difference) <= 1e-6,
  );
  return isSameSize && hasSameOrientation(a, b, 1e-6) && lengthOf(subtract(a.position, b.position)) <= SAME_PLACE_MM;
}

type Known = { readonly plane: ImagePlane; readonly form: Measurement };

/** The last form of each measurement, so that the same one stays the same object. */
const knownForms = new WeakMap<Measurement, Known>();

/** The same measurement in pixels of another grid in the same plane. */
function formIn(item: Measurement, own: PatientGrid, plane: ImagePlane): Measurement {
  const known = knownForms.get(item);
  if (known !== undefined && isSameGrid(known.plane, plane)) return known.form;
  const [rowByRow, rowByColumn, row0, columnByRow, columnByColumn, column0] = planeToPlane(own.plane, plane);
  const move = ({ x, y }: Point): Point => {
    // The center of the first pixel is at (0.5, 0.5) of the picture, and at (0, 0) of the plane.
    const [row, column] = [y - 0.5, x - 0.5];
    return {
      x: columnByRow * row + columnByColumn * column + column0 + 0.5,
      y: rowByRow * row + rowByColumn * column + row0 + 0.5,
    };
  };
  const form: Measurement = {
    ...item,
    place: { type: 'plane', grid: { ...own, plane } },
    points: item.points.map(move),
    scale: scaleOfPlane(plane),
    values: item.values ?? { kind: 'none', reason: 'its own plane is not shown' },
  };
  knownForms.set(item, { plane, form });
  return form;
}
