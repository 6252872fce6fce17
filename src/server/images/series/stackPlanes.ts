import type { PlaneRun } from '../../../shared/contract/series.ts';
import { buildOrientation, type PlaneOrientation, type PlaneSpace } from '../../../shared/geometry.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { type FrameGeometry, listOrientations, measuresAt } from '../../standard/geometry/frameGeometry.ts';
import type { PixelMeasures, PixelSpacing } from '../../standard/geometry/pixelSpacing.ts';
import type { ReadGeometry } from './geometryReader.ts';
import type { Stack, StackFrames } from './stack.ts';

export type PlaneSources = {
  readonly files: readonly DicomFile[];
  /** Undefined if the geometry is unknown, or not read yet. */
  readonly geometryOf: (file: DicomFile) => ReadGeometry | undefined;
};

/** Origins within this distance of the line, a nanometre, need not be listed. */
const SAME_ORIGIN_MM = 1e-6;

/**
 * The planes of all frames of a stack, in runs of frames that share orientation and spacing. The origins of most stacks
 * are on a line, and are given by the first one and the step of that line; otherwise each origin is listed.
 */
export function listPlaneRuns({ frames, kind }: Pick<Stack, 'frames' | 'kind'>, sources: PlaneSources): PlaneRun[] {
  const isSlide = kind === 'wsi_pyramid_level' || kind === 'wsi_companion';
  const lookUp = createLookUp(sources, isSlide);
  const points = new Float64Array(3 * frames.length).fill(NaN);
  const runs: PlaneRun[] = [];
  let first = 0;
  let common: RunFacts | undefined;

  const close = (end: number) => {
    if (common !== undefined && isTold(common)) runs.push(buildRun(common, { first, end, points, frames }));
  };

  for (let at = 0; at < frames.length; at += 1) {
    const facts = lookUp(frames.fileIndices[at]!, frames.frameIndices[at]!, points.subarray(3 * at, 3 * at + 3));
    if (common !== undefined && isAlike(common, facts)) continue;
    close(at);
    common = facts;
    first = at;
  }
  close(frames.length);
  return runs;
}

/** What the frames of one run have in common. */
export type RunFacts = {
  readonly space: PlaneSpace;
  readonly orientation: PlaneOrientation | undefined;
  readonly spacing: Pick<PixelSpacing, 'spacingMm' | 'source'>;
  readonly hasPoint: boolean;
  /** Runs do not end where these change. */
  readonly slices: SliceMeasures | undefined;
};

type SliceMeasures = Pick<PixelMeasures, 'sliceSpacingMm' | 'sliceThicknessMm'>;

const NO_SPACING = { spacingMm: undefined, source: undefined };
const NOTHING: RunFacts = {
  space: 'patient',
  orientation: undefined,
  spacing: NO_SPACING,
  hasPoint: false,
  slices: undefined,
};

/** Returns what is known about a frame, and writes the centre of its first sample to `point`. */
type LookUp = (fileIndex: number, frame: number, point: Float64Array) => RunFacts;

function knowNothing(): RunFacts {
  return NOTHING;
}

/** Slides are described by the plane of their matrix. */
export function createLookUp({ files, geometryOf }: PlaneSources, isSlide: boolean): LookUp {
  let lastIndex = -1;
  let lookUpInFile: (frame: number, point: Float64Array) => RunFacts = knowNothing;
  let lastWritten: readonly number[] | undefined;
  let lastOrientation: PlaneOrientation | undefined;

  /** Images of one scan batch share the same list, so comparing references is enough. */
  function orient(written: readonly number[] | undefined): PlaneOrientation | undefined {
    if (written !== lastWritten) [lastWritten, lastOrientation] = [written, buildOrientation(written)];
    return lastOrientation;
  }

  function openFile(file: DicomFile): typeof lookUpInFile {
    const geometry = isSlide ? undefined : geometryOf(file);
    if (geometry !== undefined && !('problem' in geometry)) return createGeometryLookUp(geometry);
    const { placement, pixelSpacingMm, pixelSpacingSource } = file;
    // The scan has read only the first frame, and others may differ.
    if (placement === undefined || placement.hasFrameGeometry) return knowNothing;
    const spacing = { spacingMm: pixelSpacingMm, source: pixelSpacingSource };
    if (isSlide) {
      const [rowX, rowY, columnX, columnY] = placement.slide?.orientation ?? [];
      const written =
        rowX === undefined || rowY === undefined || columnX === undefined || columnY === undefined
          ? undefined
          : [rowX, rowY, 0, columnX, columnY, 0];
      const facts: RunFacts = {
        space: 'slide',
        orientation: buildOrientation(written),
        spacing,
        hasPoint: false,
        slices: undefined,
      };
      return () => facts;
    }
    const orientation = orient(placement.orientation);
    const { position } = placement;
    return (_, point) => {
      if (position !== undefined) point.set(position);
      return { space: 'patient', orientation, spacing, hasPoint: position !== undefined, slices: placement };
    };
  }

  return (fileIndex, frame, point) => {
    const file = files[fileIndex];
    if (file === undefined) return NOTHING;
    if (fileIndex !== lastIndex) [lastIndex, lookUpInFile] = [fileIndex, openFile(file)];
    return lookUpInFile(frame, point);
  };
}

