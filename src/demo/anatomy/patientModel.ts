import { BEND_MM, createBend, type RowPlaces } from './bend.ts';
import { createOrgans, type Organ, type Spot } from './organs.ts';
import { normalOf, type Plane, type Point, toPlane } from './plane.ts';
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
      const bend = createBend(plane);
      const cuts = organs.map((organ) => cutOrgan(plane, organ)).filter((cut) => cut !== undefined);
      for (let row = 0; row < plane.rows; row++) {
        const line = labels.subarray(row * plane.columns, (row + 1) * plane.columns);
        const places = bend.row(row);
        paintTorso(line, places);
        for (const cut of cuts) if (row >= cut.top && row <= cut.bottom) paintOrgan(line, places, cut);
      }
      for (const piece of vessels) paintVessel(labels, plane, piece);
      return labels;
    },
  };
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

function paintOrgan(line: Uint8Array, places: RowPlaces, { organ, cos, sin, left, right }: OrganCut): void {
  const [centerX, centerY, centerZ] = organ.center;
  const [radiusX, radiusY, radiusZ] = organ.radiiMm;
  const spot: Spot = { x: 0, y: 0, z: 0, depth: 0, under: 0 };
  for (let i = left; i <= right; i++) {
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
    spot.under = line[i]!;
    line[i] = organ.tissueAt(spot);
  }
}

function paintVessel(labels: Uint8Array, plane: Plane, { from, to, radiusMm, tissue, within }: VesselPiece): void {
  const { spacingMm, columns } = plane;
  const [ax, ay, az] = toPlane(plane, from);
  const [bx, by, bz] = toPlane(plane, to);
  if (Math.min(az, bz) > radiusMm || Math.max(az, bz) < -radiusMm) return;
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
