import {
  dot,
  hasSameOrientation,
  lengthOf,
  normalOf,
  type PlaneOrientation,
  subtract,
} from '../../../shared/geometry.ts';
import { type FrameTable, pointOf } from './frameTable.ts';
import { ORIENTATION_TOLERANCE } from './orientationGroups.ts';
import { type Gap, listIrregularGaps, measurePlaces, type Places } from './places.ts';
import type { StackWarning } from './stack.ts';
import {
  describeDuplicates,
  describeMissing,
  describeSpacing,
  describeTilt,
  describeTurned,
  type Noun,
  type FrameDistances,
} from './warningTexts.ts';

export type InspectOptions = {
  readonly noun: Noun;
  /** True if positions may be left out on purpose. */
  readonly allowsGaps: boolean;
};

/** Ratio of in-plane shift to distance above which positions do not follow the normal. */
const LEAST_TILT = 0.01;
const LEAST_SHIFT_MM = 0.01;

/** How the frames of a stack lie. Frames are entries of its table. */
export type StackMeasures = {
  /** Frames without a position beside others that have one. */
  readonly without: readonly number[];
  /** For each orientation the distances between its frames; none if positions may be left out on purpose. */
  readonly spacings: readonly FrameDistances[];
  readonly duplicates: readonly number[];
  /** Frames that are rotated relative to the first one. */
  readonly turned: readonly number[];
  /** Frames whose positions do not follow their normal, and the largest angle. */
  readonly tilted: readonly number[];
  readonly tiltDegrees: number;
  /** Frames at places that have fewer of them than most places: a time or another dimension is incomplete there. */
  readonly sparse: readonly number[];
};

/** Irregularities of the frame positions. `order` is that of the stack. Empty if no frame has a plane. */
export function inspectStack(table: FrameTable, order: Uint32Array, options: InspectOptions): StackWarning[] {
  const measures = measureStack(table, order, options);
  if (measures === undefined) return [];
  const { noun } = options;
  const { without, spacings, duplicates, turned, tilted, tiltDegrees } = measures;
  const gaps = spacings.flatMap(({ irregular }) => irregular);
  const holes = gaps.filter(({ missing }) => missing > 0);
  const warnings: StackWarning[] = [];
  for (const [code, entries, describe] of [
    ['missing_positions', [...without, ...besideGaps(holes)], () => describeMissing(without.length, holes, noun)],
    ['duplicate_positions', duplicates, () => describeDuplicates(duplicates.length, noun)],
    ['nonuniform_spacing', besideGaps(gaps), () => describeSpacing(spacings, noun)],
    ['inconsistent_orientation', turned, () => describeTurned(turned.length, noun)],
    ['gantry_tilt', tilted, () => describeTilt(tiltDegrees, noun)],
  ] as const) {
    if (entries.length > 0) warnings.push({ code, message: describe(), fileIndices: listFilesOf(table, entries) });
  }
  return warnings;
}

/** Undefined if no frame has a plane, or if there is one frame. */
export function measureStack(
  table: FrameTable,
  order: Uint32Array,
  { allowsGaps }: Pick<InspectOptions, 'allowsGaps'>,
): StackMeasures | undefined {
  const { planes, without } = findPlanes(table, order);
  if (table.length < 2 || planes.length === 0) return undefined;
  const spacings: FrameDistances[] = [];
  const duplicates: number[] = [];
  const tilted: number[] = [];
  const sparse: number[] = [];
  let tiltDegrees = 0;
  for (const entries of splitByGroup(table, planes)) {
    const places = measurePlaces(table, entries);
    for (const entry of places.duplicates) duplicates.push(entry);
    const isComparable = !allowsGaps && places.duplicates.length === 0;
    for (const entry of isComparable ? findSparse(entries, places) : []) sparse.push(entry);
    const { spacingMm, gapsMm } = places;
    if (!allowsGaps && spacingMm !== undefined) {
      spacings.push({ spacingMm, count: gapsMm.length, irregular: listIrregularGaps(table, places, entries) });
    }
    const degrees = findTilt(table, entries, places);
    if (degrees === undefined) continue;
    tiltDegrees = Math.max(tiltDegrees, degrees);
    for (const entry of entries) tilted.push(entry);
  }
  return { without, spacings, duplicates, turned: findTurned(table, planes), tilted, tiltDegrees, sparse };
}

