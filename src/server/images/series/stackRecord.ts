import { createHash } from 'node:crypto';
import { SPACING_SOURCES } from '../../../shared/contract/fileTerms.ts';
import type { PlaneOrientation, PlaneSpace, Vector3 } from '../../../shared/geometry.ts';
import type { GeometryDoubtCode } from '../../standard/geometry/frameGeometry.ts';
import { createDistinct } from '../../standard/geometry/geometryColumns.ts';
import type { PixelSpacing } from '../../standard/geometry/pixelSpacing.ts';
import { parseInstanceNumber } from './imageStacks.ts';
import type { JointStack } from './jointStack.ts';
import type { SliceEvidence } from './sliceEvidence.ts';
import type { Stack } from './stack.ts';
import { createLookUp, type PlaneSources } from './stackPlanes.ts';

/** One stack with the planes of all its frames, as columns. */
export type StackRecord = Pick<Stack, 'kind' | 'imageTypeRole'> & {
  readonly length: number;
  readonly fileIndices: Uint32Array<ArrayBuffer>;
  readonly frameIndices: Uint32Array<ArrayBuffer>;
  /** Centre of the first sample of each frame, three coordinates; NaN if unknown. */
  readonly points: Float64Array<ArrayBuffer>;
  /** Position of each frame along the normal of the stack, as `/series` has it; NaN if it has none. */
  readonly positionsMm: Float64Array<ArrayBuffer>;
  readonly orientations: readonly PlaneOrientation[];
  /** Index into `orientations` for each frame; -1 for none. */
  readonly orientationOf: Int32Array<ArrayBuffer>;
  readonly spacings: readonly FrameSpacing[];
  readonly spacingOf: Int32Array<ArrayBuffer>;
  /** Slice Thickness, Spacing Between Slices and Instance Number of each frame as written; NaN if unknown. */
  readonly thicknessesMm: Float64Array<ArrayBuffer>;
  readonly sliceSpacingsMm: Float64Array<ArrayBuffer>;
  readonly instanceNumbers: Float64Array<ArrayBuffer>;
  /** Whether one list has the positions of all frames, so that none can be missing. */
  readonly isList: boolean;
  readonly space: PlaneSpace;
  readonly frameOfReferenceUid: string | undefined;
  readonly doubts: readonly GeometryDoubtCode[];
  /** Why the positions of the frames could not be read. */
  readonly problem: string | undefined;
  /** The positions of some frames are still being read, and are missing here. */
  readonly isPending: boolean;
  /** Only of several stacks that may be one volume: which of them each frame is from. */
  readonly partOf?: Uint32Array<ArrayBuffer>;
};

/**
 * A stack as it is sent from one thread to another: numbers only, because every frame may have its own orientation, and
 * copying that many objects would block the event loop.
 */
export type PackedStack = Omit<StackRecord, 'orientations' | 'spacings'> & {
  /** The same for the same frames in the same places. */
  readonly key: string;
  /** Six numbers for each orientation. */
  readonly orientations: Float64Array<ArrayBuffer>;
  /** Two numbers for each spacing; NaN if unknown. */
  readonly spacingsMm: Float64Array<ArrayBuffer>;
  /** Index into `SPACING_SOURCES` for each spacing; 255 for none. */
  readonly spacingSources: Uint8Array<ArrayBuffer>;
};

export type FrameSpacing = Pick<PixelSpacing, 'spacingMm' | 'source'>;

/** Stands for a stack with too many frames to be sent. */
export type LargeStack = { readonly kind: 'too_many_frames'; readonly length: number };

/** More frames than any real volume has, also one with many times. */
export const MOST_STACK_FRAMES = 65_536;

/** With the part that each frame is from, if several stacks may be one volume. */
export function buildJointRecord({ stack, partOf }: JointStack, sources: PlaneSources): StackRecord | LargeStack {
  const record = buildStackRecord(stack, sources);
  return record.kind === 'too_many_frames' ? record : { ...record, partOf };
}

