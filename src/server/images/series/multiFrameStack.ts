import { buildOrientation, type PlaneOrientation, positionAlong, normalOf } from '../../../shared/geometry.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { listOrientations, measuresAt } from '../../standard/geometry/frameGeometry.ts';
import type { RankedGeometry } from './frameGeometry.ts';
import type { ReadGeometry } from './geometryReader.ts';
import { createFrameTable, type FrameTable, orderFrames, pointOf, toStackFrames } from './frameTable.ts';
import { joinTraits } from './frameTraits.ts';
import { inspectFrameCounts } from './inspectFrameCounts.ts';
import { groupOrientations } from './orientationGroups.ts';
import type { SliceEvidence } from './sliceEvidence.ts';
import type { OfFrames, StackFrames } from './stack.ts';
import { draftStack, type StackDraft } from './stackDraft.ts';
import { inspectStack } from './stackWarnings.ts';
import { inspectConcatenation, isPart, orderParts, type Part } from './concatenation.ts';
import { imageTypeRole, isPyramidLevel } from './imageType.ts';

/**
 * The frames of one file, ordered by orientation, position, time and dimensions, or in stored order if it declares none
 * of these.
 */
export function buildMultiFrameStack(file: DicomFile, geometry: ReadGeometry | undefined): StackDraft {
  const { table, isRadial } = tabulateFrames(file, geometry);
  const order = orderFrames(table);
  const frames = toStackFrames(table, order);
  const missing = inspectFrameCounts([file]);
  const ofFrames = joinFrameFacts([geometry]);
  if (geometry !== undefined && 'problem' in geometry) {
    const message = `the positions of the frames are unknown: ${geometry.problem}`;
    const warnings = [...missing, { code: 'missing_positions' as const, message, fileIndices: [file.index] }];
    return draftStack(file, { frames, warnings, ofFrames });
  }
  if (geometry?.isSpatial !== true) return draftStack(file, { frames, warnings: missing, ofFrames });
  if (isRadial) {
    const message = 'most frames have different orientations; they are in the order of the file';
    const warnings = [...missing, { code: 'inconsistent_orientation' as const, message, fileIndices: [file.index] }];
    return draftStack(file, { frames, warnings, ofFrames });
  }
  const allowsGaps = mayLeaveOut(file);
  const warnings = [...missing, ...inspectStack(table, order, { noun: 'frame', allowsGaps })];
  return draftStack(file, { frames, warnings, ofFrames });
}

/** A segmentation has no frames where a segment is absent. */
export function mayLeaveOut({ objectKind }: DicomFile): boolean {
  return objectKind === 'segmentation';
}

/** The frames of a file in stored order, with their positions. */
export function tabulateFrames(
  file: DicomFile,
  geometry: ReadGeometry | undefined,
): { table: FrameTable; isRadial: boolean } {
  const table = createFrameTable(file.frameCount, geometry && findEvidence(geometry));
  table.fileIndices.fill(file.index);
  for (let frame = 0; frame < table.length; frame += 1) table.frameIndices[frame] = frame;
  const places = findPlaces(file, geometry);
  if (places === undefined) return { table, isRadial: false };
  for (let frame = 0; frame < table.length; frame += 1) {
    const plane = places.orientations[places.orientationOf[frame] ?? -1];
    if (plane === undefined || Number.isNaN(places.points[3 * frame])) continue;
    table.orientations[frame] = plane;
    table.points.set(places.points.subarray(3 * frame, 3 * frame + 3), 3 * frame);
  }
  const { groupOf, normals, isRadial } = groupOrientations(table.orientations);
  if (isRadial) return { table, isRadial };
  table.groups.set(groupOf);
  for (let frame = 0; frame < table.length; frame += 1) {
    const rank = places.ranks[frame] ?? NaN;
    table.ranks[frame] = rank;
    table.times[frame] = rank;
    const normal = normals[groupOf[frame]!];
    if (normal !== undefined) table.positionsMm[frame] = positionAlong(normal, pointOf(table, frame));
  }
  return { table, isRadial };
}

function findEvidence(geometry: ReadGeometry): SliceEvidence | undefined {
  if ('problem' in geometry) return undefined;
  return {
    thicknessOf: (frame) => measuresAt(geometry, frame)?.sliceThicknessMm,
    spacingOf: (frame) => measuresAt(geometry, frame)?.sliceSpacingMm,
    numberOf: () => undefined,
    isList: geometry.isDoseGrid === true,
  };
}

