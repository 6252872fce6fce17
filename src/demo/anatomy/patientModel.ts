import { BEND_MM, createBend, type RowPlaces } from './bend.ts';
import { createOrgans, type Organ, type Spot } from './organs.ts';
import { add, allToPlane, normalOfPlane, type Plane, type PatientPoint, toPlaneCoordinates } from './plane.ts';
import { LABEL } from './tissue.ts';
import { HALF_DEPTH_MM, paintTorso } from './torso.ts';
import { createVessels, type Vessels } from './vesselTree.ts';

/** The patient shown in all images. It can be cut along any plane through the body, and all planes are consistent. */
export interface PatientModel {
  /** The tissue of each pixel of a plane, as labels. */
  labels(plane: Plane): Uint8Array;
}

export function createPatientModel(): PatientModel {
  const organs = createOrgans();
  const vessels = createVessels();
  return {
    labels(plane) {
      const labels = new Uint8Array(plane.rows * plane.columns);
      paintFromCoarse(labels, plane, organs);
      paintVessels(labels, plane, vessels);
      return labels;
    },
  };
}

/**
 * Most pixels are inside a tissue. The model is evaluated at every second pixel in each direction, and at full
 * resolution only where tissues meet. Rows and columns must be even.
 */
function paintFromCoarse(labels: Uint8Array, plane: Plane, organs: readonly Organ[]): void {
  const { along, down, columns, spacingMm } = plane;
  const half: Plane = {
    origin: add(add(plane.origin, along, spacingMm / 2), down, spacingMm / 2),
    along,
    down,
    spacingMm: 2 * spacingMm,
    rows: plane.rows / 2,
    columns: columns / 2,
  };
  const coarse = new Uint8Array(half.rows * half.columns);
  const all = Uint16Array.from({ length: half.columns }, (_, column) => column);
  const coarsePainter = createRowPainter(half, organs);
  for (let row = 0; row < half.rows; row++) coarsePainter.paint(row, all, coarse);

  const painter = createRowPainter(plane, organs);
  const unsure = new Uint16Array(columns);
  for (let row = 0; row < half.rows; row++) {
    const count = enlargeRow(labels, { coarse, row, columns: half.columns, unsure });
    painter.paint(2 * row, unsure.subarray(0, count), labels);
    painter.paint(2 * row + 1, unsure.subarray(0, count), labels);
  }
}

type CoarseRow = {
  readonly coarse: Uint8Array;
  readonly row: number;
  readonly columns: number;
  readonly unsure: Uint16Array;
};

/**
 * Copies a row of labels to two rows of twice its width. Writes the new columns to be evaluated again into `unsure`.
 */
function enlargeRow(labels: Uint8Array, { coarse, row, columns, unsure }: CoarseRow): number {
  const to = 4 * row * columns;
  for (let column = 0; column < columns; column++) {
    const label = coarse[row * columns + column]!;
    labels[to + 2 * column] = label;
    labels[to + 2 * column + 1] = label;
  }
  labels.copyWithin(to + 2 * columns, to, to + 2 * columns);
  // The picture is surrounded by air, so its border is not evaluated again.
  if (row === 0 || (row + 1) * columns >= coarse.length) return 0;
  let count = 0;
  let left = uprightLabel(coarse, row * columns, columns);
  let label = uprightLabel(coarse, row * columns + 1, columns);
  for (let column = 1; column < columns - 1; column++) {
    const right = uprightLabel(coarse, row * columns + column + 1, columns);
    if (label === MIXED || left !== label || right !== label) {
      unsure[count++] = 2 * column;
      unsure[count++] = 2 * column + 1;
    }
    left = label;
    label = right;
  }
  return count;
}

/** The label of a pixel, if the pixels above and below have the same; else MIXED. */
function uprightLabel(labels: Uint8Array, at: number, columns: number): number {
  const label = labels[at]!;
  return labels[at - columns] === label && labels[at + columns] === label ? label : MIXED;
}