export function buildStackRecord(stack: Stack, sources: PlaneSources): StackRecord | LargeStack {
  const { kind, imageTypeRole, frames } = stack;
  if (frames.length > MOST_STACK_FRAMES) return { kind: 'too_many_frames', length: frames.length };
  const { length } = frames;
  const isSlide = kind === 'wsi_pyramid_level' || kind === 'wsi_companion';
  const lookUp = createLookUp(sources, isSlide);
  const points = new Float64Array(3 * length).fill(NaN);
  const orientations = createDistinct<PlaneOrientation>({
    keyOf: ({ rowDirection, columnDirection }) => [...rowDirection, ...columnDirection].join(),
  });
  const spacings = createDistinct<FrameSpacing>({ keyOf: ({ spacingMm, source }) => `${spacingMm?.join()} ${source}` });
  const orientationOf = new Int32Array(length);
  const spacingOf = new Int32Array(length);
  const thicknessesMm = new Float64Array(length).fill(NaN);
  const sliceSpacingsMm = new Float64Array(length).fill(NaN);
  const instanceNumbers = new Float64Array(length).fill(NaN);
  let space: PlaneSpace = 'patient';
  let isPending = false;
  for (let at = 0; at < length; at += 1) {
    const facts = lookUp(frames.fileIndices[at]!, frames.frameIndices[at]!, points.subarray(3 * at, 3 * at + 3));
    orientationOf[at] = facts.orientation === undefined ? -1 : orientations.placeOf(facts.orientation);
    spacingOf[at] = spacings.placeOf(facts.spacing);
    thicknessesMm[at] = facts.slices?.sliceThicknessMm ?? NaN;
    sliceSpacingsMm[at] = facts.slices?.sliceSpacingMm ?? NaN;
    if (at === 0) space = facts.space;
    const file = frames.frameIndices[at] === 0 ? sources.files[frames.fileIndices[at]!] : undefined;
    // The frames of one file share its number.
    if (file?.frameCount === 1) instanceNumbers[at] = parseInstanceNumber(file.instanceNumber) ?? NaN;
    if (file?.placement?.hasFrameGeometry && sources.geometryOf(file) === undefined) isPending = true;
  }
  const file = sources.files[frames.fileIndices[0] ?? -1];
  const geometry = file && sources.geometryOf(file);
  const isRead = geometry !== undefined && !('problem' in geometry);
  return {
    kind,
    imageTypeRole,
    length,
    fileIndices: Uint32Array.from(frames.fileIndices),
    frameIndices: Uint32Array.from(frames.frameIndices),
    points,
    positionsMm: Float64Array.from(frames.positionsMm),
    orientations: orientations.values,
    orientationOf,
    spacings: spacings.values.map(({ spacingMm, source }) => ({ spacingMm, source })),
    spacingOf,
    thicknessesMm,
    sliceSpacingsMm,
    instanceNumbers,
    isList: isRead && geometry.isDoseGrid === true,
    space,
    frameOfReferenceUid: isRead ? geometry.frameOfReferenceUid : file?.frameOfReferenceUid,
    doubts: isRead ? geometry.doubts.map(({ code }) => code) : [],
    problem: geometry !== undefined && 'problem' in geometry ? geometry.problem : undefined,
    isPending,
  };
}

/** What the files say of the slices of a stack, by the place of a frame in `frames`, or in the stack. */
export function evidenceOf(
  {
    thicknessesMm,
    sliceSpacingsMm,
    instanceNumbers,
    isList,
  }: Pick<StackRecord, 'thicknessesMm' | 'sliceSpacingsMm' | 'instanceNumbers' | 'isList'>,
  frames?: readonly number[],
): SliceEvidence {
  const at = (entry: number) => frames?.[entry] ?? entry;
  return {
    thicknessOf: (entry) => thicknessesMm[at(entry)],
    spacingOf: (entry) => sliceSpacingsMm[at(entry)],
    numberOf: (entry) => instanceNumbers[at(entry)],
    isList,
  };
}

const NO_SOURCE = 255;

export function packStack({ orientations, spacings, ...rest }: StackRecord): PackedStack {
  const directions = new Float64Array(6 * orientations.length);
  for (const [at, { rowDirection, columnDirection }] of orientations.entries()) {
    directions.set(rowDirection, 6 * at);
    directions.set(columnDirection, 6 * at + 3);
  }
  const spacingsMm = new Float64Array(2 * spacings.length).fill(NaN);
  const spacingSources = new Uint8Array(spacings.length).fill(NO_SOURCE);
  for (const [at, { spacingMm, source }] of spacings.entries()) {
    if (spacingMm !== undefined) spacingsMm.set(spacingMm, 2 * at);
    if (source !== undefined) spacingSources[at] = SPACING_SOURCES.indexOf(source);
  }
  const hash = createHash('sha1').update(rest.fileIndices).update(rest.frameIndices).update(rest.points);
  // They decide which gaps are holes.
  hash.update(rest.thicknessesMm).update(rest.sliceSpacingsMm).update(rest.instanceNumbers);
  if (rest.partOf !== undefined) hash.update(rest.partOf);
  return { ...rest, orientations: directions, spacingsMm, spacingSources, key: hash.digest('base64') };
}

export function buffersOf(stack: PackedStack): ArrayBuffer[] {
  return Object.values(stack).flatMap((value) =>
    ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer ? [value.buffer] : [],
  );
}

export function unpackStack({ orientations, spacingsMm, spacingSources, ...rest }: PackedStack): StackRecord {
  const vectorAt = (at: number): Vector3 => [orientations[at]!, orientations[at + 1]!, orientations[at + 2]!];
  return {
    ...rest,
    orientations: Array.from({ length: orientations.length / 6 }, (_, at) => ({
      rowDirection: vectorAt(6 * at),
      columnDirection: vectorAt(6 * at + 3),
    })),
    spacings: Array.from(spacingSources, (source, at) => ({
      spacingMm: Number.isNaN(spacingsMm[2 * at]) ? undefined : [spacingsMm[2 * at]!, spacingsMm[2 * at + 1]!],
      source: SPACING_SOURCES[source],
    })),
  };
}
