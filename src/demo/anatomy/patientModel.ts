import { BEND_MM, createBend, type RowPlaces } from './bend.ts';
import { createOrgans, type Organ, type Spot } from './organs.ts';
import { add, dot, normalOf, type Plane, type Point, toPlane } from './plane.ts';
import { LABEL } from './tissue.ts';
import { paintTorso } from './torso.ts';
import { createVessels, type VesselPiece } from './vesselTree.ts';

/** The patient whose every image is made. Any plane through the body can be asked for, and they all agree. */
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
 * Most of a body is the inside of something. The model is asked at every second pixel each way, and again only where
 * tissues meet. Rows and columns are even.
 */
function paintFromCoarse(labels: Uint8Array, plane: Plane, organs: readonly Organ[]): void {
  const { columns, spacingMm } = plane;
  const half = {
    ...plane,
    origin: add(add(plane.origin, plane.along, spacingMm / 2), plane.down, spacingMm / 2),
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

/** Copies a row of labels to two rows of twice its width; puts the new columns that must be asked again into `unsure`. */
function enlargeRow(labels: Uint8Array, { coarse, row, columns, unsure }: CoarseRow): number {
  let count = 0;
  for (let column = 0; column < columns; column++) {
    const at = row * columns + column;
    const label = coarse[at]!;
    const to = 4 * row * columns + 2 * column;
    labels[to] = labels[to + 1] = labels[to + 2 * columns] = labels[to + 2 * columns + 1] = label;
    // Around the picture is air, so its border needs no second look.
    const isBorder = row === 0 || column === 0 || column === columns - 1 || at + columns >= coarse.length;
    if (!isBorder && isMixed(coarse, at, columns)) {
      unsure[count++] = 2 * column;
      unsure[count++] = 2 * column + 1;
    }
  }
  return count;
}

/** Whether one of a pixel's eight neighbours has another label. */
function isMixed(labels: Uint8Array, at: number, columns: number): boolean {
  const label = labels[at];
  const above = at - columns;
  const below = at + columns;
  return (
    labels[above] !== label ||
    labels[below] !== label ||
    labels[at - 1] !== label ||
    labels[at + 1] !== label ||
    labels[above - 1] !== label ||
    labels[above + 1] !== label ||
    labels[below - 1] !== label ||
    labels[below + 1] !== label
  );
}

/** Asks the model for chosen pixels of one row after another. */
function createRowPainter(plane: Plane, organs: readonly Organ[]) {
  const bend = createBend(plane);
  const cuts = organs.map((organ) => cutOrgan(plane, organ)).filter((cut) => cut !== undefined);
  const places = {
    x: new Float32Array(plane.columns),
    y: new Float32Array(plane.columns),
    z: new Float32Array(plane.columns),
  };
  const line = new Uint8Array(plane.columns);
  return {
    /** `chosen` holds columns in rising order. */
    paint(row: number, chosen: Uint16Array, labels: Uint8Array) {
      if (chosen.length === 0) return;
      bend.place(places, row, chosen);
      const tissues = line.subarray(0, chosen.length).fill(LABEL.air);
      paintTorso(tissues, places);
      for (const cut of cuts) if (row >= cut.top && row <= cut.bottom) paintOrgan(tissues, places, { cut, chosen });
      scatter(labels, tissues, { chosen, from: row * plane.columns });
    },
  };
}

function scatter(to: Uint8Array, tissues: Uint8Array, { chosen, from }: { chosen: Uint16Array; from: number }): void {
  for (let i = 0; i < chosen.length; i++) to[from + chosen[i]!] = tissues[i]!;
}

/** A box of pixels, both ends included. */
type PixelBox = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

type OrganCut = PixelBox & { readonly organ: Organ; readonly cos: number; readonly sin: number };

/** The pixels of a plane that an organ can reach, undefined if it does not reach the plane. */
function cutOrgan(plane: Plane, organ: Organ): OrganCut | undefined {
  const [column, row, inFront] = toPlane(plane, organ.center);
  const cos = Math.cos(organ.turn);
  const sin = Math.sin(organ.turn);
  const reach = (direction: Point) => {
    const u = (direction[0] * cos + direction[1] * sin) * organ.radiiMm[0];
    const v = (direction[1] * cos - direction[0] * sin) * organ.radiiMm[1];
    return Math.sqrt(u * u + v * v + (direction[2] * organ.radiiMm[2]) ** 2) + BEND_MM;
  };
  if (Math.abs(inFront) > reach(normalOf(plane))) return undefined;
  const wide = reach(plane.along) / plane.spacingMm;
  const high = reach(plane.down) / plane.spacingMm;
  return { organ, cos, sin, ...boxAround(plane, { column, row, wide, high }) };
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
  const { organ, cos, sin, left, right } = cut;
  const { center, radiiMm } = organ;
  const centerX = center[0];
  const centerY = center[1];
  const centerZ = center[2];
  const spot: Spot = { x: 0, y: 0, z: 0, depth: 0, under: 0 };
  for (let i = firstFrom(chosen, left); i < chosen.length && chosen[i]! <= right; i++) {
    const x = places.x[i]! - centerX;
    const y = places.y[i]! - centerY;
    const u = (x * cos + y * sin) / radiiMm[0];
    const v = (y * cos - x * sin) / radiiMm[1];
    const w = (places.z[i]! - centerZ) / radiiMm[2];
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

/** Position of the first value that is not below `least` in a rising list. */
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

function paintVessels(labels: Uint8Array, plane: Plane, vessels: readonly VesselPiece[]): void {
  const normal = normalOf(plane);
  const height = dot(plane.origin, normal);
  for (const piece of vessels) {
    const from = dot(piece.from, normal) - height;
    const to = dot(piece.to, normal) - height;
    if (Math.min(from, to) < piece.radiusMm && Math.max(from, to) > -piece.radiusMm) paintVessel(labels, plane, piece);
  }
}

function paintVessel(labels: Uint8Array, plane: Plane, { from, to, radiusMm, tissue, within }: VesselPiece): void {
  const { spacingMm, columns } = plane;
  const [ax, ay, az] = toPlane(plane, from);
  const [bx, by, bz] = toPlane(plane, to);
  const u = (bx - ax) * spacingMm;
  const v = (by - ay) * spacingMm;
  const w = bz - az;
  const lengthSquared = u * u + v * v + w * w;
  if (lengthSquared === 0) return;
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
