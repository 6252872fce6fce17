import { POINT_SHAPES, type PointShapes } from '../../../../shared/pointsPacket.ts';
import { distanceOf, isAtLine, isInEllipse, type ShapePoint } from '../isAtShape.ts';

/** Left, top, right, bottom of each annotation: most of them are far away from the pointer. */
const boxesOf = new WeakMap<PointShapes, Float32Array>();

/** Places in a packet of the annotations at a point: inside of them, or within `reach` of their lines and points. */
export function findAnnotationsAt(shapes: PointShapes, at: ShapePoint, reach: number, most: number): number[] {
  const boxes = boxesOf.get(shapes) ?? measureBoxes(shapes);
  boxesOf.set(shapes, boxes);
  const [x, y] = at;
  const found: number[] = [];
  for (let i = 0; i < shapes.types.length && found.length < most; i += 1) {
    const isNear =
      x >= boxes[4 * i]! - reach &&
      y >= boxes[4 * i + 1]! - reach &&
      x <= boxes[4 * i + 2]! + reach &&
      y <= boxes[4 * i + 3]! + reach;
    if (isNear && isAt(shapes, i, at, reach)) found.push(i);
  }
  return found;
}

function isAt({ types, starts, points }: PointShapes, i: number, at: ShapePoint, reach: number): boolean {
  const own: ShapePoint[] = [];
  for (let point = starts[i]!; point < starts[i + 1]!; point += 1)
    own.push([points[2 * point]!, points[2 * point + 1]!]);
  const shape = POINT_SHAPES[types[i]!];
  if (shape === 'point') return own.some((point) => distanceOf(point, at) <= reach);
  if (shape === 'ellipse') return isInEllipse(own, at);
  return isAtLine(own, at, { isClosed: shape !== 'polyline', reach });
}

/** An ellipse may reach beyond the ends of its axes if it is turned, by less than half of their box. */
function measureBoxes({ types, starts, points }: PointShapes): Float32Array {
  const boxes = new Float32Array(4 * types.length);
  for (let i = 0; i < types.length; i += 1) {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let point = starts[i]!; point < starts[i + 1]!; point += 1) {
      left = Math.min(left, points[2 * point]!);
      top = Math.min(top, points[2 * point + 1]!);
      right = Math.max(right, points[2 * point]!);
      bottom = Math.max(bottom, points[2 * point + 1]!);
    }
    const more = POINT_SHAPES[types[i]!] === 'ellipse' ? Math.max(right - left, bottom - top) / 2 : 0;
    boxes.set([left - more, top - more, right + more, bottom + more], 4 * i);
  }
  return boxes;
}