const MIXED = -1;

/** Evaluates the model for chosen pixels, row by row. */
function createRowPainter(plane: Plane, organs: readonly Organ[]) {
  const bend = createBend(plane);
  const cuts = organs.map((organ) => cutOrgan(plane, organ)).filter((cut) => cut !== undefined);
  const body = rowsOfTorso(plane);
  const places = {
    x: new Float32Array(plane.columns),
    y: new Float32Array(plane.columns),
    z: new Float32Array(plane.columns),
  };
  const line = new Uint8Array(plane.columns);
  return {
    /** `chosen` holds columns in ascending order. */
    paint(row: number, chosen: Uint16Array, labels: Uint8Array) {
      const reached = cuts.filter((cut) => row >= cut.top && row <= cut.bottom);
      const isBeside = body[row] === 0 && reached.length === 0;
      if (isBeside || chosen.length === 0) return;
      bend.place(places, row, chosen);
      const tissues = line.subarray(0, chosen.length).fill(LABEL.air);
      paintTorso(tissues, places);
      for (const cut of reached) paintOrgan(tissues, places, { cut, chosen });
      scatter(labels, tissues, { chosen, from: row * plane.columns });
    },
  };
}

/** 1 for each row of a plane that the trunk can reach, 0 for rows in the air in front of it and behind it. */
function rowsOfTorso({ origin, along, down, spacingMm, rows, columns }: Plane): Uint8Array {
  const reach = HALF_DEPTH_MM + BEND_MM;
  const across = columns * spacingMm * along[1];
  return Uint8Array.from({ length: rows }, (_, row) => {
    const y = origin[1] + row * spacingMm * down[1];
    return Math.min(y, y + across) <= reach && Math.max(y, y + across) >= -reach ? 1 : 0;
  });
}

function scatter(to: Uint8Array, tissues: Uint8Array, { chosen, from }: { chosen: Uint16Array; from: number }): void {
  for (let i = 0; i < chosen.length; i++) to[from + chosen[i]!] = tissues[i]!;
}

/** A box of pixels, both ends included. */
type PixelBox = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

type OrganCut = PixelBox & {
  readonly organ: Organ;
  /**
   * Centre, radii, and cosine and sine of the rotation. With an array of points, some integers and some not, the loop
   * over an organ would be compiled again for each new kind.
   */
  readonly shape: Float64Array;
};

/** The pixels of a plane that an organ can reach; undefined if it does not reach the plane. */
function cutOrgan(plane: Plane, organ: Organ): OrganCut | undefined {
  const [column, row, inFront] = toPlaneCoordinates(plane, organ.center);
  const cos = Math.cos(organ.turn);
  const sin = Math.sin(organ.turn);
  const reach = (direction: PatientPoint) => {
    const u = (direction[0] * cos + direction[1] * sin) * organ.radiiMm[0];
    const v = (direction[1] * cos - direction[0] * sin) * organ.radiiMm[1];
    return Math.sqrt(u * u + v * v + (direction[2] * organ.radiiMm[2]) ** 2) + BEND_MM;
  };
  if (Math.abs(inFront) > reach(normalOfPlane(plane))) return undefined;
  const wide = reach(plane.along) / plane.spacingMm;
  const high = reach(plane.down) / plane.spacingMm;
  const shape = Float64Array.of(...organ.center, ...organ.radiiMm, cos, sin);
  return { organ, shape, ...boxAround(plane, { column, row, wide, high }) };
}

function boxAround(
  plane: Plane,
  { column, row, wide, high }: { column: number; row: number; wide: number; high: number },
): PixelBox {
  return {
    left: Math.max(0, Math.floor(column - wide)),
    right: Math.min(plane.columns - 1, Math.ceil(column + wide)),
    top: Math.max(0, Math.floor(row - high)),
    bottom: Math.min(plane.rows - 1, Math.ceil(row + high)),
  };
}

