import type { PLANE_INTERPOLATIONS, PLANE_PROJECTIONS } from './contract/volumes.ts';
import { dot, type ImagePlane, normalOf, pixelToPatient, type Vector3 } from './geometry.ts';
import { endOfPlace, INDEX_TOLERANCE, type PositionTable, reachOf } from './positionTable.ts';

/** The samples that a plane of a volume is asked for. */
export type PlaneGrid = ImagePlane & { readonly rows: number; readonly columns: number };

/** How thick a slab is, and how close the planes are that it consists of. */
export type SlabSize = {
  /** Thickness of the slab; 0 for the plane itself. */
  readonly slabMm: number;
  /** Distance between its sheets; undefined for that of the samples. */
  readonly sheetMm?: number | undefined;
};

export type PlaneSampling = SlabSize & {
  readonly interpolation: (typeof PLANE_INTERPOLATIONS)[number];
  /** How the samples of a slab become one. */
  readonly projection: (typeof PLANE_PROJECTIONS)[number];
};

/** The sheets of a slab: planes parallel to the one in the middle. */
export type Slab = {
  readonly stepMm: number;
  /** Number of sheets: `2 floor(slab / 2 step) + 1`. */
  readonly count: number;
  /** Sheets from `-first` to `last` steps beside the plane touch the volume. */
  readonly first: number;
  readonly last: number;
};

/** Directions this close are the same: the rounding of numbers in an address. */
const SAME_DIRECTION = 1 - 1e-8;

/**
 * The sheets of a slab are as far apart as the samples along its normal if that is an axis of the volume, otherwise as
 * the closest samples, unless the request has a distance.
 */
export function findSlab(table: PositionTable, grid: PlaneGrid, { slabMm, sheetMm }: SlabSize): Slab {
  const normal = normalOf(grid);
  const { rowSpacingMm, columnSpacingMm, spacingMm } = table;
  const isAlong = (axis: Vector3) => Math.abs(dot(axis, normal)) >= SAME_DIRECTION;
  const ofSamples = isAlong(normalOf(table))
    ? spacingMm
    : isAlong(table.columnDirection)
      ? rowSpacingMm
      : isAlong(table.rowDirection)
        ? columnSpacingMm
        : Math.min(rowSpacingMm, columnSpacingMm, spacingMm);
  const stepMm = sheetMm ?? ofSamples;
  const half = Math.floor(slabMm / (2 * stepMm) + INDEX_TOLERANCE);
  // Sheets beyond the volume hold nothing, however thick the slab is.
  const [nearMm, farMm] = findExtent(table, normal, grid.position);
  const first = Math.min(half, Math.max(0, Math.ceil(-nearMm / stepMm)));
  const last = Math.min(half, Math.max(0, Math.ceil(farMm / stepMm)));
  return { stepMm, count: 2 * half + 1, first, last };
}

/** The sheets of a slab that is bent on its way into a volume: any of them may touch it. */
export function findBentSlab(
  { rowSpacingMm, columnSpacingMm, spacingMm }: PositionTable,
  { slabMm, sheetMm }: SlabSize,
): Slab {
  const stepMm = sheetMm ?? Math.min(rowSpacingMm, columnSpacingMm, spacingMm);
  const half = Math.floor(slabMm / (2 * stepMm) + INDEX_TOLERANCE);
  return { stepMm, count: 2 * half + 1, first: half, last: half };
}

/** The first and last place that a plane or slab needs; undefined if it lies beside the volume. */
export function findNeededPlaces(
  table: PositionTable,
  grid: PlaneGrid,
  size: SlabSize,
): { readonly first: number; readonly last: number } | undefined {
  const normal = normalOf(table);
  const { stepMm, first: before, last: after } = findSlab(table, grid, size);
  const across = dot(normalOf(grid), normal) * stepMm;
  const corners = [0, grid.rows - 1].flatMap((row) =>
    [0, grid.columns - 1].map((column) => dot(normal, pixelToPatient(grid, { row, column }))),
  );
  const toleranceMm = INDEX_TOLERANCE * table.spacingMm;
  const fromMm = Math.min(...corners) + Math.min(-before * across, after * across) + toleranceMm;
  const toMm = Math.max(...corners) + Math.max(-before * across, after * across) - toleranceMm;
  const { positionsMm } = table;
  const end = positionsMm.length - 1;
  const middle = (fromMm + toMm) / 2;
  const nearest = findNearestPlace(table, middle);
  // Within one place the tolerances cross each other.
  if (toMm <= fromMm && Math.abs(positionsMm[nearest]! - middle) <= 2 * toleranceMm) {
    return { first: nearest, last: nearest };
  }
  const isBeside =
    toMm < positionsMm[0]! - reachOf(table, 0, -1) || fromMm > positionsMm[end]! + reachOf(table, end, 1);
  if (isBeside) return undefined;
  const below = findNearestPlace(table, fromMm);
  const above = findNearestPlace(table, toMm);
  return {
    first: Math.max(0, positionsMm[below]! > fromMm ? below - 1 : below),
    last: Math.min(end, positionsMm[above]! < toMm ? above + 1 : above),
  };
}

export function findNearestPlace({ positionsMm }: PositionTable, zMm: number): number {
  let low = 0;
  let high = positionsMm.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positionsMm[middle]! < zMm) low = middle + 1;
    else high = middle;
  }
  const isBefore = low > 0 && zMm - positionsMm[low - 1]! < positionsMm[low]! - zMm;
  return isBefore ? low - 1 : low;
}

/** Signed distances of the nearest and farthest corner of a volume from a plane. */
function findExtent(table: PositionTable, normal: Vector3, position: Vector3): readonly [number, number] {
  const offset = dot(normal, position);
  const [near, far] = extentAlong(table, normal, 0.5);
  return [near - offset, far - offset];
}

/** The range of a volume along a direction: of the centres of its samples, or with `border` 0.5 of their edges. */
export function extentAlong(table: PositionTable, direction: Vector3, border: 0 | 0.5): readonly [number, number] {
  const { points, positionsMm, isHole, rows, columns } = table;
  let near = Infinity;
  let far = -Infinity;
  const take = (along: number) => {
    near = Math.min(near, along);
    far = Math.max(far, along);
  };
  // A tilt that changes on the way may put the farthest corner into any slice.
  for (let place = 0; place < positionsMm.length; place += 1) {
    const at = 3 * place;
    take(points[at]! * direction[0] + points[at + 1]! * direction[1] + points[at + 2]! * direction[2]);
    if (border === 0) continue;
    // Slices with neighbours end between them.
    if (isHole[place - 1] !== 0) take(dot(direction, endOfPlace(table, place, -1).position));
    if (isHole[place] !== 0) take(dot(direction, endOfPlace(table, place, 1).position));
  }
  const acrossMm = dot(direction, table.rowDirection) * table.columnSpacingMm;
  const downMm = dot(direction, table.columnDirection) * table.rowSpacingMm;
  const corners = [-border, rows - 1 + border].flatMap((row) =>
    [-border, columns - 1 + border].map((column) => column * acrossMm + row * downMm),
  );
  return [near + Math.min(...corners), far + Math.max(...corners)];
}
