import { addTo } from '../../../../shared/addTo.ts';
import {
  cross,
  dot,
  type ImagePlane,
  lengthOf,
  normalOf,
  subtract,
  type Vector3,
} from '../../../../shared/geometry.ts';
import { pointsOf } from './measureContours.ts';
import { type ContourColumns, SLAB_NUMBERS } from './structureSetRecord.ts';

/** A closed line in a plane, which is filled by the even-odd rule together with the others. */
export type CutRing = readonly Vector3[];

/** Less than this, a plane is parallel to the contours, or perpendicular to them: the arithmetic would overflow. */
const LEAST_SINE = 1e-7;

/**
 * The union of the slabs of closed contours, cut by a plane. The slab of a contour is the prism over it, from half way to
 * the next contours of its ROI below to half way to those above. The contours are of one ROI and have one axis. Where two
 * slabs touch, no line is between them.
 */
export function cutSlabs(contours: ContourColumns, plane: ImagePlane, members: readonly number[]): CutRing[] {
  const view = viewSlabs(plane, axisOf(contours, members[0]!));
  const seams = new Map<number, SeamPoint[]>();
  const rings: Point[][] = [];
  const chains: Chain[] = [];
  for (const contour of members) {
    const [low, high] = slabOf(contours, contour);
    const outline = viewContour(pointsOf(contours, contour), view);
    if (view.sine < LEAST_SINE) {
      if (low <= view.level && view.level < high) rings.push(outline.map(([s, b]) => [s * view.cosine, b]));
      continue;
    }
    const strip = stripOf(view, low, high);
    const clipped = Math.abs(view.cosine) < LEAST_SINE ? cutAcross(outline, strip) : clipToStrip(outline, strip, view);
    if (clipped.isWhole) rings.push(clipped.points);
    for (const chain of clipped.chains) {
      chains.push(chain);
      for (const end of [chain.first, chain.last]) addTo(seams, end.seam, end);
    }
  }
  for (const ring of linkChains(chains, seams)) rings.push(ring);
  return rings.filter(({ length }) => length > 2).map((ring) => ring.map((point) => toPatient(view, point)));
}

/** The axis of the slab of a contour, along which its ends are measured. */
export function axisOf({ slabs }: Pick<ContourColumns, 'slabs'>, contour: number): Vector3 {
  const at = SLAB_NUMBERS * contour;
  return [slabs[at]!, slabs[at + 1]!, slabs[at + 2]!];
}

export function hasSlab(contours: Pick<ContourColumns, 'slabs'>, contour: number): boolean {
  const [low, high] = slabOf(contours, contour);
  return low < high;
}

/** The lower and upper end of the slab of a contour; equal if it has none. */
function slabOf({ slabs }: Pick<ContourColumns, 'slabs'>, contour: number): readonly [number, number] {
  const at = SLAB_NUMBERS * contour + 3;
  return [slabs[at]!, slabs[at + 1]!];
}

/** Millimetres in the picture: along the direction in which the axis rises the fastest, and across it. */
type Point = readonly [a: number, b: number];

/**
 * How the plane of the picture lies to the slabs. `up` and `across` are axes of the picture. A point of a contour at `s`
 * along `w` lies, moved along the axis into the picture, at `s / cosine` along `up`.
 */
type SlabView = {
  readonly origin: Vector3;
  readonly up: Vector3;
  readonly across: Vector3;
  readonly w: Vector3;
  /** Position of the origin along the axis. */
  readonly level: number;
  /** Of the angle between the normal of the picture and the axis. */
  readonly cosine: number;
  readonly sine: number;
};

function viewSlabs(plane: ImagePlane, axis: Vector3): SlabView {
  const normal = normalOf(plane);
  const cosine = dot(normal, axis);
  const offNormal = combine(axis, 1, normal, -cosine);
  const sine = lengthOf(offNormal);
  const isParallel = sine < LEAST_SINE;
  const up = isParallel ? anyAcross(normal) : scale(offNormal, 1 / sine);
  const across = cross(normal, up);
  return {
    origin: plane.position,
    up,
    across,
    w: isParallel ? scale(up, Math.sign(cosine)) : scale(combine(normal, 1, axis, -cosine), -1 / sine),
    level: dot(axis, plane.position),
    cosine: isParallel ? Math.sign(cosine) : cosine,
    sine,
  };
}

function viewContour(points: Float32Array, { origin, across, w }: SlabView): Point[] {
  return Array.from({ length: points.length / 3 }, (_, at): Point => {
    const from = subtract([points[3 * at]!, points[3 * at + 1]!, points[3 * at + 2]!], origin);
    return [dot(from, w), dot(from, across)];
  });
}

/** The part of the picture within a slab: from `start` to `end` along `up`. */
type Strip = { readonly low: number; readonly high: number; readonly start: number; readonly end: number };

function stripOf({ level, sine }: SlabView, low: number, high: number): Strip {
  return { low, high, start: (low - level) / sine, end: (high - level) / sine };
}

/** An end of a chain on the border of a slab, which is named by its position along the axis: slabs that touch share it. */
type SeamPoint = { readonly seam: number; readonly point: Point };
/** A piece of the outline of a contour within its slab. */
type Chain = { readonly first: SeamPoint; readonly last: SeamPoint; readonly between: readonly Point[] };
type Clipped = { readonly isWhole: boolean; readonly points: Point[]; readonly chains: readonly Chain[] };

