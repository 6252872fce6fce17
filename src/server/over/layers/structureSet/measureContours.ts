import { evenOddArea } from '../../../../shared/evenOddArea.ts';
import { cross, dot, lengthOf, subtract, type Vector3 } from '../../../../shared/geometry.ts';
import { fitPlane } from './fitPlane.ts';
import {
  CONTOUR_TYPES,
  type ContourColumns,
  isClosed,
  isXor,
  type StructureSetRoi,
  SHAPE_NUMBERS,
  SLAB_NUMBERS,
} from './structureSetRecord.ts';

type MeasuredRoi = Pick<
  StructureSetRoi,
  'contourCount' | 'types' | 'spacingMm' | 'volumeMm3' | 'isNested' | 'deviationMm'
>;

export type MeasuredContours = Pick<ContourColumns, Measured> & {
  readonly rois: readonly MeasuredRoi[];
};

type Measured = 'shapes' | 'reaches' | 'slabs' | 'depths';
type Points = Omit<ContourColumns, Measured>;

/** Planes closer than this are one plane: writers round. */
const SAME_PLANE_MM = 0.1;
/** A larger gap between planes means that slices were left out on purpose. */
const GAP = 1.5;
const PARALLEL = 0.999;
const MOST_COMPARISONS = 2e8;

/** Fits the plane of every contour, and from the planes of each ROI finds its spacing, slabs and volume. */
export function measureContours(contours: Points, roiCount: number): MeasuredContours {
  const { length, roiOf, types } = contours;
  const shapes = new Float64Array(new SharedArrayBuffer(8 * SHAPE_NUMBERS * length));
  const reaches = new Float64Array(new SharedArrayBuffer(8 * length));
  const slabs = new Float64Array(new SharedArrayBuffer(8 * SLAB_NUMBERS * length));
  const depths = new Uint8Array(new SharedArrayBuffer(length));
  const deviations = new Float64Array(length);
  const ofRois: number[][] = Array.from({ length: roiCount }, () => []);
  for (let at = 0; at < length; at += 1) {
    const { centre, radius, normal, deviation } = fitPlane(pointsOf(contours, at));
    shapes.set([...centre, radius, ...normal, deviation], SHAPE_NUMBERS * at);
    deviations[at] = types[at] === NONPLANAR ? 0 : deviation;
    ofRois[roiOf[at]!]?.push(at);
  }
  const measured = ofRois.map((own) => {
    const stack = findRoiStack(own, contours, shapes);
    return { own, stack, volume: measureVolume(stack, contours, { shapes, depths }) };
  });
  // A ROI of one plane has no spacing; the other ROIs were drawn on the same images.
  const usual = medianOf(measured.flatMap(({ stack }) => stack.spacingMm ?? []));
  for (const { own, stack } of measured) {
    const half = (stack.spacingMm ?? usual ?? 0) / 2;
    for (const at of own) reaches[at] = half;
    for (const { position, low, high, members } of stack.levels) {
      for (const at of members) {
        slabs.set([...stack.normal, low, high], SLAB_NUMBERS * at);
        reaches[at] = Math.max(position - low, high - position);
      }
    }
  }
  return {
    shapes,
    reaches,
    slabs,
    depths,
    rois: measured.map(({ own, stack, volume }) => ({
      contourCount: own.length,
      types: CONTOUR_TYPES.filter((_, type) => own.some((at) => types[at] === type)),
      spacingMm: stack.spacingMm,
      ...volume,
      deviationMm: own.reduce((most, at) => Math.max(most, deviations[at]!), 0),
    })),
  };
}

const NONPLANAR: number = CONTOUR_TYPES.indexOf('OPEN_NONPLANAR');

export function pointsOf({ points, starts }: Pick<ContourColumns, 'points' | 'starts'>, contour: number): Float32Array {
  return points.subarray(3 * starts[contour]!, 3 * starts[contour + 1]!);
}

/** In mm²; 0 for one that is not closed. */
export function areaOfContour(contours: Pick<ContourColumns, 'points' | 'starts' | 'types'>, contour: number): number {
  if (!isClosed(contours.types[contour]!)) return 0;
  const points = pointsOf(contours, contour);
  const [ax, ay, az] = [points[0] ?? 0, points[1] ?? 0, points[2] ?? 0];
  let [x, y, z] = [0, 0, 0];
  for (let at = 3; at + 5 < points.length; at += 3) {
    const [bx, by, bz] = [points[at]! - ax, points[at + 1]! - ay, points[at + 2]! - az];
    const [cx, cy, cz] = [points[at + 3]! - ax, points[at + 4]! - ay, points[at + 5]! - az];
    x += by * cz - bz * cy;
    y += bz * cx - bx * cz;
    z += bx * cy - by * cx;
  }
  return Math.hypot(x, y, z) / 2;
}

