import type { MovePoints } from '../../images/volumes/samplePlane.ts';
import { readVectorGrid, type VectorGrid } from './readRegistration.ts';
import type { BridgeStep, Matrix4 } from './registrationTasks.ts';
import { invert, multiply } from './rigidMotion.ts';

/**
 * The way from one frame of reference to another. Reads the vectors of deformable registrations. A point about which
 * these say nothing becomes NaN.
 */
export function createBridge(steps: readonly BridgeStep[]): MovePoints {
  const moves = steps.map((step) => {
    if (step.kind === 'matrix') return (points: Float64Array) => applyMatrix(step.matrix, points);
    const grid = readVectorGrid(step.source, step.item);
    return step.isForward ? createForward(grid) : createInverse(grid);
  });
  return (points) => {
    for (const move of moves) move(points);
  };
}

function applyMatrix(m: Matrix4, points: Float64Array): void {
  for (let at = 0; at < points.length; at += 3) {
    const [x, y, z] = [points[at]!, points[at + 1]!, points[at + 2]!];
    points[at] = m[0]! * x + m[1]! * y + m[2]! * z + m[3]!;
    points[at + 1] = m[4]! * x + m[5]! * y + m[6]! * z + m[7]!;
    points[at + 2] = m[8]! * x + m[9]! * y + m[10]! * z + m[11]!;
  }
}

/** post (pre p + v(p)) */
export function createForward(grid: VectorGrid): MovePoints {
  const vectorAt = createSampler(grid);
  return (points) => {
    const vector = new Float64Array(3);
    for (let at = 0; at < points.length; at += 3) {
      const point = points.subarray(at, at + 3);
      vectorAt(point, vector);
      applyMatrix(grid.pre, point);
      for (let axis = 0; axis < 3; axis += 1) point[axis]! += vector[axis]!;
      applyMatrix(grid.post, point);
    }
  };
}

const MOST_STEPS = 20;
const CLOSE_MM = 1e-3;
/** An inverse that is not found within this is none: the vectors fold space there. */
const FOUND_MM = 0.05;

/** The point p with post (pre p + v(p)) = q, by repeating p = pre⁻¹ (post⁻¹ q - v(p)). */
export function createInverse(grid: VectorGrid): MovePoints {
  const vectorAt = createSampler(grid);
  const [back, start] = [invert(grid.post), invert(multiply(grid.post, grid.pre))];
  const beforePre = invert(grid.pre);
  return (points) => {
    const [vector, guess, next] = [new Float64Array(3), new Float64Array(3), new Float64Array(3)];
    for (let at = 0; at < points.length; at += 3) {
      const point = points.subarray(at, at + 3);
      guess.set(point);
      applyMatrix(start, guess);
      applyMatrix(back, point);
      let movedMm = Infinity;
      for (let step = 0; step < MOST_STEPS && movedMm > CLOSE_MM; step += 1) {
        // On the way to a point inside, a guess may lie outside.
        vectorAt(guess, vector, true);
        next.set([point[0]! - vector[0]!, point[1]! - vector[1]!, point[2]! - vector[2]!]);
        applyMatrix(beforePre, next);
        movedMm = Math.hypot(next[0]! - guess[0]!, next[1]! - guess[1]!, next[2]! - guess[2]!);
        guess.set(next);
      }
      vectorAt(guess, vector);
      if (movedMm <= FOUND_MM && Number.isFinite(vector[0])) point.set(guess);
      else point.fill(NaN);
    }
  };
}

const EDGE = 1e-6;

/** Linear between the eight vectors around a point. Outside the grid NaN, or the nearest one if the grid is extended. */
function createSampler({ toIndex, size, vectors }: VectorGrid) {
  const [columns, rows, planes] = size;
  const index = new Float64Array(3);
  const last = [columns - 1, rows - 1, planes - 1];
  return (point: Float64Array, vector: Float64Array, isExtended = false): void => {
    index.set(point);
    applyMatrix(toIndex, index);
    vector.fill(0);
    const low = [0, 0, 0];
    const part = [0, 0, 0];
    for (let axis = 0; axis < 3; axis += 1) {
      const at = index[axis]!;
      if (Number.isNaN(at) || (!isExtended && (at < -EDGE || at > last[axis]! + EDGE))) {
        vector.fill(NaN);
        return;
      }
      const inside = Math.min(last[axis]!, Math.max(0, at));
      low[axis] = Math.min(Math.floor(inside), Math.max(0, last[axis]! - 1));
      part[axis] = inside - low[axis]!;
    }
    for (let corner = 0; corner < 8; corner += 1) {
      let weight = 1;
      let place = 0;
      for (let axis = 2; axis >= 0; axis -= 1) {
        const isHigh = (corner >> axis) & 1;
        weight *= isHigh === 1 ? part[axis]! : 1 - part[axis]!;
        place = place * size[axis]! + Math.min(last[axis]!, low[axis]! + isHigh);
      }
      if (weight === 0) continue;
      for (let axis = 0; axis < 3; axis += 1) vector[axis]! += weight * vectors[3 * place + axis]!;
    }
  };
}