function findPlanes({ orientations }: FrameTable, order: Uint32Array): { planes: Uint32Array; without: number[] } {
  const planes = new Uint32Array(order.length);
  const without: number[] = [];
  let count = 0;
  for (let at = 0; at < order.length; at += 1) {
    const entry = order[at]!;
    if (orientations[entry] === undefined) without.push(entry);
    else planes[count++] = entry;
  }
  return { planes: planes.subarray(0, count), without };
}

/** Treats each orientation separately, because positions along different normals cannot be compared. */
function splitByGroup({ groups }: FrameTable, planes: Uint32Array): Uint32Array[] {
  const runs: Uint32Array[] = [];
  let start = 0;
  for (let at = 1; at <= planes.length; at += 1) {
    if (at < planes.length && groups[planes[at]!] === groups[planes[start]!]) continue;
    runs.push(planes.subarray(start, at));
    start = at;
  }
  return runs;
}

/** The frames of the places that have fewer of them than more than half of the places. */
function findSparse(entries: Uint32Array, { starts }: Places): number[] {
  const sizeAt = (place: number) => (starts[place + 1] ?? entries.length) - starts[place]!;
  const sizes = Float64Array.from(starts, (_, place) => sizeAt(place)).toSorted();
  const usual = sizes[Math.floor((sizes.length - 1) / 2)] ?? 0;
  if (usual !== sizes[Math.ceil((sizes.length - 1) / 2)] || sizes[0] === usual) return [];
  const sparse: number[] = [];
  for (const [place, start] of starts.entries()) {
    if (sizeAt(place) >= usual) continue;
    for (let at = start; at < start + sizeAt(place); at += 1) sparse.push(entries[at]!);
  }
  return sparse;
}

/** The frames on both sides of the gaps. */
export function besideGaps(gaps: readonly Gap[]): number[] {
  return gaps.flatMap(({ before, after }) => [before, after]);
}

/** The angle in degrees between the normal and the line from the first place to the last; undefined if negligible. */
function findTilt(table: FrameTable, entries: Uint32Array, { starts }: Places): number | undefined {
  const first = entries[0];
  const last = entries[starts.at(-1) ?? 0];
  const orientation = table.orientations[first ?? -1];
  if (first === undefined || last === undefined || orientation === undefined || starts.length < 2) return undefined;
  const way = subtract(pointOf(table, last), pointOf(table, first));
  const [x, y, z] = normalOf(orientation);
  const alongMm = dot(way, [x, y, z]);
  const shiftMm = lengthOf(subtract(way, [x * alongMm, y * alongMm, z * alongMm]));
  if (shiftMm <= LEAST_SHIFT_MM || shiftMm <= LEAST_TILT * Math.abs(alongMm)) return undefined;
  return (Math.atan2(shiftMm, Math.abs(alongMm)) * 180) / Math.PI;
}

function findTurned({ orientations }: FrameTable, planes: Uint32Array): number[] {
  const first = orientations[planes[0] ?? -1];
  const turned: number[] = [];
  if (first === undefined) return turned;
  const isAlike = new Map<PlaneOrientation, boolean>();
  let last = first;
  let isLastAlike = true;
  for (let at = 0; at < planes.length; at += 1) {
    const orientation = orientations[planes[at]!] ?? first;
    if (orientation !== last) {
      last = orientation;
      isLastAlike = isAlike.get(last) ?? hasSameOrientation(first, last, ORIENTATION_TOLERANCE);
      isAlike.set(last, isLastAlike);
    }
    if (!isLastAlike) turned.push(planes[at]!);
  }
  return turned;
}

/** The distinct files of the entries, ascending. */
export function listFilesOf({ fileIndices }: FrameTable, entries: readonly number[]): number[] {
  const files = new Uint32Array(entries.length);
  for (let at = 0; at < files.length; at += 1) files[at] = fileIndices[entries[at]!]!;
  files.sort();
  return Array.from(files.filter((file, at) => at === 0 || file !== files[at - 1]));
}
