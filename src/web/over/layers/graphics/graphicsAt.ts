import type { GraphicItem, GraphicsPacket } from '../../../../shared/contract/graphics.ts';
import { distanceOf, isAtLine, isInEllipse } from '../isAtShape.ts';
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
  const [a, b] = points;
  if (item.shape === 'circle') {
    return a !== undefined && b !== undefined && distanceOf(a, at) <= distanceOf(a, b) + REACH;
  }
  if (item.shape === 'ellipse') return isInEllipse(points, at);
  if (item.shape === 'point') return points.some((point) => distanceOf(point, at) <= REACH);
  return isAtLine(points, at, { isClosed: isClosedShape(item), reach: REACH });
}
