import type { ContourItem, ContourPacket } from '../../../../shared/contourPacket.ts';

/** How close to a line the pointer must be, in pixels of the image. */
const NEAR = 1;

/** The parts at a pixel, the smallest first: inside their closed lines by the even-odd rule, or on a line. */
export function findContoursAt({ items }: ContourPacket, column: number, row: number): number[] {
  const found = new Map<number, { isInside: boolean; isNear: boolean; area: number }>();
  for (const item of items) {
    const known = found.get(item.part) ?? { isInside: false, isNear: false, area: 0 };
    found.set(item.part, known);
    if (item.isClosed) {
      known.area += Math.abs(areaOf(item));
      if (isInside(item, column, row)) known.isInside = !known.isInside;
    }
    known.isNear ||= isNear(item, column, row);
  }
  return [...found]
    .filter(([, one]) => one.isInside || one.isNear)
    .toSorted(([, a], [, b]) => a.area - b.area)
    .map(([part]) => part);
}

function areaOf({ points }: ContourItem): number {
  let sum = 0;
  for (let at = 0, before = points.length - 2; at < points.length; before = at, at += 2) {
    sum += points[before]! * points[at + 1]! - points[at]! * points[before + 1]!;
  }
  return sum / 2;
}

function isInside({ points }: ContourItem, x: number, y: number): boolean {
  let inside = false;
  for (let at = 0, before = points.length - 2; at < points.length; before = at, at += 2) {
    const [y1, y2] = [points[at + 1]!, points[before + 1]!];
    if (y1 > y === y2 > y) continue;
    if (x < points[at]! + ((points[before]! - points[at]!) * (y - y1)) / (y2 - y1)) inside = !inside;
  }
  return inside;
}

function isNear({ points, isClosed }: ContourItem, x: number, y: number): boolean {
  const first = isClosed || points.length === 2 ? 0 : 2;
  for (let at = first; at < points.length; at += 2) {
    const before = at === 0 ? points.length - 2 : at - 2;
    const [x1, y1] = [points[before]! - x, points[before + 1]! - y];
    const [dx, dy] = [points[at]! - points[before]!, points[at + 1]! - points[before + 1]!];
    const length = dx * dx + dy * dy;
    const along = length === 0 ? 0 : Math.min(1, Math.max(0, -(x1 * dx + y1 * dy) / length));
    if (Math.hypot(x1 + along * dx, y1 + along * dy) <= NEAR) return true;
  }
  return false;
}