/** The pieces of an outline within a strip, moved into the picture. */
function clipToStrip(outline: readonly Point[], strip: Strip, { cosine }: SlabView): Clipped {
  const isFalling = cosine < 0;
  const [lowSide, highSide] = [strip.start * cosine, strip.end * cosine];
  const [least, most] = isFalling ? [highSide, lowSide] : [lowSide, highSide];
  const zoneOf = (s: number): -1 | 0 | 1 => (s < least ? -1 : s >= most ? 1 : 0);
  const toPicture = ([s, b]: Point): Point => [s / cosine, b];
  const border = (side: -1 | 1, [s1, b1]: Point, [s2, b2]: Point): SeamPoint => {
    const s = side < 0 ? least : most;
    const isLow = side < 0 !== isFalling;
    const b = b1 + ((s - s1) / (s2 - s1)) * (b2 - b1);
    return { seam: isLow ? strip.low : strip.high, point: [isLow ? strip.start : strip.end, b] };
  };

  const start = outline.findIndex(([s]) => zoneOf(s) !== 0);
  if (start === -1) return { isWhole: true, points: outline.map(toPicture), chains: [] };
  const chains: Chain[] = [];
  let first: SeamPoint | undefined;
  let between: Point[] = [];
  for (let step = 0; step < outline.length; step += 1) {
    const from = outline[(start + step) % outline.length]!;
    const to = outline[(start + step + 1) % outline.length]!;
    const [left, entered] = [zoneOf(from[0]), zoneOf(to[0])];
    if (left === entered) {
      if (entered === 0) between.push(toPicture(to));
      continue;
    }
    if (left !== 0) first = border(left, from, to);
    if (entered === 0) between.push(toPicture(to));
    else if (first !== undefined) {
      chains.push({ first, last: border(entered, from, to), between });
      first = undefined;
      between = [];
    }
  }
  return { isWhole: false, points: [], chains };
}

/** The same for a plane along the axis: its chords, over the whole thickness of the slab. */
function cutAcross(outline: readonly Point[], { low, high, start, end }: Strip): Clipped {
  const chains: Chain[] = [];
  let before = outline.at(-1)!;
  for (const point of outline) {
    const [[s1, b1], [s2, b2]] = [before, point];
    if (s1 < 0 !== s2 < 0) {
      const b = b1 + (s1 / (s1 - s2)) * (b2 - b1);
      chains.push({ first: { seam: low, point: [start, b] }, last: { seam: high, point: [end, b] }, between: [] });
    }
    before = point;
  }
  return { isWhole: false, points: [], chains };
}

/**
 * Joins chains at the borders of slabs. By the even-odd rule, the lines along a border are between its first point and the
 * second, the third and the fourth, and so on, counting the points of the slabs on both sides.
 */
function linkChains(chains: readonly Chain[], seams: ReadonlyMap<number, readonly SeamPoint[]>): Point[][] {
  const partners = new Map<SeamPoint, SeamPoint>();
  for (const ends of seams.values()) {
    const sorted = ends.toSorted((one, other) => one.point[1] - other.point[1]);
    for (let at = 0; at + 1 < sorted.length; at += 2) {
      partners.set(sorted[at]!, sorted[at + 1]!);
      partners.set(sorted[at + 1]!, sorted[at]!);
    }
  }
  const chainOf = new Map(chains.flatMap((chain) => [[chain.first, chain] as const, [chain.last, chain] as const]));
  const rings: Point[][] = [];
  for (const chain of chains) {
    if (!chainOf.has(chain.first)) continue;
    const ring: Point[] = [];
    let entry: SeamPoint | undefined = chain.first;
    let next: Chain | undefined = chain;
    while (entry !== undefined && next !== undefined) {
      const isForward: boolean = next.first === entry;
      const exit: SeamPoint = isForward ? next.last : next.first;
      const between: readonly Point[] = isForward ? next.between : next.between.toReversed();
      ring.push(entry.point);
      for (const point of between) ring.push(point);
      ring.push(exit.point);
      chainOf.delete(next.first);
      chainOf.delete(next.last);
      entry = partners.get(exit);
      next = entry === undefined ? undefined : chainOf.get(entry);
    }
    rings.push(ring);
  }
  return rings;
}

function toPatient({ origin, up, across }: SlabView, [a, b]: Point): Vector3 {
  return [
    origin[0] + a * up[0] + b * across[0],
    origin[1] + a * up[1] + b * across[1],
    origin[2] + a * up[2] + b * across[2],
  ];
}

function scale([x, y, z]: Vector3, factor: number): Vector3 {
  return [x * factor, y * factor, z * factor];
}

function combine(one: Vector3, first: number, other: Vector3, second: number): Vector3 {
  return [one[0] * first + other[0] * second, one[1] * first + other[1] * second, one[2] * first + other[2] * second];
}

/** A unit vector perpendicular to another one. */
function anyAcross(normal: Vector3): Vector3 {
  const least = normal.map(Math.abs).indexOf(Math.min(...normal.map(Math.abs)));
  const vector = cross(normal, [least === 0 ? 1 : 0, least === 1 ? 1 : 0, least === 2 ? 1 : 0]);
  return scale(vector, 1 / lengthOf(vector));
}
