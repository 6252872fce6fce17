import type { ObjectKind } from '../../../shared/contract/files.ts';
import {
  hasSameOrientation,
  lengthOf,
  normalOf,
  type PlaneOrientation,
  subtract,
  type Vector3,
} from '../../../shared/geometry.ts';
import { GEOMETRY_DOUBTS } from '../../standard/geometry/frameGeometry.ts';
import { createFrameTable, type FrameTable, orderFrames, pointOf } from '../series/frameTable.ts';
import { groupOrientations, NO_GROUP, ORIENTATION_TOLERANCE } from '../series/orientationGroups.ts';
import { type Gap, listIrregularGaps, markHoles, measurePlaces } from '../series/places.ts';
import { evidenceOf, type LargeStack, MOST_STACK_FRAMES, type StackRecord } from '../series/stackRecord.ts';
import { inspectStack } from '../series/stackWarnings.ts';
import { refuse, type VolumeRefusal, type VolumeWarning } from './volume.ts';

/** What the catalog knows about a file of the stack. */
export type StackFile = {
  readonly index: number;
  readonly frameCount: number;
  readonly objectKind: ObjectKind;
  readonly modality: string;
  /** The values of Image Type, joined by backslashes. */
  readonly imageType: string;
  /** Whether each frame of a file with several has a position of its own. */
  readonly hasFrameGeometry: boolean;
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  readonly photometricInterpretation: string;
};

/** The frame that was asked for; without `frame`, any frame of the file. */
export type WantedFrame = {
  readonly fileIndex: number;
  readonly frame: number | undefined;
  /** A single image counts as a volume as thin as a plane. */
  readonly takesSingle?: boolean;
};

/** Frames of one orientation, sorted into places along their normal. */
export type PlacedFrames = {
  readonly orientation: PlaneOrientation;
  readonly spacingMm: readonly [number, number];
  readonly rows: number;
  readonly columns: number;
  /** Frames of the stack at each place, in stack order. */
  readonly places: readonly (readonly number[])[];
  readonly positionsMm: Float64Array;
  /** First point of the first frame of each place. */
  readonly points: Float64Array;
  /** The usual distance between places. */
  readonly placeSpacingMm: number;
  readonly isHole: Uint8Array;
  readonly tiltDegrees: number;
  readonly warnings: readonly VolumeWarning[];
};

/** Farther from the origin, a position is an error of the writer, and arithmetic with it would overflow. */
const MOST_MM = 1e6;
const LEAST_SPACING_MM = 1e-6;
const MOST_SPACING_MM = 1e4;
/** More slices than any real volume has. */
const MOST_PLACES = 16_384;
/** More frames in one place than any real volume has times. */
const MOST_TIMES = 4_096;
/** All frames within this distance lie in one plane. */
const ONE_PLACE_MM = 0.01;
/** Frames of several times may differ by this much within their plane. */
const SAME_POINT_MM = 0.1;
const SAME_SPACING = 1e-3;
/** Distance of a first point from the line through the first and last one beyond which the tilt changes on the way. */
const OFF_LINE_MM = 0.1;

/**
 * The frames of a stack that can be a volume, or why there are none. Decides by positions only, and reads no file.
 * `accepts` leaves out frames that belong to another volume of the same stack.
 */
