import { buildOrientation, type PlaneOrientation, positionAlong } from '../../../shared/geometry.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { listOrientations, measuresAt } from '../../standard/geometry/frameGeometry.ts';
import type { RankedGeometry } from './frameGeometry.ts';
import type { ReadGeometry } from './geometryReader.ts';
import { createFrameTable, type FrameTable, orderFrames, pointOf, toStackFrames } from './frameTable.ts';
import { joinTraits } from './frameTraits.ts';
import { inspectFrameCounts } from './inspectFrameCounts.ts';
import { groupOrientations } from './orientationGroups.ts';
import type { SliceEvidence } from './sliceEvidence.ts';
import type { OfFrames } from './stack.ts';
import { draftStack, type StackDraft } from './stackDraft.ts';
import { inspectStack } from './stackWarnings.ts';

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
  // A segmentation has no frames where a segment is absent.
  const allowsGaps = file.objectKind === 'segmentation';
  const warnings = [...missing, ...inspectStack(table, order, { noun: 'frame', allowsGaps })];
  return draftStack(file, { frames, warnings, ofFrames });
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
