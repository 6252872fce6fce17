import type { Vector3 } from '../../../../shared/geometry.ts';

export type FittedPlane = {
  /** Mean of the points. */
  readonly centre: Vector3;
  /** Distance of the farthest point from the centre. */
  readonly radius: number;
  /** Unit normal; NaN if the points are on one line. */
  readonly normal: Vector3;
  /** Distance of the farthest point from the plane. */
  readonly deviation: number;
};

const TURNS = 12;
const ROUNDING = 1e-17;
/** The second axis must be this part of the first, or the points are a line. */
const FLAT = 1e-8;

/** The plane through points (x, y, z, and so on) with the least squares of the distances. */
export function fitPlane(points: Float32Array): FittedPlane {
  const count = points.length / 3;
  let [sumX, sumY, sumZ] = [0, 0, 0];
  for (let at = 0; at < points.length; at += 3) {
    sumX += points[at]!;
    sumY += points[at + 1]!;
    sumZ += points[at + 2]!;
  }
  const centre: Vector3 = [sumX / count, sumY / count, sumZ / count];
  let [xx, xy, xz, yy, yz, zz, farthest] = [0, 0, 0, 0, 0, 0, 0];
  for (let at = 0; at < points.length; at += 3) {
    const x = points[at]! - centre[0];
    const y = points[at + 1]! - centre[1];
    const z = points[at + 2]! - centre[2];
    xx += x * x;
    xy += x * y;
    xz += x * z;
    yy += y * y;
    yz += y * z;
    zz += z * z;
    farthest = Math.max(farthest, x * x + y * y + z * z);
  }
  const radius = Math.sqrt(farthest);
  const normal = findLeastAxis([xx, xy, xz, xy, yy, yz, xz, yz, zz]);
  let deviation = 0;
  for (let at = 0; at < points.length; at += 3) {
    const distance =
      (points[at]! - centre[0]) * normal[0] +
      (points[at + 1]! - centre[1]) * normal[1] +
      (points[at + 2]! - centre[2]) * normal[2];
    deviation = Math.max(deviation, Math.abs(distance));
  }
  return { centre, radius, normal, deviation: Number.isFinite(normal[0]) ? deviation : 0 };
}

/** The eigenvector of the least eigenvalue of a symmetric matrix, by Jacobi rotations. */
function findLeastAxis(m: number[]): Vector3 {
  const v = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const trace = m[0]! + m[4]! + m[8]!;
  for (let turn = 0; turn < TURNS; turn += 1) {
    // Each turn squares what is left beside the diagonal.
    if (Math.abs(m[1]!) + Math.abs(m[2]!) + Math.abs(m[5]!) < ROUNDING * trace) break;
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      const off = m[3 * p + q]!;
      if (Math.abs(off) < Number.MIN_VALUE) continue;
      const theta = (m[4 * q]! - m[4 * p]!) / (2 * off);
      const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1);
      const s = t * c;
      for (let k = 0; k < 3; k += 1) {
        const a = m[3 * k + p]!;
        const b = m[3 * k + q]!;
        m[3 * k + p] = c * a - s * b;
        m[3 * k + q] = s * a + c * b;
      }
      for (let k = 0; k < 3; k += 1) {
        const a = m[3 * p + k]!;
        const b = m[3 * q + k]!;
        m[3 * p + k] = c * a - s * b;
        m[3 * q + k] = s * a + c * b;
        const x = v[3 * k + p]!;
        const y = v[3 * k + q]!;
        v[3 * k + p] = c * x - s * y;
        v[3 * k + q] = s * x + c * y;
      }
    }
  }
  const order = [0, 1, 2].toSorted((a, b) => m[4 * a]! - m[4 * b]!);
  const [least = 0, middle = 0, most = 0] = order;
  if (!(m[4 * middle]! > FLAT * m[4 * most]!)) return [NaN, NaN, NaN];
  return [v[least]!, v[3 + least]!, v[6 + least]!];
}
