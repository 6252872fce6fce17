import {
  buildOrientation,
  normalOf,
  type PlaneOrientation,
  positionAlong,
  type Vector3,
} from '../../../shared/geometry.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { createFrameTable, type FrameTable, orderFrames, pointOf, toStackFrames } from './frameTable.ts';
import { imageTypeRole } from './imageType.ts';
import { groupOrientations, NO_GROUP } from './orientationGroups.ts';
import type { Stack, StackWarning } from './stack.ts';
import { draftStack, type StackDraft } from './stackDraft.ts';
import { inspectStack } from './stackWarnings.ts';

/** Stacks of files with one frame each. `files` are sorted by index. */
export function buildImageStacks(files: readonly DicomFile[]): StackDraft[] {
  const stacks: StackDraft[] = [];
  const [first] = files;
  if (first === undefined) return stacks;
  if (files.length === 1) return [buildOnly(first, buildOrientation(first.placement?.orientation))];
  const orientationsOf = createOrientations();
  for (const alike of splitImages(files)) {
    const orientations = orientationsOf(alike);
    const { groupOf, normals, isRadial } = groupOrientations(orientations);
    if (isRadial) {
      stacks.push(buildRadialStack(alike, orientations));
      continue;
    }
    if (normals.length < 2) {
      stacks.push(buildStack(alike, orientations));
      continue;
    }
    for (const members of listGroups(groupOf, normals.length)) {
      const images = members.map((entry) => alike[entry]!);
      stacks.push(
        buildStack(
          images,
          members.map((entry) => orientations[entry]),
        ),
      );
    }
  }
  return stacks;
}

function buildStack(images: readonly DicomFile[], orientations: readonly (PlaneOrientation | undefined)[]): StackDraft {
  const [first] = images;
  if (first !== undefined && images.length === 1) return buildOnly(first, orientations[0]);
  const table = tabulateImages(images, orientations);
  const order = orderFrames(table);
  const warnings = inspectStack(table, order, { noun: 'image', allowsGaps: false });
  return draft(images, { frames: toStackFrames(table, order), warnings });
}

/** Most of the many stacks of a large study hold one image, so these avoid the table. */
function buildOnly(image: DicomFile, orientation: PlaneOrientation | undefined): StackDraft {
  const position = image.placement?.position;
  const isPlaced = position !== undefined && orientation !== undefined;
  const positionMm = isPlaced ? positionAlong(normalOf(orientation), toVector(position)) : NaN;
  const frames = { length: 1, fileIndices: [image.index], frameIndices: ONLY_FRAME, positionsMm: [positionMm] };
  return draft([image], { frames, warnings: NO_WARNINGS });
}

// Shared, because there may be 100,000 such stacks.
const ONLY_FRAME: readonly number[] = [0];
const NO_WARNINGS: readonly StackWarning[] = [];

function toVector([x = NaN, y = NaN, z = NaN]: readonly number[]): Vector3 {
  return [x, y, z];
}

/** Planes that rotate around an axis have no common normal, so they are in the order of acquisition. */
function buildRadialStack(
  images: readonly DicomFile[],
  orientations: readonly (PlaneOrientation | undefined)[],
): StackDraft {
  const table = tabulateImages(images, orientations);
  table.positionsMm.fill(NaN);
  const order = orderFrames(table);
  const message = 'most images have different orientations; they are ordered by instance number';
  const fileIndices = images.map(({ index }) => index);
  return draft(images, {
    frames: toStackFrames(table, order),
    warnings: [{ code: 'inconsistent_orientation', message, fileIndices }],
  });
}