type Places = Pick<RankedGeometry, 'points' | 'orientationOf' | 'ranks'> & {
  readonly orientations: readonly (PlaneOrientation | undefined)[];
};

/** Positions that determine the order of the frames. They are left out for an object that does not order its frames. */
function findPlaces(file: DicomFile, geometry: ReadGeometry | undefined): Places | undefined {
  if (geometry === undefined) return placeOnlyFrame(file);
  if ('problem' in geometry) return undefined;
  const { points, orientationOf, ranks, placesFrames } = geometry;
  return { points, orientationOf, ranks, orientations: placesFrames ? listOrientations(geometry) : [] };
}

/** What is known from the frames of several files together; undefined unless all files have been read. */
export function joinFrameFacts(geometries: readonly (ReadGeometry | undefined)[]): OfFrames | undefined {
  const read = geometries.flatMap((one) => (one === undefined || 'problem' in one ? [] : [one]));
  if (read.length === 0 || read.length < geometries.length) return undefined;
  const traits = read.flatMap((one) => one.traits ?? []);
  return {
    traits: traits.length === 0 ? undefined : traits.reduce(joinTraits),
    orientations: read.flatMap((one) => (one.placesFrames ? listOrientations(one).flatMap((each) => each ?? []) : [])),
  };
}

/** The scan has already read the position of a file with one frame. */
function placeOnlyFrame({ frameCount, placement }: DicomFile): Places | undefined {
  const { position, orientation } = placement ?? {};
  if (frameCount !== 1 || position === undefined || orientation === undefined) return undefined;
  return {
    points: Float64Array.from(position),
    orientations: [buildOrientation(orientation)],
    orientationOf: Int32Array.of(0),
    ranks: Float64Array.of(NaN),
  };
}

/** The parts of one concatenation, one after the other. `parts` are sorted by index. */
export function buildConcatenationStack(
  parts: readonly Part[],
  geometryOf: (file: DicomFile) => ReadGeometry | undefined,
): StackDraft {
  const ordered = orderParts(parts);
  const frames = joinFrames(ordered);
  const positionsMm = new Float64Array(frames.length).fill(NaN);
  let start = 0;
  let normal: ReturnType<typeof normalOf> | undefined;
  for (const part of ordered) {
    const { table } = tabulateFrames(part, geometryOf(part));
    for (const [frame, orientation] of table.orientations.entries()) {
      if (orientation === undefined) continue;
      normal ??= normalOf(orientation);
      positionsMm[start + frame] = positionAlong(normal, pointOf(table, frame));
    }
    start += part.frameCount;
  }
  return draftStack(parts[0], {
    kind: 'concatenation',
    concatenationUid: parts[0]?.placement.concatenation.uid,
    frames: { ...frames, positionsMm },
    warnings: [...inspectFrameCounts(parts), ...inspectConcatenation(ordered)],
    ofFrames: joinFrameFacts(ordered.map((part) => geometryOf(part))),
  });
}

/** One level or companion of a slide: a file, or the parts of one object. */
export function buildSlideStack(files: readonly DicomFile[]): StackDraft {
  const [first] = files;
  const parts = orderParts(files.filter(isPart));
  const slide = first?.placement?.slide;
  return draftStack(first, {
    kind: first !== undefined && isPyramidLevel(first) ? 'wsi_pyramid_level' : 'wsi_companion',
    concatenationUid: parts[0]?.placement.concatenation.uid,
    pyramidUid: slide?.pyramidUid,
    imageTypeRole: imageTypeRole(first?.placement?.imageType),
    totalPixelMatrixRows: slide?.totalRows,
    totalPixelMatrixColumns: slide?.totalColumns,
    frames: joinFrames(parts.length === 0 ? files : parts),
    warnings: [...inspectFrameCounts(files), ...inspectConcatenation(parts)],
  });
}

/** All frames in stored order, with the files in the given order. */
function joinFrames(files: readonly DicomFile[]): StackFrames {
  const length = files.reduce((sum, { frameCount }) => sum + frameCount, 0);
  const fileIndices = new Uint32Array(length);
  const frameIndices = new Uint32Array(length);
  let start = 0;
  for (const { index, frameCount } of files) {
    fileIndices.fill(index, start, start + frameCount);
    for (let frame = 0; frame < frameCount; frame += 1) frameIndices[start + frame] = frame;
    start += frameCount;
  }
  return { length, fileIndices, frameIndices, positionsMm: new Float64Array(length).fill(NaN) };
}
