import { buildOrientation, normalOf, type PlaneOrientation, positionAlong } from '../../shared/geometry.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { createFrameTable, type FrameTable, orderFrames, pointOf, toStackFrames } from './frameTable.ts';
import { groupOrientations, NO_GROUP } from './orientationGroups.ts';
import type { SlicedWork } from './slices.ts';
import { splitImages } from './splitImages.ts';
import { inspectStack } from './stackWarnings.ts';
import { imageTypeRole } from './imageType.ts';
import type { StackDraft } from './stackDraft.ts';
import { ordinaryStack } from './stackDraft.ts';

/** Stacks of files with one frame each. `files` by index. */
export function* buildImageStacks(files: readonly DicomFile[]): SlicedWork<StackDraft[]> {
  const stacks: StackDraft[] = [];
  const planes = createOrientations();
  for (const alike of yield* splitImages(files)) {
    const orientations = alike.map((file) => planes.of(file));
    const { groupOf, normals, isRadial } = yield* groupOrientations(orientations);
    if (isRadial) {
      stacks.push(yield* buildRadialStack(alike, orientations));
      continue;
    }
    for (const members of yield* listGroups(groupOf, normals.length)) {
      const images = members.map((entry) => alike[entry]!);
      stacks.push(yield* buildStack(images, members.map((entry) => orientations[entry])));
    }
  }
  return stacks;
}

function* buildStack(
  images: readonly DicomFile[],
  orientations: readonly (PlaneOrientation | undefined)[],
): SlicedWork<StackDraft> {
  const table = yield* tabulate(images, orientations);
  const order = yield* orderFrames(table);
  const warnings = yield* inspectStack(table, order, { noun: 'image', allowsGaps: false });
  return draft(images, { frames: toStackFrames(table, order), warnings });
}

/** Planes that turn around an axis have no common normal: the order is that of the acquisition. */
function* buildRadialStack(
  images: readonly DicomFile[],
  orientations: readonly (PlaneOrientation | undefined)[],
): SlicedWork<StackDraft> {
  const table = yield* tabulate(images, orientations);
  table.positionsMm.fill(NaN);
  const order = yield* orderFrames(table);
  const message = 'nearly every image has an orientation of its own; the order is that of the instance numbers';
  const fileIndices = images.map(({ index }) => index);
  return draft(images, {
    frames: toStackFrames(table, order),
    warnings: [{ code: 'inconsistent_orientation', message, fileIndices }],
  });
}

function* tabulate(
  images: readonly DicomFile[],
  orientations: readonly (PlaneOrientation | undefined)[],
): SlicedWork<FrameTable> {
  const table = createFrameTable(images.length);
  const first = images.findIndex((image, entry) => orientations[entry] !== undefined && hasPosition(image));
  const normal = normalOf(orientations[first] ?? AXIAL);
  for (const [entry, image] of images.entries()) {
    if (entry % 1024 === 1023) yield;
    table.fileIndices[entry] = image.index;
    table.ranks[entry] = parseInstanceNumber(image.instanceNumber) ?? NaN;
    table.times[entry] = image.placement?.time ?? NaN;
    const position = image.placement?.position;
    if (position === undefined || orientations[entry] === undefined) continue;
    table.orientations[entry] = orientations[entry];
    table.points.set(position, 3 * entry);
    table.positionsMm[entry] = positionAlong(normal, pointOf(table, entry));
  }
  return table;
}

const AXIAL: PlaneOrientation = { rowDirection: [1, 0, 0], columnDirection: [0, 1, 0] };

function hasPosition({ placement }: DicomFile): boolean {
  return placement?.position !== undefined;
}

/** An Integer String, which has at most 12 characters. */
export function parseInstanceNumber(text: string): number | undefined {
  return /^[+-]?\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** The entries of each group. Those without an orientation go with the most. */
function* listGroups(groupOf: Uint16Array, count: number): SlicedWork<number[][]> {
  const groups: number[][] = Array.from({ length: Math.max(count, 1) }, () => []);
  for (const [entry, group] of groupOf.entries()) groups[group]?.push(entry);
  yield;
  const largest = groups.reduce((most, group) => (group.length > most.length ? group : most));
  const before = largest.length;
  for (const [entry, group] of groupOf.entries()) if (group === NO_GROUP) largest.push(entry);
  yield;
  if (largest.length > before) largest.sort((a, b) => a - b);
  return groups;
}

function draft(images: readonly DicomFile[], content: Pick<StackDraft, 'frames' | 'warnings'>): StackDraft {
  const [first] = images;
  const role = imageTypeRole(first?.placement?.imageType);
  return ordinaryStack(first, { ...content, imageTypeRole: role === 'LOCALIZER' ? role : undefined });
}

/** Images share the list of their orientation, and so the directions that are built of it. */
function createOrientations() {
  const built = new Map<readonly number[], PlaneOrientation | undefined>();
  return {
    of({ placement }: DicomFile): PlaneOrientation | undefined {
      const written = placement?.orientation;
      if (written === undefined) return undefined;
      if (!built.has(written)) built.set(written, buildOrientation(written));
      return built.get(written);
    },
  };
}