export function placeFrames(
  stack: StackRecord | LargeStack | undefined,
  fileOf: (index: number) => StackFile | undefined,
  wanted: WantedFrame,
  accepts: (entry: number) => boolean = () => true,
): PlacedFrames | { readonly refusal: VolumeRefusal } {
  if (stack === undefined) {
    return refuse(
      'not_a_volume',
      'the file is no image of a series: it is another kind of object, or Study or Series Instance UID (0020,000D), (0020,000E) ' +
        'is missing',
    );
  }
  if (stack.kind === 'too_many_frames') return refuseCount('stack', stack.length);
  const file = fileOf(stack.fileIndices[0] ?? -1);
  if (file === undefined) return refuse('no_geometry', 'the stack has no frames');
  const kind = findOtherKind(stack, file);
  if (kind !== undefined) return kind;
  const planes = listPlanes(stack, accepts);
  if (stack.doubts.includes('dose_offsets')) return refuse('dose_offsets', GEOMETRY_DOUBTS.dose_offsets);
  if (planes.length === 0) {
    return stack.problem === undefined
      ? refuse('no_geometry', 'it is not said where the images lie, or how they are oriented')
      : refuse('no_geometry', `where the frames lie is not known: ${stack.problem}`);
  }
  if (stack.length < 2) {
    return wanted.takesSingle === true
      ? placeSingle(stack, planes[0]!, fileOf)
      : refuse('single_place', 'there is only one image');
  }

  const groups = groupOrientations(planes.map((entry) => stack.orientations[stack.orientationOf[entry]!]));
  if (groups.isRadial) {
    return refuse('turning_planes', 'the planes turn around an axis, so they do not lie above each other');
  }
  const members = Array.from(groups.normals, (): number[] => []);
  for (const [at, entry] of planes.entries()) {
    if (groups.groupOf[at] !== NO_GROUP) members[groups.groupOf[at]!]!.push(entry);
  }
  const tables = members.map((entries) => tabulate(stack, entries));
  const chosen = chooseGroup(stack, tables, wanted);
  const leftOut = [
    ...listWithoutPlane(stack, accepts),
    ...tables.flatMap((group) => (group === chosen || group.hasDepth ? [] : group.entries)),
  ];
  return buildPlaces(stack, chosen, { leftOut, fileOf });
}

/** Planes closer than this are one plane: writers round. */
const THIN_MM = 0.1;

/** A single image as three slices in nearly one place, so that it is found in its own plane and nowhere else. */
function placeSingle(
  stack: StackRecord,
  entry: number,
  fileOf: (index: number) => StackFile | undefined,
): PlacedFrames | Refused {
  const grid = findGrid(stack, [entry], fileOf);
  if ('refusal' in grid) return grid;
  const { orientation, table } = tabulate(stack, [entry]);
  const [nx, ny, nz] = normalOf(orientation);
  const [x, y, z] = pointOf(table, 0);
  const offsets = [-THIN_MM, 0, THIN_MM];
  return {
    orientation,
    ...grid,
    places: offsets.map(() => [entry]),
    positionsMm: Float64Array.from(offsets, (offset) => table.positionsMm[0]! + offset),
    points: Float64Array.from(offsets.flatMap((mm) => [x + nx * mm, y + ny * mm, z + nz * mm])),
    placeSpacingMm: THIN_MM,
    isHole: new Uint8Array(offsets.length - 1),
    tiltDegrees: 0,
    warnings: [],
  };
}

/** Refuses what is no volume wherever its frames lie, so that their positions need not be read. */
export function refuseFile({
  objectKind,
  frameCount,
}: Pick<StackFile, 'objectKind' | 'frameCount'>): Refused | undefined {
  const other = OTHER_KINDS[objectKind];
  if (other !== undefined) return refuseKind(other);
  return frameCount > MOST_STACK_FRAMES ? refuseCount('file', frameCount) : undefined;
}

function refuseCount(what: 'stack' | 'file', frames: number): Refused {
  return refuse('too_many_frames', `the ${what} has ${frames} frames, and a volume can have ${MOST_STACK_FRAMES}`);
}

type Refused = { readonly refusal: VolumeRefusal };

