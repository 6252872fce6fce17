import { type MarkKind, traitsOf } from './markTraits.ts';

/** Two numbers per point, as points of marks are: x to the right, y down, in pixels. */
export type Outline = ArrayLike<number>;

/** An outline that a user has drawn, and the place of its frame in the shown order of the stack. */
export type KeySlice = { readonly position: number; readonly points: Outline };

export type OutlineAt = {
  readonly points: Float64Array;
  /** Whether it was computed from the outlines before and after it. */
  readonly isInterpolated: boolean;
};

/**
 * The outline of a mark through a stack on one frame. Between two outlines, corners move on straight lines, in equal
 * steps from frame to frame of the shown order. Before the first and after the last outline, the mark goes on unchanged
 * to the ends of its range. Undefined outside the range, and if there is no outline.
 */
export function outlineAt(
  kind: MarkKind,
  slices: readonly KeySlice[],
  { from, to, position }: { readonly from: number; readonly to: number; readonly position: number },
): OutlineAt | undefined {
  if (position < Math.min(from, to) || position > Math.max(from, to)) return undefined;
  const sorted = slices.toSorted((a, b) => a.position - b.position);
  const after = sorted.find((slice) => slice.position >= position);
  const before = sorted.findLast((slice) => slice.position <= position);
  const [a, b] = [before ?? after, after ?? before];
  if (a === undefined || b === undefined) return undefined;
  if (a.position === b.position) {
    return { points: Float64Array.from(a.points), isInterpolated: a.position !== position };
  }
  const share = (position - a.position) / (b.position - a.position);
  return { points: interpolateOutline(kind, a.points, b.points, share), isInterpolated: true };
}

/** `share` is 0 at the first outline and 1 at the second. */
export function interpolateOutline(kind: MarkKind, a: Outline, b: Outline, share: number): Float64Array {
  const [from, to] = traitsOf(kind).shape === 'polygon' ? pairCorners(a, b) : [sortCorners(a), sortCorners(b)];
  return from.map((value, n) => value + (to[n]! - value) * share);
}

/** The corner with the smaller coordinates first, because users draw boxes from any corner. */
function sortCorners({ 0: ax = 0, 1: ay = 0, 2: bx = 0, 3: by = 0 }: Outline): Float64Array {
  return Float64Array.of(Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by));
}

/**
 * Two polygons with the same number of corners and in the same direction, beginning where they are closest. A polygon
 * with fewer corners gets more on its edges, in equal distances along its outline; its own corners stay if both have
 * equally many.
 */
function pairCorners(a: Outline, b: Outline): readonly [Float64Array, Float64Array] {
  const count = Math.max(a.length, b.length) / 2;
  const from = spread(a, count);
  const other = spread(b, count);
  const to = signedArea(from) * signedArea(other) < 0 ? reverse(other) : other;
  // Around their centers, so that a polygon that moves does not turn.
  const [centerA, centerB] = [centerOf(from), centerOf(to)];
  let best = 0;
  let least = Infinity;
  for (let turn = 0; turn < count; turn += 1) {
    let sum = 0;
    for (let n = 0; n < count; n += 1) {
      const m = (n + turn) % count;
      const dx = from[2 * n]! - centerA.x - (to[2 * m]! - centerB.x);
      const dy = from[2 * n + 1]! - centerA.y - (to[2 * m + 1]! - centerB.y);
      sum += dx * dx + dy * dy;
    }
    // Rounding must not decide between equal turns.
    if (sum < least - 1e-9) [least, best] = [sum, turn];
  }
  return [from, Float64Array.from(from, (_, n) => to[(n + 2 * best) % (2 * count)]!)];
}

/** As many corners as wanted, in equal distances along the outline from its first corner. */
function spread(points: Outline, count: number): Float64Array {
  const own = points.length / 2;
  if (own === count) return Float64Array.from(points);
  const lengths = Array.from({ length: own }, (_, n) => edgeLength(points, n));
  const step = lengths.reduce((sum, length) => sum + length, 0) / count;
  const spaced = new Float64Array(2 * count);
  let edge = 0;
  let passed = 0;
  for (let n = 0; n < count; n += 1) {
    while (edge < own - 1 && passed + lengths[edge]! < n * step) passed += lengths[edge++]!;
    const share = lengths[edge] === 0 ? 0 : Math.min(1, (n * step - passed) / lengths[edge]!);
    const next = (edge + 1) % own;
    spaced[2 * n] = points[2 * edge]! + (points[2 * next]! - points[2 * edge]!) * share;
    spaced[2 * n + 1] = points[2 * edge + 1]! + (points[2 * next + 1]! - points[2 * edge + 1]!) * share;
  }
  return spaced;
}

function edgeLength(points: Outline, n: number): number {
  const next = (2 * n + 2) % points.length;
  return Math.hypot(points[next]! - points[2 * n]!, points[next + 1]! - points[2 * n + 1]!);
}

/** Its sign tells the direction of the outline. */
export function signedArea(points: Float64Array): number {
  let sum = 0;
  for (let n = 0; n < points.length; n += 2) {
    const next = (n + 2) % points.length;
    sum += points[n]! * points[next + 1]! - points[next]! * points[n + 1]!;
  }
  return sum / 2;
}

function centerOf(points: Float64Array): { readonly x: number; readonly y: number } {
  let [x, y] = [0, 0];
  for (let n = 0; n < points.length; n += 2) {
    x += points[n]!;
    y += points[n + 1]!;
  }
  return { x: (2 * x) / points.length, y: (2 * y) / points.length };
}

function reverse(points: Float64Array): Float64Array {
  const last = points.length - 2;
  return points.map((_, n) => points[last - (n - (n % 2)) + (n % 2)]!);
}