export function tabulateImages(
  images: readonly DicomFile[],
  orientations: readonly (PlaneOrientation | undefined)[],
): FrameTable {
  const table = createFrameTable(images.length, {
    thicknessOf: (entry) => images[entry]?.placement?.sliceThicknessMm,
    spacingOf: (entry) => images[entry]?.placement?.sliceSpacingMm,
    numberOf: (entry) => parseInstanceNumber(images[entry]?.instanceNumber ?? ''),
    isList: false,
  });
  const first = images.findIndex((image, entry) => orientations[entry] !== undefined && hasPosition(image));
  const normal = normalOf(orientations[first] ?? AXIAL);
  for (const [entry, image] of images.entries()) {
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

/** The entries of each group. Entries without an orientation join the largest group. */
function listGroups(groupOf: Uint16Array, count: number): number[][] {
  const sizes = new Uint32Array(count);
  for (const group of groupOf) if (group !== NO_GROUP) sizes[group] = sizes[group]! + 1;
  const largest = sizes.indexOf(Math.max(...sizes));
  const groups: number[][] = Array.from(sizes, () => []);
  for (const [entry, group] of groupOf.entries()) groups[group === NO_GROUP ? largest : group]!.push(entry);
  return groups;
}

function draft(images: readonly DicomFile[], content: Pick<Stack, 'frames' | 'warnings'>): StackDraft {
  const [first] = images;
  const role = imageTypeRole(first?.placement?.imageType);
  return draftStack(first, { ...content, imageTypeRole: role === 'LOCALIZER' ? role : undefined });
}

/** Images with equal orientations share the directions built from them. */
export function createOrientations(): (files: readonly DicomFile[]) => (PlaneOrientation | undefined)[] {
  const built = new Map<string, PlaneOrientation | undefined>();
  let lastWritten: readonly number[] | undefined;
  let last: PlaneOrientation | undefined;

  function toOrientation(written: readonly number[] | undefined): PlaneOrientation | undefined {
    // Images of one batch share one list.
    if (written === undefined || written === lastWritten) return written && last;
    const key = written.join();
    if (!built.has(key)) built.set(key, buildOrientation(written));
    lastWritten = written;
    last = built.get(key);
    return last;
  }

  return function orientationsOf(files) {
    const orientations: (PlaneOrientation | undefined)[] = [];
    for (const { placement } of files) orientations.push(toOrientation(placement?.orientation));
    return orientations;
  };
}

/**
 * Separates images that cannot be in one stack regardless of their geometry: different matrix, SOP class, echo or frame
 * of reference, and localizers. Each list keeps the order of the files, and the lists are in the order of their first
 * files.
 */
function splitImages(files: readonly DicomFile[]): DicomFile[][] {
  const onlyEcho = findOnly(files, ({ placement }) => placement?.echoNumber);
  const onlyFrameOfReference = findOnly(files, ({ frameOfReferenceUid }) => frameOfReferenceUid);
  const lists = new Map<string, DicomFile[]>();
  let lastFile: DicomFile | undefined;
  let lastList: DicomFile[] = [];
  for (const file of files) {
    if (lastFile === undefined || !isAlike(file, lastFile)) {
      const traits = [
        file.sopClassUid,
        `${file.rows}x${file.columns}x${file.samplesPerPixel}`,
        file.placement?.imageType.split('\\').slice(2).includes('LOCALIZER') ?? false,
        file.placement?.echoNumber ?? onlyEcho,
        file.frameOfReferenceUid ?? onlyFrameOfReference,
      ];
      const key = traits.join(' ');
      lastList = lists.get(key) ?? [];
      lists.set(key, lastList);
      lastFile = file;
    }
    lastList.push(file);
  }
  return [...lists.values()];
}

/** True for files with identical traits: a fast path for consecutive images. */
function isAlike(a: DicomFile, b: DicomFile): boolean {
  return (
    a.rows === b.rows &&
    a.columns === b.columns &&
    a.samplesPerPixel === b.samplesPerPixel &&
    a.sopClassUid === b.sopClassUid &&
    a.frameOfReferenceUid === b.frameOfReferenceUid &&
    a.placement?.echoNumber === b.placement?.echoNumber &&
    a.placement?.imageType === b.placement?.imageType
  );
}

/** The value shared by all files that have one, which then also applies to the files without one. */
function findOnly<Value>(
  files: readonly DicomFile[],
  valueOf: (file: DicomFile) => Value | undefined,
): Value | undefined {
  let only: Value | undefined;
  for (const file of files) {
    const value = valueOf(file);
    if (value === undefined || value === only) continue;
    if (only !== undefined) return undefined;
    only = value;
  }
  return only;
}