function createGeometryLookUp(geometry: FrameGeometry): (frame: number, point: Float64Array) => RunFacts {
  const { space, points, orientationOf } = geometry;
  const orientations = listOrientations(geometry);
  return (frame, point) => {
    point.set(points.subarray(3 * frame, 3 * frame + 3));
    const measures = measuresAt(geometry, frame);
    return {
      space,
      orientation: orientations[orientationOf[frame] ?? -1],
      spacing: measures ?? NO_SPACING,
      hasPoint: Number.isFinite(points[3 * frame]),
      slices: measures,
    };
  };
}

function isAlike(a: RunFacts, b: RunFacts): boolean {
  return (
    a === b ||
    (a.hasPoint === b.hasPoint &&
      a.space === b.space &&
      a.spacing.source === b.spacing.source &&
      a.spacing.spacingMm?.[0] === b.spacing.spacingMm?.[0] &&
      a.spacing.spacingMm?.[1] === b.spacing.spacingMm?.[1] &&
      isSameOrientation(a.orientation, b.orientation))
  );
}

function isSameOrientation(a: PlaneOrientation | undefined, b: PlaneOrientation | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  const isSame = (axis: 0 | 1 | 2) =>
    a.rowDirection[axis] === b.rowDirection[axis] && a.columnDirection[axis] === b.columnDirection[axis];
  return isSame(0) && isSame(1) && isSame(2);
}

function isTold({ orientation, spacing, hasPoint }: RunFacts): boolean {
  return orientation !== undefined || spacing.spacingMm !== undefined || hasPoint;
}

type RunFrames = {
  readonly first: number;
  readonly end: number;
  readonly points: Float64Array;
  readonly frames: StackFrames;
};

function buildRun({ space, orientation, spacing, hasPoint }: RunFacts, run: RunFrames): PlaneRun {
  const { first, end, points } = run;
  const step = hasPoint ? findStep(run) : undefined;
  const origins = points.subarray(3 * first, 3 * (step === undefined ? end : first + 1));
  return {
    first,
    count: end - first,
    space,
    orientation: orientation === undefined ? null : [...orientation.rowDirection, ...orientation.columnDirection],
    origins_mm: hasPoint ? [...origins] : null,
    origin_step: step ?? null,
    pixel_spacing_mm: spacing.spacingMm === undefined ? null : [...spacing.spacingMm],
    pixel_spacing_source: spacing.source ?? null,
  };
}

/** Displacement of the origins per millimetre along the normal; undefined if they are not on one line. */
function findStep({ first, end, points, frames }: RunFrames): [number, number, number] | undefined {
  const last = end - 1;
  const alongOf = (at: number) => frames.positionsMm[at]! - frames.positionsMm[first]!;
  const lengthMm = alongOf(last);
  // Without positions along a normal, or within one plane, all origins must be equal.
  const hasLength = Math.abs(lengthMm) > SAME_ORIGIN_MM;
  const partOf = (axis: number) => (hasLength ? (points[3 * last + axis]! - points[3 * first + axis]!) / lengthMm : 0);
  const step: [number, number, number] = [partOf(0), partOf(1), partOf(2)];
  for (let at = first; at < end; at += 1) {
    const alongMm = hasLength ? alongOf(at) : 0;
    for (let axis = 0; axis < 3; axis += 1) {
      const expected = points[3 * first + axis]! + step[axis]! * alongMm;
      // Negated, so that an unknown position in between, which gives NaN, fails too.
      if (!(Math.abs(points[3 * at + axis]! - expected) <= SAME_ORIGIN_MM)) return undefined;
    }
  }
  return step;
}