/** Objects that are no volume whatever their positions say. */
function findOtherKind(stack: StackRecord, file: StackFile): Refused | undefined {
  if (stack.kind === 'wsi_pyramid_level' || stack.kind === 'wsi_companion') return refuseKind(SLIDE);
  const other = OTHER_KINDS[file.objectKind];
  if (other !== undefined) return refuseKind(other);
  if (stack.imageTypeRole === 'LOCALIZER') return refuseKind('a localizer: Image Type (0008,0008) says so');
  if (stack.space === 'slide') return refuseKind(SLIDE);
  const { samplesPerPixel, photometricInterpretation } = file;
  if (samplesPerPixel !== 1) return refuseKind(`in color: Samples per Pixel (0028,0002) is ${samplesPerPixel}`);
  if (photometricInterpretation.startsWith('MONOCHROME')) return undefined;
  return refuseKind(`in color: Photometric Interpretation (0028,0004) is ${photometricInterpretation || 'missing'}`);
}

const SLIDE = 'a whole slide image (PS3.3 A.32.8), whose tiles lie side by side';

const OTHER_KINDS: Readonly<Partial<Record<ObjectKind, string>>> = {
  segmentation: 'a segmentation (PS3.3 A.51): labels, which are not interpolated',
  video: 'a video',
  whole_slide_microscopy: SLIDE,
};

function refuseKind(what: string): Refused {
  return refuse('not_a_volume', `this is ${what}`);
}

function hasPlane(stack: StackRecord, entry: number): boolean {
  if (stack.orientationOf[entry]! < 0) return false;
  const point = stack.points.subarray(3 * entry, 3 * entry + 3);
  return point.every((coordinate) => Math.abs(coordinate) <= MOST_MM);
}

function listPlanes(stack: StackRecord, accepts: (entry: number) => boolean): number[] {
  const planes: number[] = [];
  for (let entry = 0; entry < stack.length; entry += 1) {
    if (hasPlane(stack, entry) && accepts(entry)) planes.push(entry);
  }
  return planes;
}

function listWithoutPlane(stack: StackRecord, accepts: (entry: number) => boolean): number[] {
  const without: number[] = [];
  for (let entry = 0; entry < stack.length; entry += 1) {
    if (!hasPlane(stack, entry) && accepts(entry)) without.push(entry);
  }
  return without;
}

/** Frames whose normals agree within 10 degrees, in order along the normal of the first one. */
type Group = {
  readonly entries: readonly number[];
  readonly orientation: PlaneOrientation;
  readonly table: FrameTable;
  readonly order: Uint32Array;
  /** Whether the frames lie in two places or more. */
  readonly hasDepth: boolean;
};

function tabulate(stack: StackRecord, entries: readonly number[]): Group {
  const table = createFrameTable(entries.length, evidenceOf(stack, entries));
  const orientation = stack.orientations[stack.orientationOf[entries[0]!]!]!;
  const [nx, ny, nz] = normalOf(orientation);
  for (const [at, entry] of entries.entries()) {
    const [x = NaN, y = NaN, z = NaN] = stack.points.subarray(3 * entry, 3 * entry + 3);
    table.fileIndices[at] = stack.fileIndices[entry]!;
    table.frameIndices[at] = stack.frameIndices[entry]!;
    table.points.set([x, y, z], 3 * at);
    table.orientations[at] = stack.orientations[stack.orientationOf[entry]!];
    table.positionsMm[at] = x * nx + y * ny + z * nz;
    table.ranks[at] = entry;
  }
  const order = orderFrames(table);
  const extentMm = table.positionsMm[order.at(-1)!]! - table.positionsMm[order[0]!]!;
  return { entries, orientation, table, order, hasDepth: extentMm > ONE_PLACE_MM };
}

/** The group of the wanted frame if it has depth, otherwise the largest group that has. */
function chooseGroup(stack: StackRecord, groups: readonly Group[], { fileIndex, frame }: WantedFrame): Group {
  const isWanted = (entry: number) =>
    stack.fileIndices[entry] === fileIndex && (frame === undefined || stack.frameIndices[entry] === frame);
  const sorted = groups.toSorted((a, b) => b.entries.length - a.entries.length);
  return (
    groups.find((group) => group.hasDepth && group.entries.some(isWanted)) ??
    sorted.find((group) => group.hasDepth) ??
    sorted[0]!
  );
}

