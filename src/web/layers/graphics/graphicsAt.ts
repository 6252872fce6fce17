import type { GraphicItem, GraphicsPacket } from '../../../shared/contract/graphics.ts';
import { isClosedShape, type PicturePoint, pointsOfItem } from './graphicPaths.ts';

/** A line or a point is met this close to it, in pixels of the picture. */
const REACH = 1.5;

/** Numbers of the parts whose shapes are at a pixel: inside of them, or on their lines. */
export function findGraphicsAt(packet: GraphicsPacket, column: number, row: number): readonly number[] {
  const at: PicturePoint = [column + 0.5, row + 0.5];
  const found = packet.items.filter((item) => isAt(item, pointsOfItem(item, packet), at));
  return [...new Set(found.map(({ part }) => part))];
}

function isAt(item: GraphicItem, points: readonly PicturePoint[], at: PicturePoint): boolean {
  const [a, b, c, d] = points;
  if (item.shape === 'circle') return a !== undefined && b !== undefined && distance(a, at) <= distance(a, b) + REACH;
  if (item.shape === 'ellipse') {
    if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
    return isInEllipse([a, b, c, d], at);
  }
  if (item.shape === 'point') return points.some((point) => distance(point, at) <= REACH);
  const isClosed = isClosedShape(item);
  let isInside = false;
  for (const [i, from] of points.entries()) {
    const to = points[i + 1] ?? (isClosed ? a : undefined);
    if (to === undefined) break;
    if (distanceToLine(from, to, at) <= REACH) return true;
    const crosses = from[1] > at[1] !== to[1] > at[1];
    if (crosses && at[0] < from[0] + ((at[1] - from[1]) / (to[1] - from[1])) * (to[0] - from[0])) isInside = !isInside;
  }
  return isClosed && isInside;
}

/** By two conjugate diameters: their radii are the axes of coordinates in which the ellipse is a circle. */
function isInEllipse(
  [a, b, c, d]: readonly [PicturePoint, PicturePoint, PicturePoint, PicturePoint],
  [x, y]: PicturePoint,
): boolean {
  const [px, py, qx, qy] = [(b[0] - a[0]) / 2, (b[1] - a[1]) / 2, (d[0] - c[0]) / 2, (d[1] - c[1]) / 2];
  const [dx, dy] = [x - (a[0] + b[0]) / 2, y - (a[1] + b[1]) / 2];
  const determinant = px * qy - py * qx;
  if (determinant === 0) return false;
  return Math.hypot((dx * qy - dy * qx) / determinant, (px * dy - py * dx) / determinant) <= 1;
}

function distance([x1, y1]: PicturePoint, [x2, y2]: PicturePoint): number {
  return Math.hypot(x2 - x1, y2 - y1);
}

function distanceToLine(from: PicturePoint, to: PicturePoint, at: PicturePoint): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const size = dx * dx + dy * dy;
  const t = size === 0 ? 0 : ((at[0] - from[0]) * dx + (at[1] - from[1]) * dy) / size;
  const part = Math.min(1, Math.max(0, t));
  return distance([from[0] + part * dx, from[1] + part * dy], at);
}
