/** A point or direction in patient coordinates (LPS), in millimetres. */
export type Vector3 = readonly [number, number, number];

/** Position of the samples of one frame in space. PS3.3 C.7.6.2.1.1. */
export type ImagePlane = {
  /** Centre of the first sample, Image Position (Patient). */
  readonly position: Vector3;
  /** Unit vector along a row, towards higher column indices: the first half of Image Orientation (Patient). */
  readonly rowDirection: Vector3;
  /** Unit vector down a column, towards higher row indices. */
  readonly columnDirection: Vector3;
  /** Distance between rows, the first value of Pixel Spacing. */
  readonly rowSpacingMm: number;
  /** Distance between columns, the second value of Pixel Spacing. */
  readonly columnSpacingMm: number;
};

/**
 * The coordinate system of a plane: the patient, a slide, or an ultrasound volume that is not registered to a patient.
 */
export const PLANE_SPACES = ['patient', 'slide', 'volume'] as const;
export type PlaneSpace = (typeof PLANE_SPACES)[number];

/** Indices of a sample; the centre of the first one is (0, 0). Fractions are positions between samples. */
export type PixelPosition = { readonly row: number; readonly column: number };

/**
 * Builds a plane from the values as DICOM writes them. Undefined if a value is missing or not a number, or if the two
 * directions are not perpendicular: a plane is never guessed.
 */
export function buildImagePlane(
  position: readonly number[] | undefined,
  orientation: readonly number[] | undefined,
  pixelSpacing: readonly number[] | undefined,
): ImagePlane | undefined {
  const directions = buildOrientation(orientation);
  const origin = toVector(position);
  const [rowSpacingMm, columnSpacingMm] = pixelSpacing ?? [];
  if (directions === undefined || origin === undefined) return undefined;
  if (!isPositive(rowSpacingMm) || !isPositive(columnSpacingMm)) return undefined;
  return { ...directions, position: origin, rowSpacingMm, columnSpacingMm };
}

export type PlaneOrientation = Pick<ImagePlane, 'rowDirection' | 'columnDirection'>;

/** Image Orientation (Patient) as two unit vectors. Writers round, so small deviations are accepted and normalized. */
export function buildOrientation(orientation: readonly number[] | undefined): PlaneOrientation | undefined {
  const rowDirection = toUnitVector(orientation?.slice(0, 3));
  const columnDirection = toUnitVector(orientation?.slice(3, 6));
  if (rowDirection === undefined || columnDirection === undefined) return undefined;
  if (Math.abs(dot(rowDirection, columnDirection)) > MAX_COSINE_OF_PERPENDICULAR) return undefined;
  return { rowDirection, columnDirection };
}

const MAX_COSINE_OF_PERPENDICULAR = 1e-2;

/** The direction in which a stack of these planes grows: row direction cross column direction. */
export function normalOf({ rowDirection, columnDirection }: PlaneOrientation): Vector3 {
  return toUnitVector(cross(rowDirection, columnDirection)) ?? [0, 0, 1];
}

/** Position of a plane along a normal, in millimetres from the origin of the frame of reference. */
export function positionAlong(normal: Vector3, position: Vector3): number {
  return dot(normal, position);
}

/**
 * Vectors whose product with the offset of a point from the first sample is the distance of the point along a row and
 * down a column. They are the two directions themselves only if these are exactly perpendicular; writers round, and over
 * some hundred samples the difference changes values.
 */
export function inPlaneAxes({ rowDirection, columnDirection }: PlaneOrientation): {
  readonly alongRow: Vector3;
  readonly downColumn: Vector3;
} {
  const cosine = dot(rowDirection, columnDirection);
  const scale = 1 / (1 - cosine * cosine);
  const without = (a: Vector3, b: Vector3): Vector3 => [
    (a[0] - cosine * b[0]) * scale,
    (a[1] - cosine * b[1]) * scale,
    (a[2] - cosine * b[2]) * scale,
  ];
  return { alongRow: without(rowDirection, columnDirection), downColumn: without(columnDirection, rowDirection) };
}

export function pixelToPatient(plane: ImagePlane, { row, column }: PixelPosition): Vector3 {
  const along = column * plane.columnSpacingMm;
  const down = row * plane.rowSpacingMm;
  const at = (axis: 0 | 1 | 2) =>
    plane.position[axis] + plane.rowDirection[axis] * along + plane.columnDirection[axis] * down;
  return [at(0), at(1), at(2)];
}

/** The sample indices of a point, and its signed distance from the plane along the normal. */
export function patientToPixel(plane: ImagePlane, point: Vector3): PixelPosition & { readonly distanceMm: number } {
  const offset = subtract(point, plane.position);
  const { alongRow, downColumn } = inPlaneAxes(plane);
  return {
    column: dot(offset, alongRow) / plane.columnSpacingMm,
    row: dot(offset, downColumn) / plane.rowSpacingMm,
    distanceMm: dot(offset, normalOf(plane)),
  };
}

/** True if both directions agree within a tolerance per component. A flipped axis is a different orientation. */
export function hasSameOrientation(a: PlaneOrientation, b: PlaneOrientation, tolerance: number): boolean {
  return isNear(a.rowDirection, b.rowDirection, tolerance) && isNear(a.columnDirection, b.columnDirection, tolerance);
}

/**
 * The transform from the samples of one plane to the samples of another through patient coordinates, as a 2x3 matrix:
 * `row = m[0] * row + m[1] * column + m[2]`, `column = m[3] * row + m[4] * column + m[5]`.
 */
export function planeToPlane(
  from: ImagePlane,
  to: ImagePlane,
): readonly [number, number, number, number, number, number] {
  const origin = patientToPixel(to, from.position);
  const down = patientToPixel(to, pixelToPatient(from, { row: 1, column: 0 }));
  const along = patientToPixel(to, pixelToPatient(from, { row: 0, column: 1 }));
  return [
    down.row - origin.row,
    along.row - origin.row,
    origin.row,
    down.column - origin.column,
    along.column - origin.column,
    origin.column,
  ];
}

export function dot(a: Vector3, b: Vector3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function subtract(a: Vector3, b: Vector3): Vector3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function lengthOf(a: Vector3): number {
  return Math.hypot(a[0], a[1], a[2]);
}

/** The first three numbers; undefined unless all three are present and finite. */
function toVector(numbers: readonly number[] | undefined): Vector3 | undefined {
  const [x = NaN, y = NaN, z = NaN] = numbers ?? [];
  return Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(z) ? [x, y, z] : undefined;
}

function toUnitVector(numbers: readonly number[] | undefined): Vector3 | undefined {
  const vector = toVector(numbers);
  const length = vector === undefined ? 0 : lengthOf(vector);
  // Such a length is not a rounding error: the value belongs to another attribute, or is zero.
  if (vector === undefined || length < 0.9 || length > 1.1) return undefined;
  return [vector[0] / length, vector[1] / length, vector[2] / length];
}

function isNear(a: Vector3, b: Vector3, tolerance: number): boolean {
  return a.every((component, axis) => Math.abs(component - (b[axis] ?? NaN)) <= tolerance);
}

function isPositive(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0;
}
// x
