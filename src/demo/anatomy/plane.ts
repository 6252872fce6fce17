import { cross, dot } from '../../shared/geometry.ts';

/** Patient coordinates in mm: x to the left, y to the back, z to the head. */
export type PatientPoint = readonly [x: number, y: number, z: number];

/** The position of an image in space. A pixel is at `origin + column * spacing * along + row * spacing * down`. */
export type Plane = {
  readonly origin: PatientPoint;
  /** Unit vector of increasing column index: the first half of Image Orientation (Patient). */
  readonly along: PatientPoint;
  /** Unit vector of increasing row index. */
  readonly down: PatientPoint;
  readonly spacingMm: number;
  readonly rows: number;
  readonly columns: number;
};

export function add(a: PatientPoint, b: PatientPoint, factor = 1): PatientPoint {
  return [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];
}

export function unit(a: PatientPoint): PatientPoint {
  const length = Math.sqrt(dot(a, a));
  return [a[0] / length, a[1] / length, a[2] / length];
}

export function normalOfPlane(plane: Plane): PatientPoint {
  return cross(plane.along, plane.down);
}

/** Column and row (in pixels) of a point, and its distance in front of the plane (in mm). */
export function toPlaneCoordinates(plane: Plane, point: PatientPoint): PatientPoint {
  const from = add(point, plane.origin, -1);
  return [
    dot(from, plane.along) / plane.spacingMm,
    dot(from, plane.down) / plane.spacingMm,
    dot(from, normalOfPlane(plane)),
  ];
}

/** The same for many points at once: x, y and z of each in turn. */
export function allToPlane(plane: Plane, points: Float64Array): Float64Array {
  const [originX, originY, originZ] = plane.origin;
  const [alongX, alongY, alongZ] = plane.along;
  const [downX, downY, downZ] = plane.down;
  const [normalX, normalY, normalZ] = normalOfPlane(plane);
  const found = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i]! - originX;
    const y = points[i + 1]! - originY;
    const z = points[i + 2]! - originZ;
    found[i] = (x * alongX + y * alongY + z * alongZ) / plane.spacingMm;
    found[i + 1] = (x * downX + y * downY + z * downZ) / plane.spacingMm;
    found[i + 2] = x * normalX + y * normalY + z * normalZ;
  }
  return found;
}

/** A stack of identical planes, `spacingBetweenMm` apart along their normal, centered on `center`. */
export function stackAround(
  center: PatientPoint,
  shape: Omit<Plane, 'origin'> & { readonly count: number; readonly spacingBetweenMm: number },
): Plane[] {
  const { along, down, spacingMm, rows, columns, count, spacingBetweenMm } = shape;
  const corner = add(add(center, along, (-(columns - 1) / 2) * spacingMm), down, (-(rows - 1) / 2) * spacingMm);
  const normal = cross(along, down);
  return Array.from({ length: count }, (_, index) => ({
    // Listed instead of spread, because spread copies differ internally and code that reads them is compiled for each
    // kind.
    origin: add(corner, normal, (index - (count - 1) / 2) * spacingBetweenMm),
    along,
    down,
    spacingMm,
    rows,
    columns,
  }));
}
