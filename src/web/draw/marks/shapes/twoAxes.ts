import type { Point, Size, ViewedImage } from '../../../kit/state/viewState.ts';
import type { DrawingPointer } from './measureKind.ts';

/**
 * The short axis for a pointer, perpendicular to the long one in the patient. A drag sets its first end and its length;
 * without one it lies across the long axis, equally far to both sides, with one end at the pointer.
 */
export function shortAxisAt(
  [a, b]: readonly [Point, Point],
  { from, to }: DrawingPointer,
  image: ViewedImage,
): readonly [Point, Point] {
  const axis = axisOf(a, b, image);
  if (axis === undefined) return [from ?? to, to];
  const { along, aside } = axis.placeOf(to);
  if (from !== undefined) {
    return [from, clipInside(from, axis.pointAt({ along: axis.placeOf(from).along, aside }), image)];
  }
  const onAxis = Math.min(Math.max(along, 0), axis.length);
  const foot = axis.pointAt({ along: onAxis, aside: 0 });
  const endAt = (distance: number) => clipInside(foot, axis.pointAt({ along: onAxis, aside: distance }), image);
  return [endAt(aside), endAt(-aside)];
}

/**
 * The axes after one end was dragged. With an end of the long axis, the short one turns and moves along. An end of the
 * short axis takes the other one along, so that the axes stay perpendicular.
 */
export function dragAxis(points: readonly Point[], handle: number, to: Point, image: ViewedImage): readonly Point[] {
  const [a, b, ...short] = points;
  const before = a && b && axisOf(a, b, image);
  if (a === undefined || b === undefined || before === undefined) return points.with(handle, to);
  if (handle > 1) {
    const { along } = before.placeOf(to);
    const other = short[3 - handle];
    const moved = other && clipInside(to, before.pointAt({ along, aside: before.placeOf(other).aside }), image);
    return points.map((point, i) => (i === handle ? to : i > 1 && moved !== undefined ? moved : point));
  }
  const [start, end] = handle === 0 ? [to, b] : [a, to];
  const after = axisOf(start, end, image);
  if (after === undefined) return points;
  const carried = short.map((point) => {
    const { along, aside } = before.placeOf(point);
    const onAxis = Math.min(Math.max(along / before.length, 0), 1) * after.length;
    return clipInside(after.pointAt({ along: onAxis, aside: 0 }), after.pointAt({ along: onAxis, aside }), image);
  });
  return [start, end, ...carried];
}

/** The longer axis first. */
export function orderAxes(points: readonly Point[], { aspect }: ViewedImage): readonly Point[] {
  const [a, b, c, d] = points;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return points;
  const lengthOf = (from: Point, to: Point) => Math.hypot(to.x - from.x, (to.y - from.y) * aspect);
  return lengthOf(c, d) > lengthOf(a, b) ? [c, d, a, b] : points;
}

/** Distances from the first end of an axis: along it, and to its side. In widths of a pixel. */
type AxisPlace = { readonly along: number; readonly aside: number };

type Axis = {
  readonly length: number;
  readonly placeOf: (point: Point) => AxisPlace;
  readonly pointAt: (place: AxisPlace) => Point;
};

/** Undefined if both ends are at the same place. */
function axisOf(a: Point, b: Point, { aspect }: ViewedImage): Axis | undefined {
  const [dx, dy] = [b.x - a.x, (b.y - a.y) * aspect];
  const length = Math.hypot(dx, dy);
  if (length === 0) return undefined;
  const [ux, uy] = [dx / length, dy / length];
  return {
    length,
    placeOf({ x, y }) {
      const [px, py] = [x - a.x, (y - a.y) * aspect];
      return { along: px * ux + py * uy, aside: py * ux - px * uy };
    },
    pointAt: ({ along, aside }) => ({
      x: a.x + along * ux - aside * uy,
      y: a.y + (along * uy + aside * ux) / aspect,
    }),
  };
}

/** The last point inside the image on the way from a point inside of it. */
function clipInside(from: Point, to: Point, { width, height }: Size): Point {
  const share = Math.min(shareInside(from.x, to.x, width), shareInside(from.y, to.y, height));
  const reach = (a: number, b: number, size: number) => Math.min(Math.max(a + (b - a) * share, 0), size);
  return share === 1 ? to : { x: reach(from.x, to.x, width), y: reach(from.y, to.y, height) };
}

function shareInside(from: number, to: number, size: number): number {
  if (to < 0) return from / (from - to);
  return to > size ? (size - from) / (to - from) : 1;
}