export function centreOf(shapes: Float64Array, contour: number): Vector3 {
  const at = SHAPE_NUMBERS * contour;
  return [shapes[at]!, shapes[at + 1]!, shapes[at + 2]!];
}

/** Unit normal of the plane of a contour; NaN if its points do not define a plane. */
export function contourNormal(shapes: Float64Array, contour: number): Vector3 {
  const at = SHAPE_NUMBERS * contour + 4;
  return [shapes[at]!, shapes[at + 1]!, shapes[at + 2]!];
}

/** The closed contours of a ROI that are in one plane, and from where to where the slab of the plane reaches. */
type Level = { readonly members: readonly number[]; readonly position: number; low: number; high: number };
type RoiStack = {
  readonly normal: Vector3;
  readonly levels: readonly Level[];
  readonly spacingMm: number | undefined;
};

/** The parallel planes of a ROI along the normal of its largest contour; none if there are fewer than two. */
export function findRoiStack(
  own: readonly number[],
  { types }: Pick<ContourColumns, 'types'>,
  shapes: Float64Array,
): RoiStack {
  const closed = own.filter((at) => isClosed(types[at]!) && Number.isFinite(shapes[SHAPE_NUMBERS * at + 4]!));
  const largest = closed.reduce(
    (best, at) => (radiusOf(shapes, at) > radiusOf(shapes, best) ? at : best),
    closed[0] ?? -1,
  );
  if (largest < 0) return { normal: [0, 0, 1], levels: [], spacingMm: undefined };
  const normal = contourNormal(shapes, largest);
  const placed = closed
    .filter((at) => Math.abs(dot(contourNormal(shapes, at), normal)) > PARALLEL)
    .map((at) => ({ at, position: dot(centreOf(shapes, at), normal) }))
    .toSorted((a, b) => a.position - b.position);
  const levels: (Level & { readonly members: number[] })[] = [];
  for (const { at, position } of placed) {
    const last = levels.at(-1);
    if (last !== undefined && position - last.position < SAME_PLANE_MM) last.members.push(at);
    else levels.push({ members: [at], position, low: position, high: position });
  }
  const gaps = levels.slice(1).map(({ position }, i) => position - levels[i]!.position);
  const spacingMm = medianOf(gaps);
  if (spacingMm === undefined) return { normal, levels: [], spacingMm };
  const isWide = (gap: number | undefined) => gap === undefined || gap > GAP * spacingMm;
  for (const [i, level] of levels.entries()) {
    const middleOf = (gap: number) => (levels[gap]!.position + levels[gap + 1]!.position) / 2;
    level.low = isWide(gaps[i - 1]) ? level.position - spacingMm / 2 : middleOf(i - 1);
    level.high = isWide(gaps[i]) ? level.position + spacingMm / 2 : middleOf(i);
  }
  return { normal, levels, spacingMm };
}

function measureVolume(
  { normal, levels, spacingMm }: RoiStack,
  contours: Points,
  { shapes, depths }: Pick<ContourColumns, 'shapes' | 'depths'>,
) {
  let volume = 0;
  let isNested = false;
  const axes = axesOf(normal, [1, 0, 0], [0, 1, 0]);
  for (const { members, low, high } of levels) {
    const points = members.reduce((sum, at) => sum + pointsOf(contours, at).length, 0);
    // Every contour is compared with every other one of its plane. No real structure has that many.
    if (points * members.length > MOST_COMPARISONS) return { volumeMm3: undefined, isNested };
    for (const at of members) {
      const depth = members.filter((other) => other !== at && isInside(contours, at, other, normal, shapes)).length;
      if (depth > 0 && !isXor(contours.types[at]!)) isNested = true;
      // Beyond 254, whether a contour is a hole still counts.
      depths[at] = depth < 255 ? depth : 254 + (depth % 2);
    }
    const area = areaOfLevel(members.map((at) => flattenContour(contours, at, axes)));
    if (area === undefined) return { volumeMm3: undefined, isNested };
    volume += area * (high - low);
  }
  return { volumeMm3: spacingMm === undefined ? undefined : volume, isNested };
}

