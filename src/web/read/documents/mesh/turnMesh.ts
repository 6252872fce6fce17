import type { MeshData } from '../../../kit/api/documents.ts';

/** The corners of all triangles in a ball of radius 1 around the origin, each with the normal of its triangle. */
export function placeCorners({ points, indices }: MeshData): Float32Array<ArrayBuffer> {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 1) {
    low[i % 3] = Math.min(low[i % 3]!, points[i]!);
    high[i % 3] = Math.max(high[i % 3]!, points[i]!);
  }
  const centre = low.map((value, axis) => (value + high[axis]!) / 2);
  const radius = Math.hypot(...low.map((value, axis) => (high[axis]! - value) / 2)) || 1;
  const corners = new Float32Array(indices.length * 6);
  const place = (index: number, axis: number) => (points[index * 3 + axis]! - centre[axis]!) / radius;
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) => [0, 1, 2].map((axis) => place(indices[i + corner]!, axis)));
    const u = b!.map((value, axis) => value - a![axis]!);
    const v = c!.map((value, axis) => value - a![axis]!);
    const normal = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
    const length = Math.hypot(...normal) || 1;
    const unit = normal.map((value) => value / length);
    for (const [corner, at] of [a!, b!, c!].entries()) corners.set([...at, ...unit], (i + corner) * 6);
  }
  return corners;
}

/** Angles in radians: around the vertical axis, then towards the viewer. */
export type MeshTurn = { readonly around: number; readonly up: number; readonly zoom: number };

/** The rows of the rotation, as three axes of the screen: to the right, up, and towards the viewer. */
export function rotationOf({ around, up }: MeshTurn): number[] {
  const [ca, sa, cu, su] = [Math.cos(around), Math.sin(around), Math.cos(up), Math.sin(up)];
  // The third axis of a model points up, as in the patient.
  return [ca, sa, 0, -sa * su, ca * su, cu, sa * cu, -ca * cu, su];
}

const TURN_STEP = Math.PI / 24;

/** How a key turns the model; undefined if it does not. */
export function turnByKey(turn: MeshTurn, key: string): MeshTurn | undefined {
  const { around, up, zoom } = turn;
  switch (key) {
    case 'ArrowLeft':
      return { ...turn, around: around - TURN_STEP };
    case 'ArrowRight':
      return { ...turn, around: around + TURN_STEP };
    case 'ArrowUp':
      return limitTurn({ ...turn, up: up + TURN_STEP });
    case 'ArrowDown':
      return limitTurn({ ...turn, up: up - TURN_STEP });
    case '+':
      return limitTurn({ ...turn, zoom: zoom * 1.2 });
    case '-':
      return limitTurn({ ...turn, zoom: zoom / 1.2 });
    default:
      return undefined;
  }
}

export function limitTurn({ around, up, zoom }: MeshTurn): MeshTurn {
  const most = Math.PI / 2;
  return { around, up: Math.min(most, Math.max(-most, up)), zoom: Math.min(8, Math.max(0.25, zoom)) };
}