function buildPlaces(
  stack: StackRecord,
  { entries, orientation, table, order, hasDepth }: Group,
  {
    leftOut,
    fileOf,
  }: { readonly leftOut: readonly number[]; readonly fileOf: (index: number) => StackFile | undefined },
): PlacedFrames | Refused {
  if (!hasDepth) return refuse('single_place', 'all frames lie in one plane');
  const isTurned = (other: PlaneOrientation | undefined) =>
    other !== undefined && !hasSameOrientation(orientation, other, ORIENTATION_TOLERANCE);
  if ([...new Set(table.orientations)].some(isTurned)) {
    return refuse('orientation_varies', 'the images are not parallel');
  }
  const grid = findGrid(stack, entries, fileOf);
  if ('refusal' in grid) return grid;
  const { starts, gapsMm, positionsMm } = measurePlaces(table, order);
  if (starts.length < 2) return refuse('single_place', 'all frames lie in one plane');

  if (starts.length > MOST_PLACES) {
    return refuse('too_many_frames', `the stack has ${starts.length} slices, and a volume can have ${MOST_PLACES}`);
  }

  const mostFrames = starts.reduce(
    (most, start, place) => Math.max(most, (starts[place + 1] ?? order.length) - start),
    0,
  );
  if (mostFrames > MOST_TIMES) {
    const message = `one place has ${mostFrames} frames, and a volume can have ${MOST_TIMES} times`;
    return refuse('too_many_frames', message);
  }
  const places = starts.map((start, place) => Array.from(order.subarray(start, starts[place + 1] ?? order.length)));
  const isSideBySide = places.some(([first = 0, ...others]) =>
    others.some((other) => lengthOf(subtract(pointOf(table, other), pointOf(table, first))) > SAME_POINT_MM),
  );
  if (isSideBySide) return refuse('side_by_side', 'several images lie side by side in one plane');

  // One frame stands for each place, because several times are no irregularity.
  const firsts = places.map(([first = 0]) => entries[first]!);
  const single = tabulate(stack, firsts);
  const singlePlaces = measurePlaces(single.table, single.order);
  const gaps = listIrregularGaps(single.table, singlePlaces, single.order);
  const noun = stack.kind === 'ordinary' && stack.frameIndices.every((frame) => frame === 0) ? 'image' : 'frame';
  const tilt = findTilt(single.table, single.order, orientation);
  const warnings: VolumeWarning[] = inspectStack(single.table, single.order, { noun, allowsGaps: false })
    .filter(({ code }) => code !== 'inconsistent_orientation')
    .map((warning) => (warning.code === 'gantry_tilt' && tilt.changes ? sayThatItChanges(warning) : warning))
    .map((warning) => (warning.code === 'nonuniform_spacing' ? sayWhatIsBetween(warning, gaps) : warning));
  if (leftOut.length > 0) warnings.push(tellLeftOut(stack, leftOut, noun));
  if (places.length === 2) {
    const message = `there are only two places, ${Number(gapsMm[0]!.toFixed(3))} mm apart`;
    warnings.push({ code: 'two_places', message, fileIndices: listFiles(stack, firsts) });
  }
  return {
    orientation,
    ...grid,
    places: places.map((members) => members.map((at) => entries[at]!)),
    positionsMm,
    points: Float64Array.from(firsts.flatMap((entry) => [...stack.points.subarray(3 * entry, 3 * entry + 3)])),
    placeSpacingMm: singlePlaces.spacingMm ?? NaN,
    isHole: markHoles(singlePlaces, gaps),
    tiltDegrees: tilt.degrees,
    warnings,
  };
}

type Grid = Pick<PlacedFrames, 'spacingMm' | 'rows' | 'columns'>;

