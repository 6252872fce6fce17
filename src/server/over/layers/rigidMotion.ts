import type { BridgeStep, Matrix4 } from './registrationTasks.ts';

export const IDENTITY: Matrix4 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Lengths and angles that deviate less are rounded. */
const ROUNDING = 1e-3;

/** The product: `b` is applied first. */
export function multiply(a: Matrix4, b: Matrix4): Matrix4 {
  const product: number[] = [];
  for (let row = 0; row < 16; row += 4) {
    const [x, y, z, w] = [a[row]!, a[row + 1]!, a[row + 2]!, a[row + 3]!];
    for (let column = 0; column < 4; column += 1) {
      product.push(x * b[column]! + y * b[column + 4]! + z * b[column + 8]! + w * b[column + 12]!);
    }
  }
  return product;
}

/** Of a matrix whose last row is 0 0 0 1. */
export function invert(m: Matrix4): Matrix4 {
  const [a = NaN, b = NaN, c = NaN, x = NaN, d = NaN, e = NaN, f = NaN, y = NaN, g = NaN, h = NaN, i = NaN, z = NaN] =
    m;
  const scale = 1 / determinant(m);
  const r = [
    e * i - f * h,
    c * h - b * i,
    b * f - c * e,
    f * g - d * i,
    a * i - c * g,
    c * d - a * f,
    d * h - e * g,
    b * g - a * h,
    a * e - b * d,
  ].map((value) => value * scale);
  const shift = (row: number) => -(r[3 * row]! * x + r[3 * row + 1]! * y + r[3 * row + 2]! * z);
  return [r[0]!, r[1]!, r[2]!, shift(0), r[3]!, r[4]!, r[5]!, shift(1), r[6]!, r[7]!, r[8]!, shift(2), 0, 0, 0, 1];
}

function determinant(m: Matrix4): number {
  return (
    m[0]! * (m[5]! * m[10]! - m[6]! * m[9]!) -
    m[1]! * (m[4]! * m[10]! - m[6]! * m[8]!) +
    m[2]! * (m[4]! * m[9]! - m[5]! * m[8]!)
  );
}

/** Why a matrix places nothing; undefined if it does. */
export function checkMatrix(matrix: Matrix4): string | undefined {
  if (!matrix.every(Number.isFinite)) return 'its matrix is incomplete';
  if (matrix.slice(12).some((value, at) => Math.abs(value - IDENTITY[12 + at]!) > ROUNDING))
    return 'its matrix is no affine one';
  const size = determinant(matrix);
  if (Math.abs(size) < 1e-9) return 'its matrix is singular';
  return size < 0 ? 'its matrix mirrors the patient' : undefined;
}

/** What a matrix does with a patient. */
export type Motion = {
  readonly angleDegrees: number;
  readonly shiftMm: number;
  /** Whether it only turns and shifts. */
  readonly isRigid: boolean;
  /** Cube root of the factor of volumes. */
  readonly scale: number;
};

export function describeMotion(m: Matrix4): Motion {
  const scale = Math.cbrt(determinant(m));
  const trace = (m[0]! + m[5]! + m[10]!) / scale;
  const product = multiply(m, [m[0]!, m[4]!, m[8]!, 0, m[1]!, m[5]!, m[9]!, 0, m[2]!, m[6]!, m[10]!, 0, 0, 0, 0, 1]);
  const isRigid = [0, 1, 2, 4, 5, 6, 8, 9, 10].every((at) => Math.abs(product[at]! - IDENTITY[at]!) < ROUNDING);
  return {
    angleDegrees: (Math.acos(Math.min(1, Math.max(-1, (trace - 1) / 2))) * 180) / Math.PI,
    shiftMm: Math.hypot(m[3]!, m[7]!, m[11]!),
    isRigid,
    scale,
  };
}

/** Example: `turned by 10.0° and shifted by 15.0 mm`. */
export function nameMotion({ angleDegrees, shiftMm, isRigid, scale }: Motion): string {
  const turned = `turned by ${angleDegrees.toFixed(1)}° and shifted by ${shiftMm.toFixed(1)} mm`;
  if (isRigid) return turned;
  const scaled = Math.abs(scale - 1) > ROUNDING ? `scaled by ${scale.toFixed(3)}` : 'sheared';
  return `${turned}, and ${scaled}: not rigid`;
}

/** Greatest distance between the images of the corners of a box of half a metre around the origin. */
export function differenceMm(a: Matrix4, b: Matrix4): number {
  // In numbers only, because this is asked for every two ways to a frame of reference.
  let most = 0;
  for (let corner = 0; corner < 8; corner += 1) {
    const [x, y, z] = [corner & 1 ? 250 : -250, corner & 2 ? 250 : -250, corner & 4 ? 250 : -250];
    let sum = 0;
    for (let row = 0; row < 12; row += 4) {
      const along =
        (a[row]! - b[row]!) * x +
        (a[row + 1]! - b[row + 1]!) * y +
        (a[row + 2]! - b[row + 2]!) * z +
        (a[row + 3]! - b[row + 3]!);
      sum += along * along;
    }
    most = Math.max(most, sum);
  }
  return Math.sqrt(most);
}

/** All steps as one matrix; undefined if one of them is none. */
export function matrixOfSteps(steps: readonly BridgeStep[]): Matrix4 | undefined {
  let all = IDENTITY;
  for (const step of steps) {
    if (step.kind !== 'matrix') return undefined;
    all = multiply(step.matrix, all);
  }
  return all;
}
