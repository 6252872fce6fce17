import type { Vector3 } from '../../../shared/geometry.ts';

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
/** The second axis must be this part of the first, or the points are a line. */
const FLAT = 1e-8;

/** The plane through points (x, y, z, and so on) with the least squares of the distances. */
export function fitPlane(points: Float32Array): FittedPlane {
  const count = points.length / 3;
  const centre: [number, number, number] = [0, 0, 0];
  for (let at = 0; at < points.length; at += 1) centre[at % 3]! += points[at]! / count;
  const m = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  let radius = 0;
  for (let at = 0; at < points.length; at += 3) {
    const offset = [points[at]! - centre[0], points[at + 1]! - centre[1], points[at + 2]! - centre[2]];
    radius = Math.max(radius, Math.hypot(...offset));
    for (let i = 0; i < 9; i += 1) m[i]! += offset[Math.floor(i / 3)]! * offset[i % 3]!;
  }
  const normal = findLeastAxis(m);
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
  for (let turn = 0; turn < TURNS; turn += 1) {
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
        const [a, b] = [m[3 * k + p]!, m[3 * k + q]!];
        m[3 * k + p] = c * a - s * b;
        m[3 * k + q] = s * a + c * b;
      }
      for (let k = 0; k < 3; k += 1) {
        const [a, b] = [m[3 * p + k]!, m[3 * q + k]!];
        m[3 * p + k] = c * a - s * b;
        m[3 * q + k] = s * a + c * b;
        const [x, y] = [v[3 * k + p]!, v[3 * k + q]!];
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