/** The samples of all frames lie at the same distances. */
function findGrid(
  stack: StackRecord,
  entries: readonly number[],
  fileOf: (index: number) => StackFile | undefined,
): Grid | Refused {
  let grid: Grid | undefined;
  for (const entry of entries) {
    const { spacingMm, source } = stack.spacings[stack.spacingOf[entry]!] ?? {};
    const isPlausible = spacingMm?.every((spacing) => spacing >= LEAST_SPACING_MM && spacing <= MOST_SPACING_MM);
    if (spacingMm === undefined || source !== 'pixel_spacing' || isPlausible !== true) {
      return refuse('no_spacing', explainSpacing(source));
    }
    const { rows = 0, columns = 0 } = fileOf(stack.fileIndices[entry]!) ?? {};
    grid ??= { spacingMm, rows, columns };
    if (grid.rows !== rows || grid.columns !== columns) {
      return refuse('spacing_varies', 'the images do not have the same number of rows and columns');
    }
    if (isOther(spacingMm[0], grid.spacingMm[0]) || isOther(spacingMm[1], grid.spacingMm[1])) {
      return refuse('spacing_varies', 'the images do not have the same pixel spacing');
    }
  }
  return grid ?? refuse('no_spacing', explainSpacing(undefined));
}

function isOther(a: number, b: number): boolean {
  return Math.abs(a - b) > SAME_SPACING * b;
}

function explainSpacing(source: string | undefined): string {
  if (source === 'imager' || source === 'magnification' || source === 'image_plane')
    return `${GEOMETRY_DOUBTS.detector_spacing} (PS3.3 10.7.1.3)`;
  return source === 'nominal'
    ? `${GEOMETRY_DOUBTS.film_spacing} (PS3.3 10.7.1.2)`
    : `${GEOMETRY_DOUBTS.no_spacing}: there is no valid Pixel Spacing (0028,0030)`;
}

function findTilt(table: FrameTable, order: Uint32Array, orientation: PlaneOrientation) {
  const normal = normalOf(orientation);
  const first = pointOf(table, order[0]!);
  const way = subtract(pointOf(table, order.at(-1)!), first);
  const lengthMm = table.positionsMm[order.at(-1)!]! - table.positionsMm[order[0]!]!;
  const step: Vector3 = [way[0] / lengthMm, way[1] / lengthMm, way[2] / lengthMm];
  const shift = lengthOf([step[0] - normal[0], step[1] - normal[1], step[2] - normal[2]]);
  let offLineMm = 0;
  for (const at of order) {
    const alongMm = table.positionsMm[at]! - table.positionsMm[order[0]!]!;
    const [x, y, z] = subtract(pointOf(table, at), first);
    offLineMm = Math.max(offLineMm, lengthOf([x - step[0] * alongMm, y - step[1] * alongMm, z - step[2] * alongMm]));
  }
  const degrees = (Math.atan(shift) * 180) / Math.PI;
  return { degrees: degrees < LEAST_TILT_DEGREES ? 0 : degrees, changes: offLineMm > OFF_LINE_MM };
}

/** Less is the rounding of positions. */
const LEAST_TILT_DEGREES = 0.01;

function sayThatItChanges(warning: VolumeWarning): VolumeWarning {
  return { ...warning, message: `${warning.message}; the tilt changes on the way` };
}

function sayWhatIsBetween(warning: VolumeWarning, gaps: readonly Gap[]): VolumeWarning {
  const between = gaps.some(({ missing }) => missing > 0) ? 'interpolated except in holes' : 'interpolated';
  return { ...warning, message: `${warning.message}; what lies between is ${between}` };
}

function tellLeftOut(stack: StackRecord, entries: readonly number[], noun: string): VolumeWarning {
  const { length } = entries;
  const count = length === 1 ? `1 ${noun} is` : `${length} ${noun}s are`;
  const message = `${count} not part of the volume: without a position, or turned against the others`;
  return { code: 'frames_left_out', message, fileIndices: listFiles(stack, entries) };
}

/** The distinct files of frames of the stack, ascending. */
export function listFiles({ fileIndices }: StackRecord, entries: readonly number[]): number[] {
  return [...new Set(entries.map((entry) => fileIndices[entry]!))].toSorted((a, b) => a - b);
}
