import { dot, hasSameOrientation, lengthOf, normalOf, type PlaneOrientation, subtract, type Vector3 } from '../../shared/geometry.ts';
import { type FrameTable, pointOf } from './frameTable.ts';
import { listIrregularGaps, measurePlaces, type Places } from './places.ts';
import { ORIENTATION_TOLERANCE } from './orientationGroups.ts';
import type { SlicedWork } from './slices.ts';
import type { StackWarning } from './stack.ts';
import { describeGaps, describeTilt, plural } from './warningTexts.ts';

export type InspectOptions = {
  /** What a frame is called: an image of its own, or a frame of a file. */
  readonly noun: 'image' | 'frame';
  /** True where positions may be left out on purpose. */
  readonly allowsGaps: boolean;
};

/** In-plane shift over the distance, from which on positions do not run along the normal. */
const LEAST_TILT = 0.01;
const LEAST_SHIFT_MM = 0.01;

/** What is odd about the places of the frames. `order` is that of the stack. None where no frame has a plane. */
export function* inspectStack(
  table: FrameTable,
  order: Uint32Array,
  options: InspectOptions,
): SlicedWork<StackWarning[]> {
  const planes = order.filter((entry) => table.orientations[entry] !== undefined);
  if (table.length < 2 || planes.length === 0) return [];
  yield;
  const warnings: StackWarning[] = [];
  const gaps = { irregular: new Set<number>(), missing: new Set<number>(), texts: [] as string[] };
  const duplicates = new Set<number>();
  const tilted: { entries: Uint32Array; degrees: number }[] = [];
  for (const entries of splitByGroup(table, planes)) {
    const places = yield* measurePlaces(table, entries);
    for (const entry of places.duplicates) duplicates.add(entry);
    if (!options.allowsGaps) {
      for (const gap of listIrregularGaps(places)) {
        const around = [entries[gap.at - 1]!, entries[gap.at]!];
        for (const entry of around) gaps.irregular.add(entry);
        if (gap.missing === 0) continue;
        for (const entry of around) gaps.missing.add(entry);
        gaps.texts.push(describeGaps(gap, options.noun));
      }
    }
    const degrees = findTilt(table, entries, places);
    if (degrees !== undefined) tilted.push({ entries, degrees });
    yield;
  }

  const without = order.filter((entry) => table.orientations[entry] === undefined);
  const missing = [
    ...(without.length > 0 ? [`${plural(without.length, options.noun)} of ${table.length} without a position`] : []),
    ...gaps.texts.slice(0, 3),
    ...(gaps.texts.length > 3 ? [`and ${gaps.texts.length - 3} more such gaps`] : []),
  ];
  if (missing.length > 0) add('missing_positions', missing.join('; '), [...without, ...gaps.missing]);
  if (duplicates.size > 0) {
    add('duplicate_positions', `${plural(duplicates.size, options.noun)} where another one lies`, duplicates);
  }
  if (gaps.irregular.size > 0) {
    const message = `the distance from one ${options.noun} to the next is not the same everywhere`;
    add('nonuniform_spacing', message, gaps.irregular);
  }
  const turned = yield* findTurned(table, planes);
  if (turned.length > 0) {
    add('inconsistent_orientation', `${plural(turned.length, options.noun)} turned against the first one`, turned);
  }
  for (const { entries, degrees } of tilted) add('gantry_tilt', describeTilt(degrees), entries);
  return warnings;

  function add(code: StackWarning['code'], message: string, entries: Iterable<number>): void {
    warnings.push({ code, message, fileIndices: listFiles(table, entries) });
  }
}

/** Each orientation on its own: positions along different normals cannot be compared. */
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

/** The angle between the normal and the line from the first place to the last. */
function findTilt(table: FrameTable, entries: Uint32Array, { starts }: Places): number | undefined {
  const first = entries[0];
  const last = entries[starts.at(-1) ?? 0];
  if (first === undefined || last === undefined || starts.length < 2) return undefined;
  const orientation = table.orientations[first];
  if (orientation === undefined) return undefined;
  const way = subtract(pointOf(table, last), pointOf(table, first));
  const normal = normalOf(orientation);
  const alongMm = dot(way, normal);
  const shiftMm = lengthOf(subtract(way, scale(normal, alongMm)));
  if (shiftMm <= LEAST_SHIFT_MM || shiftMm <= LEAST_TILT * Math.abs(alongMm)) return undefined;
  return (Math.atan2(shiftMm, Math.abs(alongMm)) * 180) / Math.PI;
}

function scale([x, y, z]: Vector3, factor: number): Vector3 {
  return [x * factor, y * factor, z * factor];
}

function* findTurned({ orientations }: FrameTable, planes: Uint32Array): SlicedWork<number[]> {
  const first = orientations[planes[0] ?? -1];
  if (first === undefined) return [];
  const alike = new Map<PlaneOrientation, boolean>();
  const turned: number[] = [];
  for (const [at, entry] of planes.entries()) {
    if (at % 1024 === 1023) yield;
    const orientation = orientations[entry] ?? first;
    let isAlike = alike.get(orientation);
    if (isAlike === undefined) {
      isAlike = hasSameOrientation(first, orientation, ORIENTATION_TOLERANCE);
      alike.set(orientation, isAlike);
    }
    if (!isAlike) turned.push(entry);
  }
  return turned;
}

function listFiles({ fileIndices }: FrameTable, entries: Iterable<number>): number[] {
  const sorted = Uint32Array.from(entries, (entry) => fileIndices[entry]!).toSorted();
  return [...sorted.filter((file, at) => at === 0 || file !== sorted[at - 1])];
}
