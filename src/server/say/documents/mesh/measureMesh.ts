import type { Mesh } from './parseMesh.ts';

export type MeshMeasures = {
  readonly triangles: number;
  readonly points: number;
  /** Width, height and depth of the box around it. */
  readonly box: readonly [number, number, number];
  readonly surface: number;
  /** Undefined if it is not closed. */
  readonly volume: number | undefined;
  /** Whether each edge belongs to two triangles, in opposite directions. */
  readonly isClosed: boolean;
};

/** Volume by tetrahedra with the origin: a sixth of the product of each triangle's corners. */
export function measureMesh({ points, indices }: Mesh): MeshMeasures {
  let surface = 0;
  let sixfold = 0;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 1) {
    low[i % 3] = Math.min(low[i % 3]!, points[i]!);
    high[i % 3] = Math.max(high[i % 3]!, points[i]!);
  }
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [indices[i]! * 3, indices[i + 1]! * 3, indices[i + 2]! * 3];
    const [ax, ay, az] = [points[a]!, points[a + 1]!, points[a + 2]!];
    const [bx, by, bz] = [points[b]!, points[b + 1]!, points[b + 2]!];
    const [cx, cy, cz] = [points[c]!, points[c + 1]!, points[c + 2]!];
    sixfold += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    const [ux, uy, uz, vx, vy, vz] = [bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az];
    surface += Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx) / 2;
  }
  const isClosed = indices.length > 0 && areEdgesPaired(indices);
  const side = (axis: number) => (points.length === 0 ? 0 : high[axis]! - low[axis]!);
  return {
    triangles: indices.length / 3,
    points: points.length / 3,
    box: [side(0), side(1), side(2)],
    surface,
    volume: isClosed ? Math.abs(sixfold) / 6 : undefined,
    isClosed,
  };
}

function areEdgesPaired(indices: Uint32Array): boolean {
  const edges = new Float64Array(indices.length);
  const opposite = new Float64Array(indices.length);
  for (let i = 0; i < indices.length; i += 1) {
    const [from, to] = [indices[i]!, indices[i % 3 === 2 ? i - 2 : i + 1]!];
    edges[i] = from * 2 ** 26 + to;
    opposite[i] = to * 2 ** 26 + from;
  }
  edges.sort();
  opposite.sort();
  return edges.every((edge, i) => edge === opposite[i] && edge !== edges[i + 1]);
}