/** The area that the contours of one plane enclose together, in mm². Undefined if very many of them cross. */
export function areaOfLevel(lines: readonly Float64Array[]): number | undefined {
  // In proportion to the file. Contours that do not cross take one for each edge at the height of another one.
  const numbers = lines.reduce((sum, line) => sum + line.length, 0);
  return evenOddArea(lines, { mostSteps: 100_000 + numbers * 50 });
}

/** Perpendicular unit vectors of a plane. */
export type PlaneAxes = { readonly across: Vector3; readonly down: Vector3 };

/** The axes of a plane, with one as close as possible to the first of some directions that is not along the normal. */
export function axesOf(normal: Vector3, ...wishes: readonly Vector3[]): PlaneAxes {
  const inPlane = wishes.map((wish): Vector3 => {
    const along = dot(wish, normal);
    return [wish[0] - along * normal[0], wish[1] - along * normal[1], wish[2] - along * normal[2]];
  });
  const [best = [1, 0, 0] as const] = inPlane.toSorted((a, b) => lengthOf(b) - lengthOf(a));
  const length = lengthOf(best);
  const across: Vector3 = [best[0] / length, best[1] / length, best[2] / length];
  return { across, down: cross(normal, across) };
}

/** A contour in the axes of its plane: x and y of each point. */
export function flattenContour(
  contours: Pick<ContourColumns, 'points' | 'starts'>,
  contour: number,
  { across, down }: PlaneAxes,
): Float64Array {
  const points = pointsOf(contours, contour);
  const flat = new Float64Array((points.length / 3) * 2);
  for (let at = 0, to = 0; at < points.length; at += 3, to += 2) {
    const [x, y, z] = [points[at]!, points[at + 1]!, points[at + 2]!];
    flat[to] = x * across[0] + y * across[1] + z * across[2];
    flat[to + 1] = x * down[0] + y * down[1] + z * down[2];
  }
  return flat;
}

/** Whether a contour begins inside another one of the same plane. */
function isInside(contours: Points, inner: number, outer: number, normal: Vector3, shapes: Float64Array): boolean {
  const apart = lengthOf(subtract(centreOf(shapes, inner), centreOf(shapes, outer)));
  if (apart > radiusOf(shapes, outer) || radiusOf(shapes, inner) > radiusOf(shapes, outer)) return false;
  // Without its largest component the plane is projected on two axes.
  const along = normal.map(Math.abs);
  const dropped = along.indexOf(Math.max(...along));
  const [u = 0, v = 1] = [0, 1, 2].filter((axis) => axis !== dropped);
  const polygon = pointsOf(contours, outer);
  const point = pointsOf(contours, inner);
  const [x, y] = [point[u]!, point[v]!];
  let inside = false;
  for (let at = 0, before = polygon.length - 3; at < polygon.length; before = at, at += 3) {
    const [y1, y2] = [polygon[at + v]!, polygon[before + v]!];
    if (y1 > y === y2 > y) continue;
    if (x < polygon[at + u]! + ((polygon[before + u]! - polygon[at + u]!) * (y - y1)) / (y2 - y1)) inside = !inside;
  }
  return inside;
}

export function radiusOf(shapes: Float64Array, contour: number): number {
  return shapes[SHAPE_NUMBERS * contour + 3]!;
}

/** How far a contour reaches beyond its centre along a direction, at most. */
export function reachAlong(shapes: Float64Array, contour: number, direction: Vector3): number {
  return tiltMm(shapes, contour, direction) + shapes[SHAPE_NUMBERS * contour + 7]!;
}

/** The same because its plane is tilted against the direction, without the distance of its points from its plane. */
export function tiltMm(shapes: Float64Array, contour: number, direction: Vector3): number {
  const radius = radiusOf(shapes, contour);
  // Without a vector of its own: this is asked for each contour and image.
  const at = SHAPE_NUMBERS * contour + 4;
  const cosine = shapes[at]! * direction[0] + shapes[at + 1]! * direction[1] + shapes[at + 2]! * direction[2];
  return Number.isNaN(cosine) ? radius : radius * Math.sqrt(Math.max(0, 1 - cosine * cosine));
}

function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