function paintOrgan(
  tissues: Uint8Array,
  places: RowPlaces,
  { cut, chosen }: { cut: OrganCut; chosen: Uint16Array },
): void {
  const { organ, shape, left, right } = cut;
  const centerX = shape[0]!;
  const centerY = shape[1]!;
  const centerZ = shape[2]!;
  const radiusX = shape[3]!;
  const radiusY = shape[4]!;
  const radiusZ = shape[5]!;
  const cos = shape[6]!;
  const sin = shape[7]!;
  const spot: Spot = { x: 0, y: 0, z: 0, depth: 0, under: 0 };
  for (let i = firstFrom(chosen, left); i < chosen.length && chosen[i]! <= right; i++) {
    const x = places.x[i]! - centerX;
    const y = places.y[i]! - centerY;
    const u = (x * cos + y * sin) / radiusX;
    const v = (y * cos - x * sin) / radiusY;
    const w = (places.z[i]! - centerZ) / radiusZ;
    const depth = u * u + v * v + w * w;
    if (depth > 1) continue;
    spot.x = places.x[i]!;
    spot.y = places.y[i]!;
    spot.z = places.z[i]!;
    spot.depth = depth;
    spot.under = tissues[i]!;
    tissues[i] = organ.tissueAt(spot);
  }
}

/** Index of the first value that is not below `least` in an ascending list. */
function firstFrom(rising: Uint16Array, least: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function paintVessels(labels: Uint8Array, plane: Plane, vessels: Vessels): void {
  const ends = allToPlane(plane, vessels.ends);
  for (let piece = 0; piece < vessels.radiiMm.length; piece++) {
    const radius = vessels.radiiMm[piece]!;
    const from = ends[6 * piece + 2]!;
    const to = ends[6 * piece + 5]!;
    const isNear = Math.min(from, to) < radius && Math.max(from, to) > -radius;
    if (isNear) paintVessel(labels, plane, { vessels, piece, ends });
  }
}

/** `ends` are the ends of the vessels in coordinates of the plane. */
type PieceInPlane = { readonly vessels: Vessels; readonly piece: number; readonly ends: Float64Array };

function paintVessel(labels: Uint8Array, plane: Plane, { vessels, piece, ends }: PieceInPlane): void {
  const { spacingMm, columns } = plane;
  const ax = ends[6 * piece]!;
  const ay = ends[6 * piece + 1]!;
  const az = ends[6 * piece + 2]!;
  const bx = ends[6 * piece + 3]!;
  const by = ends[6 * piece + 4]!;
  const u = (bx - ax) * spacingMm;
  const v = (by - ay) * spacingMm;
  const w = ends[6 * piece + 5]! - az;
  const lengthSquared = u * u + v * v + w * w;
  if (lengthSquared === 0) return;
  const radiusMm = vessels.radiiMm[piece]!;
  const tissue = vessels.tissues[piece]!;
  const within = vessels.within[piece]!;
  const box = boxAround(plane, {
    column: (ax + bx) / 2,
    row: (ay + by) / 2,
    wide: Math.abs(bx - ax) / 2 + radiusMm / spacingMm,
    high: Math.abs(by - ay) / 2 + radiusMm / spacingMm,
  });
  for (let row = box.top; row <= box.bottom; row++) {
    for (let column = box.left; column <= box.right; column++) {
      const i = row * columns + column;
      if (labels[i] !== within) continue;
      const x = (column - ax) * spacingMm;
      const y = (row - ay) * spacingMm;
      const t = Math.min(1, Math.max(0, (x * u + y * v - az * w) / lengthSquared));
      const distanceSquared = (x - t * u) ** 2 + (y - t * v) ** 2 + (az + t * w) ** 2;
      if (distanceSquared <= radiusMm * radiusMm) labels[i] = tissue;
    }
  }
}
