import { hasSameOrientation, lengthOf, subtract, type Vector3 } from '../../../shared/geometry.ts';
import type { StackRecord } from '../series/stackRecord.ts';
import { ORIENTATION_TOLERANCE } from '../series/orientationGroups.ts';
import type { PlacedFrames, WantedFrame } from './placeFrames.ts';
import type { DescribedVolume, VolumeRefusal, VolumeWarning } from './volume.ts';

/** Stacks that may be one volume. */
export type JointRecord = StackRecord & { readonly partOf: Uint32Array };

export type VolumeParts = {
  /** A volume of one file, or of several. */
  readonly describe: (stack: StackRecord, isJoint: boolean) => DescribedVolume;
  readonly place: (stack: StackRecord, wanted: WantedFrame) => PlacedFrames | { readonly refusal: VolumeRefusal };
};

/** First points of two files in one place may differ by this much. */
const SAME_POINT_MM = 0.01;

/**
 * The volume of a stack and of others of the same form. All of them are one volume if every frame has a place and a time of
 * its own: slices, times, echoes or b-values are then spread over files. Else those are one that lie in the same places as
 * the wanted frame. Else the wanted stack is a volume by itself, because nothing is guessed and no frame is left out.
 */
export function joinVolumes(stack: JointRecord, wanted: WantedFrame, parts: VolumeParts): DescribedVolume {
  const own = partOfWanted(stack, wanted);
  const alone = parts.describe(pickParts(stack, [own]), false);
  const whole = describeTogether(stack, { wanted, alone }, parts);
  if (whole !== undefined) return whole;
  if (alone.volume === undefined) return alone;
  const alike = listAlike(stack, own, parts);
  if (alike.size < 2) return alone;
  const isOther = alike.size < countParts(stack);
  const some = isOther ? describeTogether(pickParts(stack, alike), { wanted, alone }, parts) : undefined;
  if (some !== undefined) return some;
  return { ...alone, volume: { ...alone.volume, warnings: [...alone.volume.warnings, tellApart(stack, alike)] } };
}

function partOfWanted({ fileIndices, frameIndices, partOf }: JointRecord, { fileIndex, frame }: WantedFrame): number {
  const at = fileIndices.findIndex(
    (index, entry) => index === fileIndex && (frame === undefined || frameIndices[entry] === frame),
  );
  return partOf[at] ?? 0;
}

function countParts({ partOf }: JointRecord): number {
  return (partOf.at(-1) ?? -1) + 1;
}

/**
 * The volume of several files if it has all of their frames, and is not less regular than that of one of them: files that lie
 * far from each other, or overlap, are volumes of their own. The files are read only if their positions allow it.
 */
function describeTogether(
  stack: JointRecord,
  { wanted, alone }: { readonly wanted: WantedFrame; readonly alone: DescribedVolume },
  { describe, place }: VolumeParts,
): DescribedVolume | undefined {
  const known = new Set<string>(alone.volume?.warnings.map(({ code }) => code));
  const isWorse = ({ code }: VolumeWarning) => WORSE.has(code) && (NEVER.has(code) || !known.has(code));
  const placed = place(stack, wanted);
  if ('refusal' in placed || placed.warnings.some(isWorse)) return undefined;
  if (placed.places.some(({ length }) => length !== placed.places[0]!.length)) return undefined;
  const described = describe(stack, true);
  return described.volume === undefined || described.volume.warnings.some(isWorse) ? undefined : described;
}

/** Warnings about frames that are not shown. */
const NEVER: ReadonlySet<string> = new Set(['duplicate_positions', 'incomplete_time', 'frames_left_out']);
const WORSE: ReadonlySet<string> = new Set([...NEVER, 'missing_positions', 'nonuniform_spacing', 'gantry_tilt']);

/** The parts whose slices lie where those of the wanted one lie, itself among them. */
function listAlike(stack: JointRecord, own: number, { place }: VolumeParts): ReadonlySet<number> {
  const placeOf = (part: number) => {
    const picked = pickParts(stack, [part]);
    return place(picked, { fileIndex: picked.fileIndices[0]!, frame: undefined });
  };
  const alike = new Set([own]);
  const first = placeOf(own);
  if ('refusal' in first) return alike;
  for (let part = 0; part < countParts(stack); part += 1) {
    const other = part === own ? first : placeOf(part);
    if (!('refusal' in other) && areInSamePlaces(first, other)) alike.add(part);
  }
  return alike;
}

function areInSamePlaces(a: PlacedFrames, b: PlacedFrames): boolean {
  if (a.points.length !== b.points.length) return false;
  if (!hasSameOrientation(a.orientation, b.orientation, ORIENTATION_TOLERANCE)) return false;
  return a.places.every(
    (_, place) => lengthOf(subtract(firstPointOf(a, place), firstPointOf(b, place))) <= SAME_POINT_MM,
  );
}

function firstPointOf({ points }: PlacedFrames, place: number): Vector3 {
  return [points[3 * place]!, points[3 * place + 1]!, points[3 * place + 2]!];
}

/** The frames of some parts, which follow each other in the record. */
function pickParts(stack: JointRecord, wanted: Iterable<number>): JointRecord {
  const ranges = [...wanted]
    .toSorted((a, b) => a - b)
    .map((part) => [findStart(stack, part), findStart(stack, part + 1)] as const);
  const entries = Uint32Array.from(ranges.flatMap(([start, end]) => range(start, end)));
  const pick = <Column extends Uint32Array | Int32Array | Float64Array>(column: Column, into: Column): Column => {
    for (const [at, entry] of entries.entries()) into[at] = column[entry]!;
    return into;
  };
  const { length } = entries;
  const points = new Float64Array(3 * length);
  for (const [at, entry] of entries.entries()) points.set(stack.points.subarray(3 * entry, 3 * entry + 3), 3 * at);
  return {
    ...stack,
    length,
    points,
    fileIndices: pick(stack.fileIndices, new Uint32Array(length)),
    frameIndices: pick(stack.frameIndices, new Uint32Array(length)),
    positionsMm: pick(stack.positionsMm, new Float64Array(length)),
    orientationOf: pick(stack.orientationOf, new Int32Array(length)),
    spacingOf: pick(stack.spacingOf, new Int32Array(length)),
    thicknessesMm: pick(stack.thicknessesMm, new Float64Array(length)),
    sliceSpacingsMm: pick(stack.sliceSpacingsMm, new Float64Array(length)),
    instanceNumbers: pick(stack.instanceNumbers, new Float64Array(length)),
    partOf: pick(stack.partOf, new Uint32Array(length)),
  };
}

/** The first frame of a part, by halving. */
function findStart({ partOf }: JointRecord, part: number): number {
  let [low, high] = [0, partOf.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (partOf[middle]! < part) low = middle + 1;
    else high = middle;
  }
  return low;
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, at) => start + at);
}

function tellApart(stack: JointRecord, alike: ReadonlySet<number>): VolumeWarning {
  const fileIndices = [...new Set(pickParts(stack, alike).fileIndices)].toSorted((a, b) => a - b);
  const message =
    `${fileIndices.length} files of the series have slices in the same places, and nothing tells their times apart: ` +
    'each is a volume of its own';
  return { code: 'files_apart', message, fileIndices };
}
